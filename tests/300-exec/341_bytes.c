// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Conversions from and to floating-point numbers of 8 bits (PTX ISA, cvt), against a search among all that there are: the nearest, of
// two as near the one whose last bit is 0; beyond the greatest finite one, that one.
#include "base/rng.h"
#include "exec/half.h"
#include "exec/ops/types.h"
#include "harness.h"

#include <math.h>

enum { THREADS = 256, SPECIALS = 12 };

struct format {
  const char *name;
  int exponent_bits, mantissa_bits;
  unsigned last; // code of the greatest finite number
};

static const struct format formats[] = {{"e4m3x2", 4, 3, 0x7e}, {"e5m2x2", 5, 2, 0x7b}};

static double magnitude(const struct format *f, unsigned code) {
  const int bias = (1 << (f->exponent_bits - 1)) - 1, exponent = (int)code >> f->mantissa_bits;
  const double fraction = code & ((1u << f->mantissa_bits) - 1);
  return exponent ? ldexp(1 + ldexp(fraction, -f->mantissa_bits), exponent - bias)
                  : ldexp(fraction, 1 - bias - f->mantissa_bits);
}

static unsigned nearest(const struct format *f, double x, bool relu) {
  if (x != x) return 0x7f;
  if (relu && x < 0) x = 0;
  const double wanted = fabs(x);
  unsigned best = 0;
  for (unsigned code = 1; code <= f->last; code++) {
    const double now = fabs(magnitude(f, code) - wanted), then = fabs(magnitude(f, best) - wanted);
    if (now < then || (now == then && !(code & 1))) best = code;
  }
  if (wanted > magnitude(f, f->last)) best = f->last;
  return best | (signbit(x) && !(relu && x == 0) ? 0x80 : 0);
}

// Two words of each thread go in, one comes out.
static void run(const char *line, const uint32_t (*in)[2], uint32_t *out) {
  char text[1024];
  struct bench b;
  snprintf(text, sizeof text,
           PTX_HEADER
           ".visible .entry k(.param .u64 data) {\n .reg .b64 %%rd<4>; .reg .b32 %%r<8>; .reg .f32 %%f<4>;\n"
           " .reg .b16 %%h; ld.param.u64 %%rd1, [data]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 8;\n"
           " add.u64 %%rd2, %%rd2, %%rd1; ld.global.v2.f32 {%%f1, %%f2}, [%%rd2]; mov.b32 %%r2, %%f1;\n"
           " cvt.u16.u32 %%h, %%r2; %s\n st.global.u32 [%%rd2], %%r3; ret; }\n",
           line);
  bench_open(&b, text, 32);
  const uint64_t address = weir_memory_alloc(b.memory, "data", 8 * THREADS);
  memcpy(bench_at(&b, address, 8 * THREADS), in, 8 * THREADS);
  bench_run(&b, "k", 1, THREADS, &address);
  const uint32_t(*data)[2] = bench_at(&b, address, 8 * THREADS);
  for (unsigned t = 0; t < THREADS; t++) out[t] = data[t][0];
  bench_close(&b);
}

static float draw(struct weir_rng *r, unsigned k) {
  static const float specials[SPECIALS] = {0,   -0.0f, INFINITY, -INFINITY, NAN,     448,
                                           449, 57344, 65536,    1e-9f,     0x1p-9f, 0x1.8p-10f};
  if (k < SPECIALS) return specials[k];
  // Of few bits, so that some lie right between two.
  return ldexpf((float)weir_rng_below(r, 64) - 32, (int)weir_rng_below(r, 30) - 19);
}

static void numbers_become_the_nearest(void **state) {
  (void)state;
  for (unsigned n = 0; n < 4; n++) {
    const struct format *f = &formats[n & 1];
    const bool relu = n & 2;
    struct weir_rng r = weir_rng_seed(341, n);
    uint32_t in[THREADS][2], out[THREADS];
    char line[128];
    for (unsigned t = 0; t < THREADS; t++)
      for (unsigned k = 0; k < 2; k++) in[t][k] = bits32(draw(&r, (t + k * 5) % THREADS));
    snprintf(line, sizeof line, "cvt.rn.satfinite%s.%s.f32 %%h, %%f1, %%f2; cvt.u32.u16 %%r3, %%h;",
             relu ? ".relu" : "", f->name);
    run(line, in, out);
    for (unsigned t = 0; t < THREADS; t++) {
      const unsigned high = nearest(f, float32(in[t][0]), relu), low = nearest(f, float32(in[t][1]), relu);
      if (out[t] != (high << 8 | low))
        fail_msg("%s of %a, %a is %x, not %02x%02x", line, (double)float32(in[t][0]), (double)float32(in[t][1]), out[t],
                 high, low);
    }
    for (unsigned t = 0; t < THREADS; t++) in[t][0] = (uint32_t)weir_rng_next(&r) & (t % 3 ? 0xffffffff : 0x83ff83ff);
    snprintf(line, sizeof line, "cvt.rn.satfinite%s.%s.f16x2 %%h, %%r2; cvt.u32.u16 %%r3, %%h;", relu ? ".relu" : "",
             f->name);
    run(line, in, out);
    for (unsigned t = 0; t < THREADS; t++) {
      const unsigned high = nearest(f, weir_half_value(&weir_f16, in[t][0] >> 16), relu);
      const unsigned low = nearest(f, weir_half_value(&weir_f16, in[t][0] & 0xffff), relu);
      if (out[t] != (high << 8 | low)) fail_msg("%s of %x is %x, not %02x%02x", line, in[t][0], out[t], high, low);
    }
  }
}

// Every code of 8 bits is a number of half precision, or stands for none.
static void codes_become_halves(void **state) {
  (void)state;
  for (unsigned n = 0; n < 2; n++) {
    const struct format *f = &formats[n];
    uint32_t in[THREADS][2] = {{0}}, out[THREADS];
    char line[128];
    for (unsigned t = 0; t < THREADS; t++) in[t][0] = t | (255 - t) << 8;
    snprintf(line, sizeof line, "cvt.rn.f16x2.%s %%r3, %%h;", f->name);
    run(line, in, out);
    for (unsigned t = 0; t < THREADS; t++)
      for (unsigned k = 0; k < 2; k++) {
        const unsigned code = in[t][0] >> 8 * k & 0xff, got = out[t] >> 16 * k & 0xffff, m = code & 0x7f;
        const double value = weir_half_value(&weir_f16, got);
        if (m > f->last && n && m == 0x7c) {
          assert_int_equal(got, code & 0x80 ? 0xfc00 : 0x7c00);
        } else if (m > f->last) {
          assert_int_equal(got, 0x7fff);
        } else {
          assert_true(value == (code & 0x80 ? -magnitude(f, m) : magnitude(f, m)));
          assert_int_equal(got >> 15, code >> 7);
        }
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_become_the_nearest),
    cmocka_unit_test(codes_become_halves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
