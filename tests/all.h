// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Whether `make test-all` runs the tests: then those that draw at random draw more, and those of many cases run every one.
#ifndef WEIR_TESTS_ALL_H
#define WEIR_TESTS_ALL_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool test_all(void) {
  return getenv("WEIR_TEST_ALL") != NULL;
}

#endif
