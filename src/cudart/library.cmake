# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# libcudart.so.11.0, .12 and .13: one source, three names. Each exports the calls of binary/cuda_calls.def under the
# version node that programs of its CUDA version ask for, and nothing else of what is linked into it.
set(calls ${CMAKE_CURRENT_SOURCE_DIR}/binary/cuda_calls.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${calls})
file(STRINGS ${calls} exports REGEX "^X\\(")
list(TRANSFORM exports REPLACE "^X\\(([^,]+),.*" "\\1")
list(JOIN exports "; " exports)

function(weir_cudart_library file version)
  string(REGEX REPLACE "^libcudart.so.([0-9]+).*" "cudart_\\1" target ${file})
  string(REGEX REPLACE "^libcudart" "" suffix ${file})
  set(map ${CMAKE_BINARY_DIR}/${file}.map)
  file(WRITE ${map}.new "${file} { global: ${exports}; local: *; };\n")
  configure_file(${map}.new ${map} COPYONLY)
  add_library(${target} SHARED ${CMAKE_CURRENT_SOURCE_DIR}/cudart/library/version.c)
  target_compile_definitions(${target} PRIVATE WEIR_CUDA_VERSION=${version})
  target_link_libraries(${target} PRIVATE -Wl,--whole-archive weir_cudart -Wl,--no-whole-archive weir_workloads)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic-functions)
  if(NOT WEIR_SANITIZE) # its runtime is the program's
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cudart SUFFIX ${suffix} LINK_DEPENDS ${map}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/weir)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weir)
endfunction()

weir_cudart_library(libcudart.so.11.0 11080)
weir_cudart_library(libcudart.so.12 12090)
weir_cudart_library(libcudart.so.13 13000)

# libcuda.so.1: what programs of the runtime API call of the driver's.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/binary/driver_calls.def driver_exports REGEX "^X\\(")
list(TRANSFORM driver_exports REPLACE "^X\\(([^)]+)\\).*" "\\1")
list(JOIN driver_exports "; " driver_exports)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/binary/driver_calls.def)
file(WRITE ${CMAKE_BINARY_DIR}/libcuda.map.new "{ global: ${driver_exports}; local: *; };\n")
configure_file(${CMAKE_BINARY_DIR}/libcuda.map.new ${CMAKE_BINARY_DIR}/libcuda.map COPYONLY)
add_library(cuda_1 SHARED ${CMAKE_CURRENT_SOURCE_DIR}/cudart/library/version.c ${CMAKE_CURRENT_SOURCE_DIR}/cudart/driver_api.c)
target_compile_definitions(cuda_1 PRIVATE WEIR_CUDA_VERSION=13000)
target_link_libraries(cuda_1 PRIVATE weir_exec)
target_link_options(cuda_1 PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/libcuda.map -Wl,-Bsymbolic-functions)
set_target_properties(cuda_1 PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1 LINK_DEPENDS ${CMAKE_BINARY_DIR}/libcuda.map
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/weir)
install(TARGETS cuda_1 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weir)
