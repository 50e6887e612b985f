// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// C++ names, as the Itanium ABI's chapter on mangling spells them. The machine that runs tests has a C++ runtime.
#include "base_test.h"

#include "base/alloc.h"
#include "base/demangle.h"

static void expect(const char *symbol, const char *whole, const char *brief) {
  char *name = weir_demangle(symbol), *less = weir_demangle_short(symbol);
  assert_string_equal(name, whole);
  assert_string_equal(less, brief);
  weir_free(name);
  weir_free(less);
}

static void test_names(void **state) {
  (void)state;
  expect("spmv", "spmv", "spmv");
  expect("_Z4spmviPKfPf", "spmv", "spmv");
  expect("_ZN2ns5inner1kEv", "ns::inner::k", "ns::inner::k");
  expect("_Z1kIfLi4EEvPT_", "k<float, 4>", "k");
  expect("_ZN2ns1kISt4pairIifEEEvPT_PFvvE", "ns::k<std::pair<int, float> >", "ns::k");
  expect("_ZN2ns5tableE", "ns::table", "ns::table");
  expect("_Zwrong", "_Zwrong", "_Zwrong");
  expect("", "", "");
  expect("cudaMalloc at p.cu:12 (4 KiB)", "cudaMalloc at p.cu:12 (4 KiB)",
         "cudaMalloc at p.cu:12 (4 KiB)"); // no symbol
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
