// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU references of Holey et al.'s programs on cases whose answers are known without them.
#include "binomial/binomial.h"
#include "boxfilter/boxfilter.h"
#include "dwthaar/dwthaar.h"
#include "eigen/eigen.h"
#include "sobel/sobel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_near(got, want, by) assert_true(fabs((double)(got) - (double)(want)) <= (by))

enum { WIDTH = 24, HEIGHT = 20, CHANNELS = 4 };

typedef uint8_t image[HEIGHT][WIDTH][CHANNELS];

// A slope of c per column: a difference of 2 c between right and left, weighted 1, 2 and 1, is 8 c, of which the result
// is half. Channels have slopes of 0 to 3; the border is left alone.
static void sobel_of_a_slope(void **state) {
  (void)state;
  image in, out;
  memset(out, 77, sizeof out);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < CHANNELS; c++) in[y][x][c] = (uint8_t)(c * x);
  weir_sobel_reference(out[0][0], in[0][0], WIDTH, HEIGHT);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < CHANNELS; c++) {
        bool border = x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1;
        assert_int_equal(out[y][x][c], border ? 77 : 4 * c);
      }
}

// One bright pixel of value v: beside it 2 v / 2, at its corners √2 v / 2, rounded down; nothing more than 255; nothing
// at the pixel itself.
static void sobel_of_a_point(void **state) {
  (void)state;
  static image in, out;
  in[5][7][0] = 100;
  in[5][7][3] = 255;
  weir_sobel_reference(out[0][0], in[0][0], WIDTH, HEIGHT);
  assert_int_equal(out[5][6][0], 100);
  assert_int_equal(out[4][7][0], 100);
  assert_int_equal(out[6][8][0], 70); // 70.7
  assert_int_equal(out[5][8][3], 255);
  assert_int_equal(out[4][6][3], 180); // 180.3
  assert_int_equal(out[5][7][0], 0);
  assert_int_equal(out[5][6][1], 0);
  assert_int_equal(out[5][9][0], 0);
}

// 9 × 27 spread over a row of nine pixels, then over nine columns: 27 and 3.
static void box_of_a_point(void **state) {
  (void)state;
  static image in, out;
  in[10][11][2] = 243;
  weir_box_reference(out[0][0], in[0][0], WIDTH, HEIGHT, 4);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < CHANNELS; c++)
        assert_int_equal(out[y][x][c], c == 2 && abs(y - 10) <= 4 && abs(x - 11) <= 4 ? 3 : 0);
}

// Windows of three: (1 + 2 + 6) / 3, (2 + 6 + 9) / 3 rounded down, (6 + 9 + 15) / 3.
static void box_of_a_line(void **state) {
  (void)state;
  const uint8_t in[] = {1, 2, 6, 9, 15};
  uint8_t out[5];
  weir_box_line(out, in, 5, 1, 1);
  assert_memory_equal(out, ((uint8_t[]){0, 3, 5, 10, 0}), 5);
}

// (1, 2, 3, 5) / √4: differences of neighbours over √2, then of (3, 8) / √2 / √4 over √2; the average 11 / 4.
static void haar_of_four_samples(void **state) {
  (void)state;
  float out[4];
  weir_haar_reference(out, (const float[]){1, 2, 3, 5}, 4);
  assert_near(out[0], 2.75, 1e-7);
  assert_near(out[1], -1.25, 1e-7);
  assert_near(out[2], -0.5 * sqrt(0.5), 1e-7);
  assert_near(out[3], -1 * sqrt(0.5), 1e-7);
}

// Parseval: an orthonormal transform keeps the sum of the squares, here over the number of samples.
static void haar_keeps_the_energy(void **state) {
  (void)state;
  enum { N = 1024 };
  float signal[N], out[N];
  double before = 0, after = 0;
  for (int i = 0; i < N; i++) before += pow(signal[i] = (float)(i * 37 % 101), 2) / N;
  weir_haar_reference(out, signal, N);
  for (int i = 0; i < N; i++) after += pow((double)out[i], 2);
  assert_near(after / before, 1, 1e-6);
}

// Shreve, Stochastic Calculus for Finance I (2004), chapter 1: a stock of 4 that doubles or halves, at 25 % a step. Both
// happen with probability 1/2; of 16, 4 and 1 only 16 is above a strike of 4: 12 / 4 / 1.25².
static void binomial_of_two_steps(void **state) {
  (void)state;
  const struct weir_option o = {.stock = 4, .strike = 4, .years = 2, .riskfree = log(1.25), .volatility = log(2)};
  assert_near(weir_binomial_reference(&o, 2), 1.92, 1e-12);
}

// Hull, Options, Futures, and Other Derivatives, example of the Black-Scholes-Merton formulas: 4.76. And what costs
// nothing to exercise is worth the stock.
static void binomial_of_many_steps(void **state) {
  (void)state;
  struct weir_option o = {.stock = 42, .strike = 40, .years = 0.5, .riskfree = 0.1, .volatility = 0.2};
  assert_near(weir_binomial_reference(&o, 254), 4.76, 0.01);
  o.strike = 0;
  assert_near(weir_binomial_reference(&o, 254), 42, 1e-9);
}

// 2 on the diagonal and -1 beside it: 2 - 2 cos(k π / (n + 1)).
static void eigenvalues_of_the_second_difference(void **state) {
  (void)state;
  enum { N = 50 };
  float diagonal[N], below[N - 1], lower, upper;
  double values[N];
  for (int i = 0; i < N; i++) diagonal[i] = 2;
  for (int i = 0; i + 1 < N; i++) below[i] = -1;
  weir_eigen_bounds(diagonal, below, N, &lower, &upper);
  assert_true(lower < 0 && lower > -0.01F && upper > 4 && upper < 4.01F);
  weir_eigen_reference(values, diagonal, below, N);
  for (int k = 0; k < N; k++) assert_near(values[k], 2 - 2 * cos((k + 1) * 3.14159265358979323846 / (N + 1)), 1e-13);
}

// (3 ± √((1 - 2)² + 4 × 6²)) / 2 of ((1, 6), (6, 2)).
static void eigenvalues_of_two_by_two(void **state) {
  (void)state;
  double values[2];
  weir_eigen_reference(values, (const float[]){1, 2}, (const float[]){6}, 2);
  assert_near(values[0], (3 - sqrt(145)) / 2, 1e-14);
  assert_near(values[1], (3 + sqrt(145)) / 2, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sobel_of_a_slope),
    cmocka_unit_test(sobel_of_a_point),
    cmocka_unit_test(box_of_a_point),
    cmocka_unit_test(box_of_a_line),
    cmocka_unit_test(haar_of_four_samples),
    cmocka_unit_test(haar_keeps_the_energy),
    cmocka_unit_test(binomial_of_two_steps),
    cmocka_unit_test(binomial_of_many_steps),
    cmocka_unit_test(eigenvalues_of_the_second_difference),
    cmocka_unit_test(eigenvalues_of_two_by_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
