// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which array an access is to: the parameter of its kernel that its address is computed from, followed through moves,
// conversions of address spaces and additions. What comes from memory, from a call, or from several parameters is unknown.
#ifndef WEIR_PTX_ARRAYS_H
#define WEIR_PTX_ARRAYS_H

#include "ptx/ir.h"

struct weir_arrays; // of one function

struct weir_arrays *weir_arrays_of(const struct weir_function *f);
void weir_arrays_free(struct weir_arrays *a);

// The parameter, or the module's variable, that the address of this instruction of the function comes from; NULL: unknown.
const struct weir_symbol *weir_array_of(const struct weir_arrays *a, const struct weir_instruction *i);

// The address operand of a load or store; NULL: it is neither.
const struct weir_operand *weir_access_address(const struct weir_instruction *i);

#endif
