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
  add_library(weir_${name} STATIC ${sources})
  target_include_directories(weir_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(weir_${name} PUBLIC ${ROOM_UNPARSED_ARGUMENTS} ${ROOM_LIBS} m)
endfunction()

# weir_tests(rooms...): every NNN_*.c in this folder is one cmocka program, and one ctest test of the folder's name.
function(weir_tests)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(rooms ${ARGN})
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
  endforeach()
endfunction()
