// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// myc's model of a heart-muscle cell on the CPU, and the Runge-Kutta-Fehlberg solver that takes either this model or
// the device's kernel as its right-hand side.
#ifndef WEIR_WORKLOADS_MYC_H
#define WEIR_WORKLOADS_MYC_H

#include <stdbool.h>

enum {
  WEIR_MYC_PLACES = 3, // of calcium: dyad, below the membrane, cytosol
  // Variables: the membrane's voltage (mV), ten gates, sodium and potassium (mM), calcium of the places and of the
  // sarcoplasmic reticulum (µM), two states of the release channel, calcium on three buffers (µM); then eight states of
  // calmodulin and its kinase (µM), each for the three places.
  WEIR_MYC_VOLTAGE = 0,
  WEIR_MYC_GATES = 1,
  WEIR_MYC_SODIUM = 11,
  WEIR_MYC_POTASSIUM = 12,
  WEIR_MYC_CALCIUM = 13,
  WEIR_MYC_STORE = 16,
  WEIR_MYC_OPEN = 17,
  WEIR_MYC_INACTIVATED = 18,
  WEIR_MYC_BUFFERED = 19,
  WEIR_MYC_CALMODULIN = 22,
  WEIR_MYC_POOLS = 8,
  WEIR_MYC_VARIABLES = WEIR_MYC_CALMODULIN + WEIR_MYC_POOLS * WEIR_MYC_PLACES,
  // Parameters: stimulus (µA/µF), conductances for sodium, calcium, rapid and transient potassium currents (mS/µF),
  // uptake into the store (µM/ms); then for each place what binds calmodulin, kinase and calcineurin (µM).
  WEIR_MYC_PARAMETERS = 15,
};

// The rates of change per ms at `time` (ms), as the kernel gives them: calcium is not yet reduced by what calmodulin
// binds, which is `bound`.
void weir_myc_reference(double time, const double *y, const double *parameter, double *rate, double *bound);
// Takes what calmodulin binds from the calcium of each place.
void weir_myc_couple(double *rate, const double *bound);

enum { WEIR_ODE_MOST = 64 };

struct weir_ode {
  unsigned count; // <= WEIR_ODE_MOST
  bool (*rates)(void *context, double time, const double *y, double *rate);
  void *context;
};

// One step of Fehlberg's embedded pair: `next` is of fifth order, `error` its difference to the fourth. False if the
// right-hand side fails.
bool weir_fehlberg_step(const struct weir_ode *ode, double time, double step, const double *y, double *next,
                        double *error);
// Takes y from time `from` to `to`, in steps of which none errs by more than tolerance × (1 + |y|) in any variable.
// False if the right-hand side fails, or if no step is small enough.
bool weir_fehlberg(const struct weir_ode *ode, double *y, double from, double to, double tolerance);

#endif
