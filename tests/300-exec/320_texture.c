// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture fetching. Expectations follow by hand from the formulas of the CUDA C++ Programming Guide, "Texture
// Fetching": i = floor(x) for points; i = floor(x − 0.5) and a weight in 256ths for linear filtering.
#include "image.h"

#define TEX_1D IMAGE_KERNEL("", "tex.1d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1}];")
#define TEX_2D IMAGE_KERNEL("", "tex.2d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1, %f2}];")
#define TEX_INTEGER IMAGE_KERNEL("", "tex.1d.v4.s32.s32 {%r11, %r12, %r13, %r14}, [%rd1, {%r1}];")

struct point {
  float x, result;
};

static const float four[4] = {10, 20, 30, 40};

static void check_1d(uint8_t address, uint8_t filter, bool normalized, const struct point *points, unsigned n) {
  struct weir_texture t = image_1d(4, 1, 4, WEIR_TEXEL_FLOAT);
  struct words at[MOST_POINTS], got[MOST_POINTS];
  t.sampler = (struct weir_sampler){{address, address, address}, filter, normalized};
  for (unsigned k = 0; k < n; k++) at[k] = (struct words)F4(points[k].x, 0, 0, 0);
  image_fetch(TEX_1D, t, four, sizeof four, at, n, got);
  for (unsigned k = 0; k < n; k++) {
    if (number(got[k].w[0]) != points[k].result)
      fail_msg("mode %u, filter %u: x = %g: %.9g, expected %.9g", address, filter, (double)points[k].x,
               (double)number(got[k].w[0]), (double)points[k].result);
    assert_int_equal(got[k].w[1] | got[k].w[2] | got[k].w[3], 0); // channels that are not stored
  }
}

#define CHECK_1D(address, filter, normalized, ...)                                                                     \
  do {                                                                                                                 \
    static const struct point points[] = __VA_ARGS__;                                                                  \
    check_1d(address, filter, normalized, points, sizeof points / sizeof *points);                                     \
  } while (0)

static void test_points(void **state) {
  (void)state;
  CHECK_1D(WEIR_ADDRESS_CLAMP, WEIR_FILTER_POINT, false,
           {{-100, 10},
            {-0.5f, 10},
            {0, 10},
            {0.99f, 10},
            {1, 20},
            {2.5f, 30},
            {3.99f, 40},
            {4, 40},
            {1e30f, 40},
            {-INFINITY, 10},
            {INFINITY, 40}});
  CHECK_1D(WEIR_ADDRESS_BORDER, WEIR_FILTER_POINT, false, {{-0.01f, 0}, {0, 10}, {3.99f, 40}, {4, 0}, {-INFINITY, 0}});
  CHECK_1D(WEIR_ADDRESS_BORDER, WEIR_FILTER_POINT, true, {{-0.01f, 0}, {0.25f, 20}, {0.99f, 40}, {1, 0}});
  CHECK_1D(WEIR_ADDRESS_CLAMP, WEIR_FILTER_POINT, true, {{-0.01f, 10}, {0.25f, 20}, {0.74f, 30}, {1, 40}, {7, 40}});
  // wrap: frac(x); mirror: frac(x) where floor(x) is even, else 1 − frac(x)
  CHECK_1D(WEIR_ADDRESS_WRAP, WEIR_FILTER_POINT, true,
           {{0.25f, 20}, {1.25f, 20}, {-0.25f, 40}, {1, 10}, {-3, 10}, {2.99f, 40}});
  CHECK_1D(WEIR_ADDRESS_MIRROR, WEIR_FILTER_POINT, true,
           {{0.25f, 20}, {1.25f, 40}, {1.75f, 20}, {-0.25f, 20}, {-0.75f, 40}, {1, 40}, {2, 10}, {2.25f, 20}});
  // which need normalised coordinates
  CHECK_1D(WEIR_ADDRESS_WRAP, WEIR_FILTER_POINT, false, {{-1, 10}, {5, 40}, {1.5f, 20}});
  CHECK_1D(WEIR_ADDRESS_MIRROR, WEIR_FILTER_POINT, false, {{-1, 10}, {5, 40}, {1.5f, 20}});
}

static void test_linear(void **state) {
  (void)state;
  // x − 0.5 = 0.25 between 10 and 20: 12.5. 0.001 × 256 = 0.256 is weight 0, 0.003 × 256 = 0.768 weight 1,
  // 0.9999 × 256 = 255.97 weight 256, which is exactly the next texel.
  CHECK_1D(WEIR_ADDRESS_CLAMP, WEIR_FILTER_LINEAR, false,
           {{0.75f, 12.5f},
            {0.5f, 10},
            {1, 15},
            {0.501f, 10},
            {0.503f, 10 + 10 / 256.0f},
            {1.4999f, 20},
            {0.2f, 10},
            {-9, 10},
            {3.25f, 37.5f},
            {3.75f, 40},
            {99, 40}});
  CHECK_1D(WEIR_ADDRESS_BORDER, WEIR_FILTER_LINEAR, false,
           {{0.25f, 7.5f}, {0, 5}, {-0.5f, 0}, {-7, 0}, {3.75f, 30}, {4, 20}, {4.5f, 0}, {1, 15}});
  CHECK_1D(WEIR_ADDRESS_CLAMP, WEIR_FILTER_LINEAR, true, {{0.1875f, 12.5f}, {0, 10}, {1, 40}, {0.25f, 15}});
  // u = 0: halfway between the last texel and the first. x = 17/16: u = 0.25, 3/4 of the first and 1/4 of the last.
  CHECK_1D(WEIR_ADDRESS_WRAP, WEIR_FILTER_LINEAR, true,
           {{0, 25}, {1, 25}, {-1, 25}, {1.0625f, 17.5f}, {-0.0625f, 32.5f}, {0.25f, 15}});
  // x = 1.25 is 0.75: u = 3, halfway between 30 and 40
  CHECK_1D(WEIR_ADDRESS_MIRROR, WEIR_FILTER_LINEAR, true,
           {{0, 10}, {1, 40}, {1.25f, 35}, {-0.25f, 15}, {-0.0625f, 10}});
}

static struct weir_texture image_2d(uint32_t width, uint32_t height, uint64_t pitch) {
  struct weir_texture t = image_1d(width, 1, 4, WEIR_TEXEL_FLOAT);
  t.dimensions = 2;
  t.height = height;
  t.pitch_bytes = pitch;
  return t;
}

static void test_2d(void **state) {
  (void)state;
  static const float texels[16] = {1, 2, [8] = 3, [9] = 5}; // rows 32 bytes apart
  struct words at[] = {F4(0.5f, 0.5f, 0, 0), F4(1.9f, 1.1f, 0, 0), F4(-3, 9, 0, 0)}, got[3];
  struct weir_texture t = image_2d(2, 2, 32);
  image_fetch(TEX_2D, t, texels, sizeof texels, at, 3, got);
  same_words(got, (struct words[]){F4(1, 0, 0, 0), F4(5, 0, 0, 0), F4(3, 0, 0, 0)}, 3);
  t.sampler.filter = WEIR_FILTER_LINEAR;
  // (1, 1): all four alike. (0.75, 1.25): 1/4 along x, 3/4 along y.
  at[0] = (struct words)F4(1, 1, 0, 0), at[1] = (struct words)F4(0.75f, 1.25f, 0, 0);
  image_fetch(TEX_2D, t, texels, sizeof texels, at, 3, got);
  same_words(got, (struct words[]){F4(2.75f, 0, 0, 0), F4(2.9375f, 0, 0, 0), F4(3, 0, 0, 0)}, 3);
  // a mode for each dimension: wrap along x (u = 0: halves of 1 and 2), border along y (v = 0: half of nothing)
  t.sampler.address[0] = WEIR_ADDRESS_WRAP, t.sampler.address[1] = WEIR_ADDRESS_BORDER;
  t.sampler.normalized = true;
  at[0] = (struct words)F4(0, 0, 0, 0), at[1] = (struct words)F4(3.25f, -0.25f, 0, 0),
  at[2] = (struct words)F4(0, 0.5f, 0, 0);
  image_fetch(TEX_2D, t, texels, sizeof texels, at, 3, got);
  same_words(got, (struct words[]){F4(0.75f, 0, 0, 0), F4(0, 0, 0, 0), F4(2.75f, 0, 0, 0)}, 3);
}

static void test_3d_and_layers(void **state) {
  (void)state;
  float texels[2 * 4 * 3]; // 2 × 2 in the first rows of 3 slices 4 rows apart: 1 + x + 10 y + 100 z
  for (unsigned k = 0; k < 24; k++) texels[k] = (float)(1 + k % 2 + 10 * (k / 2 % 4) + 100 * (k / 8));
  struct weir_texture t = image_2d(2, 2, 8);
  struct words at[] = {F4(0.5f, 1.5f, 2.5f, 0), F4(1.5f, 0.5f, 9, 0), F4(1, 1, 1, 0)}, got[4];
  t.dimensions = 3;
  t.depth = 3;
  t.slice_bytes = 32;
  const char *ptx = IMAGE_KERNEL("", "tex.3d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1, %f2, %f3, %f4}];");
  image_fetch(ptx, t, texels, sizeof texels, at, 3, got);
  same_words(got, (struct words[]){F4(211, 0, 0, 0), F4(202, 0, 0, 0), F4(112, 0, 0, 0)}, 3);
  t.sampler.filter = WEIR_FILTER_LINEAR;
  image_fetch(ptx, t, texels, sizeof texels, at, 3, got);
  same_words(got, (struct words[]){F4(211, 0, 0, 0), F4(202, 0, 0, 0), F4(56.5f, 0, 0, 0)}, 3); // 1 + 0.5 + 5 + 50
  // The same bytes as layers: a layer's number is clamped, and never filtered.
  t.dimensions = 2;
  t.layered = true;
  struct words layers[] = {
    {{0, word(0.5f), word(0.5f), 0}}, {{2, word(1), word(0.5f), 0}}, {{7, word(1.5f), word(1.5f), 0}}};
  image_fetch(IMAGE_KERNEL("", "tex.a2d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%r1, %f2, %f3, %f4}];"), t, texels,
              sizeof texels, layers, 3, got);
  same_words(got, (struct words[]){F4(1, 0, 0, 0), F4(201.5f, 0, 0, 0), F4(212, 0, 0, 0)}, 3);
  t.dimensions = 1;
  t.height = 1;
  struct words rows[] = {I4(1, 1, 0, 0), I4(2, 0, 0, 0), I4(-1, -5, 0, 0)};
  image_fetch(IMAGE_KERNEL("", "tex.a1d.v4.f32.s32 {%r11, %r12, %r13, %r14}, [%rd1, {%r1, %r2}];"), t, texels,
              sizeof texels, rows, 3, got);
  same_words(got, (struct words[]){F4(102, 0, 0, 0), F4(201, 0, 0, 0), F4(201, 0, 0, 0)}, 3);
}

static void test_normalized_floats(void **state) {
  (void)state;
  static const uint8_t bytes[8] = {0, 255, 51, 128, 255, 0, 102, 1};
  struct weir_texture t = image_1d(2, 4, 1, WEIR_TEXEL_UNSIGNED);
  struct words at[] = {F4(0.5f, 0, 0, 0), F4(1.5f, 0, 0, 0), F4(1, 0, 0, 0)}, got[3];
  t.normalized_float = true;
  t.sampler.filter = WEIR_FILTER_LINEAR;
  image_fetch(TEX_1D, t, bytes, sizeof bytes, at, 3, got);
  same_words(got, (struct words[]){F4(0, 1, 0.2f, 128 / 255.0f), F4(1, 0, 0.4f, 1 / 255.0f)}, 2);
  assert_true(number(got[2].w[0]) == 0.5f && fabsf(number(got[2].w[2]) - 0.3f) < 1e-7f);
  // signed: −128 and −127 are both −1
  static const int8_t signs[4] = {-128, -127, 127, -64};
  t = image_1d(1, 4, 1, WEIR_TEXEL_SIGNED);
  t.normalized_float = true;
  image_fetch(TEX_1D, t, signs, sizeof signs, at, 1, got);
  same_words(got, (struct words[]){F4(-1, -1, 1, -64 / 127.0f)}, 1);
  static const uint16_t words[2] = {65535, 13107}; // a fifth
  t = image_1d(1, 2, 2, WEIR_TEXEL_UNSIGNED);
  t.normalized_float = true;
  image_fetch(TEX_1D, t, words, sizeof words, at, 1, got);
  same_words(got, (struct words[]){F4(1, 0.2f, 0, 0)}, 1);
  static const int16_t shorts[2] = {-32768, 32767};
  t.kind = WEIR_TEXEL_SIGNED;
  image_fetch(TEX_1D, t, shorts, sizeof shorts, at, 1, got);
  same_words(got, (struct words[]){F4(-1, 1, 0, 0)}, 1);
}

static void test_formats(void **state) {
  (void)state;
  struct words at[] = {I4(0, 0, 0, 0)}, got[1];
  static const int8_t signs[4] = {-5, 127, -128, 0};
  image_fetch(TEX_INTEGER, image_1d(1, 4, 1, WEIR_TEXEL_SIGNED), signs, 4, at, 1, got);
  same_words(got, (struct words[]){I4(-5, 127, -128, 0)}, 1);
  image_fetch(TEX_INTEGER, image_1d(1, 4, 1, WEIR_TEXEL_UNSIGNED), signs, 4, at, 1, got);
  same_words(got, (struct words[]){I4(251, 127, 128, 0)}, 1);
  static const int16_t shorts[2] = {-300, 300};
  image_fetch(TEX_INTEGER, image_1d(1, 2, 2, WEIR_TEXEL_SIGNED), shorts, 4, at, 1, got);
  same_words(got, (struct words[]){I4(-300, 300, 0, 0)}, 1);
  static const uint32_t large[4] = {0xffffffff, 7, 0x80000000, 1};
  image_fetch(TEX_INTEGER, image_1d(1, 4, 4, WEIR_TEXEL_UNSIGNED), large, 16, at, 1, got);
  same_words(got, (struct words[]){{{0xffffffff, 7, 0x80000000, 1}}}, 1);
  static const uint16_t halves[4] = {0x3c00, 0xc000, 0x0001, 0x7bff}; // 1, −2, 2^−24, 65504
  image_fetch(TEX_1D, image_1d(1, 4, 2, WEIR_TEXEL_FLOAT), halves, 8, at, 1, got);
  same_words(got, (struct words[]){F4(1, -2, 0x1p-24f, 65504)}, 1);
  image_fetch(IMAGE_KERNEL("", "tex.1d.v2.f16x2.f32 {%r11, %r12}, [%rd1, {%f1}];"), image_1d(1, 4, 2, WEIR_TEXEL_FLOAT),
              halves, 8, at, 1, got);
  same_words(got, (struct words[]){{{0xc0003c00, 0x7bff0001, 0, 0}}}, 1);
}

// tex1Dfetch: integer coordinates, 0 past both ends, whatever the sampler says.
static void test_linear_memory(void **state) {
  (void)state;
  static const int32_t texels[6] = {1, 2, 3, 4, 5, 6};
  struct weir_texture t = image_1d(3, 2, 4, WEIR_TEXEL_SIGNED);
  struct words at[] = {I4(0, 0, 0, 0), I4(2, 0, 0, 0), I4(3, 0, 0, 0), I4(-1, 0, 0, 0), I4(INT32_MAX, 0, 0, 0)}, got[5];
  t.linear_memory = true;
  image_fetch(TEX_INTEGER, t, texels, sizeof texels, at, 5, got);
  same_words(got, (struct words[]){I4(1, 2, 0, 0), I4(5, 6, 0, 0), I4(0, 0, 0, 0), I4(0, 0, 0, 0), I4(0, 0, 0, 0)}, 5);
  // Integer coordinates of an array are clamped, be it in mode wrap, and not normalised.
  t.linear_memory = false;
  t.sampler = (struct weir_sampler){{WEIR_ADDRESS_WRAP, 0, 0}, WEIR_FILTER_LINEAR, true};
  image_fetch(TEX_INTEGER, t, texels, sizeof texels, at, 5, got);
  same_words(got, (struct words[]){I4(1, 2, 0, 0), I4(5, 6, 0, 0), I4(5, 6, 0, 0), I4(1, 2, 0, 0), I4(5, 6, 0, 0)}, 5);
}

static void check_swizzle(uint8_t channels, const uint8_t *from, const struct words *want) {
  static const float texel[4] = {2, 3, 4, 5};
  struct weir_texture t = image_1d(1, channels, 4, WEIR_TEXEL_FLOAT);
  struct words at[] = {F4(0, 0, 0, 0)}, got[1];
  memcpy(t.swizzle, from, 4);
  image_fetch(TEX_1D, t, texel, sizeof texel, at, 1, got);
  same_words(got, want, 1);
}

enum { ZERO = WEIR_FROM_ZERO, ONE = WEIR_FROM_ONE };

static void test_channels(void **state) {
  (void)state;
  check_swizzle(4, (uint8_t[]){2, 1, 0, 3}, &(struct words)F4(4, 3, 2, 5));          // BGRA
  check_swizzle(4, (uint8_t[]){1, 2, 3, 0}, &(struct words)F4(3, 4, 5, 2));          // ARGB
  check_swizzle(1, (uint8_t[]){0, ZERO, ZERO, ONE}, &(struct words)F4(2, 0, 0, 1));  // R
  check_swizzle(1, (uint8_t[]){ZERO, ZERO, ZERO, 0}, &(struct words)F4(0, 0, 0, 2)); // A
  check_swizzle(1, (uint8_t[]){0, 0, 0, ONE}, &(struct words)F4(2, 2, 2, 1));        // luminance
  check_swizzle(2, (uint8_t[]){0, ZERO, ZERO, 1}, &(struct words)F4(2, 0, 0, 3));    // RA
  static const uint8_t byte[1] = {9};
  struct weir_texture t = image_1d(1, 1, 1, WEIR_TEXEL_UNSIGNED);
  struct words at[] = {I4(0, 0, 0, 0), I4(1, 0, 0, 0)}, got[2];
  memcpy(t.swizzle, (uint8_t[]){0, ZERO, ZERO, ONE}, 4);
  t.sampler.address[0] = WEIR_ADDRESS_BORDER;
  t.border_one = 1;
  image_fetch(TEX_INTEGER, t, byte, 1, at, 2, got);
  same_words(got, (struct words[]){I4(9, 0, 0, 1), I4(0, 0, 0, 1)}, 2); // an integer's one
  t.border_one = 0;
  memcpy(t.border, (uint32_t[]){7, 8, 9, 10}, 16);
  image_fetch(TEX_INTEGER, t, byte, 1, at, 2, got);
  same_words(got, (struct words[]){I4(9, 0, 0, 1), I4(7, 8, 9, 10)}, 2);
}

// The four texels around (1.2, 1) of [1 2; 3 5], counter-clockwise from the lower left; (x, y) = (0.7, 0.5) in texels.
static void test_gather(void **state) {
  (void)state;
  static const float texels[8] = {1, -1, 2, -2, 3, -3, 5, -5};
  struct weir_texture t = image_2d(2, 2, 16);
  struct words at[] = {F4(1.2f, 1, 0, 0), F4(0.5f, 0.5f, 0, 0), F4(9, 9, 0, 0)}, got[3];
  t.channels = 2;
  image_fetch(IMAGE_KERNEL("", "tld4.r.2d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1, %f2}];"), t, texels,
              sizeof texels, at, 3, got);
  same_words(got, (struct words[]){F4(3, 5, 2, 1), F4(3, 5, 2, 1), F4(5, 5, 5, 5)}, 3);
  image_fetch(IMAGE_KERNEL("", "tld4.g.2d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1, %f2}];"), t, texels,
              sizeof texels, at, 1, got);
  same_words(got, (struct words[]){F4(-3, -5, -2, -1)}, 1);
}

// One level: whatever level or gradient is asked for.
static void test_levels(void **state) {
  (void)state;
  struct weir_texture t = image_1d(4, 1, 4, WEIR_TEXEL_FLOAT);
  struct words at[] = {F4(2.5f, 0, 0, 0), F4(1, 3.5f, 0, 0)}, got[2];
  const struct words want[] = {F4(30, 0, 0, 0), F4(20, 0, 0, 0)};
  image_fetch(IMAGE_KERNEL("", "tex.level.1d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1}], %f2;"), t, four, 16,
              at, 2, got);
  same_words(got, want, 2);
  image_fetch(IMAGE_KERNEL("", "tex.grad.1d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, {%f1}], {%f2}, {%f2};"), t,
              four, 16, at, 2, got);
  same_words(got, want, 2);
  image_fetch(IMAGE_KERNEL("", "tex.base.1d.v4.f32.f32 {%r11, %r12, %r13, %r14}, [%rd1, %f1];"), t, four, 16, at, 2,
              got);
  same_words(got, want, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_points),  cmocka_unit_test(test_linear),        cmocka_unit_test(test_2d),
    cmocka_unit_test(test_formats), cmocka_unit_test(test_3d_and_layers), cmocka_unit_test(test_normalized_floats),
    cmocka_unit_test(test_gather),  cmocka_unit_test(test_linear_memory), cmocka_unit_test(test_channels),
    cmocka_unit_test(test_levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
