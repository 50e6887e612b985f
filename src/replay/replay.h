// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A stream through the caches of a chip under a scheme, without time (chip/replay.h).
#ifndef WEIR_REPLAY_REPLAY_H
#define WEIR_REPLAY_REPLAY_H

#include "run/experiment.h"
#include "mem/mreq.h"
#include "recording/file.h"

enum { WEIR_REPLAYED_LEVELS = 4 };

// Or is it a mark between accesses, or none at all?
static inline bool weir_replay_is_access(const struct weir_recorded *r) {
  return r->kind == WEIR_MREQ_LOAD || r->kind == WEIR_MREQ_STORE || r->kind == WEIR_MREQ_ATOMIC;
}

struct weir_replayed {
  unsigned levels;
  const char *names[WEIR_REPLAYED_LEVELS]; // the chip's
  struct weir_access_counts loads[WEIR_REPLAYED_LEVELS], stores[WEIR_REPLAYED_LEVELS];
  uint64_t accesses; // of the stream
  uint64_t dram_reads, dram_writes, dram_bytes;
};

struct weir_replay_options {
  uint32_t
    fetch_cycles; // that what a first-level cache fetches is on its way, in every launch; WEIR_REPLAY_AS_RECORDED: as long as in
                  // the recording on average
  // Told of each request to DRAM and of the core cycle of the access that led to it; NULL: nobody is.
  void (*memory)(void *context, uint64_t cycle, uint64_t address, uint32_t bytes, bool writes);
  void *context;
};
enum { WEIR_REPLAY_AS_RECORDED = UINT32_MAX };

// False and a diagnostic if the stream was recorded for other cores, a policy of the scheme needs time (a throttle, one that decides
// by epochs) or two runs, or the file is damaged.
bool weir_replay_recording(struct weir_recording *s, const struct weir_setup *setup, const struct weir_experiment *e,
                           const struct weir_replay_options *options, struct weir_replayed *out,
                           struct weir_sink *sink);

#endif
