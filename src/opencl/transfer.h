// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Copies, whatever between: every one is a box of bytes (rows × slices) from one place to another, a plain copy having
// one row. Invariant: a box was checked against its memory object when the command was enqueued.
#ifndef WEIR_OPENCL_TRANSFER_H
#define WEIR_OPENCL_TRANSFER_H

#include "opencl/mem.h"

struct weir_cl_box {
  cl_mem mem;                    // NULL: host memory
  void *host;                    // the box's first byte there
  uint64_t address;              // or on the device
  size_t row_bytes, slice_bytes; // from one row, one slice to the next
};

struct weir_cl_transfer {
  struct weir_cl_command command;
  struct weir_cl_box from, to;
  size_t region[3]; // bytes, rows, slices
};

// Enqueues the copy; the objects are held until it is done. What weir_cl_enqueue answers.
cl_int weir_cl_transfer(cl_command_queue q, cl_command_type type, const struct weir_cl_box *from,
                        const struct weir_cl_box *to, const size_t region[3], bool blocking, cl_uint wait_count,
                        const cl_event *waits, cl_event *event);

enum { WEIR_CL_MAX_PATTERN = 128 }; // bytes: long16

// Enqueues a fill with a pattern, whose bytes divide region[0].
cl_int weir_cl_fill(cl_command_queue q, cl_command_type type, const struct weir_cl_box *to, const size_t region[3],
                    const void *pattern, size_t pattern_bytes, cl_uint wait_count, const cl_event *waits,
                    cl_event *event);

// Copies at once.
void weir_cl_box_copy(const struct weir_cl_box *from, const struct weir_cl_box *to, const size_t region[3]);
void weir_cl_box_fill(const struct weir_cl_box *to, const size_t region[3], const void *pattern, size_t pattern_bytes);

// On the time line, the command copied as many bytes. What is not on the device is the host's, in pageable memory or pinned.
void weir_cl_box_copied(struct weir_cl_command *c, bool from_device, bool to_device, bool pageable,
                        const size_t region[3]);

// The host has written the box: that passes through the chip's L2.
void weir_cl_box_wrote(const struct weir_cl_box *to, const size_t region[3]);

// From the box's first byte to after its last.
size_t weir_cl_box_bytes(const struct weir_cl_box *b, const size_t region[3]);

// Where `origin` (bytes, rows, slices) lies in a buffer or in host memory of such pitches; pitches of 0 are filled in.
// False: a pitch is smaller than the region, or the slice's no multiple of the row's.
bool weir_cl_box_place(struct weir_cl_box *b, const size_t origin[3], const size_t region[3]);

#endif
