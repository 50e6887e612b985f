// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// E. Fehlberg, Low-order classical Runge-Kutta formulas with stepsize control, NASA TR R-315 (1969), table III.
#include "myc/myc.h"

#include <math.h>
#include <string.h>

enum { STAGES = 6 };

static const double node[STAGES] = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
static const double weight[STAGES][STAGES - 1] = {
  {0},
  {1.0 / 4},
  {3.0 / 32, 9.0 / 32},
  {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
  {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
  {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40},
};
static const double fifth[STAGES] = {16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
static const double difference[STAGES] = {1.0 / 360, 0, -128.0 / 4275, -2197.0 / 75240, 1.0 / 50, 2.0 / 55};

static double combined(double rate[][WEIR_ODE_MOST], const double *with, unsigned stages, unsigned variable) {
  double sum = 0;
  for (unsigned s = 0; s < stages; s++) sum += with[s] * rate[s][variable];
  return sum;
}

bool weir_fehlberg_step(const struct weir_ode *ode, double time, double step, const double *y, double *next,
                        double *error) {
  double rate[STAGES][WEIR_ODE_MOST], at[WEIR_ODE_MOST];
  for (unsigned s = 0; s < STAGES; s++) {
    for (unsigned i = 0; i < ode->count; i++) at[i] = y[i] + step * combined(rate, weight[s], s, i);
    if (!ode->rates(ode->context, time + node[s] * step, at, rate[s])) return false;
  }
  for (unsigned i = 0; i < ode->count; i++) {
    next[i] = y[i] + step * combined(rate, fifth, STAGES, i);
    error[i] = step * combined(rate, difference, STAGES, i);
  }
  return true;
}

// The largest error over what is allowed; infinite where a step left the model's domain.
static double excess(const double *y, const double *error, unsigned count, double tolerance) {
  double most = 0;
  for (unsigned i = 0; i < count; i++) {
    double e = fabs(error[i]) / (tolerance * (1 + fabs(y[i])));
    if (isnan(e)) return INFINITY;
    most = fmax(most, e);
  }
  return most;
}

// The error grows with the fifth power of the step: doubling needs 32 times the room. Halves and doubles only, so that
// the steps, and with them the launches, do not depend on how a C library rounds.
bool weir_fehlberg(const struct weir_ode *ode, double *y, double from, double to, double tolerance) {
  double next[WEIR_ODE_MOST], error[WEIR_ODE_MOST], step = (to - from) / 16;
  for (double time = from; time < to;) {
    bool last = time + step >= to;
    if (time + step == time) return false;
    if (last) step = to - time;
    if (!weir_fehlberg_step(ode, time, step, y, next, error)) return false;
    double e = excess(y, error, ode->count, tolerance);
    if (e > 1) {
      step /= 2;
      continue;
    }
    memcpy(y, next, ode->count * sizeof *y);
    time = last ? to : time + step;
    if (e < 1.0 / 64) step *= 2;
  }
  return true;
}
