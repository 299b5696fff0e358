# Programs find presets, RTL and parts of pages in `share/tessera` beside them or above: in a build
# tree it holds links to the sources, where edits count at once.
set(share ${CMAKE_BINARY_DIR}/share/tessera)
file(MAKE_DIRECTORY ${share}/sim ${share}/report ${share}/explore ${share}/compare ${share}/rom ${TESSERA_RTL_CACHE})
foreach(part configs rtl include sim/board sim/verilated report/page explore/page compare/runtimes rom/kernels)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${part} ${share}/${part} SYMBOLIC)
endforeach()
file(CREATE_LINK ${TESSERA_WEB_DIR}/node_modules/echarts/dist ${share}/web SYMBOLIC)
file(CREATE_LINK ${TESSERA_RTL_CACHE} ${share}/cache SYMBOLIC)
