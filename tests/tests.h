// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The tests that one executable holds (weir_tests, cmake/Rooms.cmake): each test's `main` is renamed test_NNN_name, and this
// header put before its source. tests.def is the list.
#ifndef WEIR_TESTS_TESTS_H
#define WEIR_TESTS_TESTS_H

#define TEST(name) int test_##name(void);
#include "tests.def"
#undef TEST

#endif
