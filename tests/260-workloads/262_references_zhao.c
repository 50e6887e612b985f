// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU references of Zhao et al.'s programs on cases whose answers are known without them.
#include "2dc/2dc.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "gau/gau.h"
#include "host/app.h"
#include "kmeans/clustering.h"
#include "myc/myc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define assert_near(got, want, by) assert_true(fabs((double)(got) - (double)(want)) <= (by))

enum { N = 9 };

struct system_of_equations {
  double a[N][N], m[N][N], b[N];
};

// a[i][j] = r^|i - j| with r = 1/2, and ones on the right.
static struct system_of_equations eliminated(uint32_t columns) {
  struct system_of_equations s = {0};
  for (int i = 0; i < N; i++) {
    s.b[i] = 1;
    for (int j = 0; j < N; j++) s.a[i][j] = ldexp(1, i < j ? i - j : j - i);
  }
  weir_gau_reference(s.a[0], s.m[0], s.b, N, columns);
  return s;
}

// u[0][j] = r^j, u[i][j] = (1 - r²) r^(j - i), multipliers r^(i - j). The inverse of that lower triangle has ones on
// its diagonal and -r just below: 1/2 is left of each one on the right but the first. Every number is exact.
static void gau_of_a_matrix_with_known_factors(void **state) {
  (void)state;
  const struct system_of_equations s = eliminated(N - 1);
  for (int i = 0; i < N; i++) {
    assert_near(s.b[i], i ? 0.5 : 1, 0);
    for (int j = 0; j < N; j++) {
      assert_near(s.a[i][j], i > j ? 0 : ldexp(i ? 0.75 : 1, i - j), 0);
      assert_near(s.m[i][j], i > j ? ldexp(1, j - i) : 0, 0);
    }
  }
}

// After the first column, a[i][j] = r^|i - j| - r^(i + j) below the first row.
static void gau_stops_after_the_columns_asked_for(void **state) {
  (void)state;
  const struct system_of_equations s = eliminated(1);
  for (int i = 1; i < N; i++) {
    assert_near(s.b[i], 1 - ldexp(1, -i), 0);
    assert_near(s.m[i][0], ldexp(1, -i), 0);
    for (int j = 0; j < N; j++) {
      assert_near(s.a[i][j], ldexp(1, i < j ? i - j : j - i) - ldexp(1, -i - j), 0);
      if (j) assert_near(s.m[i][j], 0, 0);
    }
  }
}

// A single bright pixel leaves the filter around itself, turned by half a circle, and the border is nobody's.
static void convolution_of_one_pixel_is_the_filter(void **state) {
  (void)state;
  enum { ROWS = 6, COLUMNS = 7, Y = 2, X = 4 };
  float in[ROWS][COLUMNS] = {[Y][X] = 1, [0][0] = 1}, out[ROWS][COLUMNS];
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < COLUMNS; x++) out[y][x] = -7;
  weir_2dc_reference(out[0], in[0], ROWS, COLUMNS);
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < COLUMNS; x++) {
      int i = Y - y + 1, j = X - x + 1;
      if (y == 0 || y == ROWS - 1 || x == 0 || x == COLUMNS - 1)
        assert_near(out[y][x], -7, 0);
      else if (y == 1 && x == 1)
        assert_near(out[y][x], weir_2dc_filter[0][0], 0); // of the pixel in the corner
      else
        assert_near(out[y][x], i >= 0 && i < 3 && j >= 0 && j < 3 ? weir_2dc_filter[i][j] : 0, 0);
    }
}

// Points 0, 1, 2, 3 and 10, in every feature, to two centres that start at the first two. First round: 0 | 1 2 3 10,
// whose means are 0 and 4. Second: 2 is as far from both, and the first among equals has it: 0 1 2 | 3 10, of means 1
// and 6.5. Third: 0 1 2 3 | 10, of means 1.5 and 10, which change no more.
static void kmeans_of_five_points(void **state) {
  (void)state;
  enum { POINTS = 5, ROUNDS = 4 };
  static const float value[POINTS] = {0, 1, 2, 3, 10};
  static const uint32_t want[ROUNDS][POINTS] = {{0, 1, 1, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}};
  float points[POINTS][WEIR_KMEANS_FEATURES];
  for (int i = 0; i < POINTS; i++)
    for (int f = 0; f < WEIR_KMEANS_FEATURES; f++) points[i][f] = value[i];
  for (unsigned rounds = 1; rounds <= ROUNDS; rounds++) {
    uint32_t *membership = weir_kmeans_reference(points[0], POINTS, WEIR_KMEANS_FEATURES, 2, rounds);
    assert_memory_equal(membership, want[rounds - 1], sizeof want[0]);
    weir_free(membership);
  }
}

static bool swing(void *context, double time, const double *y, double *rate) {
  (void)context;
  rate[0] = y[0] * cos(time);
  return true;
}

// y' = y cos t has the solution e^(sin t). One step of h errs by h⁶, its estimate by h⁵: halving h divides them by 64
// and 32, up to terms of the next order.
static void fehlberg_has_the_orders_of_its_pair(void **state) {
  (void)state;
  const struct weir_ode ode = {1, swing, NULL};
  double start = exp(sin(0.3)), next, estimate, error[2], estimates[2];
  for (int i = 0; i < 2; i++) {
    double h = ldexp(0.2, -i);
    assert_true(weir_fehlberg_step(&ode, 0.3, h, &start, &next, &estimate));
    error[i] = fabs(next - exp(sin(0.3 + h)));
    estimates[i] = fabs(estimate);
  }
  assert_near(log2(error[0] / error[1]), 6, 0.3);
  assert_near(log2(estimates[0] / estimates[1]), 5, 0.3);
}

static bool power(void *context, double time, const double *y, double *rate) {
  (void)y;
  int n = *(const int *)context;
  rate[0] = n * pow(time, n - 1);
  return true;
}

// The fifth-order formula integrates t⁴ without error, the fourth-order one t³.
static void fehlberg_integrates_powers(void **state) {
  (void)state;
  for (int n = 1; n <= 5; n++) {
    const struct weir_ode ode = {1, power, &n};
    double y = 0, next, estimate;
    assert_true(weir_fehlberg_step(&ode, 0, 1, &y, &next, &estimate));
    assert_near(next, 1, 1e-14);
    if (n <= 4)
      assert_near(estimate, 0, 1e-14);
    else
      assert_true(fabs(estimate) > 1e-3);
  }
}

static void fehlberg_keeps_to_its_tolerance(void **state) {
  (void)state;
  const struct weir_ode ode = {1, swing, NULL};
  double y = 1;
  assert_true(weir_fehlberg(&ode, &y, 0, 10, 1e-9));
  assert_near(y, exp(sin(10)), 1e-6);
}

static bool falls_apart(void *context, double time, const double *y, double *rate) {
  (void)context, (void)time, (void)y;
  rate[0] = NAN;
  return true;
}

static bool fails(void *context, double time, const double *y, double *rate) {
  (void)context, (void)time, (void)y, (void)rate;
  return false;
}

static void fehlberg_gives_up(void **state) {
  (void)state;
  double y = 1;
  assert_false(weir_fehlberg(&(struct weir_ode){1, falls_apart, NULL}, &y, 0, 1, 1e-3));
  assert_false(weir_fehlberg(&(struct weir_ode){1, fails, NULL}, &y, 0, 1, 1e-3));
}

enum { RATES = WEIR_MYC_VARIABLES + WEIR_MYC_PLACES };

struct cell {
  double time, y[WEIR_MYC_VARIABLES], parameter[WEIR_MYC_PARAMETERS];
  double rate[RATES]; // and then what calmodulin binds
};

// Any state of the right signs, in numbers that single precision holds, and what it changes by.
static struct cell some_cell(struct weir_rng *rng) {
  struct cell c;
  for (int i = 0; i < WEIR_MYC_VARIABLES; i++) c.y[i] = 0.05 + weir_rng_unit(rng);
  for (int i = 0; i < WEIR_MYC_PARAMETERS; i++) c.parameter[i] = 1 + weir_rng_unit(rng);
  c.y[WEIR_MYC_VOLTAGE] = 140 * weir_rng_unit(rng) - 100;
  c.y[WEIR_MYC_SODIUM] = 5 + 10 * weir_rng_unit(rng);
  c.y[WEIR_MYC_POTASSIUM] = 130 + 10 * weir_rng_unit(rng);
  c.y[WEIR_MYC_STORE] = 500 * weir_rng_unit(rng);
  c.time = 3 * weir_rng_unit(rng);
  for (int i = 0; i < WEIR_MYC_VARIABLES; i++) c.y[i] = (double)(float)c.y[i];
  for (int i = 0; i < WEIR_MYC_PARAMETERS; i++) c.parameter[i] = (double)(float)c.parameter[i];
  c.time = (double)(float)c.time;
  weir_myc_reference(c.time, c.y, c.parameter, c.rate, c.rate + WEIR_MYC_VARIABLES);
  return c;
}

// What crosses the membrane as sodium, potassium and calcium, and nothing else, charges it: 1 µA/µF is 1 mV/ms, and
// 0.078 µM/ms of a single charge. Calcium counts twice, wherever in the cell it is, free or on a buffer, by the volume
// it is in.
static void myc_keeps_its_charge(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(1, 1);
  for (int i = 0; i < 100; i++) {
    const struct cell c = some_cell(&rng);
    const double *calcium = c.rate + WEIR_MYC_CALCIUM, *buffered = c.rate + WEIR_MYC_BUFFERED;
    double in_all = calcium[2] + buffered[0] + 0.03 * (calcium[1] + buffered[1]) + 0.003 * calcium[0] +
      0.05 * (c.rate[WEIR_MYC_STORE] + buffered[2]);
    double charge = 1000 * (c.rate[WEIR_MYC_SODIUM] + c.rate[WEIR_MYC_POTASSIUM]) + 2 * in_all;
    assert_near(charge / 0.078, c.rate[WEIR_MYC_VOLTAGE], 1e-9 * (1 + fabs(c.rate[WEIR_MYC_VOLTAGE])));
  }
}

// Calmodulin changes its state and is never lost: all pools but the kinase that lost its own. What it binds is two
// calcium for each step up: as much as its pools with two, and twice those with four, gain.
static void myc_keeps_its_calmodulin(void **state) {
  (void)state;
  enum { C0, C2, C4, CALCINEURIN, KINASE, PHOSPHORYLATED, AUTONOMOUS, BUFFERED };
  struct weir_rng rng = weir_rng_seed(1, 2);
  for (int i = 0; i < 100; i++) {
    struct cell c = some_cell(&rng), coupled = c;
    const double *bound = c.rate + WEIR_MYC_VARIABLES;
    weir_myc_couple(coupled.rate, bound);
    for (int place = 0; place < WEIR_MYC_PLACES; place++) {
      double change[WEIR_MYC_POOLS], sum = 0;
      for (int p = 0; p < WEIR_MYC_POOLS; p++) {
        change[p] = c.rate[WEIR_MYC_CALMODULIN + p * WEIR_MYC_PLACES + place];
        if (p != AUTONOMOUS) sum += change[p];
      }
      assert_near(sum, 0, 1e-12);
      double full = change[C4] + change[CALCINEURIN] + change[KINASE] + change[PHOSPHORYLATED];
      assert_near(bound[place], 2 * change[C2] + 4 * full, 1e-12);
      assert_near(coupled.rate[WEIR_MYC_CALCIUM + place], c.rate[WEIR_MYC_CALCIUM + place] - bound[place], 0);
    }
  }
}

static void run_kernel(struct weir_host *h, uint64_t buffer, const struct cell *c, float *got) {
  float in[WEIR_MYC_VARIABLES + WEIR_MYC_PARAMETERS], time = (float)c->time;
  for (int i = 0; i < WEIR_MYC_VARIABLES; i++) in[i] = (float)c->y[i];
  for (int i = 0; i < WEIR_MYC_PARAMETERS; i++) in[WEIR_MYC_VARIABLES + i] = (float)c->parameter[i];
  const uint64_t parameters = buffer + WEIR_MYC_VARIABLES * sizeof(float), rates = buffer + sizeof in,
                 bound = rates + WEIR_MYC_VARIABLES * sizeof(float);
  weir_host_write(h, buffer, in, sizeof in);
  assert_true(weir_launch_args(h, "myc_rates", ((struct weir_dim){2, 1, 1}), ((struct weir_dim){32, 1, 1}),
                               WEIR_ARG(buffer), WEIR_ARG(parameters), WEIR_ARG(rates), WEIR_ARG(bound),
                               WEIR_ARG(time)));
  weir_host_read(h, got, rates, RATES * sizeof *got);
}

// Over many states, where every term counts somewhere: no rate is off by more than 1e-5 of the largest of its kind, a
// hundred roundings in single precision.
static void myc_kernel_has_the_equations_of_its_reference(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_app *a = weir_app_open("myc", &(struct weir_app_options){.seed = 1, .lanes = 32}, &sink);
  assert_non_null(a);
  struct weir_host *h = weir_app_host(a);
  weir_host_attach(h, weir_functional_backend(NULL));
  uint64_t buffer = weir_host_alloc(h, "cell", 1024);
  struct weir_rng rng = weir_rng_seed(1, 3);
  double largest[RATES] = {0}, off[RATES] = {0};
  for (int i = 0; i < 300; i++) {
    const struct cell c = some_cell(&rng);
    float got[RATES];
    run_kernel(h, buffer, &c, got);
    for (int r = 0; r < RATES; r++) {
      largest[r] = fmax(largest[r], fabs(c.rate[r]));
      off[r] = fmax(off[r], fabs((double)got[r] - c.rate[r]));
    }
  }
  for (int r = 0; r < RATES; r++) assert_near(off[r], 0, 1e-5 * largest[r]);
  weir_app_free(a);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gau_of_a_matrix_with_known_factors),
    cmocka_unit_test(gau_stops_after_the_columns_asked_for),
    cmocka_unit_test(convolution_of_one_pixel_is_the_filter),
    cmocka_unit_test(kmeans_of_five_points),
    cmocka_unit_test(fehlberg_has_the_orders_of_its_pair),
    cmocka_unit_test(fehlberg_integrates_powers),
    cmocka_unit_test(fehlberg_keeps_to_its_tolerance),
    cmocka_unit_test(fehlberg_gives_up),
    cmocka_unit_test(myc_keeps_its_charge),
    cmocka_unit_test(myc_keeps_its_calmodulin),
    cmocka_unit_test(myc_kernel_has_the_equations_of_its_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
