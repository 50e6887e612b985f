// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// NVIDIA's assemblers, as far as they need different numbers of registers per thread for the same PTX. Each stands for a
// group of compute capabilities and has the name of the first.
#ifndef WEIR_EXEC_ASSEMBLER_H
#define WEIR_EXEC_ASSEMBLER_H

#include <stdbool.h>

enum weir_assembler {
  WEIR_ASSEMBLER_SM_35,
  WEIR_ASSEMBLER_SM_70,
  WEIR_ASSEMBLER_SM_75,
  WEIR_ASSEMBLER_SM_86,
  WEIR_ASSEMBLER_SM_90,
  WEIR_ASSEMBLER_SM_110
};

// `capability`: compute capability times ten; 0, no CUDA device, is taken as one before Volta.
enum weir_assembler weir_assembler_for(unsigned capability);

// What the cores execute of a program.
struct weir_code {
  enum weir_assembler assembler; // that the program is built for
  bool assembled;                // in the order of its machine code (exec/assemble); otherwise the PTX as it is written
  bool machine; // and each instruction stands for as many machine instructions as it becomes, or for none
  bool
    padded; // the machine code has 128 bytes more behind each function, as ptxas puts them from compute capability 8.0 on
};

static inline struct weir_code weir_code_written(enum weir_assembler assembler) {
  return (struct weir_code){.assembler = assembler};
}

#endif
