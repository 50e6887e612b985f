// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launches: each simulated to its end before the call returns.
#include "device/device_private.h"

#include "base/alloc.h"
#include "config/config.h"
#include "run/run.h"
#include "host/launch.h"

#include <string.h>

enum { FUNCTIONAL_PS = 1000 }; // without a chip, a warp instruction stands for a nanosecond

static uint32_t one_if_zero(uint32_t n) {
  return n ? n : 1;
}

static uint64_t product(const uint32_t dim[3]) {
  return (uint64_t)dim[0] * dim[1] * dim[2];
}

weir_time weir_device_now_ps(const struct weir_device *d) {
  if (d->setup.sample) return weir_chip_now(d->chip) + (weir_time)d->sampling.passed_ps;
  return d->chip ? weir_chip_now(d->chip) : d->total.warp_instructions * FUNCTIONAL_PS;
}

// ---- whether it can be launched ---------------------------------------------------------------------------------------------

static struct weir_launch prepare(struct weir_device *d, const struct weir_device_launch *l, uint64_t *steps) {
  return (struct weir_launch){
    .program = l->program,
    .kernel = l->kernel,
    .memory = d->memory,
    .grid = {one_if_zero(l->grid.x), one_if_zero(l->grid.y), one_if_zero(l->grid.z)},
    .block = {one_if_zero(l->block.x), one_if_zero(l->block.y), one_if_zero(l->block.z)},
    .cluster = {l->cluster.x, l->cluster.y, l->cluster.z},
    .dynamic_shared_bytes = l->dynamic_shared_bytes,
    .shared_preference = l->shared_preference,
    .params = l->params,
    .step_limit = d->experiment.step_limit,
    .steps = steps,
    .services = &d->services,
    .cooperative = l->cooperative,
    .window = l->window,
  };
}

void weir_device_limit_persisting(struct weir_device *d, uint64_t bytes) {
  if (d->chip) weir_chip_limit_persisting(d->chip, bytes);
}

bool weir_device_limit_fetch(struct weir_device *d, uint64_t bytes) {
  return d->chip && weir_chip_limit_fetch(d->chip, bytes);
}

void weir_device_demote_persisting(struct weir_device *d) {
  if (d->chip) weir_chip_demote_persisting(d->chip);
}

// A program may pass over the error, and launch the same again and again: each text is said once, and the report begins
// with it.
static void refuse(struct weir_device *d, const struct weir_launch *l, struct weir_sink *sink) {
  char *misfit = weir_chip_misfit(d->setup.chip, l);
  char *why = weir_text_format("a block of kernel '%s' %s; chips that have room (--chip): ", l->kernel->name, misfit);
  bool said = false;
  for (unsigned i = 0; i < d->refused_count && !said; i++) said = !strncmp(d->refused[i], why, strlen(why));
  if (!said) {
    char *chips = weir_chips_that_suit(weir_chip_has_room, l);
    char *text = weir_text_format("%s%s", why, chips);
    *weir_push(d->refused, d->refused_count, d->refused_capacity) = text;
    weir_fail_plain(sink, "%s", text);
    weir_free(chips);
  }
  weir_free(misfit);
  weir_free(why);
}

static enum weir_device_outcome check(struct weir_device *d, const struct weir_device_launch *l,
                                      const struct weir_launch *launch, struct weir_sink *sink) {
  static const struct weir_launch_places nowhere;
  if (!weir_launch_check_shape(l->kernel, &l->grid, &l->block, &nowhere, sink)) return WEIR_LAUNCH_INVALID;
  if (!weir_launch_check_cluster(launch, nowhere.cluster, sink)) return WEIR_LAUNCH_BAD_CLUSTER;
  unsigned resident = weir_device_occupancy(d, l->kernel, (unsigned)weir_block_threads(launch), l->dynamic_shared_bytes,
                                            l->shared_preference);
  if (!resident) {
    refuse(d, launch, sink);
    return WEIR_LAUNCH_INVALID;
  }
  if (!weir_chip_holds_cluster(d->setup.chip, launch)) {
    refuse(d, launch, sink);
    return WEIR_LAUNCH_BAD_CLUSTER;
  }
  const uint32_t cluster = weir_cluster_blocks(launch);
  resident =
    cluster > 1 ? cluster * weir_chip_clusters(d->setup.chip, resident, cluster) : resident * d->setup.chip->core.count;
  if (!l->cooperative || product(launch->grid) <= resident) return WEIR_LAUNCH_DONE;
  weir_fail_plain(sink, "kernel '%s' is launched cooperatively with %llu blocks, of which %u at a time are resident",
                  l->kernel->name, (unsigned long long)product(launch->grid), resident);
  return WEIR_LAUNCH_TOO_LARGE;
}

// ---- running it -------------------------------------------------------------------------------------------------------------

static void mark_launched(struct weir_device *d, const struct weir_program *p) {
  for (unsigned i = 0; i < d->module_count; i++)
    if (d->modules[i].program == p) d->modules[i].launched = true;
}

static void count_functional(struct weir_device *d, const struct weir_kernel *kernel, uint64_t steps) {
  struct weir_kernel_stats *k = weir_push(d->kernels, d->kernel_count, d->kernel_capacity);
  *k = (struct weir_kernel_stats){.name = kernel->name, .launch = d->launches, .launches = 1};
  k->counts.warp_instructions = steps;
  d->total.warp_instructions += steps;
}

static void say_alone(const struct weir_device *d, const struct weir_launch *launch) {
  const char *run = NULL, *launches = NULL;
  if (d->experiment.threads <= 1) return;
  if (d->chip)
    weir_chip_alone(d->chip, &run, &launches);
  else
    launches = weir_functional_alone(launch);
  if (run) weir_device_say("--threads has no effect on this run: %s", run);
  if (launches) weir_device_say("some kernels ran on one thread: %s", launches);
}

static void simulate(struct weir_device *d, const struct weir_launch *launch, struct weir_fault *fault) {
  double began = weir_seconds_now(), cpu_began = weir_cpu_seconds_now();
  bool ok = d->recording ? weir_recording_launch(d->recording, &d->backend, launch, fault)
                         : d->backend.launch(d->backend.context, launch, fault);
  if (!d->chip) count_functional(d, launch->kernel, *launch->steps);
  say_alone(d, launch);
  if (++d->launches % WEIR_DEVICE_APART == 0) weir_report_fold(d);
  d->simulated_seconds += weir_seconds_now() - began;
  d->simulated_cpu_seconds += weir_cpu_seconds_now() - cpu_began;
  d->lost |= !ok;
}

// Blocks that wait for each other count in memory of the device, from 0.
static bool give_workspace(struct weir_device *d, struct weir_launch *launch, struct weir_sink *sink) {
  if (!d->workspace) d->workspace = weir_memory_alloc(d->memory, "grid workspace", WEIR_GRID_WORKSPACE_BYTES);
  if (!d->workspace)
    return weir_fail_plain(sink,
                           "no memory of the device is left for the barrier of a cooperative launch of kernel '%s'",
                           launch->kernel->name);
  memset(weir_memory_at(d->memory, d->workspace, WEIR_GRID_WORKSPACE_BYTES), 0, WEIR_GRID_WORKSPACE_BYTES);
  launch->grid_workspace = d->workspace;
  return true;
}

static void keep_fault(struct weir_device *d, const struct weir_sink *sink) {
  for (size_t i = 0; i < sink->count; i++)
    *weir_push(d->faults, d->fault_count, d->fault_capacity) = weir_text_copy(sink->diags[i].message);
}

static uint64_t dram_bytes(const struct weir_device *d) {
  return d->chip ? weir_chip_total(d->chip)->dram.bytes : 0;
}

static struct weir_device_result launch_checked(struct weir_device *d, struct weir_launch *launch,
                                                struct weir_stream *stream, struct weir_sink *sink) {
  struct weir_device_result result = {.outcome = WEIR_LAUNCH_DONE, .began_ps = weir_device_now_ps(d)};
  struct weir_fault fault = {0};
  if (launch->cooperative && !give_workspace(d, launch, sink)) {
    result.outcome = WEIR_LAUNCH_TOO_LARGE;
    result.ended_ps = result.began_ps;
    return result;
  }
  mark_launched(d, launch->program);
  weir_report_snapshot(d);
  d->simulating = launch->kernel->name;
  weir_device_make_room(d);
  const uint64_t moved_before = dram_bytes(d);
  simulate(d, launch, &fault);
  d->simulating = NULL;
  fflush(stdout); // what the kernel printed
  if (fault.raised) {
    result.outcome = WEIR_LAUNCH_FAULT;
    result.fault_kind = fault.kind;
    weir_fault_report(&fault, launch, sink);
    keep_fault(d, sink);
  }
  result.ended_ps = weir_device_now_ps(d);
  weir_device_launched(d, launch, stream, result.ended_ps - result.began_ps, dram_bytes(d) - moved_before);
  weir_report_snapshot(d);
  return result;
}

static struct weir_device_result launch_one(struct weir_device *d, const struct weir_device_launch *l,
                                            struct weir_sink *sink) {
  uint64_t steps = 0;
  struct weir_launch launch = prepare(d, l, &steps);
  enum weir_device_outcome outcome = check(d, l, &launch, sink);
  if (outcome == WEIR_LAUNCH_DONE) return launch_checked(d, &launch, l->stream, sink);
  weir_time now = weir_device_now_ps(d);
  return (struct weir_device_result){.outcome = outcome, .began_ps = now, .ended_ps = now};
}

struct weir_device_result weir_device_launch(struct weir_device *d, const struct weir_device_launch *l) {
  struct weir_sink sink = {0};
  struct weir_device_own own;
  weir_time now = weir_device_now_ps(d);
  if (d->lost) return (struct weir_device_result){.outcome = WEIR_LAUNCH_FAULT, .began_ps = now, .ended_ps = now};
  weir_device_enter(&own);
  struct weir_device_result result = launch_one(d, l, &sink);
  weir_device_hide_pages(d);
  weir_device_leave(&own);
  weir_sink_print(&sink, stderr);
  weir_sink_free(&sink);
  return result;
}
