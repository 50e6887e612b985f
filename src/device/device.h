// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The modelled device inside a running program: what libcudart.so and the OpenCL ICD have in common. Invariant: a process
// has at most one device, opened by its first use; every call on it is made under weir_device_lock; a launch is
// simulated to its end before the call returns, so nothing is ever in flight between two calls.
//
// Which chip and scheme, and where the run object goes, the environment says (run/environment.h). The run object is
// written when the process ends, however it ends: at exit whole; after a fatal signal as far as the program came; and
// should nothing of this process be left to write it (SIGKILL), the last snapshot stands. One that is not whole says so.
#ifndef WEIR_DEVICE_DEVICE_H
#define WEIR_DEVICE_DEVICE_H

#include "base/diag.h"
#include "chip/chip.h"
#include "config/chip_file.h"
#include "scheme/scheme.h"
#include "exec/program.h"
#include "exec/texture.h"
#include "exec/warp.h"
#include "timeline/schedule.h"

struct weir_device;

// One recursive lock for the whole process. A fork waits for it.
void weir_device_lock(void);
void weir_device_unlock(void);

enum weir_device_state {
  WEIR_DEVICE_READY,
  WEIR_DEVICE_UNUSABLE, // chip, scheme or environment are wrong: a diagnostic was printed, once
  WEIR_DEVICE_FORKED,   // this process was forked from one that had already used the device (an error in CUDA, too)
};

// The process's device, opened if it was not. NULL: *state (if not NULL) says why.
struct weir_device *weir_device_get(enum weir_device_state *state);
bool weir_device_is_open(void);

// Forgets everything that the program did with the device's memory and modules (cudaDeviceReset); what was counted stays.
void weir_device_reset(struct weir_device *d);

unsigned weir_device_lanes(const struct weir_device *d); // of a warp
struct weir_memory *weir_device_memory(struct weir_device *d);

// ---- what programs ask about a device ----------------------------------------------------------------------------------

struct weir_device_facts {   // of the chip file's section `device` and of its core and caches
  const char *name, *vendor; // "GeForce GTX 480"
  unsigned compute_major, compute_minor;
  uint64_t memory_bytes, memory_used_bytes;
  unsigned cores, lanes, max_warps, max_blocks, registers;      // per core
  uint32_t shared_bytes, block_shared_bytes, max_block_threads; // block_…: that a block may have
  uint32_t core_khz, memory_khz, memory_bus_bits;
  uint64_t l1_bytes, l2_bytes;
  unsigned copy_engines; // 1 where the chip has no link
  uint32_t fetch_bytes;  // of the L2: that it fetches around a sector that misses; 0: it is not known to
  uint64_t persisting_bytes, window_bytes; // of the L2: that persisting lines may take; of an access-policy window
  uint32_t l1_line_bytes, l2_line_bytes;
  uint64_t constant_bytes;
  bool clusters; // of thread blocks: there are
};
struct weir_device_facts weir_device_facts(const struct weir_device *d);

// How many blocks of a kernel are resident on one core at a time; 0: not even one fits.
unsigned weir_device_occupancy(const struct weir_device *d, const struct weir_kernel *k, unsigned block_threads,
                               uint64_t dynamic_shared_bytes, uint8_t preference);

// How many of its clusters of so many blocks are resident at a time.
unsigned weir_device_clusters(const struct weir_device *d, const struct weir_kernel *k, unsigned block_threads,
                              uint64_t dynamic_shared_bytes, uint8_t preference, unsigned cluster_blocks);

// ---- memory -----------------------------------------------------------------------------------------------------------

uint64_t weir_device_alloc(struct weir_device *d, const char *name, uint64_t bytes); // 0: out of the chip's memory
bool weir_device_release(struct weir_device *d, uint64_t address); // false: no allocation begins there
// Host pointer to device bytes, NULL if they are not wholly inside one allocation.
void *weir_device_at(struct weir_device *d, uint64_t address, uint64_t bytes);
// The host has written these bytes (a copy to the device): they pass through the chip's L2, if its file says so.
void weir_device_wrote(struct weir_device *d, uint64_t address, uint64_t bytes);

// ---- modules ----------------------------------------------------------------------------------------------------------

struct weir_device_text {
  const char *path; // for diagnostics and the report
  const char *text;
  size_t bytes;
};

// Reads PTX modules that refer to each other (`count` 1: an ordinary one) into one program. NULL and diagnostics in `sink`.
const struct weir_program *weir_device_load(struct weir_device *d, const struct weir_device_text *texts, unsigned count,
                                            struct weir_sink *sink);
// The machine code that comes with the program gives a kernel so many registers per thread. Nothing, if S-L1 has changed
// the kernel or there is none of this name.
void weir_device_count_registers(struct weir_device *d, const struct weir_program *p, const char *kernel,
                                 uint32_t registers);
// Its code goes; what was counted of it stays in the report.
void weir_device_unload(struct weir_device *d, const struct weir_program *p);

// ---- launches ---------------------------------------------------------------------------------------------------------

struct weir_device_launch {
  const struct weir_program *program;
  const struct weir_kernel *kernel;
  struct weir_dim grid, block, cluster; // cluster: blocks of one in each direction; zeros: as weir_launch has it
  uint32_t dynamic_shared_bytes;
  uint8_t shared_preference; // of weir_prefer_shared; 0: none
  const void *params;        // kernel->param_bytes bytes, laid out as kernel->params say
  bool cooperative;
  struct weir_access_window window;
  struct weir_stream *stream; // that it is given to; NULL: the time line leaves it out
};

enum weir_device_outcome {
  WEIR_LAUNCH_DONE,
  WEIR_LAUNCH_INVALID,     // configuration: block or grid too large, a block does not fit a core
  WEIR_LAUNCH_BAD_CLUSTER, // its clusters do not divide the grid, are too large, or the chip has none
  WEIR_LAUNCH_TOO_LARGE,   // cooperative, and its blocks are not resident together
  WEIR_LAUNCH_FAULT, // execution stopped: fault_kind says why; the device is lost for this process, as a real one's context
};

struct weir_device_result {
  enum weir_device_outcome outcome;
  enum weir_fault_kind fault_kind;
  weir_time began_ps, ended_ps; // simulated
};

// Simulates the launch. What went wrong is printed to stderr with PTX line, source line, block and thread.
struct weir_device_result weir_device_launch(struct weir_device *d, const struct weir_device_launch *l);

weir_time weir_device_now_ps(const struct weir_device *d); // simulated time in kernels since the device was opened

// ---- the time line ----------------------------------------------------------------------------------------------------

// Of a device whose chip has a link to its host: copies and fills take time, and what is given to several streams overlaps. NULL:
// there is none, and nothing is ever placed. Results never depend on it: everything is done when its call returns.
struct weir_timeline *weir_device_timeline(struct weir_device *d);

enum weir_device_copy { WEIR_COPY_TO_DEVICE, WEIR_COPY_TO_HOST, WEIR_COPY_WITHIN };

// A copy of so many bytes was given to the stream. The host waits for its end, if it `waits`; of a copy within the device it never
// does.
void weir_device_copied(struct weir_device *d, struct weir_stream *s, enum weir_device_copy what, bool pageable,
                        uint64_t bytes, bool waits);

// The host's memory from `base` on is now mapped for kernels (weir_memory_map), as managed memory or as pinned; or no longer.
void weir_device_maps(struct weir_device *d, uint64_t base, uint64_t bytes, bool managed);
void weir_device_unmaps(struct weir_device *d, uint64_t base);

// Managed memory in this process: at `base` for the program, at `own` for weir. What the program touches of it is seen (host_pages.c).
struct weir_pages {
  void *base, *own;
  uint64_t bytes;
};
bool weir_device_map_pages(struct weir_device *d, uint64_t bytes, struct weir_pages *p); // false: the host has no room
void weir_device_unmap_pages(const struct weir_pages *p);
// What the host has touched of managed memory since the last call has come back to it, and the host has waited for it.
void weir_device_see_host(struct weir_device *d);

// Managed memory was asked for ahead of its use, in the stream; or advised on.
void weir_device_prefetched(struct weir_device *d, struct weir_stream *s, uint64_t address, uint64_t bytes,
                            bool to_device);
enum weir_device_advice { WEIR_DEVICE_READ_MOSTLY, WEIR_DEVICE_AT_HOST, WEIR_DEVICE_MAPPED };
void weir_device_advised(struct weir_device *d, uint64_t address, uint64_t bytes, enum weir_device_advice advice,
                         bool given);

// The host waits for the item (NULL: has ended); for all that the device was given.
void weir_device_host_waits_for(struct weir_device *d, const struct weir_item *placed);
void weir_device_host_waits_for_all(struct weir_device *d);

// The host asks whether the item has ended, and goes on. As its own work takes no time, one that asks again and again would ask for ever:
// whenever it asks for the same item once more, its time moves on to the next end of anything, after the answer.
struct weir_asking { // of one stream or event
  uint64_t of;       // the item that was asked for last, by number
};
bool weir_device_host_asks(struct weir_device *d, const struct weir_item *placed, struct weir_asking *asking);

// So many bytes were set to a value.
void weir_device_filled(struct weir_device *d, struct weir_stream *s, uint64_t bytes);

void weir_device_set_stack_bytes(struct weir_device *d,
                                 uint32_t bytes); // of a thread that may recurse; 0: weir's default
void weir_device_set_heap_bytes(struct weir_device *d,
                                uint64_t bytes); // of device-side malloc (cudaLimitMallocHeapSize)
uint64_t weir_device_heap_bytes(const struct weir_device *d);

// Of the L2, what persisting lines may take, at most; and their end (cudaLimitPersistingL2CacheSize,
// cudaCtxResetPersistingL2Cache). Nothing without a chip.
void weir_device_limit_persisting(struct weir_device *d, uint64_t bytes);
void weir_device_demote_persisting(struct weir_device *d);
// … and what it fetches around a sector that misses (weir_chip_limit_fetch; cudaLimitMaxL2FetchGranularity).
bool weir_device_limit_fetch(struct weir_device *d, uint64_t bytes);

// ---- messages ---------------------------------------------------------------------------------------------------------

// "weir: …" on stderr, each text once per process.
void weir_device_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
