// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/assembler.h"

// Volta has another instruction set, and from Hopper on parameters are loaded. Between them the assemblers differ by how many
// threads share a multiprocessor's 65,536 registers: 2048, of 7.5 1024, and of 8.6 to 8.9, 11.0 and 12.x 1536 (CUDA C++
// Programming Guide 13.0, table "Technical Specifications per Compute Capability").
enum weir_assembler weir_assembler_for(unsigned capability) {
  if (capability < 70) return WEIR_ASSEMBLER_SM_35;
  if (capability == 75) return WEIR_ASSEMBLER_SM_75;
  if (capability < 86) return WEIR_ASSEMBLER_SM_70;
  if (capability < 90) return WEIR_ASSEMBLER_SM_86;
  return capability < 110 ? WEIR_ASSEMBLER_SM_90 : WEIR_ASSEMBLER_SM_110;
}
