// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The driver's interface as weir declares it is NVIDIA's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "declarations.h"

static void test_values(void **state) {
  (void)state;
  if (!facts_of_cuda[0].text) skip();
  unsigned k = 0;
  for (; facts_of_weir[k].text; k++) {
    assert_string_equal(facts_of_weir[k].text, facts_of_cuda[k].text);
    if (facts_of_weir[k].value == facts_of_cuda[k].value) continue;
    fail_msg("%s is %lld here and %lld in cuda.h", facts_of_weir[k].text, facts_of_weir[k].value,
             facts_of_cuda[k].value);
  }
  assert_null(facts_of_cuda[k].text);
  assert_true(k > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
