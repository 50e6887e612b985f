// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// native_ functions (OpenCL 1.2, 6.12.2, table 6.9) as PTX's approximate instructions, for every width of vector.

#define UNARY_WIDTH(name, n, low, high)                                                                                \
  float##n OVERLOAD name(float##n x) {                                                                                 \
    return (float##n)(name(x.low), name(x.high));                                                                      \
  }
#define UNARY(name, value)                                                                                             \
  float OVERLOAD name(float x) {                                                                                       \
    return value;                                                                                                      \
  }                                                                                                                    \
  UNARY_WIDTH(name, 2, x, y)                                                                                           \
  UNARY_WIDTH(name, 3, xy, z)                                                                                          \
  UNARY_WIDTH(name, 4, xy, zw)                                                                                         \
  UNARY_WIDTH(name, 8, lo, hi)                                                                                         \
  UNARY_WIDTH(name, 16, lo, hi)

#define BINARY_WIDTH(name, n, low, high)                                                                               \
  float##n OVERLOAD name(float##n x, float##n y) {                                                                     \
    return (float##n)(name(x.low, y.low), name(x.high, y.high));                                                       \
  }
#define BINARY(name, value)                                                                                            \
  float OVERLOAD name(float x, float y) {                                                                              \
    return value;                                                                                                      \
  }                                                                                                                    \
  BINARY_WIDTH(name, 2, x, y)                                                                                          \
  BINARY_WIDTH(name, 3, xy, z)                                                                                         \
  BINARY_WIDTH(name, 4, xy, zw)                                                                                        \
  BINARY_WIDTH(name, 8, lo, hi)                                                                                        \
  BINARY_WIDTH(name, 16, lo, hi)

static float reciprocal(float x) {
  float y;
  __asm__("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

UNARY(native_cos, __nvvm_cos_approx_f(x))
UNARY(native_sin, __nvvm_sin_approx_f(x))
UNARY(native_tan, __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)))
UNARY(native_exp2, __nvvm_ex2_approx_f(x))
UNARY(native_exp, __nvvm_ex2_approx_f(x * M_LOG2E_F))
UNARY(native_exp10, __nvvm_ex2_approx_f(x * (M_LN10_F * M_LOG2E_F)))
UNARY(native_log2, __nvvm_lg2_approx_f(x))
UNARY(native_log, __nvvm_lg2_approx_f(x) * M_LN2_F)
UNARY(native_log10, __nvvm_lg2_approx_f(x) * (M_LN2_F * M_LOG10E_F))
UNARY(native_sqrt, __nvvm_sqrt_approx_f(x))
UNARY(native_rsqrt, __nvvm_rsqrt_approx_f(x))
UNARY(native_recip, reciprocal(x))
BINARY(native_divide, __nvvm_div_approx_f(x, y))
BINARY(native_powr, __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)))
