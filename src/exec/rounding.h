// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Arithmetic in every IEEE rounding direction without touching the host's rounding mode, which compilers do not model.
// The nearest result is adjusted by the sign of its exact error, found in a format wide enough to hold it. `mode` is an
// enum weir_rounding (RN, RZ, RM, RP; the integer roundings RNI… mean the same directions). NaNs are the caller's.
// Sums of single precision are in ops/float.c, for whole warps.
#ifndef WEIR_EXEC_ROUNDING_H
#define WEIR_EXEC_ROUNDING_H

#include <stdint.h>

float weir_mul32(float a, float b, int mode);
float weir_div32(float a, float b, int mode);
float weir_sqrt32(float a, int mode);
double weir_add64(double a, double b, int mode);
double weir_mul64(double a, double b, int mode);
double weir_fma64(double a, double b, double c, int mode);
double weir_div64(double a, double b, int mode);
double weir_sqrt64(double a, int mode);

float weir_narrow32(double x, int mode);     // f64 → f32
float weir_integer32(__int128 x, int mode);  // a 64-bit integer of either sign → f32
double weir_integer64(__int128 x, int mode); // → f64
double weir_integral(double x, int mode);    // to an integer, as a floating-point number

#endif
