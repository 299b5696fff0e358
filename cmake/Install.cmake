# `cmake --install` makes a tree that can be moved: bin/cosim finds share/tessera beside it, and
# find_package(Tessera) gives tessera::tessera, the library in one piece with the public headers.
include(CMakePackageConfigHelpers)

# All rooms below the commands and their reports.
get_property(rooms GLOBAL PROPERTY TESSERA_ROOMS)
list(REMOVE_ITEM rooms tessera_console tessera_app tessera_report tessera_rom tessera_runtime tessera_sweep
     tessera_python tessera_explore tessera_fpga tessera_fit tessera_link tessera_board tessera_cli_options tessera_cli_hardware)
set(objects)
foreach(room ${rooms})
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()
add_library(tessera STATIC ${objects})
add_library(tessera::tessera ALIAS tessera)
target_compile_features(tessera PUBLIC cxx_std_17)
target_include_directories(tessera INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(tessera INTERFACE fmt::fmt yaml-cpp flatbuffers onnx_proto protobuf::libprotobuf png jpeg systemc
                                        ${CMAKE_DL_LIBS})
target_link_options(tessera INTERFACE -Wl,--undefined=sc_main)
set_target_properties(tessera PROPERTIES LINKER_LANGUAGE CXX)

install(TARGETS cosim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tessera EXPORT TesseraTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(TESSERA_DATA ${CMAKE_INSTALL_DATADIR}/tessera)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
install(EXPORT TesseraTargets NAMESPACE tessera:: DESTINATION ${package_dir})
configure_package_config_file(cmake/TesseraConfig.cmake.in ${CMAKE_BINARY_DIR}/TesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS TESSERA_DATA)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TesseraConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TesseraConfig.cmake ${CMAKE_BINARY_DIR}/TesseraConfigVersion.cmake
  DESTINATION ${package_dir})

include(cmake/InstallData.cmake)

install(FILES ${CMAKE_BINARY_DIR}/pages/cosim.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/pages/cosim
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/pages/_cosim
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/pages/_cosim
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)  # where Debian's zsh looks
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Tessera developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The default engine is the RTL: Verilator makes it, the compiler builds what that gives.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "verilator, g++, make, zlib1g-dev")
# For programs that link the library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "cmake, libfmt-dev, libyaml-cpp-dev, libflatbuffers-dev, libonnx-dev, libprotobuf-dev, libpng-dev, libjpeg-dev, libsystemc-dev")
include(CPack)
