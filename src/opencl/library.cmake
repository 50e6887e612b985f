# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# libweircl.so, the ICD: the room's entry points behind one dispatch table. -Bsymbolic: the loader, which is there before
# us, exports functions of the same names.
set(map ${CMAKE_CURRENT_SOURCE_DIR}/opencl/library/weircl.map)
add_library(weircl SHARED ${CMAKE_CURRENT_SOURCE_DIR}/opencl/library/dispatch.c)
target_link_libraries(weircl PRIVATE weir_opencl weir_workloads)
target_link_options(weircl PRIVATE -Wl,-Bsymbolic -Wl,--version-script=${map})
if(NOT WEIR_SANITIZE) # its runtime is the program's
  target_link_options(weircl PRIVATE -Wl,-z,defs)
endif()
set_target_properties(weircl PROPERTIES LINK_DEPENDS ${map} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/weir)

# An .icd file is one line: where the library is. Installed, it is where the launcher's LD_LIBRARY_PATH says, so that a
# prefix can be moved.
file(WRITE ${CMAKE_BINARY_DIR}/lib/weir/weir.icd "${CMAKE_BINARY_DIR}/lib/weir/libweircl.so\n")
install(TARGETS weircl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weir)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/opencl/library/weir.icd DESTINATION ${CMAKE_INSTALL_LIBDIR}/weir)
