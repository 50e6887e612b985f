// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The accesses of one cache, in the order in which it took them: what Belady's algorithm needs to know. Invariant: each access
// that is counted stands here once, unless a cache operator sent it past the cache without a look-up.
#ifndef WEIR_MEM_ACCESS_LOG_H
#define WEIR_MEM_ACCESS_LOG_H

#include "base/map.h"
#include "policy/counts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum weir_log_kind {
  WEIR_LOG_ACCESS,
  WEIR_LOG_KILL,  // a store or a hint drops the line, wherever it is
  WEIR_LOG_FLUSH, // every line is dropped
  WEIR_LOG_PLACE, // a copy from the host puts the sector here, and nobody waits for it
  WEIR_LOG_WAYS,  // lines are in `line` ways of each set from now on
  WEIR_LOG_DATA,  // there is data for `line` lines from now on, whatever their sets
};

enum { WEIR_LOG_NO_PC = (1 << 23) - 1 }; // a write-back, a copy, or an instruction whose number is larger

struct weir_log_event {
  uint32_t line;       // index into `lines`
  uint32_t pc : 23;    // index of the instruction, or WEIR_LOG_NO_PC
  uint32_t sector : 3; // within the line
  uint32_t kind : 3;   // enum weir_log_kind
  uint32_t result : 2; // enum weir_access_result
  uint32_t store : 1;  // or atomic, or write-back
};

static inline bool weir_log_has_line(enum weir_log_kind kind) {
  return kind == WEIR_LOG_ACCESS || kind == WEIR_LOG_KILL || kind == WEIR_LOG_PLACE;
}

// Is it an access that would have used its line? One that waited for it on its way needed none here.
static inline bool weir_log_needs_line(const struct weir_log_event *e) {
  return e->kind == WEIR_LOG_ACCESS && e->result != WEIR_ACCESS_HIT_ON_MISS;
}

struct weir_logged_line {
  uint64_t line; // line number (address / line bytes)
  uint32_t set;
};

struct weir_access_log {
  uint32_t sets, ways, sectors;
  struct weir_log_event *events;
  uint64_t count, capacity;
  struct weir_logged_line *lines;
  uint32_t line_count, line_capacity;
  struct weir_map numbers; // line number → index into `lines`
};

struct weir_access_log *weir_access_log_create(uint32_t sets, uint32_t ways, uint32_t sectors);
void weir_access_log_free(struct weir_access_log *l); // may be NULL

void weir_access_log_add(struct weir_access_log *l, uint64_t line, uint32_t set, struct weir_log_event event);

// From one process to another of the same build. False if it could not be written, or is not whole.
bool weir_access_log_write(const struct weir_access_log *l, FILE *to);
struct weir_access_log *weir_access_log_read(FILE *from); // NULL: it is not whole

// By event, the number of the event that uses its line next; NEVER: none does before the line is dropped. Accesses that found
// their line on its way need no place in the cache, and are no use. by_sector: that uses its sector, instead of its line.
#define WEIR_LOG_NEVER UINT64_MAX
uint64_t *weir_access_log_next_uses(const struct weir_access_log *l, bool by_sector); // freed by weir_free

#endif
