// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the streaming programs of Mokhtari and Stumm, MEMSYS 2015, Table 1, share: a text in global memory of which each
// thread takes one contiguous chunk. Invariant: start[0] = 0 <= start[1] <= … <= start[threads] = bytes; how many
// threads there are depends on the size, or is asked for (launch.blocks, launch.threads), and neither input nor result
// depends on it.
#ifndef WEIR_STREAM_STREAM_H
#define WEIR_STREAM_STREAM_H

#include "base/rng.h"
#include "host/workload.h"
#include "sl1/gather.h"

enum { WEIR_STREAM_MOST_BYTES = 1 << 30 }; // positions are 32-bit numbers on the device

// A text being written: NUL-terminated after `bytes`.
struct weir_text {
  char *at;
  size_t bytes, capacity;
};

void weir_text_add(struct weir_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct weir_stream {
  struct weir_text text;
  const char *path; // of the user's file, or what stands for it
  uint32_t blocks, block, threads;
  uint32_t *start;             // threads + 1
  uint64_t text_at, starts_at; // device addresses
  // Bytes of a unit, of which those of different threads lie side by side on the device, and of a chunk; 0: none do.
  uint32_t interleave, chunk;
  char *before;  // the text as it was before its chunks were filled up to one length, if they were
  uint32_t *own; // per thread: bytes of the chunk that are its own
};

// How many blocks, and threads of a block, the program is to have. Returns how many threads the size has by itself,
// which the size of the input goes by.
uint32_t weir_stream_threads(const struct weir_host *h, enum weir_size size, uint32_t *blocks, uint32_t *block);

// Adds one more piece (a line, a record) to a text that a program makes for itself.
typedef void weir_stream_maker(struct weir_text *t, struct weir_rng *rng, void *context);

// The program's threads; the text from `input`, or made of pieces until there are `chunk` bytes per thread of the size, or
// as many as the footprint that is asked for (launch.footprint_kib); of one piece, if `chunk` is 0.
// False and a diagnostic if the file cannot be read, is empty or too large. To be freed either way.
bool weir_stream_open(struct weir_stream *s, enum weir_size size, const char *input, uint32_t chunk,
                      weir_stream_maker *make, struct weir_rng *rng, void *context, struct weir_host *h);
void weir_stream_free(struct weir_stream *s);

// Cuts the text into chunks of about equal size (an interleaved one: and fills them up to one length by ends of lines), each cut at the next place where `begins` holds of the text; NULL: at
// multiples of 16 bytes, so that threads side by side come to the end of a line of 16 bytes or more together.
void weir_stream_cut(struct weir_stream *s, bool (*begins)(const struct weir_text *t, size_t at));
bool weir_line_begins(const struct weir_text *t, size_t at);

// Puts text and starts on the device.
void weir_stream_upload(struct weir_stream *s, struct weir_host *h);

uint32_t weir_stream_lines(const struct weir_stream *s, size_t from, size_t to); // that begin there
// On the device, for each thread: the number of its chunk's first line, from 0.
uint64_t weir_stream_first_lines(const struct weir_stream *s, struct weir_host *h);

// The place of a byte of the text, for a diagnostic.
struct weir_place weir_stream_place(const struct weir_stream *s, size_t at);

// Puts what the kernel that ran last has asked for, with so many threads, where the next one reads it (sl1/gather.h).
bool weir_stream_gather(struct weir_host *h, uint32_t threads);

// With a gathered text: two kernels, and the host between them.
#define weir_stream_launch(s, h, kernel, ...)                                                                          \
  ((!weir_host_shape(h).gather ||                                                                                      \
    (weir_stream_launch_one(s, h, kernel WEIR_GATHER_ADDRESSES, __VA_ARGS__) &&                                        \
     weir_stream_gather(h, (s)->blocks * (s)->block))) &&                                                              \
   weir_stream_launch_one(s, h, kernel, __VA_ARGS__))
#define weir_stream_launch_one(s, h, kernel, ...)                                                                      \
  weir_launch_args((h), (kernel), ((struct weir_dim){(s)->blocks, 1, 1}), ((struct weir_dim){(s)->block, 1, 1}),       \
                   __VA_ARGS__)

#endif
