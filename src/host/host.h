// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The host side of a program: what a workload or a launch file may do with the device. Invariant: everything is
// in program order, nothing is asynchronous, and results depend on the calls alone, so that the same program runs
// functionally or on any chip without knowing which.
//
// A program is prepared once (inputs made, buffers allocated and written, CPU reference computed), then run once; a
// comparison of N schemes forks N times between the two, so that all share the prepared memory copy-on-write.
#ifndef WEIR_HOST_HOST_H
#define WEIR_HOST_HOST_H

#include "base/diag.h"
#include "exec/program.h"
#include "exec/warp.h"
#include "sl1/options.h"

#include <stdint.h>

// What runs launches: nothing but results (host/functional.c), or a modelled chip (src/chip).
struct weir_backend {
  void *context;
  // Bytes copied from the host to [address, address + bytes): passes through the chip's L2. May be NULL.
  void (*copied_in)(void *context, uint64_t address, uint64_t bytes);
  // Runs a launch to its end. False and `fault` if it stopped early; without a fault if nobody needs the rest.
  bool (*launch)(void *context, const struct weir_launch *launch, struct weir_fault *fault);
};

// A launch without a chip, for its results alone; the observer may be NULL (exec/warp.h).
bool weir_functional_launch(const struct weir_launch *launch, const struct weir_observer *observer,
                            struct weir_fault *fault);

struct weir_host;

// A host for a module already decoded into `memory`. The sink receives faults and misuse (unknown kernel, wrong
// argument sizes, block too large).
struct weir_host *weir_host_create(const struct weir_program *program, struct weir_memory *memory,
                                   struct weir_sink *sink);
void weir_host_free(struct weir_host *h);

// Copies made before a backend is attached are remembered and handed to it here.
void weir_host_attach(struct weir_host *h, struct weir_backend backend);
// How to launch those programs that can be launched so; 0: as the program has it.
struct weir_shape {
  uint32_t blocks, block; // how many, and threads of each
  uint32_t footprint_kib; // bytes that it goes over
  uint32_t stride;        // elements from one lane's to the next one's
  uint32_t
    interleave; // bytes of a text's unit (sl1/interleave.h), or of a row of what is gathered; 0: chunks lie one behind the other
  bool gather; // the text is read by a kernel that works out addresses, and one that computes (sl1/gather.h)
};

static inline bool weir_shape_given(const struct weir_shape *s) {
  return s->blocks || s->block || s->footprint_kib || s->stride || s->interleave || s->gather;
}

// What is chosen of a program, beside its input: by a scheme, or by --sl1.
struct weir_program_options {
  bool sl1; // its kernels get a first-level cache in software
  struct weir_sl1_options sl1_options;
  const char *hints; // put on its accesses (weir_hints_read); NULL: none. Borrowed
  struct weir_shape shape;
};
struct weir_program_options weir_program_defaults(void); // nothing
bool weir_program_options_same(const struct weir_program_options *a, const struct weir_program_options *b);

void weir_host_set_shape(struct weir_host *h, struct weir_shape shape);
void weir_host_set_step_limit(struct weir_host *h, uint64_t warp_instructions); // 0: none (per launch)

// ---- for programs
// -----------------------------------------------------------------------------------------------------

// Device address; zero-filled. Where the device has no room the sink says so once, weir_host_is_over is true from then on,
// and the address is good nevertheless.
uint64_t weir_host_alloc(struct weir_host *h, const char *name, uint64_t bytes);
struct weir_memory *weir_host_memory(const struct weir_host *h);
uint64_t weir_host_left(const struct weir_host *h); // bytes of the device's memory
bool weir_host_is_over(const struct weir_host *h);
void weir_host_write(struct weir_host *h, uint64_t to, const void *from, uint64_t bytes);
// A buffer of that content: allocated, then written.
uint64_t weir_host_upload(struct weir_host *h, const char *name, const void *from, uint64_t bytes);
void weir_host_fill(struct weir_host *h, uint64_t to, int byte, uint64_t bytes); // on the device: not through the L2
void weir_host_read(struct weir_host *h, void *to, uint64_t from, uint64_t bytes);
// The bytes themselves, for building inputs in place and comparing results; follow an in-place build by
// weir_host_wrote, which stands for the copy.
void *weir_host_bytes(struct weir_host *h, uint64_t address, uint64_t bytes);
void weir_host_wrote(struct weir_host *h, uint64_t address, uint64_t bytes);

// The bytes of a variable of the program's; NULL: it has none of that name.
void *weir_host_variable(struct weir_host *h, const char *name);

// Marks a buffer as a result: `run` prints its checksum (32-bit words folded as h = h × 31 + word mod 2⁶⁴, h from 0).
void weir_host_result(struct weir_host *h, const char *name, uint64_t address, uint64_t bytes);

struct weir_arg {
  const void *bytes; // NULL: an OpenCL __local argument of `size` bytes of shared memory
  uint32_t size;
};
#define WEIR_ARG(lvalue) ((struct weir_arg){&(lvalue), sizeof(lvalue)})
#define WEIR_ARG_LOCAL(size) ((struct weir_arg){NULL, (uint32_t)(size)})

struct weir_dim {
  uint32_t x, y, z; // 0 counts as 1
};

// Registers per thread of the launches that follow; 0: as many as their kernels have.
void weir_host_set_registers(struct weir_host *h, uint32_t registers);

// How much of the array that is shared memory and first-level cache in one the launches that follow prefer as shared
// memory: of weir_prefer_shared; 0: no preference.
void weir_host_set_shared_preference(struct weir_host *h, uint8_t preference);

// Blocks of a cluster of the launches that follow, in each direction; zeros: as their kernels require, else one.
void weir_host_set_cluster(struct weir_host *h, struct weir_dim blocks);

// One kernel launch, to its end. grid in blocks, block in threads. False after a fault or misuse (reported to the
// sink).
bool weir_host_launch(struct weir_host *h, const char *kernel, struct weir_dim grid, struct weir_dim block,
                      uint32_t dynamic_shared_bytes, const struct weir_arg *args, unsigned count);
#define weir_launch_args(h, kernel, grid, block, ...)                                                                  \
  weir_host_launch((h), (kernel), (grid), (block), 0, (const struct weir_arg[]){__VA_ARGS__},                          \
                   (unsigned)(sizeof((const struct weir_arg[]){__VA_ARGS__}) / sizeof(struct weir_arg)))

struct weir_sink *weir_host_sink(struct weir_host *h);
struct weir_shape weir_host_shape(const struct weir_host *h); // as set
uint64_t weir_host_buffer_bytes(const struct weir_host *h);   // allocated, in total

// ---- results
// ----------------------------------------------------------------------------------------------------------

struct weir_result {
  const char *name;
  uint64_t address, bytes;
};
const struct weir_result *weir_host_results(const struct weir_host *h, unsigned *count);
uint64_t weir_host_checksum(struct weir_host *h, const struct weir_result *r);

#endif
