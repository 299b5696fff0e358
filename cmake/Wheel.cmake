# What a Python wheel holds beside python/tessera: the module, cosim, and the files that they read.
install(TARGETS _engine LIBRARY DESTINATION tessera)
install(TARGETS cosim RUNTIME DESTINATION tessera/bin)
set(TESSERA_DATA tessera/share/tessera)
include(cmake/InstallData.cmake)
