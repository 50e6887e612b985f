// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A stream of memory accesses in a file (docs/STREAMS.md): records in order, in blocks that can be read by themselves. Invariant: a
// file that is there is whole; one is written beside its name and renamed when its end is.
#ifndef WEIR_RECORDING_FILE_H
#define WEIR_RECORDING_FILE_H

#include "recording/frames.h"

enum { WEIR_RECORDING_BLOCK = 16384 };

// Kinds of records beside those of memory requests (enum weir_mreq_kind, below 8).
enum weir_recording_kind {
  WEIR_RECORDING_LAUNCH = 8, // `address`: which of the file's launches
  WEIR_RECORDING_END = 9,    // of the launch
  WEIR_RECORDING_COPY = 10,  // the host writes `bytes` from `address`
};

enum {
  WEIR_RECORDING_PAST = 1,
  WEIR_RECORDING_LOCAL = 2
}; // flags: goes past the first level; is of thread-local memory

struct weir_recorded {
  uint64_t address, cycle; // of the core's clock
  uint32_t pc, bytes;      // address of the instruction (8 bytes each)
  uint16_t core, warp;
  uint8_t kind, flags, l1_hint, l2_hint, prefetch, lanes, transactions, ready_warps, full; // as in mem/mreq.h
};

struct weir_recording_writer;

// `about` says where the stream comes from, and stays the caller's. NULL and a diagnostic if the file cannot be made.
struct weir_recording_writer *weir_recording_create(const char *path, const json_t *about, struct weir_sink *sink);
void weir_recording_add(struct weir_recording_writer *w, const struct weir_recorded *r);
// Ends the file with what is known of its launches and instructions; `ends` NULL: drops it. False and a diagnostic if not all of it
// could be written. Frees the writer.
bool weir_recording_close(struct weir_recording_writer *w, const json_t *ends, struct weir_sink *sink);

struct weir_recording {
  struct weir_frames *frames;
  const char *path;
  const json_t *about, *ends; // as they were given
  uint64_t records, blocks;
  bool addresses_alone; // set by who wants core, address, kind and flags of records: the rest of them is then 0
  struct weir_recorded *block;
  uint8_t *planes;
};

// NULL and a diagnostic if it is no stream, of another version, or not whole.
struct weir_recording *weir_recording_open(const char *path, struct weir_sink *sink);
void weir_recording_free(struct weir_recording *s); // may be NULL

// The n-th block's records, WEIR_RECORDING_BLOCK but in the last, there until the next call. 0 and a diagnostic if it is damaged.
uint32_t weir_recording_read(struct weir_recording *s, uint64_t n, const struct weir_recorded **records,
                             struct weir_sink *sink);

#endif
