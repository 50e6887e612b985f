// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One image instruction over many coordinates, a thread for each. Header of tests only.
#ifndef WEIR_TESTS_300_IMAGE_H
#define WEIR_TESTS_300_IMAGE_H

#include "harness.h"

#include "exec/texture.h"

#include <math.h>

// Before the instruction, in each thread: %r1 to %r4 and %f1 to %f4 are its four input words; %rd1 is the image's
// handle, %rd2 the sampler's. Behind it, %r11 to %r14, zero before, are stored as its four output words.
#define IMAGE_KERNEL(declarations, instruction)                                                                        \
  PTX_HEADER declarations                                                                                              \
    "\n.visible .entry k(.param .u64 image, .param .u64 sampler, .param .u64 in, .param .u64 out,\n"                   \
    " .param .texref pt, .param .samplerref ps) {\n"                                                                   \
    " .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;\n"                     \
    " ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [sampler]; ld.param.u64 %rd3, [in]; ld.param.u64 %rd4, [out];\n"  \
    " mov.u32 %r15, %tid.x; mul.wide.u32 %rd5, %r15, 16; add.u64 %rd6, %rd3, %rd5; add.u64 %rd7, %rd4, %rd5;\n"        \
    " ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd6]; mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;\n"          \
    " mov.b32 %f4, %r4; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0;\n " instruction            \
    "\n st.global.v4.b32 [%rd7], {%r11, %r12, %r13, %r14};\n ret;\n}\n"

enum { MOST_POINTS = 80 };

struct words {
  uint32_t w[4];
};

struct image_bench {
  struct bench b;
  uint64_t texels, in, out;
  struct {
    uint64_t image, sampler, in, out, texture_param, sampler_param;
  } params;
};

static inline uint32_t word(float x) {
  uint32_t w;
  memcpy(&w, &x, sizeof w);
  return w;
}

static inline float number(uint32_t w) {
  float x;
  memcpy(&x, &w, sizeof x);
  return x;
}

#define F4(x, y, z, t)                                                                                                 \
  {                                                                                                                    \
    { word(x), word(y), word(z), word(t) }                                                                             \
  }
#define I4(x, y, z, t)                                                                                                 \
  {                                                                                                                    \
    { (uint32_t)(x), (uint32_t)(y), (uint32_t)(z), (uint32_t)(t) }                                                     \
  }

// `t` without its base; the texels are copied to device memory.
static inline void image_open(struct image_bench *ib, const char *ptx, unsigned lanes, struct weir_texture t,
                              const void *texels, size_t bytes) {
  bench_open(&ib->b, ptx, lanes);
  struct weir_memory *m = ib->b.memory;
  ib->texels = t.base = weir_memory_alloc(m, "texels", bytes);
  memcpy(bench_at(&ib->b, ib->texels, bytes), texels, bytes);
  ib->in = weir_memory_alloc(m, "in", MOST_POINTS * 16);
  ib->out = weir_memory_alloc(m, "out", MOST_POINTS * 16);
  memset(&ib->params, 0, sizeof ib->params);
  ib->params.image = ib->params.texture_param = weir_texture_add(m, &t);
  ib->params.in = ib->in;
  ib->params.out = ib->out;
}

static inline void image_run(struct image_bench *ib, const struct words *at, unsigned n, struct words *result) {
  memcpy(bench_at(&ib->b, ib->in, n * 16), at, n * 16);
  bench_run(&ib->b, "k", 1, n, &ib->params);
  memcpy(result, bench_at(&ib->b, ib->out, n * 16), n * 16);
}

// One instruction over `n` points of one image, with 32 and with 64 lanes.
static inline void image_fetch(const char *ptx, struct weir_texture t, const void *texels, size_t bytes,
                               const struct words *at, unsigned n, struct words *result) {
  struct words wide[MOST_POINTS];
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct image_bench ib;
    image_open(&ib, ptx, lanes, t, texels, bytes);
    image_run(&ib, at, n, lanes == 32 ? result : wide);
    bench_close(&ib.b);
  }
  assert_memory_equal(result, wide, n * sizeof *result);
}

static inline void same_words(const struct words *got, const struct words *want, unsigned n) {
  for (unsigned k = 0; k < n; k++)
    if (memcmp(&got[k], &want[k], sizeof *got))
      fail_msg("point %u: %08x %08x %08x %08x, expected %08x %08x %08x %08x", k, got[k].w[0], got[k].w[1], got[k].w[2],
               got[k].w[3], want[k].w[0], want[k].w[1], want[k].w[2], want[k].w[3]);
}

#define SWIZZLE_NONE                                                                                                   \
  { WEIR_FROM_0, WEIR_FROM_1, WEIR_FROM_2, WEIR_FROM_3 }

static inline struct weir_texture image_1d(uint32_t width, uint8_t channels, uint8_t bytes, uint8_t kind) {
  return (struct weir_texture){.width = width,
                               .height = 1,
                               .depth = 1,
                               .dimensions = 1,
                               .channels = channels,
                               .channel_bytes = bytes,
                               .kind = kind,
                               .swizzle = SWIZZLE_NONE,
                               .pitch_bytes = (uint64_t)width * channels * bytes,
                               .sampler = {.address = {WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_CLAMP}}};
}

#endif
