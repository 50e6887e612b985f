// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Device-side printf: what is printed is what the C library's own snprintf makes of the same values (OpenCL's vectors: of
// each element, between commas). Arguments are laid out by hand as the compilers do: each at a multiple of its size.
#include "harness.h"

static const char kernel[] = PTX_HEADER
  ".extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);\n"
  ".func (.param .b32 func_retval0) printf(.param .b64 printf_param_0, .param .b64 printf_param_1);\n"
  ".visible .entry k(.param .u64 format, .param .u64 args, .param .u64 out, .param .u32 stride, .param .u32 opencl) {\n"
  " .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
  " ld.param.u64 %rd1, [format]; ld.param.u64 %rd2, [args]; ld.param.u64 %rd3, [out]; ld.param.u32 %r1, [stride];\n"
  " mov.u32 %r2, %tid.x; mad.wide.u32 %rd2, %r2, %r1, %rd2; mad.wide.u32 %rd3, %r2, 4, %rd3;\n"
  " ld.param.u32 %r3, [opencl]; setp.ne.u32 %p, %r3, 0; @%p bra $C;\n"
  " { .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b64 param1; st.param.b64 [param1+0], %rd2;\n"
  "  .param .b32 retval0; call.uni (retval0), vprintf, (param0, param1); ld.param.b32 %r4, [retval0+0]; }\n"
  " bra $E;\n"
  "$C: { .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b64 param1; st.param.b64 [param1+0], %rd2;\n"
  "  .param .b32 retval0; call.uni (retval0), printf, (param0, param1); ld.param.b32 %r4, [retval0+0]; }\n"
  "$E: st.global.u32 [%rd3], %r4; ret; }\n";

enum { BYTES = 512 };

struct printing {
  struct bench b;
  struct __attribute__((packed)) {
    uint64_t format, args, out;
    uint32_t stride, opencl;
  } params;
  uint8_t *args;
  uint32_t *out;
  char text[200000];
  size_t count;
  unsigned calls;
  struct weir_services services;
  struct weir_fault fault;
};

static void keep(void *context, const char *text, size_t bytes) {
  struct printing *p = context;
  assert_true(p->count + bytes < sizeof p->text);
  memcpy(p->text + p->count, text, bytes);
  p->count += bytes;
  p->text[p->count] = 0;
  p->calls++;
}

static struct printing *open_printing(void) {
  struct printing *p = weir_new(struct printing);
  bench_open(&p->b, kernel, 32);
  p->params.format = weir_memory_alloc(p->b.memory, "format", BYTES);
  p->params.args = weir_memory_alloc(p->b.memory, "args", BYTES);
  p->params.out = weir_memory_alloc(p->b.memory, "out", 64 * 4);
  p->args = bench_at(&p->b, p->params.args, BYTES);
  p->out = bench_at(&p->b, p->params.out, 64 * 4);
  p->services = (struct weir_services){.context = p, .print = keep};
  return p;
}

static bool run(struct printing *p, const char *format, unsigned threads) {
  strcpy(bench_at(&p->b, p->params.format, BYTES), format);
  p->count = p->calls = 0;
  p->text[0] = 0;
  struct weir_launch launch = bench_launch(&p->b, "k", 1, threads, &p->params);
  launch.services = &p->services;
  return weir_run_functional(&launch, &p->fault);
}

static void close_printing(struct printing *p) {
  bench_close(&p->b);
  weir_free(p);
}

static void expect(struct printing *p, const char *format, const char *text, uint32_t taken) {
  if (!run(p, format, 1)) fail_msg("%s: %s", format, p->fault.message);
  if (strcmp(p->text, text)) fail_msg("%s: printed '%s' instead of '%s'", format, p->text, text);
  assert_int_equal(p->out[0], taken);
}

// One argument of type T in the buffer, and the C library's word for it converted to V.
#define SAME_AS(p, V, T, format, ...)                                                                                  \
  do {                                                                                                                 \
    const T values[] = {__VA_ARGS__};                                                                                  \
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {                                                      \
      char text[1024];                                                                                                 \
      snprintf(text, sizeof text, format, (V)values[k]);                                                               \
      memset((p)->args, 0xaa, BYTES);                                                                                  \
      memcpy((p)->args, &values[k], sizeof values[k]);                                                                 \
      expect(p, format, text, 1);                                                                                      \
    }                                                                                                                  \
  } while (0)

#define SAME(p, T, format, ...) SAME_AS(p, T, T, format, __VA_ARGS__)

static void test_integers(void **state) {
  (void)state;
  struct printing *p = open_printing();
  SAME(p, int, "%d", 0, 1, -1, INT32_MAX, INT32_MIN);
  SAME(p, int, "<%+8.5d|", 42, -42);
  SAME(p, int, "%-8i|%%", 7, -123456789);
  SAME(p, int, "% 06d", 77, -77);
  SAME(p, unsigned, "%u", 0, UINT32_MAX);
  SAME(p, unsigned, "%#x %%", 0, 48879);
  SAME(p, unsigned, "%#012X", 0xdeadbeef);
  SAME(p, unsigned, "%#o", 8, 511);
  SAME_AS(p, signed char, int, "%hhd", 300, -129, 127);
  SAME_AS(p, short, int, "%hd", 70000, -70000);
  SAME_AS(p, unsigned char, int, "%hhu", 300, -1);
  SAME_AS(p, unsigned short, int, "%hx", -1);
  SAME(p, long, "%ld", INT64_MAX, INT64_MIN);
  SAME(p, unsigned long long, "%llu", UINT64_MAX);
  SAME(p, unsigned long, "%lx", 0x123456789abcdef);
  SAME(p, size_t, "%zu", 1234567890123);
  SAME(p, int, "[%c]", 'w', '%');
  SAME(p, int, "[%-3c]", 'w');
  SAME(p, void *, "%p", (void *)0x7f1234567890, NULL);
  SAME(p, void *, "%20p", (void *)16);
  close_printing(p);
}

static void test_reals(void **state) {
  (void)state;
  struct printing *p = open_printing();
  const double huge = 1e308, tiny = 4.9406564584124654e-324;
  SAME(p, double, "%f", 0.0, -0.0, 3.14159265, -1e10, huge);
  SAME(p, double, "%e", 1.0, -12345.678, tiny);
  SAME(p, double, "%G", 1e-10, 123456789.0, 0.0001);
  SAME(p, double, "%g", 100000.0, 1e6, huge * 10, -huge * 10);
  SAME(p, double, "%10.3E|", 6.02214076e23);
  SAME(p, double, "%-+12.2F|", 2.5, -2.5);
  SAME(p, double, "%a", 1.0, 0.1, -tiny);
  SAME(p, double, "%.0A", 1.5);
  SAME(p, double, "%lf", 1.25); // OpenCL and C: l changes nothing here
  SAME(p, double, "%#.0f", 3.0);
  SAME(p, double, "%.400f", 1.0 / 3);
  close_printing(p);
}

// 4 bytes, hole of 4, 8 bytes, pointer, 4 bytes: the layout of printf("%d %f %s %c", …).
static void test_several(void **state) {
  (void)state;
  struct printing *p = open_printing();
  const uint64_t string = p->params.format + 256;
  strcpy(bench_at(&p->b, string, 64), "a string");
  memcpy(p->args, &(int){-5}, 4);
  memcpy(p->args + 8, &(double){0.5}, 8);
  memcpy(p->args + 16, &string, 8);
  memcpy(p->args + 24, &(int){'!'}, 4);
  memcpy(p->args + 28, &(int){9}, 4);
  expect(p, "%d %f %s%c %d\n", "-5 0.500000 a string! 9\n", 5);
  memcpy(p->args, &string, 8);
  expect(p, "[%12s]", "[    a string]", 1);
  expect(p, "[%-12s]", "[a string    ]", 1);
  expect(p, "[%.3s]", "[a s]", 1);
  memcpy(p->args, &(int){7}, 4);
  memcpy(p->args + 4, &(int){2}, 4);
  memcpy(p->args + 8, &(double){2.0 / 3}, 8);
  expect(p, "[%*.*f]", "[   0.67]", 3);
  memcpy(p->args, &(int){-7}, 4);
  memcpy(p->args + 4, &(int){-1}, 4);
  expect(p, "[%*.*f]", "[0.666667]", 3); // 8 characters fill the 7
  memcpy(p->args + 8, &(double){2}, 8);
  expect(p, "[%*.0f]", "[2      ]", 2); // width at 0, the double at 8
  memset(p->args, 0, 8);
  expect(p, "%s", "(null)", 1);
  close_printing(p);
}

static void test_as_written(void **state) {
  (void)state;
  struct printing *p = open_printing();
  expect(p, "plain\n", "plain\n", 0);
  expect(p, "100%% %", "100% %", 0);
  expect(p, "%q %n %-", "%q %n %-", 0);
  expect(p, "%v5d %v4s %vd", "%v5d %v4s %vd", 0);
  expect(p, "%99999999999d", "%99999999999d", 0);
  expect(p, "%.99999999999f", "%.99999999999f", 0);
  expect(p, "%Lf", "%Lf", 0);
  assert_true(run(p, "", 1));
  assert_int_equal(p->calls, 0);
  p->params.format = 0;
  struct weir_launch launch = bench_launch(&p->b, "k", 1, 1, &p->params);
  assert_true(weir_run_functional(&launch, &p->fault));
  assert_int_equal((int32_t)p->out[0], -1); // a NULL format
  close_printing(p);
}

static void test_vectors(void **state) {
  (void)state;
  struct printing *p = open_printing();
  p->params.opencl = 1; // whose printf returns 0
  memcpy(p->args, (float[]){1.5f, -2, 3.25f, 4}, 16);
  expect(p, "%v4hlf", "1.500000,-2.000000,3.250000,4.000000", 0);
  expect(p, "%6.1v2f|", "   1.5,  -2.0|", 0);
  memcpy(p->args, &(int){3}, 4);
  memcpy(p->args + 16, (float[]){1, 2, 3}, 12); // three lie as four do
  memcpy(p->args + 32, &(int){8}, 4);
  expect(p, "%d %.0v3hlf %d", "3 1,2,3 8", 0);
  memcpy(p->args, (uint8_t[]){1, 2, 255, 16, 0xfe, 0xff, 3, 0}, 8);
  expect(p, "%v4hhu", "1,2,255,16", 0);
  expect(p, "%v4hhd", "1,2,-1,16", 0);
  expect(p, "%#v2hx", "0x201,0x10ff", 0);
  memcpy(p->args, (int64_t[]){-1, 5}, 16);
  expect(p, "%v2ld", "-1,5", 0);
  memcpy(p->args, (double[]){0.5, 5}, 16);
  expect(p, "%v2lg", "0.5,5", 0);
  memcpy(p->args, (uint16_t[]){0x3c00, 0xc100}, 4); // 1 and −2.5 in half precision
  expect(p, "%v2hg", "1,-2.5", 0);
  close_printing(p);
}

// Lane after lane, each in one call.
static void test_lanes(void **state) {
  (void)state;
  struct printing *p = open_printing();
  char text[512] = "";
  p->params.stride = 8;
  for (int k = 0; k < 40; k++) {
    memcpy(p->args + 8 * k, &(int){k * k}, 4);
    snprintf(text + strlen(text), sizeof text - strlen(text), "<%d>\n", k * k);
  }
  assert_true(run(p, "<%d>\n", 40));
  assert_string_equal(p->text, text);
  assert_int_equal(p->calls, 40);
  close_printing(p);
}

static void test_bad_pointers(void **state) {
  (void)state;
  struct printing *p = open_printing();
  memset(p->args, 0x77, 8);
  assert_false(run(p, "before %s", 1));
  assert_int_equal(p->fault.kind, WEIR_FAULT_ACCESS);
  assert_non_null(strstr(p->fault.message, "out-of-bounds load of 1 bytes at 0x7777777777777777"));
  assert_int_equal(p->calls, 0);
  p->params.args += BYTES - 4;
  assert_true(run(p, "%d", 1));
  assert_false(run(p, "%d %d", 1)); // the second lies past the end
  assert_int_equal(p->fault.kind, WEIR_FAULT_ACCESS);
  assert_false(run(p, "%f", 1));
  assert_int_equal(p->fault.kind, WEIR_FAULT_MISALIGNED);
  close_printing(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_integers),     cmocka_unit_test(test_reals),   cmocka_unit_test(test_several),
    cmocka_unit_test(test_as_written),   cmocka_unit_test(test_vectors), cmocka_unit_test(test_lanes),
    cmocka_unit_test(test_bad_pointers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
