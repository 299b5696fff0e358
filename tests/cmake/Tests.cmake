# How tests are named to CTest.
#
# tessera_test(NAME LABELS label... [SOURCES file...] [LINKS target...] [PARTS "REGEX=part"...] [MORE "REGEX=part,TIMES"...])
#   A program of all tests in SOURCES (default: *_test.cpp here). CTest sees one entry for each of its suites, run in one process, with the
#   LABELS that say what it needs: host (nothing), rtl (Verilated presets), browser, slurm, board, search (host, but long without optimisation).
#   PARTS: suites whose name matches REGEX belong to that part of scripts/verify.sh instead, and to no other run.
#   MORE: suites whose random cases that part draws TIMES as many of.
# tessera_suite_labels(NAME "REGEX=label,label"...): what suites of it need that others do not.
# tessera_part(PART test...): what belongs to a part of scripts/verify.sh alone.

# With sanitizers as long as all of its program's other tests: scripts/sanitized.sh more runs it.
set(TESSERA_LONG_SANITIZED Fused.IsTakenWhereTensorsAreTooLarge)

set(TESSERA_TEST_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

function(tessera_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS;SOURCES;LINKS;PARTS;MORE;SUITES")
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  endif()
  add_executable(${name} $<TARGET_OBJECTS:tessera_test_main> ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE tessera_test_options ${arg_LINKS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(host IN_LIST arg_LABELS)
    set_property(GLOBAL APPEND PROPERTY TESSERA_HOST_TESTS ${name})
  endif()
  if(TESSERA_SANITIZE)
    if(host IN_LIST arg_LABELS OR command-line IN_LIST arg_LABELS)
      # A process for each suite takes the sanitizers longer to begin than most take. What searches takes them minutes.
      tessera_sanitized_filter(filter "${arg_PARTS}" "${arg_SUITES}")
      add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 --gtest_filter=-${filter})
      set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1200 SKIP_RETURN_CODE 77)
    endif()
    return()
  endif()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
  string(JOIN "~" labels ${arg_LABELS})
  string(JOIN "~" parts ${arg_PARTS})
  string(JOIN "~" more ${arg_MORE})
  string(JOIN "~" suites ${arg_SUITES})
  add_custom_command(TARGET ${name} POST_BUILD
    BYPRODUCTS ${file}
    COMMAND ${CMAKE_COMMAND} -D "PROGRAM=$<TARGET_FILE:${name}>" -D "NAME=${name}" -D "LABELS=${labels}" -D "PARTS=${parts}"
            -D "MORE=${more}" -D "SUITES=${suites}" -D "FILE=${file}" -P ${TESSERA_TEST_CMAKE_DIR}/suites.cmake
    VERBATIM)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake)
  file(WRITE ${include}
    "if(EXISTS \"${file}\")\n  include(\"${file}\")\nelse()\n  add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()

# GoogleTest's filter of what the sanitizers leave out: the suites of verify.sh's parts, those that search and those of which SUITES says
# something else.
function(tessera_sanitized_filter result parts suites)
  set(filter "*Long*:*WithPolicyBest*:All/Timelines.*/mobilenet:${TESSERA_LONG_SANITIZED}")
  foreach(rule ${parts} ${suites})
    string(REGEX REPLACE "=.*$" "" pattern "${rule}")
    string(REGEX REPLACE "[\\^$]" "" pattern "${pattern}")
    if(NOT pattern MATCHES "Long")
      string(APPEND filter ":*${pattern}.*")
    endif()
  endforeach()
  set(${result} ${filter} PARENT_SCOPE)
endfunction()

function(tessera_part part)
  set_tests_properties(${ARGN} PROPERTIES LABELS verify-${part} SKIP_RETURN_CODE 77)
endfunction()
