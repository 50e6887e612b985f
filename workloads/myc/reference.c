// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A model of weir's own in the shape of Rodinia's myocyte: an action potential from sodium, calcium and potassium
// currents, calcium released from its store by calcium, and calmodulin with its kinase and calcineurin at three places.
// The constants are of a heart-muscle cell's magnitude and fitted to nothing. The kernel has the same equations in
// another form; what leaves one term must enter another, which tests/260-workloads checks here.
#include "myc/myc.h"

#include <math.h>

struct gate { // a variable of the voltage: where it is half on, how steeply, and the bell of its time constant (ms)
  double half_way, slope, least, most, centre, width;
};
enum { M, H, J, D, F, BY_CALCIUM, R, S, TO_R, TO_S, GATES };
static const struct gate gates[GATES] = {
  [M] = {-42, 7, 0.05, 0.3, -42, 12}, [H] = {-70, -6, 0.4, 12, -75, 12}, [J] = {-71, -6, 1.5, 90, -78, 13},
  [D] = {-8, 6.5, 0.6, 3, -10, 14},   [F] = {-28, -7, 12, 60, -30, 16},  [R] = {-15, 8, 20, 300, -25, 18},
  [S] = {5, 14, 80, 800, -5, 25},     [TO_R] = {5, 12, 1.2, 6, -20, 20}, [TO_S] = {-35, -6, 8, 60, -40, 15},
};
enum { DYAD, MEMBRANE, CYTOSOL };
static const double volume[WEIR_MYC_PLACES] = {0.003, 0.03, 1}, store_volume = 0.05; // over the cytosol's
static const double thermal = 26.7;                                                  // RT/F in mV
static const double per_current = 0.078; // µM/ms of a single charge in the cytosol for 1 µA/µF
static const double na_out = 140, k_out = 5.4, ca_out = 1800;

struct currents { // µA/µF, outward positive
  double na, ca, kr, ks, k1, to, pump, exchange, ca_membrane, stimulus;
};

static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}

static double hill(double x, double half_way) {
  return 1 / (1 + (half_way / x) * (half_way / x));
}

static double pool(const double *y, int which, int place) {
  return y[WEIR_MYC_CALMODULIN + which * WEIR_MYC_PLACES + place];
}

static double active_kinase(const double *y, const double *parameter, int place) {
  return (pool(y, 4, place) + pool(y, 5, place) + pool(y, 6, place)) / parameter[9 + place];
}

static void gate_rates(const double *y, double *rate) {
  for (int i = 0; i < GATES; i++) {
    const struct gate *g = &gates[i];
    double to = sigmoid((y[WEIR_MYC_VOLTAGE] - g->half_way) / g->slope);
    double tau = g->least + g->most / (2 * cosh((y[WEIR_MYC_VOLTAGE] - g->centre) / g->width));
    if (i == BY_CALCIUM) to = 1 - hill(y[WEIR_MYC_CALCIUM + DYAD], 3), tau = 3;
    rate[WEIR_MYC_GATES + i] = (to - y[WEIR_MYC_GATES + i]) / tau;
  }
}

static double exchange(double v, double na, double ca) {
  double in = exp(0.35 * v / thermal) * pow(na, 3) * ca_out / 1000, back = exp(-0.65 * v / thermal);
  return 900 * (in - back * pow(na_out, 3) * ca / 1000) / (2.8e6 * (1.8 + 1.4) * (1 + 0.3 * back));
}

static struct currents currents_of(double time, const double *y, const double *parameter) {
  const double v = y[WEIR_MYC_VOLTAGE], *g = y + WEIR_MYC_GATES, *calcium = y + WEIR_MYC_CALCIUM;
  double na = y[WEIR_MYC_SODIUM];
  double to_na = v - thermal * log(na_out / na), to_k = v - thermal * log(k_out / y[WEIR_MYC_POTASSIUM]);
  double to_dyad = v - thermal / 2 * log(ca_out / calcium[DYAD]);
  double to_membrane = v - thermal / 2 * log(ca_out / calcium[MEMBRANE]);
  return (struct currents){
    .na = (parameter[1] * pow(g[M], 3) * g[H] * g[J] + 0.001) * to_na,
    .ca = parameter[2] * g[D] * g[F] * g[BY_CALCIUM] * (1 + 0.4 * active_kinase(y, parameter, DYAD)) * to_dyad,
    .kr = parameter[3] * g[R] * sigmoid((-15 - v) / 22) * to_k,
    .ks = 0.02 * g[S] * g[S] * to_k,
    .k1 = 0.35 * sigmoid((10 - to_k) / 12) * to_k,
    .to = parameter[4] * g[TO_R] * g[TO_S] * to_k,
    .pump = 1.5 * hill(na, 14) / (1 + 0.15 * exp(-v / (10 * thermal)) + 0.05 * exp(-v / thermal)),
    .exchange = exchange(v, na, calcium[MEMBRANE]),
    .ca_membrane = 0.0005 * to_membrane + 0.05 * calcium[MEMBRANE] / (calcium[MEMBRANE] + 0.5),
    .stimulus = -parameter[0] * exp(-pow((time - 0.5) / 0.4, 2)),
  };
}

static void release_channel(const double *y, double active, double *rate) {
  double calcium = y[WEIR_MYC_CALCIUM + DYAD], open = y[WEIR_MYC_OPEN], inactivated = y[WEIR_MYC_INACTIVATED];
  double opening = 1.2 * hill(calcium, 30) * (1 + 0.5 * active) * (1 - open - inactivated);
  double inactivating = 0.05 * calcium / (calcium + 5) * open;
  rate[WEIR_MYC_OPEN] = opening - 0.5 * open - inactivating;
  rate[WEIR_MYC_INACTIVATED] = inactivating - 0.005 * inactivated;
}

static void calcium_rates(const double *y, const double *parameter, const struct currents *i, double *rate) {
  const double *calcium = y + WEIR_MYC_CALCIUM, *buffered = y + WEIR_MYC_BUFFERED, store = y[WEIR_MYC_STORE];
  double release = 0.03 * y[WEIR_MYC_OPEN] * (store - calcium[DYAD]);
  double leak = 0.00006 * (store - calcium[CYTOSOL]);
  double uptake = parameter[5] * hill(calcium[CYTOSOL], 0.3) * (1 + 0.3 * active_kinase(y, parameter, CYTOSOL));
  double inward = 0.03 * (calcium[DYAD] - calcium[MEMBRANE]), on = 0.06 * (calcium[MEMBRANE] - calcium[CYTOSOL]);
  double *to_buffer = rate + WEIR_MYC_BUFFERED, *to_place = rate + WEIR_MYC_CALCIUM;
  to_buffer[0] = 0.03 * calcium[CYTOSOL] * (70 - buffered[0]) - 0.02 * buffered[0];
  to_buffer[1] = 0.1 * calcium[MEMBRANE] * (40 - buffered[1]) - 0.05 * buffered[1];
  to_buffer[2] = 0.001 * store * (2700 - buffered[2]) - 0.6 * buffered[2];
  to_place[DYAD] = (release - inward - per_current / 2 * i->ca) / volume[DYAD];
  to_place[MEMBRANE] =
    (inward - on - per_current / 2 * (i->ca_membrane - 2 * i->exchange)) / volume[MEMBRANE] - to_buffer[1];
  to_place[CYTOSOL] = on + leak - uptake - to_buffer[0];
  rate[WEIR_MYC_STORE] = (uptake - leak - release) / store_volume - to_buffer[2];
}

static void calmodulin_rates(int place, const double *y, const double *parameter, double *rate, double *bound) {
  enum { C0, C2, C4, CALCINEURIN, KINASE, PHOSPHORYLATED, AUTONOMOUS, BUFFERED };
  double x[WEIR_MYC_POOLS], change[WEIR_MYC_POOLS], kinases = parameter[9 + place];
  for (int i = 0; i < WEIR_MYC_POOLS; i++) x[i] = pool(y, i, place);
  double first = hill(y[WEIR_MYC_CALCIUM + place], 2), second = hill(y[WEIR_MYC_CALCIUM + place], 6);
  double active = x[KINASE] + x[PHOSPHORYLATED] + x[AUTONOMOUS];
  double c0_to_c2 = 0.1 * first * x[C0] - 0.06 * (1 - first) * x[C2];
  double c2_to_c4 = 0.3 * second * x[C2] - 0.2 * (1 - second) * x[C4];
  double dephosphorylating = 0.004 * x[PHOSPHORYLATED] * x[CALCINEURIN] / (x[CALCINEURIN] + 0.5);
  double phosphorylating = 0.03 * x[KINASE] * active / kinases - dephosphorylating;
  double losing = 0.0008 * x[PHOSPHORYLATED] - 0.01 * x[AUTONOMOUS] * x[C4];
  change[BUFFERED] = 0.002 * x[C0] * (parameter[6 + place] - x[BUFFERED]) - 0.04 * x[BUFFERED];
  change[CALCINEURIN] = 0.05 * x[C4] * (parameter[12 + place] - x[CALCINEURIN]) - 0.001 * x[CALCINEURIN];
  double to_kinase = 0.01 * x[C4] * (kinases - active) - 0.02 * x[KINASE];
  change[C0] = -c0_to_c2 - change[BUFFERED];
  change[C2] = c0_to_c2 - c2_to_c4;
  change[C4] = c2_to_c4 + losing - to_kinase - change[CALCINEURIN];
  change[KINASE] = to_kinase - phosphorylating;
  change[PHOSPHORYLATED] = phosphorylating - losing;
  change[AUTONOMOUS] = losing - 0.005 * x[AUTONOMOUS];
  for (int i = 0; i < WEIR_MYC_POOLS; i++) rate[WEIR_MYC_CALMODULIN + i * WEIR_MYC_PLACES + place] = change[i];
  bound[place] = 2 * (c0_to_c2 + c2_to_c4);
}

void weir_myc_reference(double time, const double *y, const double *parameter, double *rate, double *bound) {
  struct currents i = currents_of(time, y, parameter);
  double potassium = i.kr + i.ks + i.k1 + i.to + i.stimulus;
  rate[WEIR_MYC_VOLTAGE] = -(i.na + i.ca + potassium + i.pump + i.exchange + i.ca_membrane);
  rate[WEIR_MYC_SODIUM] = -per_current / 1000 * (i.na + 3 * i.pump + 3 * i.exchange);
  rate[WEIR_MYC_POTASSIUM] = -per_current / 1000 * (potassium - 2 * i.pump);
  gate_rates(y, rate);
  release_channel(y, active_kinase(y, parameter, DYAD), rate);
  calcium_rates(y, parameter, &i, rate);
  for (int place = 0; place < WEIR_MYC_PLACES; place++) calmodulin_rates(place, y, parameter, rate, bound);
}

void weir_myc_couple(double *rate, const double *bound) {
  for (int place = 0; place < WEIR_MYC_PLACES; place++) rate[WEIR_MYC_CALCIUM + place] -= bound[place];
}
