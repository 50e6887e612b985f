# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# What `cmake --install` lays out below the prefix: bin/weir; its data in share/weir, found from the executable's own
# place (weir_data_path); one archive of all rooms and their headers for policies built outside the tree; the man page.
get_property(rooms GLOBAL PROPERTY WEIR_ROOMS)
list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:weir_\\1>" OUTPUT_VARIABLE objects)
add_library(weir_archive STATIC EXCLUDE_FROM_ALL ${objects} $<TARGET_OBJECTS:weir_workloads>)
set_target_properties(weir_archive PROPERTIES OUTPUT_NAME weir)
configure_file(${CMAKE_CURRENT_LIST_DIR}/weir.pc.in ${CMAKE_BINARY_DIR}/weir.pc @ONLY)

install(TARGETS weir RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES $<TARGET_FILE:weir_archive> DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN cli EXCLUDE)
install(DIRECTORY chips schemes studies DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
install(DIRECTORY workloads DESTINATION ${CMAKE_INSTALL_DATADIR}/weir
  PATTERN "*.c" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN "*.def" EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
