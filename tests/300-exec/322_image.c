// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How device code names images and samplers, what it can ask of them, what the timing model is told, and what goes
// wrong.
#include "image.h"

static const float four[4] = {10, 20, 30, 40};

static struct weir_texture border_1d(void) {
  struct weir_texture t = image_1d(4, 1, 4, WEIR_TEXEL_FLOAT);
  t.sampler.address[0] = WEIR_ADDRESS_BORDER;
  return t;
}

// ---- names ----------------------------------------------------------------------------------------------------------

static void set_variable(struct image_bench *ib, const char *name, uint64_t value) {
  const uint64_t at = weir_program_variable(ib->b.program, name, NULL);
  assert_int_not_equal(at, 0);
  memcpy(bench_at(&ib->b, at, 8), &value, 8);
}

static void expect_number(struct image_bench *ib, float x, float want) {
  struct words at[] = {F4(x, 0, 0, 0)}, got[1];
  image_run(ib, at, 1, got);
  if (number(got[0].w[0]) != want) fail_msg("%g, expected %g", (double)number(got[0].w[0]), (double)want);
}

static void test_references(void **state) {
  (void)state;
  static const char *const forms[] = {
    IMAGE_KERNEL(".global .texref t;", "tex.1d.v4.f32.f32 {%r11, _, _, _}, [t, {%f1}];"),
    IMAGE_KERNEL(".global .texref t;", "mov.u64 %rd9, t; tex.1d.v4.f32.f32 {%r11, _, _, _}, [%rd9, {%f1}];"),
    IMAGE_KERNEL(".global .texref t;", "tex.1d.v4.f32.f32 {%r11, _, _, _}, [pt, {%f1}];"),
    IMAGE_KERNEL(".global .texref t;", "mov.u64 %rd9, pt; tex.1d.v4.f32.f32 {%r11, _, _, _}, [%rd9, {%f1}];"),
    IMAGE_KERNEL(".global .texref t;", "ld.param.u64 %rd9, [pt]; tex.1d.v4.f32.f32 {%r11, _, _, _}, [%rd9, {%f1}];"),
  };
  for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) {
    struct image_bench ib;
    image_open(&ib, forms[k], 32, border_1d(), four, sizeof four);
    set_variable(&ib, "t", ib.params.image);
    expect_number(&ib, 2.5f, 30);
    // bound to another image, of one texel, before the next launch
    struct weir_texture one = border_1d();
    one.width = 1;
    one.base = ib.texels + 4;
    ib.params.texture_param = weir_texture_add(ib.b.memory, &one);
    set_variable(&ib, "t", ib.params.texture_param);
    expect_number(&ib, 0.5f, 20);
    expect_number(&ib, 2.5f, 0);
    bench_close(&ib.b);
  }
}

// A sampler of its own instead of the texture's.
static void test_samplers(void **state) {
  (void)state;
  static const char *const forms[] = {
    IMAGE_KERNEL(".global .samplerref s = { filter_mode = linear, addr_mode_0 = wrap };",
                 "tex.1d.v4.f32.f32 {%r11, _, _, _}, [%rd1, s, {%f1}];"),
    IMAGE_KERNEL(".global .samplerref s;", "tex.1d.v4.f32.f32 {%r11, _, _, _}, [%rd1, %rd2, {%f1}];"),
    IMAGE_KERNEL(".global .samplerref s;", "tex.1d.v4.f32.f32 {%r11, _, _, _}, [pt, ps, {%f1}];"),
    IMAGE_KERNEL(".global .samplerref s;", "mov.u64 %rd9, s; tex.1d.v4.f32.f32 {%r11, _, _, _}, [pt, %rd9, {%f1}];"),
  };
  const struct weir_sampler s = {{WEIR_ADDRESS_WRAP, 0, 0}, WEIR_FILTER_LINEAR, true};
  for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) {
    struct image_bench ib;
    image_open(&ib, forms[k], 64, border_1d(), four, sizeof four);
    if (k) set_variable(&ib, "s", weir_sampler_pack(&s));
    ib.params.sampler = ib.params.sampler_param = weir_sampler_pack(&s);
    expect_number(&ib, 1, 25);       // between the last and the first
    expect_number(&ib, -1.625f, 20); // 0.375: u = 1.5
    bench_close(&ib.b);
  }
}

static void test_packing(void **state) {
  (void)state;
  const struct weir_sampler s = {
    {WEIR_ADDRESS_BORDER, WEIR_ADDRESS_WRAP, WEIR_ADDRESS_MIRROR}, WEIR_FILTER_LINEAR, true};
  const struct weir_sampler back = weir_sampler_unpack(weir_sampler_pack(&s));
  assert_int_equal(weir_sampler_pack(&s) >> 63, 1);
  assert_memory_equal(back.address, s.address, 3);
  assert_int_equal(back.filter, s.filter);
  assert_true(back.normalized);
  struct weir_memory *m = weir_memory_create();
  const struct weir_texture t = border_1d();
  const uint64_t a = weir_texture_add(m, &t), b = weir_texture_add(m, &t);
  assert_true(a && b && a != b && a >> 63 == 0);
  assert_int_equal(weir_texture_find(m, a)->width, 4);
  assert_true(weir_texture_remove(m, a));
  assert_false(weir_texture_remove(m, a));
  assert_null(weir_texture_find(m, a));
  assert_non_null(weir_texture_find(m, b));
  assert_null(weir_texture_find(m, 0));
  assert_null(weir_texture_find(m, b + 1));
  assert_int_not_equal(weir_texture_add(m, &t), a);
  weir_memory_free(m);
}

// Even threads one image, odd ones another, every third none: its result stays.
static void test_lanes(void **state) {
  (void)state;
  struct image_bench ib;
  image_open(&ib,
             IMAGE_KERNEL("",
                          "and.b32 %r5, %r15, 1; setp.eq.u32 %p1, %r5, 1; selp.b64 %rd9, %rd2, %rd1, %p1;\n"
                          "rem.u32 %r6, %r15, 3; setp.ne.u32 %p2, %r6, 0; mov.u32 %r11, 77;\n"
                          "@!%p2 mov.u64 %rd9, 5; @%p2 tex.1d.v4.u32.s32 {%r11, %r12, _, _}, [%rd9, {%r1}];"),
             64, image_1d(4, 1, 4, WEIR_TEXEL_UNSIGNED), (uint32_t[]){1, 2, 3, 4}, 16);
  struct weir_texture pairs = image_1d(2, 2, 4, WEIR_TEXEL_UNSIGNED);
  pairs.base = ib.texels;
  ib.params.sampler = weir_texture_add(ib.b.memory, &pairs);
  struct words at[70], got[70], want[70];
  for (unsigned k = 0; k < 70; k++) {
    at[k] = (struct words)I4(k % 2, 0, 0, 0);
    want[k] = k % 3 == 0 ? (struct words)I4(77, 0, 0, 0)
      : k % 2            ? (struct words)I4(3, 4, 0, 0)
                         : (struct words)I4(1, 0, 0, 0);
  }
  image_run(&ib, at, 70, got);
  same_words(got, want, 70);
  bench_close(&ib.b);
}

// ---- queries --------------------------------------------------------------------------------------------------------

static void ask(const char *ptx, const struct weir_texture *t, uint64_t sampler, uint32_t want) {
  struct image_bench ib;
  struct words at[1] = {0}, got[1];
  image_open(&ib, ptx, 32, *t, four, sizeof four);
  ib.params.sampler = sampler;
  image_run(&ib, at, 1, got);
  if (got[0].w[0] != want) fail_msg("%#x, expected %#x", got[0].w[0], want);
  bench_close(&ib.b);
}

#define TXQ(query) IMAGE_KERNEL("", "txq." query ".b32 %r11, [%rd1];")
#define SUQ(query) IMAGE_KERNEL("", "suq." query ".b32 %r11, [%rd1];")

static void test_queries(void **state) {
  (void)state;
  struct weir_texture t = border_1d();
  t.dimensions = 2, t.width = 5, t.height = 6, t.depth = 7, t.layered = true;
  t.sampler =
    (struct weir_sampler){{WEIR_ADDRESS_MIRROR, WEIR_ADDRESS_BORDER, WEIR_ADDRESS_CLAMP}, WEIR_FILTER_LINEAR, true};
  ask(TXQ("width"), &t, 0, 5);
  ask(TXQ("height"), &t, 0, 6);
  ask(TXQ("array_size"), &t, 0, 7);
  ask(TXQ("num_mipmap_levels"), &t, 0, 1);
  ask(TXQ("normalized_coords"), &t, 0, 1);
  ask(TXQ("filter_mode"), &t, 0, 1); // nearest, linear
  ask(TXQ("addr_mode_0"), &t, 0, 1); // wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border
  ask(TXQ("addr_mode_1"), &t, 0, 4);
  ask(TXQ("addr_mode_2"), &t, 0, 3);
  t.layered = false, t.dimensions = 3;
  ask(SUQ("depth"), &t, 0, 7);
  ask(SUQ("array_size"), &t, 0, 1);
  // the numbers of CL/cl.h
  ask(SUQ("channel_data_type"), &t, 0, 0x10DE); // CL_FLOAT
  t.kind = WEIR_TEXEL_UNSIGNED, t.channel_bytes = 1, t.normalized_float = true;
  ask(TXQ("channel_data_type"), &t, 0, 0x10D2); // CL_UNORM_INT8
  t.normalized_float = false, t.channel_bytes = 4;
  ask(TXQ("channel_data_type"), &t, 0, 0x10DC); // CL_UNSIGNED_INT32
  t.kind = WEIR_TEXEL_SIGNED, t.channel_bytes = 2;
  ask(TXQ("channel_data_type"), &t, 0, 0x10D8); // CL_SIGNED_INT16
  ask(TXQ("channel_order"), &t, 0, 0x10B0);     // CL_R
  t.channels = 4;
  ask(TXQ("channel_order"), &t, 0, 0x10B5); // CL_RGBA
  t.swizzle[0] = 2, t.swizzle[2] = 0;
  ask(TXQ("channel_order"), &t, 0, 0x10B6); // CL_BGRA
  const struct weir_sampler s = {{WEIR_ADDRESS_WRAP, 0, 0}, WEIR_FILTER_POINT, false};
  ask(IMAGE_KERNEL("", "txq.addr_mode_0.b32 %r11, [%rd2];"), &t, weir_sampler_pack(&s), 0);
  ask(IMAGE_KERNEL("", "txq.force_unnormalized_coords.b32 %r11, [%rd2];"), &t, weir_sampler_pack(&s), 1);
}

// ---- timing ---------------------------------------------------------------------------------------------------------

// Steps up to and with the instruction at a line of the PTX text.
static void step_to(struct image_bench *ib, const struct words *at, unsigned n, uint32_t line,
                    struct weir_winstr *out) {
  struct weir_fault fault;
  uint64_t steps = 0;
  memcpy(bench_at(&ib->b, ib->in, n * 16), at, n * 16);
  struct weir_launch launch = bench_launch(&ib->b, "k", 1, n, &ib->params);
  launch.steps = &steps;
  struct weir_block_state *block = weir_block_create(&launch);
  weir_block_start(block, 0, 0, 0);
  struct weir_warp *w = weir_block_warp(block, 0);
  do {
    if (weir_warp_step(w, out, &fault) == WEIR_STEP_FAULT) fail_msg("%s", fault.message);
  } while (out->what->line != line);
  weir_block_free(block);
}

enum { LINE = 12 }; // of the instruction under test

static void test_timing(void **state) {
  (void)state;
  struct image_bench ib;
  struct weir_winstr out;
  struct weir_texture t = border_1d();
  t.sampler.filter = WEIR_FILTER_LINEAR;
  struct words at[] = {F4(0.75f, 0, 0, 0), F4(1, 0, 0, 0), F4(2.99f, 0, 0, 0), F4(-0.25f, 0, 0, 0), F4(9, 0, 0, 0)};
  image_open(&ib, IMAGE_KERNEL("", "tex.1d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1}];"), 32, t, four,
             sizeof four);
  step_to(&ib, at, 5, LINE, &out);
  assert_int_equal(out.what->op_class, WEIR_CLASS_LOAD);
  assert_int_equal(out.what->access_bytes, 4);
  assert_int_equal(out.what->element_bytes, 4);
  assert_true(out.what->non_coherent);
  assert_int_equal(out.what->dst_count, 4);
  assert_int_equal(out.what->src_count, 2); // the handle and the coordinate
  assert_int_equal(out.space, WEIR_MEM_GLOBAL);
  assert_int_equal(out.active, 7); // past the border nothing is read where the point lies
  assert_int_equal(out.address[0], ib.texels);
  assert_int_equal(out.address[1], ib.texels + 4);
  assert_int_equal(out.address[2], ib.texels + 8);
  bench_close(&ib.b);
  static const uint8_t bytes[8] = {0};
  struct words bytes_at[] = {I4(6, 0, 0, 0)};
  image_open(&ib, IMAGE_KERNEL("", "tex.1d.v4.u32.s32 {%r11, %r12, %r13, %r14}, [%rd1, {%r1}];"), 64,
             image_1d(8, 1, 1, WEIR_TEXEL_UNSIGNED), bytes, sizeof bytes);
  step_to(&ib, bytes_at, 1, LINE, &out);
  assert_int_equal(out.address[0], ib.texels + 4); // the word that byte 6 lies in
  bench_close(&ib.b);
}

static void test_timing_of_surfaces(void **state) {
  (void)state;
  struct image_bench ib;
  struct weir_winstr out;
  struct words at[] = {I4(8, 0, 0, 0), I4(16, 0, 0, 0)};
  image_open(&ib, IMAGE_KERNEL("", "sust.b.1d.v2.b32.zero [%rd1, {%r1}], {%r1, %r2};"), 32, border_1d(), four,
             sizeof four);
  step_to(&ib, at, 2, LINE, &out);
  assert_int_equal(out.what->op_class, WEIR_CLASS_STORE);
  assert_int_equal(out.what->access_bytes, 8);
  assert_int_equal(out.what->element_bytes, 4);
  assert_int_equal(out.what->dst_count, 0);
  assert_int_equal(out.active, 1);
  assert_int_equal(out.address[0], ib.texels + 8);
  bench_close(&ib.b);
  image_open(&ib, IMAGE_KERNEL("", "suld.b.1d.b64.trap {%rd9}, [%rd1, {%r1}];"), 32, border_1d(), four, sizeof four);
  step_to(&ib, at, 1, LINE, &out);
  assert_int_equal(out.what->op_class, WEIR_CLASS_LOAD);
  assert_int_equal(out.what->access_bytes, 8);
  assert_false(out.what->non_coherent);
  assert_int_equal(out.space, WEIR_MEM_GLOBAL);
  bench_close(&ib.b);
  image_open(&ib, TXQ("width"), 32, border_1d(), four, sizeof four);
  step_to(&ib, at, 1, LINE, &out);
  assert_int_equal(out.what->op_class, WEIR_CLASS_INT_LOGIC);
  assert_int_equal(out.what->access_bytes, 0);
  assert_int_equal(out.space, WEIR_MEM_NONE);
  bench_close(&ib.b);
}

// ---- faults ---------------------------------------------------------------------------------------------------------

static void expect_fault(struct image_bench *ib, int32_t x, const char *what) {
  struct weir_fault fault = {0};
  struct words at[] = {I4(x, 0, 0, 0)};
  memcpy(bench_at(&ib->b, ib->in, 16), at, 16);
  struct weir_launch launch = bench_launch(&ib->b, "k", 1, 1, &ib->params);
  assert_false(weir_run_functional(&launch, &fault));
  assert_true(fault.raised);
  if (!strstr(fault.message, what)) fail_msg("'%s' is not in: %s", what, fault.message);
}

static void test_bad_handles(void **state) {
  (void)state;
  struct image_bench ib;
  image_open(&ib, IMAGE_KERNEL("", "tex.1d.v4.f32.s32 {%r11, _, _, _}, [%rd1, {%r1}];"), 32, border_1d(), four,
             sizeof four);
  const uint64_t good = ib.params.image;
  ib.params.image = 0;
  expect_fault(&ib, 0, "no texture or surface is bound here");
  ib.params.image = 0x1234;
  expect_fault(&ib, 0, "0x1234 is the handle of no texture or surface");
  ib.params.image = ib.texels; // four floats, of which two make no handle
  expect_fault(&ib, 0, "is the handle of no texture or surface");
  ib.params.image = UINT64_MAX;
  expect_fault(&ib, 0, "is the handle of no texture or surface");
  ib.params.image = good;
  weir_memory_release(ib.b.memory, ib.texels);
  expect_fault(&ib, 0, "lie in no allocation");
  weir_texture_remove(ib.b.memory, good);
  expect_fault(&ib, 0, "has been destroyed");
  bench_close(&ib.b);
}

static void test_bad_uses(void **state) {
  (void)state;
  struct image_bench ib;
  image_open(&ib, IMAGE_KERNEL("", "tex.2d.v4.f32.s32 {%r11, _, _, _}, [%rd1, {%r1, %r1}];"), 32, border_1d(), four,
             sizeof four);
  expect_fault(&ib, 0, "2D coordinates for 1D image");
  bench_close(&ib.b);
  image_open(&ib, IMAGE_KERNEL("", "tex.1d.v4.f32.f32 {%r11, _, _, _}, [%rd1, %rd2, {%f1}];"), 32, border_1d(), four,
             sizeof four);
  expect_fault(&ib, 0, "0x0 is no sampler");
  bench_close(&ib.b);
  struct weir_texture long_one = border_1d();
  long_one.width = 99; // described longer than its memory
  image_open(&ib, IMAGE_KERNEL("", "tex.1d.v4.f32.s32 {%r11, _, _, _}, [%rd1, {%r1}];"), 32, long_one, four,
             sizeof four);
  expect_fault(&ib, 4, "lie in no allocation");
  bench_close(&ib.b);
  image_open(&ib, IMAGE_KERNEL("", "suld.b.1d.b32.trap {%r11}, [%rd1, {%r1}];"), 32, border_1d(), four, sizeof four);
  expect_fault(&ib, 16, "surface access at (16, 0, 0), x in bytes, is outside");
  expect_fault(&ib, -4, "(-4, 0, 0)");
  expect_fault(&ib, 13, "is outside"); // its last bytes would lie past the row
  expect_fault(&ib, 2, "x is 2 bytes, no multiple of 4");
  bench_close(&ib.b);
  image_open(&ib, IMAGE_KERNEL("", "sust.p.1d.b32.trap [%rd1, {%r1}], {%r1};"), 32, border_1d(), four, sizeof four);
  expect_fault(&ib, 4, "x in texels, is outside");
  bench_close(&ib.b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_references),  cmocka_unit_test(test_samplers), cmocka_unit_test(test_packing),
    cmocka_unit_test(test_lanes),       cmocka_unit_test(test_queries),  cmocka_unit_test(test_timing),
    cmocka_unit_test(test_bad_handles), cmocka_unit_test(test_bad_uses), cmocka_unit_test(test_timing_of_surfaces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
