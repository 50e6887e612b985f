// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hints written into lines of CUDA C++: what becomes of each line, and why others are left as they are. The functions and what
// they take are those of the CUDA C++ Programming Guide ("Load Functions Using Cache Hints").
#include "advise/cuda_text.h"
#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

// The line is the third, in the body of a kernel k with these parameters.
static char *whole(const char *parameters, const char *line) {
  return weir_text_format(
    "__global__ void k(%s);\ntemplate <int n> __global__ void __launch_bounds__(32) k(%s) {\n%s\n}\n", parameters,
    parameters, line);
}

static void check(const char *parameters, struct weir_cuda_access a, const char *line, const char *becomes,
                  const char *because) {
  char why[WEIR_WHY_BYTES] = "", *text = whole(parameters, line),
       *expected = becomes ? whole(parameters, becomes) : NULL;
  a.line = 3;
  a.kernel = "k";
  char *is = weir_cuda_text_hint(text, &a, why);
  if (becomes && !is) fail_msg("%s: %s", line, why);
  if (becomes)
    assert_string_equal(is, expected);
  else if (is)
    fail_msg("%s became %s", line, is);
  else if (!strstr(why, because))
    fail_msg("%s: %s", line, why);
  weir_free(is), weir_free(text), weir_free(expected);
}

#define PARAMETERS "int n, const float *__restrict__ x, float4* y, double *z, my::pair *p, float **q, float r[], T *t"

static void load(int parameter, const char *hint, const char *line, const char *becomes) {
  check(PARAMETERS, (struct weir_cuda_access){.parameter = parameter, .hint = hint}, line, becomes, NULL);
}

static void store(int parameter, const char *hint, const char *line, const char *becomes) {
  check(PARAMETERS, (struct weir_cuda_access){.parameter = parameter, .hint = hint, .store = true}, line, becomes,
        NULL);
}

static void test_loads(void **state) {
  (void)state;
  load(1, "cs", "s += x[i] * a.x[i];", "s += __ldcs(&x[i]) * a.x[i];");
  load(1, "cg", "s += x[c[i] + ')' ]; // x[i] too", "s += ((const volatile float *)x)[c[i] + ')' ]; // x[i] too");
  load(1, "lu", "y[i].x = /* x */ x [ y[i].w ] == 0;", "y[i].x = /* x */ __ldlu(&x [ y[i].w ]) == 0;");
  load(2, "ca", "z[i] = f(y[i], \"y[i]\");", "z[i] = f(__ldca(&y[i]), \"y[i]\");");
  load(3, "cv", "if (n&z[i] && p->z) g(xz, z_);", "if (n&((const volatile double *)z)[i] && p->z) g(xz, z_);");
  load(2, "cg", "w = y[i];", "w = __ldcg(&y[i]);"); // has members: it cannot be read as volatile
  load(3, "cg", "s = __ldg(&z[i]) / z1;", "s = __ldcg(&z[i]) / z1;");
  load(3, "cg", "s = n/z [i];", "s = n/((const volatile double *)z) [i];");
  load(1, "cs", "s = __ldg( &x[i]) + 1;", "s = __ldcs( &x[i]) + 1;");
  load(1, "none", "s = __ldcs(&x[i]) + 1;", "s = x[i] + 1;");
  load(1, "cs", "s = n && x[i];", "s = n && __ldcs(&x[i]);");
}

static void test_stores(void **state) {
  (void)state;
  store(3, "cs", "z[i] = a ? f(b, c) : d[z1];", "__stcs(&z[i], a ? f(b, c) : d[z1]);");
  store(3, "wt", "if (n) z[i]=1; else g();", "if (n) __stwt(&z[i], 1); else g();");
  store(3, "cg", "if (n) g(); else z[i] = 1;", "if (n) g(); else __stcg(&z[i], 1);");
  store(3, "wb", "__stcs(&z[i], 2);", "__stwb(&z[i], 2);");
}

static void refuse(int parameter, bool store, const char *hint, const char *line, const char *because) {
  check(PARAMETERS, (struct weir_cuda_access){.parameter = parameter, .hint = hint, .store = store}, line, NULL,
        because);
}

static void test_refused(void **state) {
  (void)state;
  refuse(1, false, "L1::no_allocate", "s = x[i];", "no function of CUDA C++ has this hint for a load");
  refuse(3, true, "lu", "z[i] = 1;", "no function of CUDA C++ has this hint for a store");
  refuse(1, false, "cs", "s = x[i] + x[j];", "the line has 2 accesses of 'x'");
  refuse(1, false, "cs", "s = w[i];", "the line does not name 'x'");
  refuse(1, false, "cs", "s = *(x + i);", "'x' is used otherwise than by a subscript");
  refuse(1, false, "cs", "s = x[\ni];", "'x' is used otherwise than by a subscript");
  refuse(2, false, "cs", "s = y[i].z;", "a part of an element of 'y'");
  refuse(3, false, "cs", "z[i] += s;", "reads and writes");
  refuse(3, true, "cs", "z[i] += s;", "reads and writes");
  refuse(3, true, "cs", "--z[i];", "reads and writes");
  refuse(3, false, "cs", "z[i]++;", "reads and writes");
  refuse(3, false, "cs", "z[i] = 1;", "no load of 'z'");
  refuse(3, true, "cs", "s = z[i];", "no store of 'z'");
  refuse(3, true, "cs", "s = __ldg(&z[i]);", "no store of 'z'");
  refuse(3, true, "cs", "s = z[i] = 1;", "no statement of the line by itself");
  refuse(3, true, "cs", "z[i] = 1, s = 2;", "no statement of the line by itself");
  refuse(3, true, "cs", "z[i] = 1 +", "no statement of the line by itself");
  refuse(3, false, "cs", "g(&z[i]);", "takes the address of an element of 'z'");
  refuse(1, false, "none", "s = x[i];", "has no hint");
  refuse(1, false, "none", "s = __ldcs(&x[i]\n);", "is to be taken away by hand");
  refuse(3, true, "none", "__stcs(&z[i], 1);", "is to be taken away by hand");
  refuse(0, false, "cs", "s = n;", "parameter 0 of 'k' is not declared as a plain pointer");
  refuse(4, false, "cs", "s = p[i];", "no such function takes elements of the type 'my::pair'");
  refuse(5, false, "cs", "s = q[i];", "parameter 5 of 'k' is not declared as a plain pointer");
  refuse(6, false, "cs", "s = r[i];", "parameter 6 of 'k' is not declared as a plain pointer");
  refuse(7, false, "cs", "s = t[i];", "no such function takes elements of the type 'T'");
  refuse(8, false, "cs", "s = t[i];", "parameter 8 of 'k'");
}

// A line of a function that the kernel has inlined names other things by its names.
static void test_elsewhere(void **state) {
  (void)state;
  char why[WEIR_WHY_BYTES];
  static const char *const text =
    "__device__ float f(float *x, int i) { return x[i]; }\n__global__ void k(float *x) {\n x[0] = f(x, 1); }\n"
    "__device__ float table[4];\n__device__ int g(int i) { return table[i]; }\n";
  struct weir_cuda_access a = {.line = 1, .kernel = "k", .hint = "cs"};
  assert_null(weir_cuda_text_hint(text, &a, why));
  assert_non_null(strstr(why, "not in the body of a function 'k'"));
  a.line = 7;
  assert_null(weir_cuda_text_hint(text, &a, why));
  assert_non_null(strstr(why, "no such line"));
  a = (struct weir_cuda_access){.line = 5, .kernel = "k", .parameter = -1, .variable = "table", .hint = "cg"};
  char *is = weir_cuda_text_hint(text, &a, why);
  assert_non_null(is);
  assert_non_null(strstr(is, "\n__device__ int g(int i) { return __ldcg(&table[i]); }\n"));
  weir_free(is);
}

// Is an element of that type, of what the source and its headers define, read by a function with a hint?
static bool takes(const char *source, const char *headers, const char *type) {
  char why[WEIR_WHY_BYTES];
  char *text = weir_text_format("%s\n__global__ void k(const %s *x, float *y) {\n*y = x[1]; }\n", source, type);
  unsigned line = 3;
  for (const char *at = source; *at; at++) line += *at == '\n';
  char *is = weir_cuda_text_hint(
    text, &(struct weir_cuda_access){.line = line, .kernel = "k", .hint = "cs", .headers = headers}, why);
  const bool taken = is && strstr(is, "*y = __ldcs(&x[1]);");
  if (!is && !strstr(why, "no such function takes elements of the type")) fail_msg("%s: %s", source, why);
  weir_free(is), weir_free(text);
  return taken;
}

static void test_types(void **state) {
  (void)state;
  assert_true(takes("#define REAL float // double", NULL, "REAL"));
  assert_true(takes("typedef unsigned\n int u32; typedef REAL *where; typedef double REAL;", NULL, "REAL"));
  assert_true(takes("using real = float;\nusing my_real = real;", "", "my_real"));
  assert_true(
    takes("#include \"size.h\"", "#ifndef REAL\n# define REAL base\n#endif\ntypedef long long base;\n", "REAL"));
  assert_true(takes("typedef float REAL;", "struct s { REAL a; }; typedef float REAL;", "REAL"));
  assert_false(takes("typedef float REAL;", "typedef double REAL;", "REAL"));
  assert_false(takes("// typedef float REAL;", NULL, "REAL"));
  assert_false(takes("#define REAL(x) float", NULL, "REAL"));
  assert_false(takes("typedef struct { float a; } REAL;", NULL, "REAL"));
  assert_false(takes("struct REAL; float f(REAL);", NULL, "REAL"));
  assert_false(takes("typedef REAL again; typedef again REAL;", NULL, "REAL"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads), cmocka_unit_test(test_stores),
                                     cmocka_unit_test(test_refused), cmocka_unit_test(test_elsewhere),
                                     cmocka_unit_test(test_types)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
