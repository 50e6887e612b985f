// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // tdestroy, twalk_r

// The process's device: opened once, by its first use, as the environment says.
#include "device/device_private.h"

#include "base/alloc.h"
#include "base/crew.h"
#include "base/file.h"
#include "chip/foresight.h"
#include "exec/memory.h"
#include "ptx/hints.h"
#include "run/environment.h"

#include <dlfcn.h>
#include <search.h>
#include <string.h>
#include <unistd.h>

enum { HEAP_BYTES = 8 << 20 }; // of device-side malloc: CUDA's default

static struct weir_device *device; // of this process or, in a child that was forked from it, of its parent
static pid_t opener;
static bool unusable, closed, forked;

// ---- what device code asks of the host ------------------------------------------------------------------------------------

static void print(void *context, const char *text, size_t bytes) {
  (void)context;
  fwrite(text, 1, bytes, stdout);
}

// ---- opening --------------------------------------------------------------------------------------------------------------

// The accesses of this run are recorded, or they have been.
static bool foresee(struct weir_device *d, struct weir_sink *sink) {
  const char *where = d->experiment.records;
  if (!where)
    return weir_fail_plain(sink, "the scheme '%s' runs a program twice: start it by weir run --", d->experiment.scheme);
  if (!strncmp(where, "write:", 6)) {
    weir_chip_log_accesses(d->chip);
    return true;
  }
  FILE *from = strncmp(where, "read:", 5) ? NULL : fopen(where + 5, "rb");
  d->records = from ? weir_records_read(from) : NULL;
  if (from) fclose(from);
  if (!d->records) return weir_fail_plain(sink, WEIR_ENV_RECORDS ": there are no accesses in '%s'", where);
  weir_chip_foretell(d->chip, d->records);
  return true;
}

static bool choose_backend(struct weir_device *d, struct weir_sink *sink) {
  const unsigned threads = d->experiment.threads;
  d->backend = weir_functional_backend(!d->setup.scheme && threads > 1 ? weir_crew_create(threads) : NULL);
  if (!d->setup.scheme) return true;
  d->chip = weir_chip_create(d->setup.chip, d->setup.scheme, d->experiment.seed, sink);
  if (d->chip) weir_chip_use_threads(d->chip, threads);
  if (d->chip) weir_chip_use_host_memory(d->chip, &d->host);
  if (!d->chip || (weir_setup_foresees(&d->setup) && !foresee(d, sink))) return false;
  d->selecting = (struct weir_selecting){.by = d->setup.selection, .chip = d->chip};
  d->sampling = (struct weir_sampling){.chip = d->chip};
  if (d->setup.sample) weir_chip_let_stop(d->chip);
  d->backend = d->setup.sample ? weir_sampling_backend(&d->sampling)
    : d->setup.selection       ? weir_selection_backend(&d->selecting)
                               : weir_chip_backend(d->chip);
  return true;
}

// What is recorded is a timed run of all launches.
static bool can_be_recorded(const struct weir_device *d, struct weir_sink *sink) {
  if (!d->experiment.recording || (d->chip && !d->setup.selection && !d->setup.sample)) return true;
  return weir_fail_plain(sink, WEIR_ENV_RECORDING ": a recording is of a run on a chip that times every launch");
}

// The words that the process was started with; NULL-terminated.
static char **read_command(void) {
  size_t size = 0;
  struct weir_sink unheard = {0};
  char *all = weir_file_read("/proc/self/cmdline", 0, &size, &unheard), **words = NULL;
  unsigned count = 0, capacity = 0;
  for (size_t i = 0; i < size; i += strlen(all + i) + 1) *weir_push(words, count, capacity) = all + i;
  *weir_push(words, count, capacity) = NULL;
  weir_sink_free(&unheard);
  return words;
}

static struct weir_device *make(struct weir_sink *sink) {
  static struct weir_device *d; // has the experiment's texts, which live as long as the process
  d = weir_new(struct weir_device);
  bool known = weir_environment_experiment(&d->experiment, sink);
  bool ready = known && weir_setup_read_process(&d->setup, &d->experiment, sink);
  if (ready && d->setup.program.hints) ready = (d->hints = weir_hints_read(d->setup.program.hints, sink)) != NULL;
  if (ready && choose_backend(d, sink) && can_be_recorded(d, sink) && weir_report_open(d, sink)) {
    d->memory = weir_memory_create();
    weir_device_open_host(d);
    weir_memory_set_limit(d->memory, d->setup.memory_bytes);
    if (d->setup.program.sl1) weir_memory_set_line(d->memory, d->setup.program.sl1_options.line_bytes);
    d->command = read_command();
    if (d->experiment.clock) d->clock = dlsym(RTLD_DEFAULT, "weir_clock_ps"); // library/clock.c
    d->services = (struct weir_services){.context = d,
                                         .print = print,
                                         .heap_bytes = HEAP_BYTES,
                                         .strayed = d->experiment.strict ? NULL : weir_device_strayed};
    return d;
  }
  if (d->chip) weir_chip_free(d->chip);
  if (ready) weir_setup_free(&d->setup);
  return NULL;
}

static void open_device(void) {
  struct weir_sink sink = {0};
  struct weir_device_own own;
  weir_device_enter(&own);
  device = make(&sink);
  weir_device_leave(&own);
  weir_sink_print(&sink, stderr);
  weir_sink_free(&sink);
  opener = getpid();
  unusable = !device;
  if (device) weir_device_watch_end();
}

struct weir_device *weir_device_here(void) {
  return device && opener == getpid() ? device : NULL;
}

void weir_device_forked(void) {
  forked = device != NULL;
}

void weir_device_close(void) {
  closed = true;
}

static enum weir_device_state state_now(void) {
  if (forked) return WEIR_DEVICE_FORKED;
  if (!device && !unusable && !closed) open_device();
  return unusable || closed ? WEIR_DEVICE_UNUSABLE : WEIR_DEVICE_READY;
}

struct weir_device *weir_device_get(enum weir_device_state *state) {
  weir_device_lock();
  enum weir_device_state now = state_now();
  weir_device_unlock();
  if (state) *state = now;
  return now == WEIR_DEVICE_READY ? device : NULL;
}

bool weir_device_is_open(void) {
  return weir_device_here() && !closed;
}

// ---- the device as a whole ------------------------------------------------------------------------------------------------

static void nothing(void *unused) {
  (void)unused;
}

static void release(const void *node, VISIT visit, void *memory) {
  if (visit == preorder || visit == leaf) weir_memory_release(memory, (uint64_t)(uintptr_t) * (void *const *)node);
}

void weir_device_reset(struct weir_device *d) {
  weir_device_host_waits_for_all(d);
  weir_timeline_drain(&d->timeline);
  twalk_r(d->heap, release, d->memory);
  tdestroy(d->heap, nothing);
  d->heap = NULL;
  for (unsigned i = d->module_count; i-- > 0;) weir_device_unload(d, d->modules[i].program);
}

unsigned weir_device_lanes(const struct weir_device *d) {
  return d->setup.lanes;
}

struct weir_memory *weir_device_memory(struct weir_device *d) {
  return d->memory;
}

void weir_device_set_stack_bytes(struct weir_device *d, uint32_t bytes) {
  d->services.stack_bytes = bytes;
}

void weir_device_set_heap_bytes(struct weir_device *d, uint64_t bytes) {
  d->services.heap_bytes = bytes;
}

uint64_t weir_device_heap_bytes(const struct weir_device *d) {
  return d->services.heap_bytes;
}
