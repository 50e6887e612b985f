// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A texture that all lanes fetch from is read side by side, one that only some name lane by lane: both give the same words and make
// the same accesses. Images, samplers and coordinates are drawn at random; what either way must give, 320 and 322 hold to CUDA's rules.
#include "base/rng.h"
#include "harness.h"

#include "exec/texture.h"

#include <math.h>

enum { THREADS = 64, WORDS = 4, CASES = 40, TEXELS = 8192 };

#define KERNEL(fetch)                                                                                                  \
  PTX_HEADER                                                                                                           \
  ".visible .entry k(.param .u64 handles, .param .u64 in, .param .u64 out, .param .u32 every) {\n"                     \
  " .reg .b32 %r<20>; .reg .f32 %f<6>; .reg .b64 %rd<12>; .reg .pred %p<3>;\n"                                         \
  " ld.param.u64 %rd1, [handles]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [out]; mov.u32 %r9, %tid.x;\n"           \
  " ld.param.u32 %r10, [every]; mul.wide.u32 %rd4, %r9, 16; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;\n"     \
  " and.b32 %r8, %r9, 1; mul.wide.u32 %rd5, %r8, 8; add.u64 %rd1, %rd1, %rd5; ld.global.u64 %rd6, [%rd1];\n"           \
  " ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd2]; mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;\n"            \
  " mov.b32 %f4, %r4; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0;\n"                           \
  " rem.u32 %r10, %r9, %r10; setp.eq.u32 %p1, %r10, 0; @%p1 " fetch ";\n"                                              \
  " st.global.v4.b32 [%rd3], {%r11, %r12, %r13, %r14}; ret; }\n"
#define TO "{%r11, %r12, %r13, %r14}, [%rd6, "

static const struct shape {
  const char *ptx[3]; // floats by floats, by integers; integers by integers
  uint8_t dimensions;
  bool layered;
} shapes[] = {
  {{KERNEL("tex.1d.v4.f32.f32 " TO "{%f1}]"), KERNEL("tex.1d.v4.f32.s32 " TO "{%r1}]"),
    KERNEL("tex.1d.v4.s32.s32 " TO "{%r1}]")},
   1,
   false},
  {{KERNEL("tex.2d.v4.f32.f32 " TO "{%f1, %f2}]"), KERNEL("tex.2d.v4.f32.s32 " TO "{%r1, %r2}]"),
    KERNEL("tex.2d.v4.u32.s32 " TO "{%r1, %r2}]")},
   2,
   false},
  {{KERNEL("tex.3d.v4.f32.f32 " TO "{%f1, %f2, %f3, %f4}]"), KERNEL("tex.3d.v4.f32.s32 " TO "{%r1, %r2, %r3, %r4}]"),
    KERNEL("tex.3d.v4.s32.s32 " TO "{%r1, %r2, %r3, %r4}]")},
   3,
   false},
  {{KERNEL("tex.a1d.v4.f32.f32 " TO "{%r1, %f2}]"), KERNEL("tex.a1d.v4.f32.s32 " TO "{%r1, %r2}]"),
    KERNEL("tex.a1d.v4.s32.s32 " TO "{%r1, %r2}]")},
   1,
   true},
  {{KERNEL("tex.a2d.v4.f32.f32 " TO "{%r1, %f2, %f3, %f4}]"), KERNEL("tex.a2d.v4.f32.s32 " TO "{%r1, %r2, %r3, %r4}]"),
    KERNEL("tex.a2d.v4.s32.s32 " TO "{%r1, %r2, %r3, %r4}]")},
   2,
   true},
};

static uint32_t below(struct weir_rng *r, uint32_t n) {
  return (uint32_t)weir_rng_below(r, n);
}

static struct weir_texture draw_image(struct weir_rng *r, const struct shape *s, bool integers) {
  struct weir_texture t = {
    .width = 1 + below(r, 9), .height = 1, .depth = 1, .dimensions = s->dimensions, .layered = s->layered};
  if (s->dimensions > 1) t.height = 1 + below(r, 7);
  if (s->dimensions > 2 || s->layered) t.depth = 1 + below(r, 5);
  t.channels = (uint8_t)(1 + below(r, 4));
  t.channel_bytes = (uint8_t)(1 << below(r, 3));
  t.kind = (uint8_t)below(r, integers ? 2 : 3);
  if (t.kind == WEIR_TEXEL_FLOAT && t.channel_bytes == 1) t.channel_bytes = 4;
  t.normalized_float = !integers && t.kind != WEIR_TEXEL_FLOAT;
  if (t.normalized_float && t.channel_bytes == 4) t.channel_bytes = 2;
  t.pitch_bytes = (uint64_t)t.width * t.channels * t.channel_bytes + 16 * below(r, 2);
  t.slice_bytes = t.pitch_bytes * t.height + 32 * below(r, 2);
  for (unsigned k = 0; k < 4; k++) {
    t.swizzle[k] = (uint8_t)(below(r, 2) ? k : below(r, 6));
    t.border[k] = below(r, 2) ? (uint32_t)weir_rng_next(r) & 0x7F7FFFFF : 0;
  }
  t.border_one = (uint8_t)below(r, 2);
  t.sampler.filter = below(r, 2) ? WEIR_FILTER_LINEAR : WEIR_FILTER_POINT;
  t.sampler.normalized = below(r, 2);
  for (unsigned k = 0; k < 3; k++) t.sampler.address[k] = (uint8_t)below(r, 4);
  t.linear_memory = s->dimensions == 1 && !s->layered && integers && below(r, 2);
  return t;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint32_t draw_coordinate(struct weir_rng *r, bool floats) {
  static const float odd[] = {0, -0.0f, 0.5f, 1, -1, 1e9f, -1e9f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN};
  if (!floats) return below(r, 4) ? below(r, 14) - 3 : (uint32_t)weir_rng_next(r);
  if (!below(r, 6)) return bits_of(odd[below(r, sizeof odd / sizeof *odd)]);
  return bits_of((float)(weir_rng_unit(r) * (below(r, 2) ? 3 : 16) - 2));
}

struct seen {
  uint64_t active[THREADS / 32], address[THREADS];
  unsigned accesses;
};

// Of the fetch, step by step as the timing model does it.
static void step_all(const struct weir_launch *launch, struct seen *to) {
  struct weir_fault fault = {0};
  struct weir_block_state *b = weir_block_create(launch);
  weir_block_start(b, 0, 0, 0);
  for (unsigned k = 0; k < weir_block_warps(b); k++) {
    struct weir_winstr what;
    struct weir_warp *w = weir_block_warp(b, k);
    while (!weir_warp_exited(w)) {
      if (weir_warp_step(w, &what, &fault) == WEIR_STEP_FAULT) fail_msg("%s", fault.message);
      if (!what.what->is_texture) continue;
      to->accesses++;
      to->active[k] = what.active;
      for (unsigned l = 0; l < 32; l++)
        if (what.active >> l & 1) to->address[32 * k + l] = what.address[l];
    }
  }
  weir_block_free(b);
}

struct outcome {
  uint32_t out[THREADS * WORDS];
  struct seen seen;
};

static void fetch(const struct shape *s, const char *ptx, const struct weir_texture *image, const uint8_t *texels,
                  const uint32_t *in, uint32_t every, bool apart, struct outcome *to) {
  struct bench b;
  bench_open(&b, ptx, 32);
  struct weir_texture t = *image;
  t.base = weir_memory_alloc(b.memory, "texels", TEXELS);
  memcpy(bench_at(&b, t.base, TEXELS), texels, TEXELS);
  struct {
    uint64_t handles, in, out;
    uint32_t every;
  } params = {weir_memory_alloc(b.memory, "handles", 16), weir_memory_alloc(b.memory, "in", THREADS * WORDS * 4),
              weir_memory_alloc(b.memory, "out", THREADS * WORDS * 4), every};
  uint64_t *handles = bench_at(&b, params.handles, 16);
  handles[0] = weir_texture_add(b.memory, &t);
  handles[1] = apart ? weir_texture_add(b.memory, &t) : handles[0];
  memcpy(bench_at(&b, params.in, THREADS * WORDS * 4), in, THREADS * WORDS * 4);
  struct weir_launch launch = bench_launch(&b, "k", 1, THREADS, &params);
  struct weir_fault fault = {0};
  memset(to, 0, sizeof *to);
  uint64_t steps = 0;
  launch.steps = &steps;
  if (!weir_run_functional(&launch, &fault))
    fail_msg("%uD%s: %s", s->dimensions, s->layered ? " layered" : "", fault.message);
  step_all(&launch, &to->seen);
  memcpy(to->out, bench_at(&b, params.out, sizeof to->out), sizeof to->out);
  bench_close(&b);
}

static void run_case(const struct shape *s, unsigned kind, struct weir_rng *r) {
  static struct outcome apart, together;
  uint32_t in[THREADS * WORDS];
  uint8_t texels[TEXELS];
  const struct weir_texture t = draw_image(r, s, kind == 2);
  for (unsigned i = 0; i < TEXELS; i++) texels[i] = (uint8_t)weir_rng_next(r);
  for (unsigned i = 0; i < TEXELS; i += 4) // which times nothing is no number
    if (!below(r, 6)) memcpy(texels + i, &(uint32_t){0x7F800000}, 4);
  for (unsigned i = 0; i < THREADS * WORDS; i++)
    in[i] = draw_coordinate(r, kind == 0 && !(s->layered && i % WORDS == 0));
  const uint32_t every = below(r, 2) ? 1 : 1 + below(r, 3);
  fetch(s, s->ptx[kind], &t, texels, in, every, true, &apart);
  fetch(s, s->ptx[kind], &t, texels, in, every, false, &together);
  for (unsigned i = 0; i < THREADS * WORDS; i++)
    if (together.out[i] != apart.out[i])
      fail_msg("%uD%s, kind %u: thread %u's word %u is 0x%08x together and 0x%08x apart", s->dimensions,
               s->layered ? " layered" : "", kind, i / WORDS, i % WORDS, together.out[i], apart.out[i]);
  assert_memory_equal(&together.seen, &apart.seen, sizeof apart.seen);
  assert_int_equal(apart.seen.accesses, THREADS / 32);
}

static void lanes_fetch_the_same_together_and_apart(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(11, 0);
  for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (unsigned kind = 0; kind < 3; kind++)
      for (unsigned k = 0; k < CASES; k++) run_case(&shapes[s], kind, &r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_fetch_the_same_together_and_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
