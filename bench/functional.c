// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Speed of functional execution on one core, in millions of warp instructions per second, for kernels that each stress
// one kind of instruction: by weir_run_functional, and by weir_warp_step as the timing model calls it.
#define _GNU_SOURCE
#include "base/alloc.h"
#include "exec/texture.h"
#include "exec/warp.h"
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define LOOP(body)                                                                                                     \
  "  mov.u32 %r10, 0;\n$L:\n" body "  add.u32 %r10, %r10, 1;\n  setp.lt.u32 %p1, %r10, %r11;\n  @%p1 bra $L;\n"
// Handles of three images lie at `images`.
#define TEXTURE(body)                                                                                                         \
  "  ld.param.u64 %rd4, [images]; ld.global.u64 %rd6, [%rd4]; ld.global.u64 %rd7, [%rd4+8]; ld.global.u64 %rd5, [%rd4+16];\n" \
  "  cvt.rn.f32.u32 %f3, %r1;\n" body
#define KERNEL(name, body)                                                                                             \
  ".visible .entry " name "(.param .u64 a, .param .u32 n, .param .u64 images) {\n"                                     \
  "  .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .pred %p<4>; .shared .align 4 .b8 s[1024];\n"           \
  "  ld.param.u64 %rd1, [a]; ld.param.u32 %r11, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"                    \
  "  mad.lo.u32 %r3, %r2, 256, %r1; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;\n"                            \
  "  mov.u32 %r4, 7; mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f3f000000; shl.b32 %r5, %r1, 2; mov.u32 %r6, s;\n"         \
  "  add.u32 %r7, %r5, %r6; st.shared.u32 [%r7], %r1;\n" body                                                          \
  "  cvt.rzi.u32.f32 %r9, %f1; add.u32 %r4, %r4, %r9; st.global.u32 [%rd3], %r4; ret;\n}\n"

static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n" KERNEL(
  "alu",
  LOOP("  add.u32 %r4, %r4, %r1;\n  xor.b32 %r8, %r4, %r10;\n  shl.b32 %r9, %r8, 3;\n"
       "  mad.lo.u32 %r4, %r9, %r1, %r8;\n  min.s32 %r8, %r4, %r9;\n  and.b32 %r9, %r8, 255;\n"
       "  sub.u32 %r4, %r4, %r9;\n  shr.u32 %r8, %r4, 5;\n  or.b32 %r9, %r8, %r1;\n"
       "  setp.gt.u32 %p2, %r9, %r4;\n  selp.b32 %r4, %r9, %r8, %p2;\n  fma.rn.f32 %f1, %f1, %f2, %f2;\n"
       "  add.f32 %f1, %f1, %f2;\n"))
  KERNEL("fma",
         LOOP("  fma.rn.f32 %f1, %f1, %f2, %f2;\n  fma.rn.f32 %f1, %f1, %f2, %f2;\n"
              "  fma.rn.f32 %f1, %f1, %f2, %f2;\n  fma.rn.f32 %f1, %f1, %f2, %f2;\n"))
    KERNEL("shared",
           LOOP("  ld.shared.u32 %r8, [%r7];\n  add.u32 %r8, %r8, 1;\n  st.shared.u32 [%r7], %r8;\n"
                "  ld.shared.u32 %r9, [%r7];\n  add.u32 %r4, %r4, %r9;\n"))
      KERNEL("global",
             LOOP("  ld.global.u32 %r8, [%rd3];\n  add.u32 %r8, %r8, 1;\n  st.global.u32 [%rd3], %r8;\n"
                  "  ld.global.u32 %r9, [%rd3];\n  add.u32 %r4, %r4, %r9;\n"))
        KERNEL("private",
               "  .local .align 4 .b8 t[64]; .reg .b32 %l<4>;\n" LOOP(
                 "  and.b32 %r8, %r10, 15;\n  shl.b32 %r8, %r8, 2;\n  mov.u32 %l1, t;\n  add.u32 %l2, %l1, %r8;\n"
                 "  ld.local.u32 %r9, [%l2];\n  add.u32 %r4, %r4, %r9;\n  st.local.u32 [%l2], %r4;\n"))
          KERNEL("gather",
                 LOOP("  mul.lo.u32 %r8, %r1, %r10;\n  and.b32 %r8, %r8, 4095;\n  mul.wide.u32 %rd4, %r8, 4;\n"
                      "  add.u64 %rd5, %rd1, %rd4;\n  ld.global.u32 %r9, [%rd5];\n  add.u32 %r4, %r4, %r9;\n"))
            KERNEL("diverge",
                   LOOP("  and.b32 %r8, %r1, 1;\n  setp.eq.u32 %p2, %r8, 0;\n  @%p2 bra $E;\n"
                        "  add.u32 %r4, %r4, 3;\n  xor.b32 %r4, %r4, %r1;\n  bra $J;\n$E:\n"
                        "  add.u32 %r4, %r4, 5;\n  xor.b32 %r4, %r4, %r10;\n$J:\n"))
              KERNEL("texel",
                     TEXTURE(LOOP("  add.u32 %r8, %r1, %r10;\n  and.b32 %r8, %r8, 4095;\n"
                                  "  tex.1d.v4.u32.s32 {%r9, %r12, %r13, %r14}, [%rd6, {%r8}];\n"
                                  "  add.u32 %r4, %r4, %r9;\n")))
                KERNEL("image",
                       TEXTURE(LOOP("  add.f32 %f3, %f3, %f2;\n"
                                    "  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd7, {%f3, %f1}];\n"
                                    "  add.f32 %f1, %f1, %f4;\n")))
                  KERNEL("filter",
                         TEXTURE(LOOP("  add.f32 %f3, %f3, %f2;\n"
                                      "  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd5, {%f3, %f1}];\n"
                                      "  add.f32 %f1, %f1, %f4;\n")));

enum { BLOCKS = 32, THREADS = 256, IMAGES = 3, WIDTH = 64, HEIGHT = 64 };

struct setting {
  struct weir_program *program;
  struct weir_memory *memory;
  struct {
    uint64_t a;
    uint32_t n;
    uint64_t images;
  } params;
};

// Processor time, so that a busy machine does not slow the figure.
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// All blocks resident at once, one instruction of each warp in turn: the timing model's access pattern.
static bool step_all(const struct weir_launch *launch, struct weir_fault *fault) {
  struct weir_block_state *blocks[BLOCKS];
  struct weir_winstr out;
  unsigned left = 0;
  for (unsigned b = 0; b < BLOCKS; b++) {
    blocks[b] = weir_block_create(launch);
    weir_block_start(blocks[b], b, 0, 0);
    left += weir_block_warps(blocks[b]);
  }
  while (left)
    for (unsigned b = 0; b < BLOCKS; b++)
      for (unsigned k = 0; k < weir_block_warps(blocks[b]); k++) {
        struct weir_warp *w = weir_block_warp(blocks[b], k);
        if (weir_warp_exited(w)) continue;
        const enum weir_step s = weir_warp_step(w, &out, fault);
        if (s == WEIR_STEP_FAULT) return false;
        left -= s == WEIR_STEP_EXITED;
      }
  for (unsigned b = 0; b < BLOCKS; b++) weir_block_free(blocks[b]);
  return true;
}

static void measure(const struct setting *s, const struct weir_kernel *kernel, bool stepped) {
  uint64_t steps = 0;
  struct weir_fault fault;
  const struct weir_launch launch = {.program = s->program,
                                     .kernel = kernel,
                                     .memory = s->memory,
                                     .grid = {BLOCKS, 1, 1},
                                     .block = {THREADS, 1, 1},
                                     .params = &s->params,
                                     .steps = &steps};
  const double before = seconds();
  if (!(stepped ? step_all(&launch, &fault) : weir_run_functional(&launch, &fault))) {
    fprintf(stderr, "%s: %s\n", kernel->name, fault.message);
    return;
  }
  const double after = seconds();
  printf("%-8s %3u lanes %-10s %8.1f M warp instructions/s\n", kernel->name, weir_program_lanes(s->program),
         stepped ? "stepped" : "functional", (double)steps / (after - before) * 1e-6);
}

// Texels of linear memory, an image whose points are read, and one that is filtered.
static void add_images(const struct setting *s) {
  const uint64_t base = weir_memory_alloc(s->memory, "texels", WIDTH * HEIGHT * 4);
  uint64_t *handles = weir_memory_at(s->memory, s->params.images, IMAGES * 8);
  struct weir_texture t = {.base = base,
                           .pitch_bytes = WIDTH * 4,
                           .slice_bytes = WIDTH * HEIGHT * 4,
                           .width = WIDTH * HEIGHT,
                           .height = 1,
                           .depth = 1,
                           .dimensions = 1,
                           .linear_memory = true,
                           .channels = 1,
                           .channel_bytes = 4,
                           .kind = WEIR_TEXEL_UNSIGNED,
                           .swizzle = {WEIR_FROM_0, WEIR_FROM_1, WEIR_FROM_2, WEIR_FROM_3},
                           .sampler = {.address = {WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_CLAMP}}};
  handles[0] = weir_texture_add(s->memory, &t);
  t.width = WIDTH;
  t.height = HEIGHT;
  t.dimensions = 2;
  t.linear_memory = false;
  t.kind = WEIR_TEXEL_FLOAT;
  handles[1] = weir_texture_add(s->memory, &t);
  t.sampler.filter = WEIR_FILTER_LINEAR;
  handles[2] = weir_texture_add(s->memory, &t);
}

static bool measure_all(const struct weir_module *m, unsigned lanes, struct weir_sink *sink) {
  struct setting s = {.memory = weir_memory_create()};
  s.params.a = weir_memory_alloc(s.memory, "data", BLOCKS * THREADS * 4);
  s.params.n = 10000;
  s.params.images = weir_memory_alloc(s.memory, "images", IMAGES * 8);
  add_images(&s);
  s.program = weir_program_build(m, lanes, weir_code_written(WEIR_ASSEMBLER_SM_35), s.memory, sink);
  if (!s.program) return false;
  uint32_t count;
  const struct weir_kernel *kernels = weir_program_kernels(s.program, &count);
  for (uint32_t k = 0; k < 2 * count; k++) measure(&s, &kernels[k / 2], k % 2);
  weir_program_free(s.program);
  weir_memory_free(s.memory);
  return true;
}

int main(void) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("functional.ptx", ptx, sizeof ptx - 1, &sink);
  const bool good = m && measure_all(m, 32, &sink) && measure_all(m, 64, &sink);
  weir_sink_print(&sink, stderr);
  if (m) weir_module_free(m);
  weir_sink_free(&sink);
  return good ? WEIR_EXIT_OK : WEIR_EXIT_USER;
}
