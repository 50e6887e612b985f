// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache hints that are put on a module's loads and stores from outside: `FILE:LINE=cg`, `FILE:LINE#2=L1::evict_last`,
// `FILE:LINE[ARRAY]=cs`. FILE is a source file or the PTX file itself, by its path or the end of it. Invariant: the module is
// afterwards what a parser would make of its text with those hints written into it.
#ifndef WEIR_PTX_HINTS_H
#define WEIR_PTX_HINTS_H

#include "base/diag.h"
#include "ptx/ir.h"

struct weir_hints; // requests, and which of them have found an access

// A line for each request: where it was given ("--hint", or "hints.txt:3"), a tab, the request. NULL, and what is wrong with
// all that are not well-formed. weir_hints_free takes NULL.
struct weir_hints *weir_hints_read(const char *lines, struct weir_sink *sink);
void weir_hints_free(struct weir_hints *h);

// Requests in a file, one per line, and comments behind #, as the lines that weir_hints_read reads. To be freed; NULL and a
// diagnostic if the file cannot be read.
char *weir_hints_lines(const char *path, struct weir_sink *sink);

// An access that has been given a hint.
struct weir_hint_match {
  const struct weir_function *function;
  const struct weir_instruction *instruction;
  const char *array; // weir_array_name; NULL: unknown
  const char *hint;
};
typedef void weir_hint_listener(void *context, const struct weir_hint_match *match);

// weir_hints_apply tells it of each from now on.
void weir_hints_listen(struct weir_hints *h, weir_hint_listener *listener, void *context);

// Puts on every access of the module that a request names the hint that it asks for. False and what is wrong: a hint that the
// instruction or the module's target does not have; a line of one of its files without such an access, and what it has.
bool weir_hints_apply(struct weir_hints *h, struct weir_module *m, struct weir_sink *sink);

// Reports each request that no module had an access for; true if there is none.
bool weir_hints_all_found(const struct weir_hints *h, struct weir_sink *sink);

// The files of those that have not: `count` names that the hints keep; the list is to be freed by weir_free.
char **weir_hints_unfound(const struct weir_hints *h, unsigned *count);

#endif
