// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the files of this room share. Invariant: everything in the struct is read and changed under the lock, but for what
// the handler of fatal signals looks at in a copy of the process (ends.c).
#ifndef WEIR_DEVICE_PRIVATE_H
#define WEIR_DEVICE_PRIVATE_H

#include "device/device.h"
#include "mem/host_memory.h"
#include "run/recording.h"
#include "run/sampling.h"
#include "run/selection.h"
#include "timeline/log.h"

#include <fenv.h>
#include <locale.h>
#include <stdatomic.h>

struct weir_managed_pages {
  struct weir_pages pages;
  uint64_t used; // bytes
};

struct weir_device_module {
  struct weir_module *module;
  struct weir_program *program;
  struct weir_module **originals;  // text_count; that S-L1 was applied to, NULL without it
  struct weir_sl1_report *reports; // what it did to each
  unsigned text_count;
  struct weir_managed_pages *managed; // that its __managed__ variables lie in
  unsigned managed_count, managed_capacity;
  bool launched; // the report needs it to the end
};

enum { WEIR_DEVICE_STRAYS = 64 };

struct weir_device {
  struct weir_experiment experiment;
  struct weir_setup setup;
  struct weir_chip *chip;          // NULL: functional
  struct weir_selecting selecting; // where launches are selected
  struct weir_sampling sampling;   // … or sampled
  struct weir_hints *hints;        // NULL: none
  struct weir_records *records;    // of the run before this one, under a scheme that foresees; else NULL
  struct weir_backend backend;
  struct weir_warptrace_writer *recording; // NULL: what warps do is not kept
  struct weir_memory *memory;
  struct weir_host_memory host; // the host's, that kernels may touch
  uint64_t hidden_moves;        // host.moves when the program's mappings last forgot what had moved
  long seen_faults;             // of this process, when it was last asked what the host had touched
  struct weir_stream pages;     // that brings it back
  void *heap;                   // addresses of allocations that the program made and has not released (tsearch)
  struct weir_device_module *modules;
  unsigned module_count, module_capacity;
  struct weir_services services;
  uint64_t peak_bytes;              // of memory, the most at a time
  uint64_t workspace;               // of cooperative launches; 0: none yet
  bool lost;                        // a launch was stopped by a fault
  _Atomic(const char *) simulating; // the kernel, from the start of a launch to its end: the counters are not whole
  // What was counted without a chip.
  struct weir_kernel_stats *kernels;
  unsigned kernel_count, kernel_capacity;
  struct weir_run_stats total;
  uint64_t launches;             // so far
  struct weir_timeline timeline; // copy_engines 0: none
  _Atomic(uint64_t) *clock;      // the program's, in picoseconds; NULL: the real one, or there is none to be set
  struct weir_log log;           // of an experiment that asks for it
  char **faults;                 // texts
  unsigned fault_count, fault_capacity;
  char **refused; // texts; launches that did not fit the chip, the first of each text
  unsigned refused_count, refused_capacity;
  // Accesses that a real device would have let pass: the first of each of so many instructions.
  char *strays[WEIR_DEVICE_STRAYS]; // texts
  uint32_t stray_pcs[WEIR_DEVICE_STRAYS];
  unsigned stray_count;
  char **command;                                  // of the process, NULL-terminated
  double simulated_seconds, simulated_cpu_seconds; // of wall and processor time, in launches
};

bool weir_device_try_lock(void); // false: another thread has it

// The host program may have set another locale or another rounding: weir's own text and arithmetic have none of it.
struct weir_device_own {
  locale_t locale;
  fenv_t environment;
};
void weir_device_enter(struct weir_device_own *own);
void weir_device_leave(const struct weir_device_own *own);

// ---- report.c ---------------------------------------------------------------------------------------------------------

// Where the run object goes, the time line and the recording is settled when the device is opened; the recording begins. False and a
// diagnostic if they cannot be written there.
bool weir_report_open(struct weir_device *d, struct weir_sink *sink);

// After a launch: the state so far, marked incomplete, unless the last one was too short a time ago.
void weir_report_snapshot(struct weir_device *d);

// The last word: how the process ended ("exit", "SIGSEGV", …). `whole`: nothing is missing in it.
void weir_report_write(struct weir_device *d, const char *end, bool whole);

// The last snapshot once more, with how the process ended: where the counters themselves must not be read.
void weir_report_amend(const char *end);

// Beyond WEIR_DEVICE_APART launches nobody looks at each, and the report would take longer than what it tells of: they are
// summed by kernel then.
enum { WEIR_DEVICE_APART = 256 };
void weir_report_fold(struct weir_device *d);

// ---- timeline.c -------------------------------------------------------------------------------------------------------

// A launch that took so long, and moved so many bytes of the DRAM, was given to the stream. NULL: to none.
void weir_device_launched(struct weir_device *d, const struct weir_launch *l, struct weir_stream *s, weir_time duration,
                          uint64_t dram_bytes);

// Bytes came back to the host, because it touched them; it waits for them. 0: nothing did.
void weir_device_recalled(struct weir_device *d, uint64_t bytes);

// ---- host_pages.c -----------------------------------------------------------------------------------------------------

// After anything may have moved to the device.
void weir_device_hide_pages(struct weir_device *d);

// ---- host_memory.c ----------------------------------------------------------------------------------------------------

void weir_device_open_host(struct weir_device *d);
// Until the next call, __managed__ variables of programs that are built lie in pages of this module; NULL: nowhere special. Its pages go.
void weir_device_place_managed(struct weir_device *d, struct weir_device_module *m);
void weir_device_release_managed(struct weir_device *d, struct weir_device_module *m);
// Managed memory has what the program's allocations leave of the device's.
void weir_device_make_room(struct weir_device *d);

// ---- stray.c ----------------------------------------------------------------------------------------------------------

// struct weir_services' `strayed`; the context is the device.
void weir_device_strayed(void *context, const struct weir_launch *launch, const struct weir_fault *where);

// ---- ends.c -----------------------------------------------------------------------------------------------------------

// From now on the process's end is this room's business.
void weir_device_watch_end(void);

// ---- device.c ---------------------------------------------------------------------------------------------------------

// The open device of this process, whatever its lock is doing; NULL: none, or a forked one.
struct weir_device *weir_device_here(void);
// This process was just forked from another.
void weir_device_forked(void);
// No call opens or finds a device any more.
void weir_device_close(void);

#endif
