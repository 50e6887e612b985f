// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The workloads' CPU references on cases whose answers are known without them.
#include "backprop/backprop.h"
#include "dct/dct.h"
#include "lud/lud.h"
#include "nw/nw.h"
#include "srad/srad.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define assert_near(got, want, by) assert_true(fabs((double)(got) - (double)(want)) <= (by))

// Two pixels with values 1 and 3. Mean 2, variance 1: noise 1/4. First: gradient 4, Laplacian 2, variation (2 - 1/4) /
// (3/2)² = 7/9, c = 1 / (1 + (7/9 - 1/4) / (5/16)) = 45/121. Second: gradient 4/9, Laplacian -2/3, variation (2/9 -
// 1/36) / (5/6)² = 7/25, c = 1 / (1 + (7/25 - 1/4) / (5/16)) = 125/137. The flow between the two has the second's
// coefficient: 2 × 125/137, of which lambda / 4 = 1/8 moves.
static void srad_of_two_pixels(void **state) {
  (void)state;
  const double moved = 250.0 / 137 / 8;
  double across[2] = {0, 255 * log(3)}, down[2] = {0, 255 * log(3)};
  weir_srad_reference(across, 1, 2, 1, 0.5);
  weir_srad_reference(down, 2, 1, 1, 0.5);
  assert_near(across[0], 255 * log(1 + moved), 1e-9);
  assert_near(across[1], 255 * log(3 - moved), 1e-9);
  assert_near(down[0], across[0], 1e-9);
  assert_near(down[1], across[1], 1e-9);
}

// What leaves a pixel enters its neighbour, and the borders are closed.
static void srad_keeps_the_sum_of_the_values(void **state) {
  (void)state;
  double image[5 * 7], before = 0, after = 0;
  for (unsigned i = 0; i < 35; i++) before += exp((image[i] = i * 37 % 101) / 255);
  weir_srad_reference(image, 5, 7, 4, 0.5);
  for (unsigned i = 0; i < 35; i++) after += exp(image[i] / 255);
  assert_near(before, after, 1e-9);
}

static void dct_of_a_flat_block_is_its_mean(void **state) {
  (void)state;
  float flat[64], out[64];
  for (unsigned i = 0; i < 64; i++) flat[i] = 10;
  weir_dct_reference(out, flat, 8);
  assert_near(out[0], 80, 1e-5); // orthonormal: 64 × 10 / 8
  for (unsigned i = 1; i < 64; i++) assert_near(out[i], 0, 1e-5);
}

// A block that is one basis function has one coefficient, here in the second of two blocks.
static void dct_of_a_basis_function_is_one_coefficient(void **state) {
  (void)state;
  float image[16 * 16] = {0}, out[16 * 16], cosine[64];
  weir_dct_matrix(cosine);
  for (unsigned y = 0; y < 8; y++)
    for (unsigned x = 0; x < 8; x++) image[y * 16 + 8 + x] = 100 * cosine[3 * 8 + y] * cosine[5 * 8 + x];
  weir_dct_reference(out, image, 16);
  for (unsigned i = 0; i < 256; i++) assert_near(out[i], i == 3 * 16 + 8 + 5 ? 100 : 0, 1e-4);
}

// Durbin, Eddy, Krogh and Mitchison, Biological Sequence Analysis (1998), figures 2.3 and 2.5: HEAGAWGHEE against
// PAWHEAE with BLOSUM50 and a gap cost of 8; the best global alignment scores 1. Every entry was gone over by hand: P
// against W, for one, is the largest of -40 - 4, -33 - 8 and -48 - 8.
static void nw_of_the_textbook_example(void **state) {
  (void)state;
  static const int32_t similarity[8][11] = {
    {0},
    {0, -2, -1, -1, -2, -1, -4, -2, -2, -1, -1},
    {0, -2, -1, 5, 0, 5, -3, 0, -2, -1, -1},
    {0, -3, -3, -3, -3, -3, 15, -3, -3, -3, -3},
    {0, 10, 0, -2, -2, -2, -3, -2, 10, 0, 0},
    {0, 0, 6, -1, -3, -1, -3, -3, 0, 6, 6},
    {0, -2, -1, 5, 0, 5, -3, 0, -2, -1, -1},
    {0, 0, 6, -1, -3, -1, -3, -3, 0, 6, 6},
  };
  static const int32_t want[8][11] = {
    {0, -8, -16, -24, -32, -40, -48, -56, -64, -72, -80},  {-8, -2, -9, -17, -25, -33, -41, -49, -57, -65, -73},
    {-16, -10, -3, -4, -12, -20, -28, -36, -44, -52, -60}, {-24, -18, -11, -6, -7, -15, -5, -13, -21, -29, -37},
    {-32, -14, -18, -13, -8, -9, -13, -7, -3, -11, -19},   {-40, -22, -8, -16, -16, -9, -12, -15, -7, 3, -5},
    {-48, -30, -16, -3, -11, -11, -12, -12, -15, -5, 2},   {-56, -38, -24, -11, -6, -12, -14, -15, -12, -9, 1},
  };
  int32_t score[8][11];
  weir_nw_reference(score[0], similarity[0], 7, 10, 8);
  assert_memory_equal(score, want, sizeof want);
}

static void blosum62_is_symmetric_and_best_on_its_diagonal(void **state) {
  (void)state;
  static const int8_t diagonal[] = {4, 5, 6, 6, 9, 5, 5, 6, 8, 4, 4, 5, 5, 6, 7, 4, 5, 11, 7, 4};
  for (unsigned i = 0; i < WEIR_AMINO_ACIDS; i++) {
    assert_int_equal(weir_blosum62[i][i], diagonal[i]);
    for (unsigned j = 0; j < WEIR_AMINO_ACIDS; j++) {
      assert_int_equal(weir_blosum62[i][j], weir_blosum62[j][i]);
      assert_true(i == j || weir_blosum62[i][j] < weir_blosum62[i][i]);
    }
  }
}

// a[i][j] = r^|i - j| has the factors l[i][j] = r^(i - j); u[0][j] = r^j and u[i][j] = (1 - r²) r^(j - i). With r = 1/2
// every number is exact.
static void lud_of_a_matrix_with_known_factors(void **state) {
  (void)state;
  enum { N = 9 };
  double a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = ldexp(1, i < j ? i - j : j - i);
  weir_lud_reference(a[0], N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) assert_near(a[i][j], i > j ? ldexp(1, j - i) : ldexp(i ? 0.75 : 1, i - j), 0);
}

// Nets of 0: hidden units and output are 1/2, the output's error 1/4 × (1 - 1/2) = 1/8, a hidden error term 1/4 × 1/8 ×
// its weight to the output.
static void backprop_of_a_network_at_rest(void **state) {
  (void)state;
  enum { INPUTS = 16, WEIGHTS = (INPUTS + 1) * WEIR_BACKPROP_PITCH };
  struct weir_backprop_output output = {.target = 1, .weight = {[1] = 1, [2] = -1}};
  float input[INPUTS + 1];
  double weight[WEIGHTS] = {0}, previous[WEIGHTS], partial[WEIR_BACKPROP_HIDDEN] = {0};
  for (unsigned i = 0; i <= INPUTS; i++) input[i] = i == 5 ? 2 : 1;
  for (unsigned i = 0; i < WEIGHTS; i++) previous[i] = 1;
  weir_backprop_reference(&output, input, INPUTS, weight, previous, partial);
  for (unsigned i = 0; i <= INPUTS; i++) {
    double step = 0.3 / 32 * (i == 5 ? 2 : 1);
    assert_near(weight[i * WEIR_BACKPROP_PITCH + 1], step + 0.3, 1e-15);
    assert_near(weight[i * WEIR_BACKPROP_PITCH + 2], -step + 0.3, 1e-15);
    assert_near(previous[i * WEIR_BACKPROP_PITCH + 3], 0.3, 1e-15);
  }
  assert_near(output.weight[0], 0.3 / 8, 1e-15);
  assert_near(output.weight[1], 1 + 0.3 / 16, 1e-15);
}

static void backprop_adds_up_sixteen_inputs_at_a_time(void **state) {
  (void)state;
  enum { INPUTS = 32, WEIGHTS = (INPUTS + 1) * WEIR_BACKPROP_PITCH };
  struct weir_backprop_output output = {0};
  float input[INPUTS + 1];
  double weight[WEIGHTS], previous[WEIGHTS] = {0}, partial[2 * WEIR_BACKPROP_HIDDEN] = {0};
  for (unsigned i = 0; i <= INPUTS; i++) input[i] = (float)i;
  for (unsigned i = 0; i < WEIGHTS; i++) weight[i] = i % WEIR_BACKPROP_PITCH;
  weir_backprop_reference(&output, input, INPUTS, weight, previous, partial);
  for (unsigned u = 1; u <= WEIR_BACKPROP_HIDDEN; u++) {
    assert_near(partial[u - 1], 136 * u, 0);                        // 1 + … + 16
    assert_near(partial[WEIR_BACKPROP_HIDDEN + u - 1], 392 * u, 0); // 17 + … + 32
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(srad_of_two_pixels),
    cmocka_unit_test(srad_keeps_the_sum_of_the_values),
    cmocka_unit_test(dct_of_a_flat_block_is_its_mean),
    cmocka_unit_test(dct_of_a_basis_function_is_one_coefficient),
    cmocka_unit_test(nw_of_the_textbook_example),
    cmocka_unit_test(blosum62_is_symmetric_and_best_on_its_diagonal),
    cmocka_unit_test(lud_of_a_matrix_with_known_factors),
    cmocka_unit_test(backprop_of_a_network_at_rest),
    cmocka_unit_test(backprop_adds_up_sixteen_inputs_at_a_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
