# What is read at run time, as cmake/BuildTree.cmake links it in a build tree.
install(DIRECTORY configs DESTINATION ${TESSERA_DATA})
install(DIRECTORY rtl DESTINATION ${TESSERA_DATA} FILES_MATCHING PATTERN "*.sv" PATTERN "*.v" PATTERN "*.ys" PATTERN "*.f"
  PATTERN "*.vlt")
install(DIRECTORY sim/verilated DESTINATION ${TESSERA_DATA}/sim FILES_MATCHING PATTERN "*.?pp")
install(DIRECTORY sim/board DESTINATION ${TESSERA_DATA}/sim FILES_MATCHING PATTERN "*.sv")
install(DIRECTORY include/tessera/generated DESTINATION ${TESSERA_DATA}/include/tessera)
install(DIRECTORY report/page DESTINATION ${TESSERA_DATA}/report)
install(DIRECTORY explore/page DESTINATION ${TESSERA_DATA}/explore)
# A package that pip builds brings its charts along: where the library is not there yet, npm fetches it.
set(library ${TESSERA_WEB_DIR}/node_modules/echarts/dist/echarts.min.js)
if(SKBUILD AND NOT EXISTS ${library})
  find_program(TESSERA_NPM npm)
  if(TESSERA_NPM)
    file(STRINGS ${CMAKE_SOURCE_DIR}/scripts/web-assets.sh fetched REGEX "echarts@[0-9.]+")
    string(REGEX MATCH "echarts@[0-9.]+" fetched "${fetched}")
    execute_process(COMMAND ${TESSERA_NPM} install --silent --no-fund --no-audit --ignore-scripts --no-save
      --prefix ${TESSERA_WEB_DIR} ${fetched})
  endif()
  if(NOT EXISTS ${library})
    message(WARNING "no charting library (npm could not fetch it): the package has no --report and no explore")
  endif()
endif()
install(FILES ${library} DESTINATION ${TESSERA_DATA}/web OPTIONAL)
