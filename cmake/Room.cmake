# A room is a folder with one reason to exist: its sources are a library of its own.
# docs/explanation/architecture.md lists them from the ground up; scripts/check-rooms.py keeps that order.

# tessera_room(NAME LINKS...): target tessera_NAME, also called tessera::NAME, of all sources in the
# folder. LINKS are the rooms and libraries that it uses.
function(tessera_room name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(tessera_${name} STATIC ${sources})
  add_library(tessera::${name} ALIAS tessera_${name})
  target_link_libraries(tessera_${name} PUBLIC tessera_options ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TESSERA_ROOMS tessera_${name})
endfunction()

# tessera_room_wing(ROOM): the folder's sources belong to a room that lies in several folders.
function(tessera_room_wing room)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  target_sources(tessera_${room} PRIVATE ${sources})
endfunction()
