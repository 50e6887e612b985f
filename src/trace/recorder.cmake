# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# libweirrecorder.so, which QEMU loads into itself to record a program. It is made where capstone is at hand: recording is
# optional, reading is not. Sources are compiled anew, as QEMU has no sanitizer.
pkg_check_modules(CAPSTONE IMPORTED_TARGET capstone)
if(CAPSTONE_FOUND)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  add_library(weirrecorder MODULE ${folder}/trace/recorder/recorder.c ${folder}/trace/recorder/decode_x86.c
    ${folder}/trace/writer.c ${folder}/trace/model.c ${folder}/trace/items.c ${folder}/trace/directory.c
    ${folder}/trace/totals.c ${folder}/trace/phases.c ${folder}/base/alloc.c ${folder}/base/diag.c ${folder}/base/map.c)
  target_include_directories(weirrecorder PRIVATE ${folder})
  target_compile_options(weirrecorder PRIVATE -fno-sanitize=all -fvisibility=hidden)
  target_link_options(weirrecorder PRIVATE -fno-sanitize=all)
  target_link_libraries(weirrecorder PRIVATE PkgConfig::CAPSTONE PkgConfig::ZSTD m)
  set_target_properties(weirrecorder PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/weir)
  add_dependencies(weir weirrecorder)
  install(TARGETS weirrecorder LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weir)
endif()
