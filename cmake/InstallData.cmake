# What is read at run time, as cmake/BuildTree.cmake links it in a build tree.
install(DIRECTORY configs DESTINATION ${TESSERA_DATA})
install(DIRECTORY rtl DESTINATION ${TESSERA_DATA} FILES_MATCHING PATTERN "*.sv" PATTERN "*.v" PATTERN "*.ys" PATTERN "*.f"
  PATTERN "*.vlt")
install(DIRECTORY sim/verilated DESTINATION ${TESSERA_DATA}/sim FILES_MATCHING PATTERN "*.?pp")
install(DIRECTORY sim/board DESTINATION ${TESSERA_DATA}/sim FILES_MATCHING PATTERN "*.sv")
install(DIRECTORY include/tessera/generated DESTINATION ${TESSERA_DATA}/include/tessera)
install(DIRECTORY report/page DESTINATION ${TESSERA_DATA}/report)
install(DIRECTORY explore/page DESTINATION ${TESSERA_DATA}/explore)
install(FILES ${TESSERA_WEB_DIR}/node_modules/echarts/dist/echarts.min.js
  DESTINATION ${TESSERA_DATA}/web OPTIONAL)
