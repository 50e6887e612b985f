# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# What `cmake --install` lays out below the prefix: bin/weir; its data in share/weir, found from the executable's own
# place (weir_data_path); manual pages and completion for bash (component weir); one archive of all rooms and their headers for
# policies built outside the tree (component dev). The Python package (component python) is for Debian's package alone:
# elsewhere pip knows better where it goes.

# One archive of the rooms' archives.
get_property(rooms GLOBAL PROPERTY WEIR_ROOMS)
list(TRANSFORM rooms PREPEND weir_)
list(APPEND rooms weir_workloads weir_studies)
list(TRANSFORM rooms REPLACE "(.+)" "addlib $<TARGET_FILE:\\1>\n" OUTPUT_VARIABLE members)
list(JOIN members "" members)
set(archive ${CMAKE_BINARY_DIR}/libweir.a)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/libweir.mri CONTENT "create ${archive}\n${members}save\nend\n")
add_custom_command(OUTPUT ${archive} COMMAND sh -c "${CMAKE_AR} -M <libweir.mri" DEPENDS ${rooms}
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
add_custom_target(weir_archive DEPENDS ${archive})

configure_file(${CMAKE_CURRENT_LIST_DIR}/weir.pc.in ${CMAKE_BINARY_DIR}/weir.pc @ONLY)

# Manual pages and completion, written by weir itself from the tables that parse its options.
set(pages ${CMAKE_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/weir COMMAND ${CMAKE_SOURCE_DIR}/scripts/pages.sh $<TARGET_FILE:weir> ${pages}
  DEPENDS weir ${CMAKE_SOURCE_DIR}/scripts/pages.sh VERBATIM)
add_custom_target(weir_pages DEPENDS ${pages}/weir)

install(TARGETS weir RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weir)
install(FILES docs/run.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${pages}/weir DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(folder chips schemes studies workloads)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/weir
    PATTERN "*.[ch]" EXCLUDE PATTERN "*.def" EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
endforeach()
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN cli EXCLUDE)
install(DIRECTORY python/weir DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.py")
