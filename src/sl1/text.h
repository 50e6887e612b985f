// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What passes over a kernel's text have in common (interleave.c, addresses.c, gather.c); private to sl1. The text is what the kernel's first
// parameter points to; it is only read, by accesses of at most a unit.
#ifndef WEIR_SL1_TEXT_H
#define WEIR_SL1_TEXT_H

#include "sl1/write.h"

struct weir_text_pass {
  const char *what;     // the text is then: "interleaved"
  const char *variable; // that the host fills: its declaration
  uint32_t unit;        // bytes, that stay together; loads are no wider
  uint32_t row;         // of a gathered text: bytes of a thread that lie in a row
  // Writes a kernel that has a text; false and a diagnostic: it cannot be.
  bool (*put)(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, FILE *to, struct weir_sink *sink);
};

// The module with each kernel that has a text written by the pass. NULL and a diagnostic: one does more with its text than it may.
struct weir_module *weir_text_rewrite(const struct weir_module *m, const struct weir_text_pass *pass,
                                      struct weir_sink *sink);

bool weir_text_is_loaded(const struct weir_sl1_analysis *a, uint32_t i); // by instruction i
// False and a diagnostic at instruction i: "kernel 'k' cannot read its text interleaved: …".
bool weir_text_refuse(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, uint32_t i,
                      const char *flaw, struct weir_sink *sink);
// The load itself, from the address in a register.
void weir_text_put_load(struct weir_sl1_writer *w, const struct weir_instruction *in, const char *address);

// Of gathered texts (gather.h): what a kernel begins with, for entries of so many bytes whose address is there in the variable: at, the address of the
// thread's next entry, and step, how far the one behind it is.
void weir_gather_put_entry(struct weir_sl1_writer *w, uint32_t entries, uint32_t entry_bytes);
bool weir_gather_put_addresses(const struct weir_sl1_analysis *a, const struct weir_text_pass *pass, FILE *to,
                               struct weir_sink *sink); // the first kernel

#endif
