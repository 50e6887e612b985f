# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# libweirends.so, which the launcher preloads into programs beside the front doors.
add_library(weirends SHARED ${CMAKE_CURRENT_SOURCE_DIR}/device/library/ends.c
  ${CMAKE_CURRENT_SOURCE_DIR}/device/library/opens.c
  ${CMAKE_CURRENT_SOURCE_DIR}/device/library/clock.c)
target_include_directories(weirends PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(weirends PRIVATE _GNU_SOURCE)
target_compile_options(weirends PRIVATE -fno-sanitize=all) # it is loaded into programs that have no sanitizer
target_link_options(weirends PRIVATE -fno-sanitize=all)
target_link_libraries(weirends PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(weirends PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/weir)
install(TARGETS weirends LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weir)
