// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// IR back to PTX text: the identity on what was parsed, up to white space and comments.
#ifndef WEIR_PTX_PRINT_H
#define WEIR_PTX_PRINT_H

#include "ptx/ir.h"

#include <stdio.h>

void weir_ptx_print(const struct weir_module *m, FILE *to);

// Its parts, for those who print a module with changes. An item is one of m->items; a head is a function's without its
// body; a statement is f->statements[s].
void weir_ptx_print_item(const struct weir_module *m, uint32_t item, FILE *to);
void weir_ptx_print_head(const struct weir_function *f, FILE *to);
void weir_ptx_print_statement(const struct weir_function *f, uint32_t s, FILE *to);
// With its line's end, and before that, if it is told and not one, how many machine instructions it counts for.
void weir_ptx_print_instruction(const struct weir_instruction *i, bool with_guard, FILE *to);
void weir_ptx_print_guard(const struct weir_instruction *i, FILE *to); // "@!%p1 ", or nothing
void weir_ptx_print_operand(const struct weir_operand *o, FILE *to);

#endif
