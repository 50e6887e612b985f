// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The container of recordings (docs/STREAMS.md): a JSON object in front, zstd frames that can be read in any order, a JSON object
// behind them. Invariant: a file that is there is whole.
#ifndef WEIR_RECORDING_FRAMES_H
#define WEIR_RECORDING_FRAMES_H

#include "base/diag.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

// What is recorded, told by a file's first bytes.
enum weir_recorded_what { WEIR_RECORDS_ACCESSES, WEIR_RECORDS_INSTRUCTIONS, WEIR_RECORDS_KINDS };

struct weir_frames_writer;

// `about` says where the recording comes from, and stays the caller's. NULL and a diagnostic if the file cannot be made.
struct weir_frames_writer *weir_frames_create(const char *path, enum weir_recorded_what what, const json_t *about,
                                              struct weir_sink *sink);
// Returns the frame's number. `records`: how many are in it.
uint64_t weir_frames_add(struct weir_frames_writer *w, const void *bytes, size_t size, uint64_t records);
// `ends` NULL: drops the file. False and a diagnostic if not all of it could be written. Frees the writer.
bool weir_frames_close(struct weir_frames_writer *w, const json_t *ends, struct weir_sink *sink);

struct weir_frames {
  char *path;
  json_t *about, *ends; // as they were given
  uint64_t count, records;
  int file;
  uint64_t *offsets; // of the frames
  uint8_t *packed;
  size_t room;
};

// Whether the file begins as such a recording does.
bool weir_frames_are(const char *path, enum weir_recorded_what what);

// NULL and a diagnostic if it is none, of another version, or not whole.
struct weir_frames *weir_frames_open(const char *path, enum weir_recorded_what what, struct weir_sink *sink);
void weir_frames_free(struct weir_frames *f); // may be NULL

// Bytes of the n-th frame, unpacked; 0 and a diagnostic if it says none, or more than `most`.
size_t weir_frames_size(struct weir_frames *f, uint64_t n, size_t most, struct weir_sink *sink);
// Reads all of them. False and a diagnostic if it is damaged.
bool weir_frames_read(struct weir_frames *f, uint64_t n, void *to, size_t size, struct weir_sink *sink);

#endif
