# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Our own builtins are inside the library: it may be loaded by a program that knows nothing of where weir is installed.
file(GLOB builtins CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cl)
set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/opencl/compile/tools.c APPEND PROPERTY
  COMPILE_DEFINITIONS WEIR_CL_BUILTINS="${CMAKE_CURRENT_LIST_DIR}")
set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/opencl/compile/tools.c APPEND PROPERTY OBJECT_DEPENDS ${builtins})
