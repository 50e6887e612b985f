# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors
# The bodies of operations (src/exec/ops) once per instruction set: the baseline of the target, and on x86-64 AVX2 and
# AVX-512 beside it; the choice between them is made when weir runs (isa.c). math-errno and trapping-math only say that
# nobody reads errno or the exception flags; they change no result and let loops become vectors. Without WEIR_WIDE, as sanitizers
# build it, the baseline alone: the bodies are the same source. The baseline, which machines of today use in tests alone, is compiled
# in two thirds of the time: with vectors, and with -O3 where it shows most. (At -O1 gcc leaves vzeroupper out of the others, and
# hosts lose a hundred nanoseconds each time that SSE code follows.)
include(CheckCSourceCompiles)
check_c_source_compiles("#ifndef __x86_64__\n#error\n#endif\nint main(void) { return 0; }" WEIR_X86_64)

file(GLOB weir_bodies CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/exec/ops/*.c)
set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/exec/ops/memory.c PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
function(weir_instruction_set name)
  add_library(weir_exec_${name} OBJECT ${weir_bodies})
  target_include_directories(weir_exec_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(weir_exec_${name} PRIVATE WEIR_ISA=${name})
  target_compile_options(weir_exec_${name} PRIVATE -fno-math-errno -fno-trapping-math ${ARGN})
  if(CMAKE_C_COMPILER_ID MATCHES Clang)
    target_compile_options(weir_exec_${name} PRIVATE -Wno-pass-failed)
  endif()
  target_sources(weir_exec PRIVATE $<TARGET_OBJECTS:weir_exec_${name}>)
endfunction()

weir_instruction_set(sse $<$<CONFIG:Release>:-O1> $<$<CONFIG:Release>:-ftree-vectorize>)
if(WEIR_WIDE AND WEIR_X86_64)
  target_compile_definitions(weir_exec PRIVATE WEIR_WIDE)
  weir_instruction_set(avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2)
  weir_instruction_set(avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mf16c -mbmi -mbmi2
                       -mprefer-vector-width=512)
endif()
