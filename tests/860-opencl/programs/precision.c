// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Mathematical functions against the CPU's, which compute in more digits: the limits are those of section 7.4 of
// OpenCL 1.2 (full profile) for float and double, 8192 ulp for half_ functions, and for native_ functions what NVIDIA's
// PTX ISA says of the approximate instructions. Zeros, infinities and NaN are among the arguments.
#include "program.h"

enum { N = 512, SPECIALS = 12 };

struct function {
  const char *name;
  int arity;
  double low, high; // of random arguments
  double ulps;      // allowed beside the rounding; below 0: absolute error is allowed, of this size
  long double (*one)(long double);
  long double (*two)(long double, long double);
  bool special; // special arguments, too
};

static const long double pi = 3.14159265358979323846264338327950288L;
static long double sinpil_(long double x) {
  return sinl(pi * fmodl(x, 2));
}
static long double cospil_(long double x) {
  return cosl(pi * fmodl(x, 2));
}
static long double tanpil_(long double x) {
  return tanl(pi * fmodl(x, 1));
}
static long double asinpil_(long double x) {
  return asinl(x) / pi;
}
static long double acospil_(long double x) {
  return acosl(x) / pi;
}
static long double atanpil_(long double x) {
  return atanl(x) / pi;
}
static long double atan2pil_(long double y, long double x) {
  return atan2l(y, x) / pi;
}
static long double rsqrtl_(long double x) {
  return 1 / sqrtl(x);
}
static long double recipl_(long double x) {
  return 1 / x;
}
static long double dividel_(long double x, long double y) {
  return x / y;
}
static long double fractl_(long double x) {
  return x - floorl(x);
}
static long double maxmagl_(long double x, long double y) {
  return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y);
}

#define ONE(name, low, high, ulps, of, special)                                                                        \
  { name, 1, low, high, ulps, of, NULL, special }
#define TWO(name, low, high, ulps, of, special)                                                                        \
  { name, 2, low, high, ulps, NULL, of, special }
static const struct function functions[] = {
  ONE("acos", -1, 1, 4, acosl, true),
  ONE("acosh", 1, 1e4, 4, acoshl, true),
  ONE("acospi", -1, 1, 5, acospil_, true),
  ONE("asin", -1, 1, 4, asinl, true),
  ONE("asinh", -1e4, 1e4, 4, asinhl, true),
  ONE("asinpi", -1, 1, 5, asinpil_, true),
  ONE("atan", -20, 20, 5, atanl, true),
  ONE("atanh", -1, 1, 5, atanhl, true),
  ONE("atanpi", -20, 20, 5, atanpil_, true),
  ONE("cbrt", -1e6, 1e6, 2, cbrtl, true),
  ONE("ceil", -1000, 1000, 0, ceill, true),
  ONE("cos", -100, 100, 4, cosl, true),
  ONE("cos", -1e8, 1e8, 4, cosl, true),
  ONE("cosh", -80, 80, 4, coshl, true),
  ONE("cosh", -720, 720, 4, coshl, false),
  ONE("cospi", -50, 50, 4, cospil_, false),
  ONE("erf", -4, 4, 16, erfl, true),
  ONE("erfc", -4, 8, 16, erfcl, true),
  ONE("exp", -80, 80, 3, expl, true),
  ONE("exp", -745, 720, 3, expl, false),
  ONE("exp10", -35, 35, 3, exp10l, true),
  ONE("exp2", -120, 120, 3, exp2l, true),
  ONE("expm1", -10, 40, 3, expm1l, true),
  ONE("fabs", -1000, 1000, 0, fabsl, true),
  ONE("floor", -1000, 1000, 0, floorl, true),
  ONE("lgamma", 0.5, 50, -1e-4, lgammal, false),
  ONE("log", 0, 1e6, 3, logl, true),
  ONE("log10", 0, 1e6, 3, log10l, true),
  ONE("log1p", -0.9, 100, 2, log1pl, true),
  ONE("log2", 0, 1e6, 3, log2l, true),
  ONE("logb", 0.001, 1e6, 0, logbl, true),
  ONE("rint", -1000, 1000, 0, rintl, true),
  ONE("round", -1000, 1000, 0, roundl, true),
  ONE("rsqrt", 0, 1e6, 2, rsqrtl_, false),
  ONE("sin", -100, 100, 4, sinl, true),
  ONE("sin", -1e8, 1e8, 4, sinl, true),
  ONE("sinh", -80, 80, 4, sinhl, true),
  ONE("sinh", -1, 1, 4, sinhl, false),
  ONE("sinh", -720, 720, 4, sinhl, false),
  ONE("sinpi", -50, 50, 4, sinpil_, false),
  ONE("sqrt", 0, 1e6, 3, sqrtl, true),
  ONE("tan", -100, 100, 5, tanl, true),
  ONE("tanh", -10, 10, 5, tanhl, true),
  ONE("tanpi", -50, 50, 6, tanpil_, false),
  ONE("tgamma", 0.001, 36, 16, tgammal, false),
  ONE("tgamma", -8, 8, 16, tgammal, false),
  ONE("trunc", -1000, 1000, 0, truncl, true),
  TWO("atan2", -10, 10, 6, atan2l, true),
  TWO("atan2pi", -10, 10, 6, atan2pil_, true),
  TWO("copysign", -10, 10, 0, copysignl, true),
  TWO("fdim", -10, 10, 0, fdiml, true),
  TWO("fmax", -10, 10, 0, fmaxl, true),
  TWO("fmin", -10, 10, 0, fminl, true),
  TWO("fmod", -100, 100, 0, fmodl, true),
  TWO("hypot", -1e4, 1e4, 4, hypotl, true),
  TWO("maxmag", -10, 10, 0, maxmagl_, false),
  TWO("pow", 0, 20, 16, powl, true),
  TWO("powr", 0, 20, 16, powl, false),
  TWO("remainder", -100, 100, 0, remainderl, true),
};

static long double fraction_free(long double x) {
  return fractl_(x);
}
static const struct function floats_only[] = {
  ONE("half_cos", -100, 100, 8192, cosl, false),
  ONE("half_exp", -80, 80, 8192, expl, false),
  ONE("half_exp10", -35, 35, 8192, exp10l, false),
  ONE("half_exp2", -120, 120, 8192, exp2l, false),
  ONE("half_log", 0.01, 1e6, 8192, logl, false),
  ONE("half_log10", 0.01, 1e6, 8192, log10l, false),
  ONE("half_log2", 0.01, 1e6, 8192, log2l, false),
  ONE("half_recip", -100, 100, 8192, recipl_, false),
  ONE("half_rsqrt", 0, 1e6, 8192, rsqrtl_, false),
  ONE("half_sin", -100, 100, 8192, sinl, false),
  ONE("half_sqrt", 0, 1e6, 8192, sqrtl, false),
  ONE("half_tan", -100, 100, 8192, tanl, false),
  TWO("half_divide", -100, 100, 8192, dividel_, false),
  TWO("half_powr", 0, 20, 8192, powl, false),
  // PTX ISA, "Floating Point Instructions": absolute errors 2^-20.9 (sin), 2^-20.9 (cos) in [-pi, pi], 2^-22.6 (lg2);
  // 2 ulp (ex2, div); 1 ulp (rcp); relative 2^-22.9 (rsqrt), 2^-23 (sqrt). Products round the argument, too.
  ONE("native_cos", -3.1, 3.1, -5.2e-7, cosl, false),
  ONE("native_sin", -3.1, 3.1, -5.2e-7, sinl, false),
  ONE("native_tan", -1, 1, -3e-6, tanl, false),
  ONE("native_exp2", -120, 120, 2, exp2l, true),
  ONE("native_exp", -10, 10, 2 + 16, expl, true),
  ONE("native_exp10", -10, 10, 2 + 64, exp10l, true),
  ONE("native_log2", 0.5, 2, -1.6e-7, log2l, false),
  ONE("native_log", 0.5, 2, -1.6e-7, logl, false),
  ONE("native_log10", 0.5, 2, -1.6e-7, log10l, false),
  ONE("native_recip", -100, 100, 1, recipl_, true),
  ONE("native_rsqrt", 0, 1e6, 2, rsqrtl_, false),
  ONE("native_sqrt", 0, 1e6, 2, sqrtl, true),
  ONE("fract_", -100, 100, 0, fraction_free, false),
  TWO("native_divide", -100, 100, 2, dividel_, false),
  TWO("native_powr", 0.5, 2, 64, powl, false),
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static long double value_of(const struct function *f, long double x, long double y) {
  return f->arity == 1 ? f->one(x) : f->two(x, y);
}

// The distance of neighbouring numbers about `exact`.
static long double ulp_of(long double exact, int digits, int lowest) {
  int exponent;
  frexpl(exact, &exponent);
  return ldexpl(1, (exponent < lowest ? lowest : exponent) - digits);
}

static bool near(const struct function *f, long double got, long double exact, bool wide) {
  const long double largest = wide ? 1.7976931348623157e308L : 3.4028234663852886e38L;
  if (!wide && fabsl(exact) < 1.17549435e-38L && got == 0) return true; // section 7.5.3 lets float results be flushed
  if (isnan(exact)) return isnan(got);
  if (fabsl(exact) > largest) return isinf(got) ? signbit(got) == signbit(exact) : fabsl(got) == largest && f->ulps > 0;
  const long double allowed =
    f->ulps < 0 ? -f->ulps : (f->ulps + 0.5) * ulp_of(exact, wide ? 53 : 24, wide ? -1021 : -125);
  return fabsl(got - exact) <= allowed;
}

static char *add_kernel(char *at, const struct function *f, size_t index, const char *type) {
  return at +
    sprintf(at,
            "kernel void %s_%zu(global const %s *x, global const %s *y, global %s *out) {\n"
            "  size_t i = get_global_id(0);\n  out[i] = %s(x[i]%s);\n}\n",
            type, index, type, type, type, f->name, f->arity == 2 ? ", y[i]" : "");
}

static double argument(const struct function *f, int i, int which, bool wide) {
  static const double specials[SPECIALS] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, 2, -2, 1e-20, -3};
  if (f->special && i < SPECIALS * SPECIALS) return specials[which ? i / SPECIALS : i % SPECIALS];
  const double u = (double)next_random() / 16777216.0, fine = (double)next_random() / 16777216.0 / 16777216.0;
  const double x = f->low + (f->high - f->low) * (wide ? u + fine : u);
  return wide ? x : (double)(float)x;
}

static unsigned check(cl_program p, const struct function *f, size_t index, bool wide) {
  const size_t size = wide ? 8 : 4, items = N;
  double x[N], y[N], out[N];
  float small[3][N];
  char name[32];
  for (int i = 0; i < N; i++) {
    x[i] = argument(f, i, 0, wide);
    y[i] = argument(f, i, 1, wide);
    small[0][i] = (float)x[i];
    small[1][i] = (float)y[i];
  }
  cl_mem mx = buffer(CL_MEM_READ_ONLY, N * size, wide ? (void *)x : small[0]);
  cl_mem my = buffer(CL_MEM_READ_ONLY, N * size, wide ? (void *)y : small[1]),
         mo = buffer(CL_MEM_WRITE_ONLY, N * size, NULL);
  snprintf(name, sizeof name, "%s_%zu", wide ? "double" : "float", index);
  cl_kernel k = kernel_of(p, name);
  ARG(k, 0, mx);
  ARG(k, 1, my);
  ARG(k, 2, mo);
  run(k, 1, NULL, &items, NULL);
  read_back(mo, wide ? (void *)out : small[2], N * size);
  unsigned wrong = 0;
  for (int i = 0; i < N; i++) {
    const double a = wide ? x[i] : (double)small[0][i], b = wide ? y[i] : (double)small[1][i];
    const double got = wide ? out[i] : (double)small[2][i];
    const long double exact = value_of(f, a, b);
    if (near(f, got, exact, wide)) continue;
    if (!wrong++)
      fprintf(stderr, "%s %s(%.17g, %.17g) is %.17g, not %.20Lg\n", wide ? "double" : "float", f->name, a, b, got,
              exact);
  }
  if (wrong > 1) fprintf(stderr, "  and %u more\n", wrong - 1);
  OK(clReleaseMemObject(mx));
  OK(clReleaseMemObject(my));
  OK(clReleaseMemObject(mo));
  return wrong;
}

static unsigned check_all(const struct function *f, size_t count, const char *type) {
  static char source[65536];
  char *at = source + sprintf(source, "float fract_(float x) { float whole; return fract(x, &whole); }\n");
  for (size_t i = 0; i < count; i++) at = add_kernel(at, &f[i], i, type);
  cl_program p = build(source, NULL);
  unsigned wrong = 0;
  for (size_t i = 0; i < count; i++) wrong += check(p, &f[i], i, type[0] == 'd');
  OK(clReleaseProgram(p));
  return wrong;
}

int main(void) {
  open_device();
  unsigned wrong = check_all(functions, COUNT(functions), "float");
  wrong += check_all(functions, COUNT(functions), "double");
  wrong += check_all(floats_only, COUNT(floats_only), "float");
  CHECK(!wrong, "%u results", wrong);
  close_device();
  puts("PASSED");
}
