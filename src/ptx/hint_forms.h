// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The hints that can be put on a load or store: how they are spelled, on which instructions, and from which target on.
#ifndef WEIR_PTX_HINT_FORMS_H
#define WEIR_PTX_HINT_FORMS_H

#include "base/cache_hint.h"
#include "base/diag.h"
#include "ptx/ir.h"

// By its spelling: "cg", "L1::evict_last", "none". False: there is none.
bool weir_hint_form_find(const char *spelling);

// Reports that there is none, with those that there are; false.
bool weir_hint_form_unknown(const char *spelling, struct weir_place place, struct weir_sink *sink);

// The spellings in the order of docs/HINTS.md; NULL: n is the number of them.
const char *weir_hint_form_name(unsigned n);

// What an access with these operators and priorities says to a level: `evict` is the level's own (enum weir_cache_hint).
uint8_t weir_hint_of_form(const struct weir_form *f, unsigned evict);

// What an access that has this hint, and no other, says to the first level and to those behind it.
void weir_hint_form_levels(const char *spelling, uint8_t *l1, uint8_t *l2);

// Can it stand there: do the instruction and the module's target have it?
bool weir_hint_form_possible(const struct weir_module *m, const struct weir_instruction *i, const char *spelling);

// Is it a hint for instructions of this opcode? (`none` is for all.)
bool weir_hint_form_fits(const char *spelling, const struct weir_instruction *i);

// Puts it on the instruction, in place of an operator or priority that it excludes. False and what is wrong, and the instruction
// is as before, if neither the instruction nor the module's target has it.
bool weir_hint_form_set(struct weir_module *m, struct weir_instruction *i, const char *spelling,
                        struct weir_place place, struct weir_sink *sink);

#endif
