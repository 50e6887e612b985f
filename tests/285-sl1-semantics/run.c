// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>

enum { STEP_LIMIT = 20000000 };

struct rig {
  const struct sl1_kernel *kernel;
  struct weir_memory *memory;
  struct weir_program *program;
  const struct weir_kernel *entry;
  uint64_t address[SL1_MOST_BUFFERS];
  uint8_t params[512];
};

static void keep_first(const struct weir_sink *sink, char *message, size_t size) {
  snprintf(message, size, "%s", sink->count ? sink->diags[0].message : "no reason given");
}

struct weir_module *sl1_parse(const char *text, char *message, size_t size) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("random.ptx", text, strlen(text), &sink);
  if (!m) keep_first(&sink, message, size);
  weir_sink_free(&sink);
  return m;
}

// ---- memory

static void *host_bytes(const struct rig *r, uint32_t buffer) {
  return weir_memory_at(r->memory, r->address[buffer], r->kernel->buffers[buffer].bytes);
}

static void fill(struct rig *r, uint32_t buffer) {
  const struct sl1_buffer *b = &r->kernel->buffers[buffer];
  struct weir_rng rng = weir_rng_seed(r->kernel->seed, buffer);
  uint8_t *to = host_bytes(r, buffer);
  for (uint32_t i = 0; i < b->bytes; i++) to[i] = (uint8_t)weir_rng_next(&rng);
}

static uint64_t stored_pointer(const struct rig *r, const struct sl1_buffer *b, uint32_t thread) {
  return r->address[b->target] + sl1_granule_at(r->kernel, &r->kernel->buffers[b->target], thread, 0);
}

static void fill_pointers(struct rig *r, uint32_t buffer) {
  const struct sl1_buffer *b = &r->kernel->buffers[buffer];
  uint64_t *to = host_bytes(r, buffer);
  for (uint32_t t = 0; t < b->count; t++) to[t] = stored_pointer(r, b, t);
}

static void make_buffers(struct rig *r) {
  const struct sl1_kernel *k = r->kernel;
  uint64_t bytes;
  char name[16];
  for (uint32_t i = 0; i < k->buffer_count; i++) {
    snprintf(name, sizeof name, "buffer %u", i);
    r->address[i] = k->buffers[i].variable ? weir_program_variable(r->program, k->variable, &bytes)
                                           : weir_memory_alloc(r->memory, name, k->buffers[i].bytes);
  }
  for (uint32_t i = 0; i < k->buffer_count; i++) {
    if (k->buffers[i].role == SL1_POINTERS)
      fill_pointers(r, i);
    else
      fill(r, i);
  }
}

static void set_param(struct rig *r, const char *name, uint32_t at, const void *bytes, size_t size) {
  for (uint32_t i = 0; i < r->entry->param_count; i++)
    if (!strcmp(r->entry->params[i].name, name)) memcpy(r->params + r->entry->params[i].offset + at, bytes, size);
}

static uint64_t address_of(const struct rig *r, uint32_t pointer) {
  return r->address[r->kernel->pointers[pointer].buffer] + r->kernel->pointers[pointer].offset;
}

static void set_params(struct rig *r) {
  const struct sl1_kernel *k = r->kernel;
  for (uint32_t i = 0; i < k->pointer_count; i++) {
    const struct sl1_pointer *p = &k->pointers[i];
    const uint64_t address = address_of(r, i);
    set_param(r, p->name, p->member < 0 ? 0 : (uint32_t)p->member, &address, sizeof address);
  }
  char name[64];
  snprintf(name, sizeof name, "%s_distance", k->name);
  set_param(r, name, 0, &k->distance, sizeof k->distance);
  const uint64_t far = address_of(r, k->far_to) - address_of(r, k->far_from);
  snprintf(name, sizeof name, "%s_far", k->name);
  set_param(r, name, 0, &far, sizeof far);
  for (uint32_t i = 0; i < k->scalar_count; i++) set_param(r, k->scalars[i].name, 0, &k->scalars[i].value, 4);
}

// What is left in memory; of pointers, whether they still are what they were (their values are not the same everywhere).
static void keep_bytes(const struct rig *r, struct sl1_outcome *to) {
  const struct sl1_kernel *k = r->kernel;
  for (uint32_t i = 0; i < k->buffer_count; i++) to->size += k->buffers[i].bytes;
  uint8_t *next = to->bytes = weir_new_array(uint8_t, to->size);
  for (uint32_t i = 0; i < k->buffer_count; i++) {
    const struct sl1_buffer *b = &k->buffers[i];
    memcpy(next, host_bytes(r, i), b->bytes);
    for (uint32_t t = 0; t < b->count && b->role == SL1_POINTERS; t++) {
      const uint64_t pointer = stored_pointer(r, b, t);
      const bool same = !memcmp(next + 8 * t, &pointer, sizeof pointer);
      memset(next + 8 * t, same ? 0 : 255, sizeof pointer);
    }
    next += b->bytes;
  }
}

static void keep_counts(const struct rig *r, struct sl1_outcome *to) {
  uint32_t structures;
  const uint64_t *counts = weir_sl1_counts(r->program, r->kernel->name, r->memory, &structures);
  for (uint32_t i = 0; counts && i < structures * WEIR_SL1_COUNTERS; i++)
    to->counts[i % WEIR_SL1_COUNTERS] += counts[i];
}

// ---- launches

// A warp that can run, drawn from all blocks; NULL: there is none.
static struct weir_warp *draw_warp(struct weir_block_state **blocks, uint32_t count, struct weir_rng *rng) {
  struct weir_warp *drawn = NULL;
  uint32_t ready = 0;
  for (uint32_t b = 0; b < count; b++)
    for (unsigned i = 0; i < weir_block_warps(blocks[b]); i++) {
      struct weir_warp *w = weir_block_warp(blocks[b], i);
      if (!weir_warp_exited(w) && !weir_warp_waiting(w) && !weir_rng_below(rng, ++ready)) drawn = w;
    }
  return drawn;
}

static bool all_done(struct weir_block_state **blocks, uint32_t count, struct weir_fault *fault) {
  for (uint32_t b = 0; b < count; b++) {
    if (weir_block_done(blocks[b])) continue;
    weir_block_deadlock(blocks[b], fault);
    return false;
  }
  return true;
}

static bool step_warp(struct weir_warp *w, uint64_t steps, struct weir_winstr *out, struct weir_fault *fault) {
  for (; steps; steps--) {
    const enum weir_step s = weir_warp_step(w, out, fault);
    if (s == WEIR_STEP_FAULT) return false;
    if (s == WEIR_STEP_EXITED || weir_warp_waiting(w)) break;
  }
  return true;
}

// All blocks at once, warps in turns of random length.
static bool run_shuffled(const struct weir_launch *launch, uint64_t seed, struct weir_fault *fault) {
  struct weir_rng rng = weir_rng_seed(seed, 1);
  const uint32_t count = launch->grid[0] * launch->grid[1];
  struct weir_block_state **blocks = weir_new_array(struct weir_block_state *, count);
  for (uint32_t b = 0; b < count; b++) {
    blocks[b] = weir_block_create(launch);
    weir_block_start(blocks[b], b % launch->grid[0], b / launch->grid[0], 0);
  }
  struct weir_winstr *out = weir_new(struct weir_winstr);
  bool good = true;
  for (struct weir_warp *w; good && (w = draw_warp(blocks, count, &rng));)
    good = step_warp(w, 1 + weir_rng_below(&rng, 40), out, fault);
  good = good && all_done(blocks, count, fault);
  for (uint32_t b = 0; b < count; b++) weir_block_free(blocks[b]);
  weir_free(blocks);
  weir_free(out);
  return good;
}

static void launch(struct rig *r, const struct sl1_way *way, struct sl1_outcome *to) {
  const struct sl1_kernel *k = r->kernel;
  struct weir_sl1_need need;
  struct weir_fault fault = {0};
  uint64_t steps = 0;
  struct weir_launch x = {.program = r->program,
                          .kernel = r->entry,
                          .memory = r->memory,
                          .params = r->params,
                          .dynamic_shared_bytes = k->dynamic_shared,
                          .step_limit = STEP_LIMIT,
                          .steps = &steps};
  memcpy(x.grid, k->grid, sizeof x.grid);
  memcpy(x.block, k->block, sizeof x.block);
  if (way->extended && weir_sl1_need(r->program, k->name, r->memory, &need)) {
    x.dynamic_shared_bytes = weir_sl1_extend(&need, r->memory, sl1_block_threads(k), k->dynamic_shared, way->lines);
    weir_memory_set_line(r->memory, need.line_bytes);
  }
  to->ran = way->shuffled ? run_shuffled(&x, way->shuffled, &fault) : weir_run_functional(&x, &fault);
  if (to->ran) return;
  struct weir_sink sink = {0};
  weir_fault_report(&fault, &x, &sink);
  keep_first(&sink, to->message, sizeof to->message);
  weir_sink_free(&sink);
}

void sl1_run(const struct sl1_kernel *k, const struct weir_module *m, const struct sl1_way *way,
             struct sl1_outcome *to) {
  struct weir_sink sink = {0};
  struct rig r = {.kernel = k, .memory = weir_memory_create()};
  *to = (struct sl1_outcome){0};
  r.program = weir_program_build(m, way->lanes, weir_code_written(WEIR_ASSEMBLER_SM_35), r.memory, &sink);
  if (r.program) {
    r.entry = weir_program_kernel(r.program, k->name);
    make_buffers(&r);
    set_params(&r);
    launch(&r, way, to);
    keep_bytes(&r, to);
    keep_counts(&r, to);
  } else {
    keep_first(&sink, to->message, sizeof to->message);
  }
  weir_program_free(r.program);
  weir_memory_free(r.memory);
  weir_sink_free(&sink);
}

bool sl1_differ(const struct sl1_kernel *k, const struct sl1_outcome *want, const struct sl1_outcome *got,
                char *message, size_t size) {
  if (!got->ran) {
    snprintf(message, size, "it stopped: %s", got->message);
    return true;
  }
  uint64_t at = 0, end = 0;
  while (at < want->size && want->bytes[at] == got->bytes[at]) at++;
  if (at == want->size) return false;
  for (uint32_t i = 0; i < k->buffer_count; i++) {
    const uint64_t begin = end;
    end += k->buffers[i].bytes;
    if (at < begin || at >= end) continue;
    snprintf(message, size, "byte %llu of buffer %u (role %d, granules of %u bytes) is 0x%02x, not 0x%02x",
             (unsigned long long)(at - begin), i, k->buffers[i].role, k->buffers[i].granule, got->bytes[at],
             want->bytes[at]);
  }
  return true;
}
