# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# The charts' library is inside the program: a page is made without network, wherever weir is installed.
file(GLOB vega CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/third-party/vega/*)
set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/page/vega.c APPEND PROPERTY
  COMPILE_DEFINITIONS WEIR_VEGA="${CMAKE_SOURCE_DIR}/third-party/vega")
set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/page/vega.c APPEND PROPERTY OBJECT_DEPENDS "${vega}")
set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/report/page.c APPEND PROPERTY
  COMPILE_DEFINITIONS WEIR_REPORT_PAGE="${CMAKE_CURRENT_SOURCE_DIR}/report")
set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/report/page.c APPEND PROPERTY OBJECT_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/report/page.js;${CMAKE_CURRENT_SOURCE_DIR}/report/page.css")
