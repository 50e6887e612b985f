// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a branch predictor can learn and what it cannot, and where a program's pages lie.
#include "machine.h"

#include "base/rng.h"
#include "cpu/pages.h"

static struct weir_trace_static branch_at(uint64_t pc, enum weir_trace_branch kind, bool taken) {
  return (struct weir_trace_static){
    .pc = pc, .length = 4, .kind = WEIR_TRACE_INTEGER, .branch = (uint8_t)kind, .taken = taken};
}

static bool foreseen(struct weir_predictor *p, uint64_t pc, enum weir_trace_branch kind, bool taken, uint64_t to) {
  const struct weir_trace_static s = branch_at(pc, kind, taken);
  return weir_predictor_see(p, &s, taken ? to : pc + 4) != WEIR_MISPREDICTED;
}

static bool conditional(struct weir_predictor *p, uint64_t pc, bool taken) {
  return foreseen(p, pc, WEIR_TRACE_CONDITIONAL, taken, 0x9000);
}

// Mispredictions among 1000 executions of the last branch of a pattern, after 1000 that it may learn from.
typedef bool pattern(struct weir_predictor *p, struct weir_rng *rng, unsigned n); // was the last one foreseen?

static unsigned missed(pattern *make) {
  struct weir_predictor p;
  struct weir_rng rng = weir_rng_seed(3, 9);
  weir_predictor_init(&p, &four_wide);
  unsigned count = 0;
  for (unsigned n = 0; n < 2000; n++) count += !make(&p, &rng, n) && n >= 1000;
  weir_predictor_free(&p);
  return count;
}

static bool alternating(struct weir_predictor *p, struct weir_rng *rng, unsigned n) {
  (void)rng;
  return conditional(p, 0x100, n % 2);
}

static bool loop_of_eight(struct weir_predictor *p, struct weir_rng *rng, unsigned n) {
  (void)rng;
  return conditional(p, 0x100, n % 8 != 7);
}

static bool random_branch(struct weir_predictor *p, struct weir_rng *rng, unsigned n) {
  (void)n;
  return conditional(p, 0x100, weir_rng_below(rng, 2));
}

static bool as_an_older_one(struct weir_predictor *p, struct weir_rng *rng, unsigned n) {
  (void)n;
  const bool older = weir_rng_below(rng, 2);
  conditional(p, 0x200, older);
  conditional(p, 0x300, weir_rng_below(rng, 2));
  return conditional(p, 0x100, !older);
}

static bool exclusive_or_of_two(struct weir_predictor *p, struct weir_rng *rng, unsigned n) {
  (void)n;
  const bool a = weir_rng_below(rng, 2), b = weir_rng_below(rng, 2);
  conditional(p, 0x200, a);
  conditional(p, 0x300, b);
  return conditional(p, 0x100, a != b);
}

static void test_directions(void **state) {
  (void)state;
  assert_int_equal(missed(alternating), 0);
  assert_int_equal(missed(loop_of_eight), 0);
  assert_true(missed(as_an_older_one) < 100); // by chance 500; the bits of the random branches stay a small noise
  // a fair coin: 500 of 1000, six standard deviations of 15.8 to either side
  assert_in_range(missed(random_branch), 405, 595);
  // a perceptron learns what is linearly separable, and no exclusive or (Jiménez and Lin, section 3.4)
  assert_true(missed(exclusive_or_of_two) > 300);
}

static bool changing_target(struct weir_predictor *p, struct weir_rng *rng, unsigned n) {
  (void)rng;
  static const uint64_t targets[] = {0x5000, 0x6100, 0x7200};
  return foreseen(p, 0x100, WEIR_TRACE_INDIRECT, true, targets[n % 3]);
}

static void test_targets(void **state) {
  (void)state;
  struct weir_predictor p;
  weir_predictor_init(&p, &four_wide);
  const struct weir_trace_static jump = branch_at(0x100, WEIR_TRACE_JUMP, true);
  assert_int_equal(weir_predictor_see(&p, &jump, 0x500), WEIR_PREDICTED_LATE);
  assert_int_equal(weir_predictor_see(&p, &jump, 0x500), WEIR_PREDICTED);
  weir_predictor_free(&p);
  assert_int_equal(missed(changing_target), 0); // by the path
}

// Calls nested `depth` deep, then as many returns: how many of these are foreseen.
static unsigned returns_of(unsigned depth, uint8_t length) {
  struct weir_predictor p;
  weir_predictor_init(&p, &four_wide);
  unsigned right = 0;
  for (unsigned d = 0; d < depth; d++) {
    struct weir_trace_static call = branch_at(0x1000 + 0x100 * d, WEIR_TRACE_CALL, true);
    call.length = length;
    weir_predictor_see(&p, &call, 0x1100 + 0x100 * d);
  }
  for (unsigned d = depth; d--;) right += foreseen(&p, 0x4000, WEIR_TRACE_RETURN, true, 0x1000 + 0x100 * d + 5);
  weir_predictor_free(&p);
  return right;
}

static void test_returns(void **state) {
  (void)state;
  assert_int_equal(returns_of(16, 5), 16);
  assert_int_equal(returns_of(20, 5), 16); // the stack keeps the newest ones
  assert_int_equal(returns_of(16, 0), 16); // their length is not known: behind the call will do
  assert_int_equal(returns_of(16, 4), 0);
}

static void test_pages(void **state) {
  (void)state;
  struct weir_pages one, two;
  weir_pages_init(&one, 1);
  weir_pages_init(&two, 2);
  assert_int_equal(weir_pages_address(&one, 0x7fff12345678), (UINT64_C(1) << 40) + 0x678);
  assert_int_equal(weir_pages_address(&one, 0x1000), (UINT64_C(1) << 40) + 0x1000);
  assert_int_equal(weir_pages_address(&one, 0x7fff12345001), (UINT64_C(1) << 40) + 1);
  assert_int_equal(weir_pages_address(&two, 0x1000), UINT64_C(2) << 40);
  for (uint64_t n = 0; n < 5000; n++) weir_pages_address(&two, 0x1000 + n * 0x40000);
  for (uint64_t n = 0; n < 5000; n++) // in the order of their first touch, however the table has grown
    assert_int_equal(weir_pages_address(&two, 0x1000 + n * 0x40000), (UINT64_C(2) << 40) + n * 4096);
  weir_pages_free(&one);
  weir_pages_free(&two);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_directions), cmocka_unit_test(test_targets),
                                     cmocka_unit_test(test_returns), cmocka_unit_test(test_pages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
