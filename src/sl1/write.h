// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Writing a transformed kernel; private to sl1. Invariant: every register and label of the pass begins with %sl1_ or $sl1_
// (another word if the module has such names), so that none is the program's. In texts for weir_sl1_put, ~ stands for the
// former and ^ for the latter.
//
// Registers, all of 32 bits (section 3.3: three per structure), of candidate i: tag<i> the low half of its line's address,
// with a bit that no line's address has if it is empty; line<i> where the line is in shared memory, -1 if the structure has
// none; dirty<i> a bit per byte that memory lacks; limit<i> where lines differ, the bytes of the line, 0 if it is empty;
// seen<i>, hits<i> simulated accesses and those that hit. high: the upper half of the addresses of all lines of the thread,
// which is that of its last simulated hit. Memory outside of this window of 4 GiB is accessed as if it were not cached. Labels, of main loop k: m<k>_… the monitoring slice,
// c<k>_… the computation slice, o<k> the untouched loop; e<b> a block that a slice leaves for; a<n>_… what belongs to one
// access.
#ifndef WEIR_SL1_WRITE_H
#define WEIR_SL1_WRITE_H

#include "sl1/kernel.h"

#include <stdio.h>

struct weir_sl1_writer {
  const struct weir_sl1_analysis *a;
  FILE *to;               // what is being written
  FILE *body;             // the kernel's text
  struct weir_sl1_aside { // what a slice has out of line; in a { } scope of its own, what a statement has
    FILE *to;
    char *text;
    size_t bytes;
  } aside[2];
  bool inner; // in such a scope
  const char *prefix;
  const char *kernel; // name
  uint32_t fresh;     // number of the next access
  const char *loc;    // .loc of the statement being written, or NULL
  uint32_t *exit_of;  // [block] → number of a slice's exit to it; 0: none yet
  bool *labelled;     // [block] → has a label e<block>
  uint32_t mains;     // that are transformed
  bool sync_votes;    // vote.sync, as the target has no other
};

// Whether the first main loop that comes to the threshold decides for all of the kernel's.
static inline bool weir_sl1_decides_once(const struct weir_sl1_writer *w) {
  return w->mains > 1 && !w->a->o->remonitor;
}

enum { WEIR_SL1_NAME = 32 };

void weir_sl1_put(struct weir_sl1_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void weir_sl1_put_loc(struct weir_sl1_writer *w);
// What is written between the two goes behind the slice.
void weir_sl1_begin_aside(struct weir_sl1_writer *w);
void weir_sl1_end_aside(struct weir_sl1_writer *w);
void weir_sl1_flush_aside(struct weir_sl1_writer *w);

// "'a' of kernel's parameter 0": what comments say of candidate i.
void weir_sl1_put_name(struct weir_sl1_writer *w, uint32_t i);

// ---- lines (line.c) -------------------------------------------------------------------------------------------------

// What follows works on one address at a time: that in register `address`, whose halves this puts in lo and hi.
void weir_sl1_put_split(struct weir_sl1_writer *w, const char *address);
// Sets in: whether the address is in the window of the thread's lines.
void weir_sl1_put_window(struct weir_sl1_writer *w);
// Sets p: whether the address is in the line of candidate i; `windowed`: and in the window.
void weir_sl1_put_test(struct weir_sl1_writer *w, uint32_t i, bool windowed);
// Sets s to the place in shared memory of the address, which is in the line of candidate i, for an access of so many bytes.
void weir_sl1_put_place(struct weir_sl1_writer *w, uint32_t i, uint32_t bytes);
// Makes the line the one that the address is in: one instruction, but of lines of 24 bytes.
void weir_sl1_put_tag(struct weir_sl1_writer *w, uint32_t i);
void weir_sl1_put_empty(struct weir_sl1_writer *w, uint32_t i); // no address is in the line
// Copies the line from memory: as `in`, a load, would read it, or plainly (NULL).
void weir_sl1_put_fill(struct weir_sl1_writer *w, uint32_t i, const struct weir_instruction *in);
// Writes the dirty bytes back; nothing if there are none.
void weir_sl1_put_write_back(struct weir_sl1_writer *w, uint32_t i);
// Writes back and empties the lines of the set if they have any of the bytes that an access of so many touches at the address.
void weir_sl1_put_evict(struct weir_sl1_writer *w, uint64_t set, uint64_t dirty, uint32_t bytes);
// Writes back those that are dirty; `empties`: and makes all of `used` invalid.
void weir_sl1_put_flush(struct weir_sl1_writer *w, uint64_t used, uint64_t dirty, bool empties);
// The access itself, at the address in s: ld.shared or st.shared with in's data.
void weir_sl1_put_shared(struct weir_sl1_writer *w, const struct weir_instruction *in);

// ---- slices ---------------------------------------------------------------------------------------------------------

// Whether an access touches more than one line, or is not served by lines for its width.
bool weir_sl1_is_wide(const struct weir_sl1_analysis *a, uint32_t i);
// The register with the access's address: its own, or ~a, which is computed.
void weir_sl1_put_address(struct weir_sl1_writer *w, const struct weir_instruction *in, char name[WEIR_SL1_NAME]);
// A guarded access begins with a branch to a<n>_next if its guard does not hold.
void weir_sl1_put_skip(struct weir_sl1_writer *w, const struct weir_instruction *in, uint32_t n);

void weir_sl1_put_monitored(struct weir_sl1_writer *w, uint32_t i);                                  // monitor.c
void weir_sl1_put_computed(struct weir_sl1_writer *w, const struct weir_sl1_main *main, uint32_t i); // compute.c

// Writes to all registers what a kernel begins with, or tests and decides (decide.c). `otherwise`: the label to go to if
// there is no room.
void weir_sl1_put_registers(struct weir_sl1_writer *w);
void weir_sl1_put_entry(struct weir_sl1_writer *w);
void weir_sl1_put_start(struct weir_sl1_writer *w);
uint32_t weir_sl1_most_lines(const struct weir_sl1_writer *w); // of a thread, whatever the room
void weir_sl1_put_room(struct weir_sl1_writer *w, uint32_t main);
void weir_sl1_put_decision(struct weir_sl1_writer *w);
void weir_sl1_put_counts(struct weir_sl1_writer *w, uint64_t used);

// The slices of a main loop (slice.c), and a branch of the untouched one back to its header.
void weir_sl1_put_slices(struct weir_sl1_writer *w, uint32_t main);
void weir_sl1_put_back(struct weir_sl1_writer *w, uint32_t main, uint32_t i);

#endif
