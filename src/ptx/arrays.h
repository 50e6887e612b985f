// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which array an access is to: the parameter of its kernel that its address is computed from, or the pointer in a structure
// that is a parameter, followed through moves, conversions of address spaces and additions. What comes from memory, from a
// call, or from several parameters is unknown.
#ifndef WEIR_PTX_ARRAYS_H
#define WEIR_PTX_ARRAYS_H

#include "ptx/ir.h"

struct weir_arrays; // of one function

struct weir_arrays *weir_arrays_of(const struct weir_function *f);
void weir_arrays_free(struct weir_arrays *a);

struct weir_array {
  const struct weir_symbol *symbol; // a parameter of the function, or a variable of the module; NULL: unknown
  uint64_t offset;                  // of the pointer in a parameter that is a structure
};

// That the address of this instruction of the function, a load, store, atomic or bulk copy, comes from.
struct weir_array weir_array_of(const struct weir_arrays *a, const struct weir_instruction *i);

// "param_2", "param_0+16" (of a structure), "table" (a variable); to be freed. NULL: unknown.
char *weir_array_name(const struct weir_function *f, struct weir_array array);

// A cp.async of 4, 8 or 16 bytes: it loads from global memory as ld does, by an operator that it always has.
bool weir_is_async_load(const struct weir_instruction *i);

// The address operand of a load (cp.async among them) or store that may be of global memory; NULL: it is no such.
const struct weir_operand *weir_access_address(const struct weir_instruction *i);

#endif
