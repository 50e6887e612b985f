// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which caches a module's loads may use, said in its text: the form of it that a real device is given.
#ifndef WEIR_PTX_CACHE_OPERATOR_H
#define WEIR_PTX_CACHE_OPERATOR_H

#include "ptx/ir.h"

// Gives every load from global memory (ld.global, and generic ld) that does not say itself what caches are to do with
// it the operator `op` (WEIR_CACHE_CA, WEIR_CACHE_CG, …), and takes .nc from it, which would send it through the
// texture cache. Loads stay as they are that have an operator or an eviction priority for the L1, or that are volatile,
// relaxed or acquire, for which the PTX ISA allows no operator. Returns how many it changed. For printing: not of a
// module that a program is decoded from.
uint32_t weir_ptx_set_load_operator(struct weir_module *m, enum weir_cache_op op);

#endif
