// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What warps did comes out of a recording as it went in, block by block in any order; what is damaged, or could not have been done, is
// refused.
#include "warptrace/warptrace.h"
#include "warptrace/writer.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/weir-245-XXXXXX";

// An instruction of each kind, in a program of one kernel that begins with the second.
enum { ADD, LOAD, GENERIC, SHARED, ATOMIC, BARRIER, EXIT, INSTRUCTIONS };

static const struct weir_static statics[INSTRUCTIONS] = {
  [ADD] =
    {.op_class = WEIR_CLASS_F32_ADD, .dst = {3}, .src = {1, 2}, .dst_count = 1, .src_count = 2, .operand_count = 2},
  [LOAD] = {.op_class = WEIR_CLASS_LOAD,
            .space = WEIR_MEM_LOCAL,
            .access_bytes = 8,
            .element_bytes = 8,
            .l1_hint = WEIR_HINT_CG,
            .source_line = 12,
            .source_file = 1},
  [GENERIC] =
    {.op_class = WEIR_CLASS_STORE, .space = WEIR_MEM_GLOBAL, .access_bytes = 4, .element_bytes = 4, .has_policy = 1},
  [SHARED] = {.op_class = WEIR_CLASS_LOAD, .space = WEIR_MEM_SHARED, .access_bytes = 16, .element_bytes = 4},
  [ATOMIC] = {.op_class = WEIR_CLASS_ATOMIC, .space = WEIR_MEM_GLOBAL, .access_bytes = 4, .element_bytes = 4},
  [BARRIER] = {.op_class = WEIR_CLASS_BARRIER, .is_barrier = 1},
  [EXIT] = {.op_class = WEIR_CLASS_BRANCH, .is_exit = 1},
};
static const struct weir_kernel kernel = {.name = "k", .entry = 1, .registers = 20, .maxntid = {64, 1, 1}};
static const struct weir_streamed_function function = {"k", "k.ptx"};
static const char *const files[] = {NULL, "k.cl"};
static const char *const arrays[INSTRUCTIONS] = {[LOAD] = "param_1"};

static struct weir_streamed_program program(unsigned lanes) {
  return (struct weir_streamed_program){.path = "k.ptx",
                                        .lanes = lanes,
                                        .registers = 4,
                                        .instruction_count = INSTRUCTIONS,
                                        .statics = statics,
                                        .arrays = arrays,
                                        .function_count = 1,
                                        .functions = &function,
                                        .file_count = 2,
                                        .files = files,
                                        .kernel_count = 1,
                                        .kernels = &kernel};
}

struct step {
  uint32_t index;
  struct weir_winstr what;
};

static uint64_t any_mask(struct weir_rng *g, unsigned lanes) {
  switch (weir_rng_below(g, 4)) {
  case 0: return 0;
  case 1: return weir_rng_next(g) & weir_mask(lanes);
  default: return weir_mask(lanes);
  }
}

static void any_addresses(struct weir_rng *g, struct weir_winstr *w) {
  const uint64_t most = w->space == WEIR_MEM_GLOBAL || w->space == WEIR_MEM_CONST ? UINT64_C(1) << 40 : 1 << 26;
  const bool row = weir_rng_below(g, 2);
  const uint64_t stride = weir_rng_below(g, 2) ? w->what->access_bytes : weir_rng_below(g, 1 << 12);
  const uint64_t first = weir_rng_next(g) % (most - (1 << 20));
  for (unsigned lane = 0; lane < WEIR_MAX_LANES; lane++)
    w->address[lane] = row ? first + lane * stride : weir_rng_next(g) % most;
}

static struct step any_step(struct weir_rng *g, unsigned lanes, bool last) {
  static const uint8_t generic[] = {WEIR_MEM_GLOBAL, WEIR_MEM_SHARED, WEIR_MEM_LOCAL, WEIR_MEM_CONST};
  struct step s = {.index = last ? EXIT : (uint32_t)weir_rng_below(g, EXIT)};
  s.what.what = &statics[s.index];
  s.what.space = s.index == GENERIC ? generic[weir_rng_below(g, 4)] : s.what.what->space;
  s.what.active = any_mask(g, lanes);
  if (s.what.space != WEIR_MEM_NONE) any_addresses(g, &s.what);
  s.what.policy = weir_rng_next(g);
  s.what.barrier = (uint8_t)weir_rng_below(g, 16);
  s.what.arrives = weir_rng_below(g, 2);
  s.what.barrier_threads = (uint16_t)(32 * weir_rng_below(g, 33));
  return s;
}

enum { BLOCKS = 6, WARPS = 3, STEPS = 40 };

static void assert_same(const struct weir_winstr *a, const struct weir_winstr *b) {
  assert_int_equal(a->active, b->active);
  if (!a->active) return;
  assert_int_equal(a->space, b->space);
  if (b->what->has_policy) assert_int_equal(a->policy, b->policy);
  if (b->what->is_barrier) {
    assert_int_equal(a->barrier, b->barrier);
    assert_int_equal(a->arrives, b->arrives);
    assert_int_equal(a->barrier_threads, b->barrier_threads);
  }
  uint64_t low = UINT64_MAX, high = 0;
  for (uint64_t left = b->space == WEIR_MEM_NONE ? 0 : b->active; left; left &= left - 1) {
    const uint64_t address = b->address[weir_lowest(left)];
    assert_int_equal(a->address[weir_lowest(left)], address);
    low = address < low ? address : low;
    high = address > high ? address : high;
  }
  if (a->spread == WEIR_SPREAD_UNKNOWN) return;
  assert_int_equal(a->low, low);
  assert_int_equal(a->high, high);
}

// Warps of all blocks take turns, as on a chip, and are written so.
static void write_any(struct step (*steps)[WARPS][STEPS], unsigned lanes, uint64_t seed) {
  struct weir_sink sink = {0};
  struct weir_rng g = weir_rng_seed(seed, 0);
  json_t *about = json_pack("{s:i}", "warp_lanes", (int)lanes);
  struct weir_warptrace_writer *w = weir_warptrace_create(path, about, lanes, &sink);
  struct weir_warptrace_call call = {
    .grid = {3, 2, 1}, .block = {lanes * WARPS, 1, 1}, .window = {4096, 64, UINT64_MAX}, .shared_preference = 51};
  assert_non_null(w);
  weir_warptrace_copy(w, 4096, 100);
  weir_warptrace_launch(w, &call, kernel.entry);
  for (unsigned s = 0; s < STEPS; s++)
    for (unsigned b = BLOCKS; b--;)
      for (unsigned k = 0; k < WARPS; k++) {
        steps[b][k][s] = any_step(&g, lanes, s + 1 == STEPS);
        weir_warptrace_step(w, b, k, steps[b][k][s].index, &steps[b][k][s].what, s + 1 == STEPS);
      }
  const struct weir_streamed_program p = program(lanes);
  assert_int_equal(weir_warptrace_instructions(w), STEPS * BLOCKS * WARPS);
  assert_true(weir_warptrace_close(w, &p, &sink));
  assert_int_equal(sink.count, 0);
  json_decref(about);
}

static void assert_program(const struct weir_streamed_program *p) {
  assert_int_equal(p->instruction_count, INSTRUCTIONS);
  assert_memory_equal(p->statics, statics, sizeof statics);
  assert_string_equal(p->arrays[LOAD], "param_1");
  assert_null(p->arrays[ADD]);
  assert_string_equal(p->files[1], "k.cl");
  assert_string_equal(p->functions[0].path, "k.ptx");
  assert_string_equal(p->kernels[0].name, "k");
  assert_int_equal(p->kernels[0].entry, 1);
  assert_int_equal(p->kernels[0].registers, 20);
  assert_int_equal(p->kernels[0].maxntid[0], 64);
}

static void round_trip(void **state) {
  (void)state;
  static struct step steps[BLOCKS][WARPS][STEPS];
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct weir_sink sink = {0};
    write_any(steps, lanes, lanes);
    assert_int_equal(weir_warptrace_kind(path), WEIR_WARPTRACE_OWN);
    struct weir_warptrace *t = weir_warptrace_read(path, &sink);
    assert_non_null(t);
    assert_program(weir_warptrace_program(t));
    const struct weir_warptrace_call *copy = weir_warptrace_call(t, 0), *launch = weir_warptrace_call(t, 1);
    assert_true(copy->is_copy && copy->address == 4096 && copy->bytes == 100);
    assert_true(!launch->is_copy && launch->blocks == BLOCKS && launch->instructions == STEPS * BLOCKS * WARPS);
    assert_int_equal(launch->window.policy, UINT64_MAX);
    assert_int_equal(launch->shared_preference, 51);
    assert_null(weir_warptrace_call(t, 2));
    const struct weir_streams *s = weir_warptrace_streams(t, launch);
    for (unsigned b = 0; b < BLOCKS; b++) {
      void *block = s->open(s->context, b);
      assert_non_null(block);
      for (unsigned k = WARPS; k--;)
        for (unsigned n = 0; n < STEPS; n++) {
          struct weir_winstr got;
          assert_int_equal(s->next(block, k), steps[b][k][n].index);
          assert_true(s->step(block, k, &got));
          assert_same(&got, &steps[b][k][n].what);
        }
      for (unsigned k = 0; k < WARPS; k++) assert_int_equal(s->next(block, k), WEIR_STREAM_END);
      s->close(block);
    }
    weir_warptrace_free(t);
    weir_sink_free(&sink);
  }
}

// A launch stopped early leaves blocks that have not ended: the file says that it lacks them.
static void what_has_not_ended_is_missed(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  json_t *about = json_pack("{s:i}", "warp_lanes", 32);
  struct weir_warptrace_writer *w = weir_warptrace_create(path, about, 32, &sink);
  const struct weir_warptrace_call call = {.grid = {2, 1, 1}, .block = {32, 1, 1}};
  const struct weir_winstr exits = {.what = &statics[EXIT], .active = 1};
  weir_warptrace_launch(w, &call, kernel.entry);
  weir_warptrace_step(w, 1, 0, EXIT, &exits, true);
  weir_warptrace_step(w, 0, 0, EXIT, &exits, false);
  const struct weir_streamed_program p = program(32);
  assert_true(weir_warptrace_close(w, &p, &sink));
  assert_null(weir_warptrace_read(path, &sink));
  assert_non_null(strstr(sink.diags[0].message, "is damaged: a launch lacks thread blocks"));
  json_decref(about);
  weir_sink_free(&sink);
}

// One warp executes one instruction, written by hand; then it is read.
static bool can_be(uint32_t index, const struct weir_winstr *what) {
  struct weir_sink sink = {0};
  json_t *about = json_pack("{s:i}", "warp_lanes", 32);
  struct weir_warptrace_writer *w = weir_warptrace_create(path, about, 32, &sink);
  const struct weir_warptrace_call call = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
  weir_warptrace_launch(w, &call, kernel.entry);
  weir_warptrace_step(w, 0, 0, index, what, true);
  const struct weir_streamed_program p = program(32);
  assert_true(weir_warptrace_close(w, &p, &sink));
  struct weir_warptrace *t = weir_warptrace_read(path, &sink);
  assert_non_null(t);
  const struct weir_streams *s = weir_warptrace_streams(t, weir_warptrace_call(t, 0));
  void *block = s->open(s->context, 0);
  struct weir_winstr got;
  const bool ok = block && s->next(block, 0) == index && s->step(block, 0, &got);
  if (block) s->close(block);
  weir_warptrace_free(t);
  json_decref(about);
  weir_sink_free(&sink);
  return ok;
}

static void what_no_warp_does_is_refused(void **state) {
  (void)state;
  struct weir_winstr exits = {.what = &statics[EXIT], .active = UINT32_MAX};
  assert_true(can_be(EXIT, &exits));
  exits.active = UINT64_C(1) << 32; // a lane that the warp does not have
  assert_false(can_be(EXIT, &exits));
  exits.active = 1;
  assert_false(can_be(INSTRUCTIONS, &exits)); // an instruction that the program does not have
  struct weir_winstr add = {.what = &statics[ADD], .active = 1};
  assert_false(can_be(ADD, &add)); // goes on for ever
}

// To its end, as long as it lasts.
static void read_all(void) {
  struct weir_sink sink = {0};
  struct weir_warptrace *t = weir_warptrace_read(path, &sink);
  assert_int_equal(!t, sink.errors > 0); // says why
  const struct weir_warptrace_call *c;
  for (size_t i = 0; t && (c = weir_warptrace_call(t, i)); i++) {
    const struct weir_streams *s = weir_warptrace_streams(t, c);
    for (uint64_t b = 0; b < (c->is_copy ? 0 : c->blocks); b++) {
      void *block = s->open(s->context, b);
      struct weir_winstr got;
      const unsigned warps = (c->block[0] * c->block[1] * c->block[2] + 31) / 32;
      for (unsigned k = 0; block && k < warps; k++)
        while (s->next(block, k) != WEIR_STREAM_END && s->step(block, k, &got)) continue;
      if (block) s->close(block);
    }
  }
  weir_warptrace_free(t);
  weir_sink_free(&sink);
}

static void damage(void **state) {
  (void)state;
  const struct weir_winstr exits = {.what = &statics[EXIT], .active = UINT32_MAX};
  size_t size;
  assert_true(can_be(EXIT, &exits));
  char *bytes = whole_file(path, &size);
  for (size_t n = 0; n < size; n++) {
    bytes[n] ^= 0x11;
    put_file(path, bytes, size);
    read_all();
    bytes[n] ^= 0x11;
  }
  for (size_t n = 0; n < size; n += 7) {
    struct weir_sink sink = {0};
    put_file(path, bytes, n);
    assert_null(weir_warptrace_open(path, &sink));
    assert_int_equal(sink.errors, 1);
    weir_sink_free(&sink);
  }
  free(bytes);
}

static int set_up(void **state) {
  (void)state;
  const int file = mkstemp(path);
  return file < 0 || close(file);
}

static int clean_up(void **state) {
  (void)state;
  remove(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(round_trip),
    cmocka_unit_test(what_has_not_ended_is_missed),
    cmocka_unit_test(what_no_warp_does_is_refused),
    cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
