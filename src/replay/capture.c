// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "replay/capture.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "config/config.h"
#include "mem/mreq.h"
#include "run/access.h"
#include "run/mix.h"
#include "recording/file.h"
#include "replay/subject.h"

struct capture {
  struct weir_subject of;
  struct weir_recording_writer *to;
  json_t *launches;
  weir_cycle last;                // of an access that knew its cycle
  struct weir_map missed;         // request → cycle in which it missed
  uint64_t fetches, fetch_cycles; // of the launch, that have ended
  uint64_t records;
};

static void add(struct capture *c, struct weir_recorded r) {
  r.cycle = c->last;
  c->records++;
  weir_recording_add(c->to, &r);
}

static void saw(void *context, const struct weir_watched *what) {
  struct capture *c = context;
  const struct weir_mreq *q = what->asked;
  if (!q) return;
  if (what->kind == WEIR_WATCH_ARRIVE) {
    const uint64_t *since = weir_map_find(&c->missed, (uintptr_t)q);
    c->fetches += since != NULL;
    c->fetch_cycles += since ? what->now - *since : 0;
    return;
  }
  if (what->now > c->last) c->last = what->now;
  if (what->kind == WEIR_WATCH_ACCESS && what->result >= WEIR_ACCESS_MISS)
    *weir_map_add(&c->missed, (uintptr_t)q, NULL) = what->now;
  const bool past = what->kind == WEIR_WATCH_PAST || !q->asked; // a cache has not been asked for what goes past it
  add(c,
      (struct weir_recorded){
        .address = q->address,
        .pc = q->pc,
        .bytes = q->bytes,
        .core = q->core,
        .warp = q->warp,
        .kind = q->kind,
        .flags = (uint8_t)((past ? WEIR_RECORDING_PAST : 0) | (q->local ? WEIR_RECORDING_LOCAL : 0)),
        .l1_hint = q->l1_hint,
        .l2_hint = q->l2_hint,
        .prefetch = q->l2_prefetch,
        .lanes = q->lanes,
        .transactions = q->transactions,
        .ready_warps = q->ready_warps,
        .full = q->full,
      });
}

static void copied_in(void *context, uint64_t address, uint64_t bytes) {
  struct capture *c = context;
  const uint64_t kept = bytes < UINT32_MAX ? bytes : UINT32_MAX; // of more, no cache has the first bytes
  if (bytes)
    add(
      c,
      (struct weir_recorded){.kind = WEIR_RECORDING_COPY, .address = address + bytes - kept, .bytes = (uint32_t)kept});
  if (c->of.inner.copied_in) c->of.inner.copied_in(c->of.inner.context, address, bytes);
}

static bool launch(void *context, const struct weir_launch *what, struct weir_fault *fault) {
  struct capture *c = context;
  add(c, (struct weir_recorded){.kind = WEIR_RECORDING_LAUNCH, .address = json_array_size(c->launches)});
  c->fetches = c->fetch_cycles = 0;
  const bool ok = c->of.inner.launch(c->of.inner.context, what, fault);
  unsigned count;
  const struct weir_kernel_stats *k = weir_chip_kernels(c->of.chip, &count);
  json_array_append_new(c->launches,
                        json_pack("{s:s, s:I, s:I}", "kernel", what->kernel->name, "carveout_kib",
                                  (json_int_t)(count ? k[count - 1].carveout_kib : 0), "fetch_cycles",
                                  (json_int_t)(c->fetches ? c->fetch_cycles / c->fetches : 0)));
  add(c, (struct weir_recorded){.kind = WEIR_RECORDING_END});
  return ok;
}

// ---- what the file says of itself ---------------------------------------------------------------------------------------

static json_t *about(const struct capture *c) {
  const struct weir_experiment *e = c->of.experiment;
  const struct weir_chip_config *k = c->of.setup.chip;
  return json_pack("{s:s, s:s, s:s, s:s, s:I, s:i, s:i, s:i, s:i, s:b, s:b}", "weir", WEIR_VERSION, "program",
                   e->program, "chip", e->chip, "scheme", e->scheme, "seed", (json_int_t)e->seed, "cores",
                   (int)k->core.count, "warps", (int)k->core.max_warps, "warp_lanes", (int)k->core.warp_lanes,
                   "coalesce_bytes", (int)k->core.coalesce_bytes, "coalesce_by_element", k->core.coalesce_by_element,
                   "skip_l1_global", k->core.skip_l1_global);
}

static json_t *instruction(const struct weir_program *program, struct weir_access_finder *finder,
                           const struct weir_static *s, uint32_t pc) {
  const char *file = s->source_line ? weir_program_file(program, s->source_file) : NULL;
  struct weir_found_access found = weir_access_find(finder, program, pc);
  json_t *i = json_pack("{s:I, s:s, s:s, s:i, s:s?}", "pc", (json_int_t)pc * 8, "function",
                        weir_program_function_name(program, s->function), "file",
                        weir_path_name(file ? file : weir_program_function_path(program, s->function)), "line",
                        (int)(file ? s->source_line : s->line), "array", found.array);
  weir_found_access_free(&found);
  return i;
}

static json_t *ends(const struct capture *c, const struct weir_program *program) {
  uint32_t count;
  const struct weir_static *statics = weir_program_statics(program, &count);
  const uint32_t first = weir_program_first_pc(program);
  struct weir_access_finder finder = {0};
  json_t *instructions = json_array();
  for (uint32_t i = 0; i < count; i++)
    if (statics[i].access_bytes && (statics[i].space == WEIR_MEM_GLOBAL || statics[i].space == WEIR_MEM_LOCAL))
      json_array_append_new(instructions, instruction(program, &finder, &statics[i], first + i));
  weir_access_finder_free(&finder);
  return json_pack("{s:O, s:o}", "launches", c->launches, "instructions", instructions);
}

// ---- the run ------------------------------------------------------------------------------------------------------------

static bool record(struct capture *c, const char *path, struct weir_sink *sink) {
  const struct weir_cache_watch watch = {.saw = saw, .context = c};
  json_t *head = about(c), *end = NULL;
  c->to = weir_recording_create(path, head, sink);
  bool ok = c->to;
  if (ok) {
    ok = weir_subject_run(&c->of, (struct weir_backend){.context = c, .copied_in = copied_in, .launch = launch}, &watch,
                          sink);
    if (ok) end = ends(c, weir_app_program(c->of.opened->app));
    ok = weir_recording_close(c->to, end, sink) && ok;
  }
  json_decref(head);
  json_decref(end);
  return ok;
}

bool weir_record_accesses(const struct weir_experiment *e, const char *path, struct weir_captured *done,
                          struct weir_sink *sink) {
  struct capture c = {.launches = json_array()};
  const bool ok = weir_subject_open(&c.of, e, sink) && record(&c, path, sink);
  *done = (struct weir_captured){c.records, json_array_size(c.launches)};
  json_decref(c.launches);
  weir_map_free(&c.missed);
  weir_subject_close(&c.of);
  return ok;
}
