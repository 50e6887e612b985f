// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Surface loads and stores (PTX ISA, "Surface Instructions"): x in bytes, what lies outside under .clamp and .zero, and
// the conversions of formatted stores (OpenCL 1.2 section 8.3).
#include "image.h"

#define LOAD_1D(form, destinations) IMAGE_KERNEL("", "suld.b.1d." form " {" destinations "}, [%rd1, {%r1}];")
#define LOAD_2D(mode) IMAGE_KERNEL("", "suld.b.2d.b32." mode " {%r11}, [%rd1, {%r1, %r2}];")

static const uint32_t row[4] = {0x11223344, 0x8899aabb, 0xdeadbeef, 0x01020304};

static void load_1d(const char *ptx, int32_t x, struct words want) {
  struct words at[] = {I4(x, 0, 0, 0)}, got[1];
  image_fetch(ptx, image_1d(4, 1, 4, WEIR_TEXEL_UNSIGNED), row, sizeof row, at, 1, got);
  same_words(got, &want, 1);
}

static void test_sizes(void **state) {
  (void)state;
  load_1d(LOAD_1D("b32.trap", "%r11"), 4, (struct words)I4(0x8899aabb, 0, 0, 0));
  load_1d(IMAGE_KERNEL("", "suld.b.1d.cg.b32.trap %r11, [%rd1, %r1];"), 4, (struct words)I4(0x8899aabb, 0, 0, 0));
  load_1d(LOAD_1D("v4.b32.trap", "%r11, %r12, %r13, %r14"), 0, *(const struct words *)(const void *)row);
  load_1d(LOAD_1D("v4.b8.trap", "%r11, %r12, %r13, %r14"), 4, (struct words)I4(0xbb, 0xaa, 0x99, 0x88));
  load_1d(LOAD_1D("v2.b16.trap", "%r11, %r12"), 8, (struct words)I4(0xbeef, 0xdead, 0, 0));
  load_1d(LOAD_1D("b8.trap", "%r11"), 3, (struct words)I4(0x11, 0, 0, 0));
  load_1d(
    IMAGE_KERNEL("", "suld.b.1d.v2.b8.trap {%h1, %h2}, [%rd1, {%r1}]; cvt.u32.u16 %r11, %h1; cvt.u32.u16 %r12, %h2;"),
    2, (struct words)I4(0x22, 0x11, 0, 0));
  load_1d(IMAGE_KERNEL("", "suld.b.1d.b64.trap {%rd9}, [%rd1, {%r1}]; mov.b64 {%r11, %r12}, %rd9;"), 8,
          (struct words)I4(0xdeadbeef, 0x01020304, 0, 0));
  load_1d(IMAGE_KERNEL("", "suld.b.1d.v2.b64.trap {%rd9, %rd10}, [%rd1, {%r1}]; mov.b64 {%r11, %r12}, %rd10;"), 0,
          (struct words)I4(0xdeadbeef, 0x01020304, 0, 0));
}

static struct weir_texture grid(void) { // 3 × 2 words in rows of 16 bytes
  struct weir_texture t = image_1d(3, 1, 4, WEIR_TEXEL_UNSIGNED);
  t.dimensions = 2;
  t.height = 2;
  t.pitch_bytes = 16;
  return t;
}

static const uint32_t cells[8] = {1, 2, 3, 99, 4, 5, 6, 99};

static void test_outside(void **state) {
  (void)state;
  struct words at[] = {I4(8, 1, 0, 0), I4(12, 0, 0, 0), I4(-4, 1, 0, 0),
                       I4(0, 2, 0, 0), I4(4, -1, 0, 0), I4(4000, 9, 0, 0)},
               got[6];
  image_fetch(LOAD_2D("clamp"), grid(), cells, sizeof cells, at, 6, got);
  same_words(
    got,
    (struct words[]){I4(6, 0, 0, 0), I4(3, 0, 0, 0), I4(4, 0, 0, 0), I4(4, 0, 0, 0), I4(2, 0, 0, 0), I4(6, 0, 0, 0)},
    6);
  image_fetch(LOAD_2D("zero"), grid(), cells, sizeof cells, at, 6, got);
  same_words(
    got,
    (struct words[]){I4(6, 0, 0, 0), I4(0, 0, 0, 0), I4(0, 0, 0, 0), I4(0, 0, 0, 0), I4(0, 0, 0, 0), I4(0, 0, 0, 0)},
    6);
  // 8 bytes within rows of 12: the last whole ones begin at 0
  at[0] = (struct words)I4(8, 1, 0, 0);
  image_fetch(IMAGE_KERNEL("", "suld.b.2d.v2.b32.clamp {%r11, %r12}, [%rd1, {%r1, %r2}];"), grid(), cells, sizeof cells,
              at, 1, got);
  same_words(got, (struct words[]){I4(4, 5, 0, 0)}, 1);
}

static void test_shapes(void **state) {
  (void)state;
  uint32_t numbers[24]; // 2 × 3 in 4 slices
  struct words at[] = {I4(4, 2, 3, 0), I4(0, 1, 2, 0)}, got[2];
  for (unsigned k = 0; k < 24; k++) numbers[k] = k;
  struct weir_texture t = grid();
  t.width = 2, t.height = 3, t.depth = 4;
  t.pitch_bytes = 8, t.slice_bytes = 24;
  t.dimensions = 3;
  image_fetch(IMAGE_KERNEL("", "suld.b.3d.b32.trap {%r11}, [%rd1, {%r1, %r2, %r3, %r4}];"), t, numbers, sizeof numbers,
              at, 2, got);
  same_words(got, (struct words[]){I4(23, 0, 0, 0), I4(14, 0, 0, 0)}, 2);
  t.dimensions = 2;
  t.layered = true;
  at[0] = (struct words)I4(3, 4, 2, 0), at[1] = (struct words)I4(9, 0, 0, 0);
  image_fetch(IMAGE_KERNEL("", "suld.b.a2d.b32.zero {%r11}, [%rd1, {%r1, %r2, %r3, %r4}];"), t, numbers, sizeof numbers,
              at, 2, got);
  same_words(got, (struct words[]){I4(23, 0, 0, 0), I4(0, 0, 0, 0)}, 2);
  t.dimensions = 1, t.height = 1;
  image_fetch(IMAGE_KERNEL("", "suld.b.a1d.b32.clamp {%r11}, [%rd1, {%r1, %r2}];"), t, numbers, sizeof numbers, at, 2,
              got);
  same_words(got, (struct words[]){I4(19, 0, 0, 0), I4(18, 0, 0, 0)}, 2);
}

// What `n` threads leave of an image that is `bytes` long.
static void store(const char *ptx, struct weir_texture t, void *texels, size_t bytes, const struct words *at,
                  unsigned n) {
  struct image_bench ib;
  struct words got[MOST_POINTS];
  image_open(&ib, ptx, n > 32 ? 64 : 32, t, texels, bytes);
  image_run(&ib, at, n, got);
  memcpy(texels, bench_at(&ib.b, ib.texels, bytes), bytes);
  bench_close(&ib.b);
}

static void test_stores(void **state) {
  (void)state;
  uint32_t c[8];
  struct words at[] = {I4(8, 1, 7, 0), I4(12, 0, 8, 0), I4(-4, 1, 9, 0), I4(4, 5, 10, 0)};
  memcpy(c, cells, sizeof c);
  store(IMAGE_KERNEL("", "sust.b.2d.b32.zero [%rd1, {%r1, %r2}], {%r3};"), grid(), c, sizeof c, at, 4);
  assert_memory_equal(c, ((uint32_t[]){1, 2, 3, 99, 4, 5, 7, 99}), sizeof c);
  store(IMAGE_KERNEL("", "sust.b.2d.b32.clamp [%rd1, {%r1, %r2}], {%r3};"), grid(), c, sizeof c, at, 4);
  assert_memory_equal(c, ((uint32_t[]){1, 2, 8, 99, 9, 10, 7, 99}), sizeof c);
  at[0] = (struct words)I4(4, 0, 0xa1, 0xb2);
  store(IMAGE_KERNEL("", "sust.b.2d.v4.b8.trap [%rd1, {%r1, %r2}], {%r3, %r4, 3, %r3};"), grid(), c, sizeof c, at, 1);
  assert_int_equal(c[1], 0xa103b2a1);
  store(IMAGE_KERNEL("", "cvt.u16.u32 %h1, %r3; sust.b.2d.b16.trap [%rd1, {%r1, %r2}], {%h1};"), grid(), c, sizeof c,
        at, 1);
  assert_int_equal(c[1], 0xa10300a1);
  struct weir_texture t = image_1d(4, 1, 4, WEIR_TEXEL_FLOAT);
  uint64_t two[2] = {0};
  at[0] = (struct words)I4(8, 0, 5, 6);
  store(IMAGE_KERNEL("", "mov.b64 %rd9, {%r3, %r4}; sust.b.1d.b64.trap [%rd1, {%r1}], {%rd9};"), t, two, sizeof two, at,
        1);
  assert_true(two[0] == 0 && two[1] == UINT64_C(0x600000005));
}

#define FORMATTED IMAGE_KERNEL("", "sust.p.1d.v4.b32.trap [%rd1, {0}], {%r1, %r2, %r3, %r4};")

static void convert(struct weir_texture t, struct words in, const void *want, size_t bytes) {
  uint8_t texel[16] = {0};
  store(FORMATTED, t, texel, bytes, &in, 1);
  assert_memory_equal(texel, want, bytes);
}

static void test_formatted(void **state) {
  (void)state;
  struct weir_texture t = image_1d(1, 4, 1, WEIR_TEXEL_UNSIGNED);
  t.normalized_float = true;
  // × 255, to the nearest, ties to even: 0.5 → 127.5 → 128; 0.2 → 51; beyond the range clamped; no number is 0
  convert(t, (struct words)F4(0.5f, 0.2f, 1.5f, -3), (uint8_t[]){128, 51, 255, 0}, 4);
  convert(t, (struct words)F4(1, 0.003f, 0.001f, NAN), (uint8_t[]){255, 1, 0, 0}, 4);
  memcpy(t.swizzle, (uint8_t[]){2, 1, 0, 3}, 4); // BGRA
  convert(t, (struct words)F4(0.2f, 0.4f, 0.6f, 0.8f), (uint8_t[]){153, 102, 51, 204}, 4);
  t = image_1d(1, 4, 1, WEIR_TEXEL_SIGNED);
  t.normalized_float = true;
  // × 127, held within −128…127: 0.5 → 63.5 → 64; −0.5 → −63.5 → −64
  convert(t, (struct words)F4(0.5f, -0.5f, -1, -2), (int8_t[]){64, -64, -127, -128}, 4);
  t = image_1d(1, 2, 2, WEIR_TEXEL_UNSIGNED);
  t.normalized_float = true;
  convert(t, (struct words)F4(1, 0.2f, 9, 9), (uint16_t[]){65535, 13107}, 4);
  convert(image_1d(1, 4, 2, WEIR_TEXEL_FLOAT), (struct words)F4(1, -2, 65520, 1 + 0x1p-11f),
          (uint16_t[]){0x3c00, 0xc000, 0x7c00, 0x3c00}, 8);
  convert(image_1d(1, 4, 1, WEIR_TEXEL_SIGNED), (struct words)I4(-5, 300, -300, 127), (int8_t[]){-5, 127, -128, 127},
          4);
  convert(image_1d(1, 4, 1, WEIR_TEXEL_UNSIGNED), (struct words)I4(5, 300, -1, 255), (uint8_t[]){5, 255, 255, 255}, 4);
  convert(image_1d(1, 2, 2, WEIR_TEXEL_SIGNED), (struct words)I4(-40000, 40000, 0, 0), (int16_t[]){-32768, 32767}, 4);
  convert(image_1d(1, 4, 4, WEIR_TEXEL_SIGNED), (struct words)I4(INT32_MIN, -1, 0, 1), (int32_t[]){INT32_MIN, -1, 0, 1},
          16);
  convert(image_1d(1, 4, 4, WEIR_TEXEL_FLOAT), (struct words)F4(1, 2, 3, 4), (float[]){1, 2, 3, 4}, 16);
}

// x counts texels; what has no source is 0; 70 threads at once.
static void test_formatted_places(void **state) {
  (void)state;
  uint8_t texels[80][2];
  struct words at[70];
  struct weir_texture t = image_1d(80, 2, 1, WEIR_TEXEL_UNSIGNED);
  memset(texels, 7, sizeof texels);
  for (unsigned k = 0; k < 70; k++) at[k] = (struct words)I4(k, k + 1, 0, 0);
  store(IMAGE_KERNEL("", "sust.p.1d.b32.trap [%rd1, {%r1}], {%r2};"), t, texels, sizeof texels, at, 70);
  for (unsigned k = 0; k < 80; k++) {
    assert_int_equal(texels[k][0], k < 70 ? k + 1 : 7);
    assert_int_equal(texels[k][1], k < 70 ? 0 : 7);
  }
  at[0] = (struct words)I4(500, 9, 0, 0), at[1] = (struct words)I4(-1, 8, 0, 0);
  store(IMAGE_KERNEL("", "sust.p.1d.b32.clamp [%rd1, {%r1}], {%r2};"), t, texels, sizeof texels, at, 2);
  assert_int_equal(texels[79][0], 9);
  assert_int_equal(texels[0][0], 8);
}

// Even threads write normalised bytes, odd ones integers.
static void test_formats_by_lane(void **state) {
  (void)state;
  struct image_bench ib;
  struct words at[2] = {F4(1, 0, 0, 0), I4(3, 0, 0, 0)}, got[2];
  struct weir_texture t = image_1d(1, 1, 1, WEIR_TEXEL_UNSIGNED);
  uint8_t texels[2] = {0};
  t.normalized_float = true;
  image_open(&ib,
             IMAGE_KERNEL("",
                          "setp.eq.u32 %p1, %r15, 1; selp.b64 %rd9, %rd2, %rd1, %p1;\n"
                          "sust.p.1d.b32.trap [%rd9, {0}], {%r1};"),
             32, t, texels, sizeof texels);
  t.normalized_float = false;
  t.base = ib.texels + 1;
  ib.params.sampler = weir_texture_add(ib.b.memory, &t);
  image_run(&ib, at, 2, got);
  assert_memory_equal(bench_at(&ib.b, ib.texels, 2), ((uint8_t[]){255, 3}), 2);
  bench_close(&ib.b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sizes),           cmocka_unit_test(test_outside),   cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_stores),          cmocka_unit_test(test_formatted), cmocka_unit_test(test_formatted_places),
    cmocka_unit_test(test_formats_by_lane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
