// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Mathematical functions (OpenCL 1.2, 6.12.2) that libclc has, but not as section 7.4 wants them: its tgamma, and its
// erfc of floats, are off by more than 16 ulp, its cosh and sinh of a NaN of 64 bits read a table where there is none.

#define MATH_WIDTHS(name, type)                                                                                        \
  type##2 OVERLOAD name(type##2 x) {                                                                                   \
    return (type##2)(name(x.x), name(x.y));                                                                            \
  }                                                                                                                    \
  type##3 OVERLOAD name(type##3 x) {                                                                                   \
    return (type##3)(name(x.x), name(x.y), name(x.z));                                                                 \
  }                                                                                                                    \
  type##4 OVERLOAD name(type##4 x) {                                                                                   \
    return (type##4)(name(x.lo), name(x.hi));                                                                          \
  }                                                                                                                    \
  type##8 OVERLOAD name(type##8 x) {                                                                                   \
    return (type##8)(name(x.lo), name(x.hi));                                                                          \
  }                                                                                                                    \
  type##16 OVERLOAD name(type##16 x) {                                                                                 \
    return (type##16)(name(x.lo), name(x.hi));                                                                         \
  }

// Half of e^|x| + e^−|x|; beyond e^709 the second is nothing, and the first is taken in two factors.
__attribute__((overloadable)) double cosh(double x) {
  const double a = fabs(x), e = exp(a > 700 ? a * 0.5 : a);
  return a > 700 ? 0.5 * e * e : 0.5 * (e + 1 / e);
}
MATH_WIDTHS(cosh, double)

// Half of e^|x| − e^−|x| with the sign of x, from e^|x| − 1, which is accurate where x is small.
__attribute__((overloadable)) double sinh(double x) {
  const double a = fabs(x), e = a > 700 ? exp(a * 0.5) : expm1(a);
  return copysign(a > 700 ? 0.5 * e * e : 0.5 * (e + e / (e + 1)), x);
}
MATH_WIDTHS(sinh, double)

// Stirling's series, whose coefficients are B(2k) / (2k (2k − 1)); from 12 on, what is left out is below 2^-58.
static double gamma_large(double x) {
  const double r = 1 / x, s = r * r;
  const double tail = 1.0 / 1260 + s * (-1.0 / 1680 + s * (1.0 / 1188 + s * (-691.0 / 360360 + s / 156)));
  const double series = r * (1.0 / 12 + s * (-1.0 / 360 + s * tail));
  const double half_power = pow(x, 0.5 * x - 0.25); // its square overflows before the result does
  return half_power * (2.50662827463100050242 * exp(-x)) * half_power * exp(series);
}

// From x up to 12 or more by the functional equation; what the sum's rounding has lost counts by the function's
// derivative.
static double gamma_positive(double x) {
  double product = 1, y = x, n = 0;
  if (x > 180) return INFINITY;
  for (; y < 12; y = x + ++n)
    product *= y;
  const double lost = x - (y - n);
  return gamma_large(y) * (1 + lost * (log(y) - 0.5 / y)) / product;
}

// By reflection where x is negative; at 0 the sign's infinity, at negative integers nothing.
__attribute__((overloadable)) double tgamma(double x) {
  if (isnan(x)) return x;
  if (x > 0) return gamma_positive(x);
  if (x == 0) return 1 / x;
  if (x == rint(x)) return NAN;
  return -M_PI / (x * sinpi(x) * gamma_positive(-x));
}
MATH_WIDTHS(tgamma, double)

__attribute__((overloadable)) float tgamma(float x) {
  return (float)tgamma((double)x);
}
MATH_WIDTHS(tgamma, float)

__attribute__((overloadable)) float erfc(float x) {
  return (float)erfc((double)x);
}
MATH_WIDTHS(erfc, float)
