// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the pass writes is PTX that parses, the same whenever it is asked, for the module is left as it was; and what it
// wrote can be given to it again: names that it makes up meet their like.
#include "base/alloc.h"
#include "base/rng.h"
#include "ptx/print.h"
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KERNELS = SL1_FEWER(60), FIRST = 5001 };

static struct weir_sl1_options options_of(uint64_t seed, const struct sl1_kernel *k) {
  struct weir_rng rng = weir_rng_seed(seed, 287);
  struct weir_sl1_options o = weir_sl1_defaults();
  o.threshold = 8;
  o.alias = k->aliases ? WEIR_SL1_ALIAS_SEARCH : (enum weir_sl1_alias)weir_rng_below(&rng, 3);
  o.scope = (enum weir_sl1_scope)weir_rng_below(&rng, 2);
  o.layout = (enum weir_sl1_layout)weir_rng_below(&rng, 2);
  o.remonitor = weir_rng_below(&rng, 2);
  o.counters = weir_rng_below(&rng, 2);
  return o;
}

static struct weir_module *parsed(uint64_t seed, const char *text) {
  char message[512];
  struct weir_module *m = sl1_parse(text, message, sizeof message);
  if (!m) fail_msg("seed %llu: %s", (unsigned long long)seed, message);
  return m;
}

static char *printed(const struct weir_module *m) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  weir_ptx_print(m, to);
  fclose(to);
  return text;
}

static void assert_same_text(uint64_t seed, const char *a, const char *b, const char *what) {
  if (strcmp(a, b) != 0) fail_msg("seed %llu: %s", (unsigned long long)seed, what);
}

static void is_determined(void **state) {
  (void)state;
  for (uint64_t seed = FIRST; seed < FIRST + KERNELS; seed++) {
    struct sl1_kernel k;
    sl1_kernel_draw(&k, seed);
    const struct weir_sl1_options o = options_of(seed, &k);
    struct weir_module *one = parsed(seed, k.text), *other = parsed(seed, k.text);
    char *before = printed(one), *first = weir_sl1_transform(one, &o, NULL), *after = printed(one);
    char *again = weir_sl1_transform(one, &o, NULL), *apart = weir_sl1_transform(other, &o, NULL);
    assert_same_text(seed, before, after, "the module has changed");
    assert_same_text(seed, first, again, "the second transform of a module is not the first");
    assert_same_text(seed, first, apart, "the transforms of two equal modules differ");
    free(before);
    free(after);
    weir_free(first);
    weir_free(again);
    weir_free(apart);
    weir_module_free(one);
    weir_module_free(other);
    sl1_kernel_free(&k);
  }
}

static void assert_same_outputs(const struct sl1_kernel *k, const struct weir_module *original,
                                const struct weir_module *transformed) {
  char message[600];
  struct sl1_outcome want, got;
  const struct sl1_way plain = {.lanes = 32}, extended = {.lanes = 32, .extended = true, .lines = 8};
  sl1_run(k, original, &plain, &want);
  sl1_run(k, transformed, &extended, &got);
  if (sl1_differ(k, &want, &got, message, sizeof message))
    fail_msg("seed %llu: %s", (unsigned long long)k->seed, message);
  weir_free(want.bytes);
  weir_free(got.bytes);
}

static void can_be_given_its_own_output(void **state) {
  (void)state;
  for (uint64_t seed = FIRST; seed < FIRST + KERNELS; seed++) {
    struct sl1_kernel k;
    sl1_kernel_draw(&k, seed);
    const struct weir_sl1_options o = options_of(seed, &k);
    struct weir_module *m = parsed(seed, k.text);
    char *once = weir_sl1_transform(m, &o, NULL);
    struct weir_module *of_once = parsed(seed, once);
    char *twice = weir_sl1_transform(of_once, &o, NULL);
    struct weir_module *of_twice = parsed(seed, twice);
    assert_same_outputs(&k, m, of_twice);
    weir_module_free(of_twice);
    weir_module_free(of_once);
    weir_module_free(m);
    weir_free(twice);
    weir_free(once);
    sl1_kernel_free(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_determined), cmocka_unit_test(can_be_given_its_own_output)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
