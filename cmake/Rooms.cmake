# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# weir_room(NAME): the folder NAME of src/ and those within it that have rows of their own are one static library, weir_NAME.
# It sees its own headers and links the rooms that its rows in rooms.txt name (weir_rooms), and of what is not weir's
# ROOM_LIBS_NAME.
function(weir_room name)
  set(sources)
  set(others)
  foreach(row ${WEIR_ROOM_ROWS})
    if(row MATCHES "^${name}(/[^:]*)?:(.*)$")
      set(folder ${name}${CMAKE_MATCH_1})
      string(REGEX MATCHALL "[a-z0-9/]+" seen "${CMAKE_MATCH_2}")
      file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
      list(APPEND sources ${more})
      list(APPEND others ${seen})
    endif()
  endforeach()
  list(TRANSFORM others REPLACE "/.*" "")
  list(REMOVE_DUPLICATES others)
  list(REMOVE_ITEM others ${name})
  list(REVERSE others) # who uses stands before who is used
  list(TRANSFORM others PREPEND weir_)
  if(NOT sources) # a room of headers alone
    add_library(weir_${name} INTERFACE)
    target_include_directories(weir_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(weir_${name} INTERFACE ${others} ${ROOM_LIBS_${name}})
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY WEIR_ROOMS ${name})
  add_library(weir_${name} STATIC ${sources})
  target_include_directories(weir_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(weir_${name} PUBLIC ${others} ${ROOM_LIBS_${name}} m)
endfunction()

# weir_rooms(): every room of rooms.txt but those of EXCEPT, in its order.
macro(weir_rooms)
  cmake_parse_arguments(ROOMS "" "" "EXCEPT" ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/rooms.txt)
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/rooms.txt WEIR_ROOM_ROWS REGEX "^[a-z]")
  foreach(row ${WEIR_ROOM_ROWS})
    if(row MATCHES "^([a-z0-9]+):" AND NOT CMAKE_MATCH_1 IN_LIST ROOMS_EXCEPT)
      weir_room(${CMAKE_MATCH_1})
    endif()
  endforeach()
endmacro()

# weir_lightly(TARGETS...): these do little per run: optimising them takes longer than it saves. In a release build they are compiled
# at -O1 (a third of the compiler's time less), under sanitizers not optimised at all.
function(weir_lightly)
  foreach(target ${ARGN})
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(${target} PRIVATE -O1)
    elseif(WEIR_SANITIZE)
      target_compile_options(${target} PRIVATE -O0)
    endif()
  endforeach()
endfunction()

# weir_lightly_files(FOLDERS AND FILES...): the same for some files of a room, below src/: those of the folders, and these files.
function(weir_lightly_files)
  foreach(name ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.c)
    list(FILTER files INCLUDE REGEX "\\.c$")
    set_property(SOURCE ${files} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# weir_test(NAME [SECONDS n] COMMAND command...): a test of which no process may use more than n seconds of processor time
# (240). On a busy machine it may take ten times as long; status 77 means that it cannot run here.
function(weir_test name)
  cmake_parse_arguments(TEST "" "SECONDS" "COMMAND" ${ARGN})
  if(NOT TEST_SECONDS)
    set(TEST_SECONDS 240)
  endif()
  list(POP_FRONT TEST_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/limited.sh ${TEST_SECONDS} ${program} ${TEST_COMMAND})
  math(EXPR wall "${TEST_SECONDS} * 10")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${wall})
endfunction()

# weir_tests(rooms... [ONCE names...] [SLOW names...] [LONG names...]): every NNN_*.c in this folder is one cmocka program, and
# one ctest test of the folder's name. Those named after ONCE (without the number) say nothing new when repeated under a
# sanitizer, or take too long there; `make check-asan` leaves them out. Those after LONG run in `make test-all` alone. A build with
# sanitizers makes the programs of neither unless asked to (--target test_NNN_name). The rooms' own tests (100 to 699, and 740) are
# also those of `make quick`, but for ONCE, SLOW and LONG.
function(weir_tests)
  cmake_parse_arguments(TESTS "" "" "ONCE;SLOW;LONG" ${ARGN})
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
    weir_test(${folder}/${test} COMMAND test_${test})
    string(REGEX REPLACE "^[0-9]+_" "" name ${test})
    if(WEIR_SANITIZE AND (name IN_LIST TESTS_LONG OR name IN_LIST TESTS_ONCE))
      set_target_properties(test_${test} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    if(name IN_LIST TESTS_LONG)
      set_tests_properties(${folder}/${test} PROPERTIES LABELS long)
    elseif(name IN_LIST TESTS_ONCE)
      set_tests_properties(${folder}/${test} PROPERTIES LABELS once)
    elseif(folder MATCHES "^([1-6]|740)" AND NOT name IN_LIST TESTS_SLOW)
      set_tests_properties(${folder}/${test} PROPERTIES LABELS quick)
      set_property(GLOBAL APPEND PROPERTY WEIR_QUICK test_${test})
    endif()
  endforeach()
endfunction()

# weir_harnesses(rooms...): every *.c in this folder but replay.c is one libFuzzer harness, fuzz_NAME, with its seeds in
# corpus/NAME. Without libFuzzer, replay.c runs the same harness over its seeds, as a test, and over mutations of them for scripts/fuzz.sh.
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
      add_dependencies(harnesses fuzz_${name})
    endif()
    if(WEIR_TESTS)
      add_executable(replay_${name} ${source} replay.c)
      target_link_libraries(replay_${name} PRIVATE ${rooms})
      weir_test(fuzz/seeds_of_${name} COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
    endif()
  endforeach()
endfunction()
