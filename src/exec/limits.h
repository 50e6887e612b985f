// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The most that a module may ask for, whatever the chip. Invariant: a sum of sizes that is held to one of these is added up
// in 64 bits, of terms that ptx holds to 2^40 bytes each, and so cannot wrap.
#ifndef WEIR_EXEC_LIMITS_H
#define WEIR_EXEC_LIMITS_H

enum {
  WEIR_MAX_LOCAL_BYTES = 512 << 10, // of a thread, its calls' frames included (CUDA C++ Programming Guide, "Technical
                                    // Specifications per Compute Capability")
  WEIR_MAX_CONST_BYTES = 64 << 10,  // of a module (PTX ISA, "Constant State Space")
  WEIR_MAX_SHARED_BYTES = 1 << 20,  // of a block: the generic window (exec/memory.h)
  WEIR_RESERVED_SHARED_BYTES =
    1024, // of a block, beyond its own: the system's, which a program may ask for (%reserved_smem_offset_1)
  WEIR_MAX_PARAM_BYTES = 32764, // of a kernel from PTX 8.1 on, and before (PTX ISA, "Kernel Function Parameters")
  WEIR_MAX_PARAM_BYTES_BEFORE_81 = 4352,
};

#endif
