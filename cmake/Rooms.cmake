# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# weir_room(NAME rooms-it-may-include... [LIBS external targets...])
# One folder under src/ is one static library, weir_NAME. It sees its own headers and those of the rooms named,
# so that the direction of the data's way (docs/ARCHITECTURE.md) is also what the linker allows.
function(weir_room name)
  cmake_parse_arguments(ROOM "" "" "LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.c)
  list(TRANSFORM ROOM_UNPARSED_ARGUMENTS PREPEND weir_)
  if(NOT sources) # a room of headers alone
    add_library(weir_${name} INTERFACE)
    target_include_directories(weir_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(weir_${name} INTERFACE ${ROOM_UNPARSED_ARGUMENTS} ${ROOM_LIBS})
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY WEIR_ROOMS ${name})
  add_library(weir_${name} STATIC ${sources})
  target_include_directories(weir_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(weir_${name} PUBLIC ${ROOM_UNPARSED_ARGUMENTS} ${ROOM_LIBS} m)
endfunction()

# weir_tests(rooms... [ONCE names...]): every NNN_*.c in this folder is one cmocka program, and one ctest test of the
# folder's name. Those named after ONCE (without the number) say nothing new when repeated under a sanitizer, or take too
# long there; `make check-asan` leaves them out.
function(weir_tests)
  cmake_parse_arguments(TESTS "" "" "ONCE" ${ARGN})
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(rooms ${TESTS_UNPARSED_ARGUMENTS})
  list(TRANSFORM rooms PREPEND weir_)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/[0-9]*.c)
  foreach(source ${tests})
    get_filename_component(test ${source} NAME_WE)
    add_executable(test_${test} ${source})
    target_link_libraries(test_${test} PRIVATE ${rooms} PkgConfig::CMOCKA)
    target_include_directories(test_${test} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
    target_compile_definitions(test_${test} PRIVATE
      WEIR_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WEIR_BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_test(NAME ${folder}/${test} COMMAND test_${test})
    set_tests_properties(${folder}/${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 240)
    string(REGEX REPLACE "^[0-9]+_" "" name ${test})
    if(name IN_LIST TESTS_ONCE)
      set_tests_properties(${folder}/${test} PROPERTIES LABELS once)
    endif()
  endforeach()
endfunction()

# weir_harnesses(rooms...): every *.c in this folder but replay.c is one libFuzzer harness, fuzz_NAME, with its seeds in
# corpus/NAME. Without libFuzzer, replay.c runs the same harness over its seeds, as a test.
function(weir_harnesses)
  set(rooms ${ARGN})
  list(TRANSFORM rooms PREPEND weir_)
  file(GLOB harnesses CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  list(FILTER harnesses EXCLUDE REGEX "/replay\\.c$")
  add_custom_target(harnesses)
  foreach(source ${harnesses})
    get_filename_component(name ${source} NAME_WE)
    if(WEIR_FUZZ)
      add_executable(fuzz_${name} ${source})
      target_link_libraries(fuzz_${name} PRIVATE ${rooms} -fsanitize=fuzzer)
      target_compile_definitions(fuzz_${name} PRIVATE WEIR_LIBFUZZER)
      add_dependencies(harnesses fuzz_${name})
    endif()
    if(WEIR_TESTS)
      add_executable(replay_${name} ${source} replay.c)
      target_link_libraries(replay_${name} PRIVATE ${rooms})
      add_test(NAME fuzz/seeds_of_${name} COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
    endif()
  endforeach()
endfunction()
