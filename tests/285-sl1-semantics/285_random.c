// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels drawn at random leave the same bytes in memory with S-L1 and without, whatever its options, on warps of 32 and
// of 64 lanes; and they do use their lines.
//   WEIR_SL1_KERNELS=N      as many kernels (30; 240 in `make test-all`)
//   WEIR_SL1_SEED=S         that kernel alone; prints it and what becomes of it
//   WEIR_SL1_OPTIONS=LIST, WEIR_SL1_LINES=N   with those options and lines per thread alone
#include "all.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
  KERNELS = SL1_FEWER(80) < 30 ? SL1_FEWER(80) : 30,
  ALL_KERNELS = SL1_FEWER(240),
  CONFIGURATIONS = 4,
  MOST_FAILURES = 20
};

struct tally {
  unsigned kernels, candidates; // with something to cache
  unsigned cached, hit, wrote;  // of those whose counters are on, those with a line that was filled, hit, written back
  unsigned counted;             // runs with counters, candidates and room
  unsigned failures;
};

struct configuration {
  struct weir_sl1_options options;
  uint32_t lines;
};

static uint32_t below(struct weir_rng *rng, uint32_t n) {
  return (uint32_t)weir_rng_below(rng, n);
}

static struct configuration draw_configuration(const struct sl1_kernel *k, struct weir_rng *rng) {
  static const uint32_t line_bytes[] = {8, 16, 16, 24, 32}, floors[] = {0, 10, 50};
  struct weir_sl1_options o = weir_sl1_defaults();
  o.line_bytes = line_bytes[below(rng, 5)];
  o.threshold = 1 + below(rng, 1u << below(rng, 6));
  o.rw_factor = 1 + below(rng, 2);
  o.floor_percent = floors[below(rng, 3)];
  o.most_lines = below(rng, 3) ? 0 : 1 + below(rng, 3);
  o.count = (enum weir_sl1_count)below(rng, 2);
  o.scope = (enum weir_sl1_scope)(below(rng, 4) == 0);
  o.alias = (enum weir_sl1_alias)below(rng, k->aliases ? 2 : 3);
  o.layout = (enum weir_sl1_layout)below(rng, 2);
  o.write_miss = (enum weir_sl1_write_miss)below(rng, 2);
  o.cacheable = (enum weir_sl1_cacheable)(below(rng, 20) == 0);
  o.barrier_fence = k->exchanges || below(rng, 2);
  o.remonitor = below(rng, 2);
  o.static_proof = below(rng, 2);
  o.original_slice = below(rng, 2);
  o.counters = below(rng, 3) != 0;
  return (struct configuration){o, below(rng, 3) ? 8 : below(rng, 4)};
}

// From the environment, over what was drawn. False: it says nothing.
static bool chosen_configuration(struct configuration *c) {
  const char *options = getenv("WEIR_SL1_OPTIONS"), *lines = getenv("WEIR_SL1_LINES");
  struct weir_sink sink = {0};
  if (options) {
    c->options = weir_sl1_defaults();
    if (!weir_param_set_list(&weir_sl1_table, &c->options, options, weir_option_place("WEIR_SL1_OPTIONS"), &sink))
      weir_sink_print(&sink, stderr);
  }
  if (lines) c->lines = (uint32_t)strtoul(lines, NULL, 10);
  weir_sink_free(&sink);
  return options || lines;
}

static void complain(struct tally *t, const struct sl1_kernel *k, const struct configuration *c,
                     const struct sl1_way *way, const char *message) {
  fflush(stdout);
  char *options = weir_param_changes(&weir_sl1_table, &c->options);
  t->failures++;
  fprintf(stderr, "seed %llu, %u lanes%s: %s\n  again: WEIR_SL1_SEED=%llu WEIR_SL1_OPTIONS=%s WEIR_SL1_LINES=%u\n",
          (unsigned long long)k->seed, way->lanes, way->shuffled ? ", warps in random order" : "", message,
          (unsigned long long)k->seed, options, c->lines);
  weir_free(options);
}

static void count(struct tally *t, const struct configuration *c, uint32_t candidates, const struct sl1_outcome *got) {
  if (!c->options.counters || !candidates || !c->lines || c->options.cacheable) return;
  t->counted++;
  t->cached += got->counts[WEIR_SL1_FILLS] > 0;
  t->hit += got->counts[WEIR_SL1_HITS] > 0;
  t->wrote += got->counts[WEIR_SL1_WRITTEN_BYTES] > 0;
}

static uint32_t candidates_of(const struct weir_sl1_report *r) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < r->kernel_count; i++)
    if (r->kernels[i].transformed && r->kernels[i].candidates > most) most = r->kernels[i].candidates;
  return most;
}

static void run_one(struct tally *t, const struct sl1_kernel *k, const struct weir_module *m,
                    const struct configuration *c, uint32_t candidates, const struct sl1_way *way,
                    const struct sl1_outcome *want) {
  char message[600];
  struct sl1_outcome got;
  sl1_run(k, m, way, &got);
  if (sl1_differ(k, want, &got, message, sizeof message))
    complain(t, k, c, way, message);
  else if (way->extended)
    count(t, c, candidates, &got);
  weir_free(got.bytes);
}

static void try_configuration(struct tally *t, const struct sl1_kernel *k, const struct weir_module *original,
                              const struct configuration *c, const struct sl1_outcome want[2]) {
  char message[512];
  struct weir_sl1_report report;
  char *text = weir_sl1_transform(original, &c->options, &report);
  const uint32_t candidates = candidates_of(&report);
  if (getenv("WEIR_SL1_SEED")) printf("// ---- with S-L1\n%s", text);
  t->candidates += candidates > 0;
  struct weir_module *m = sl1_parse(text, message, sizeof message);
  const bool extended = c->options.threshold % 16 != 15; // else as one who knows nothing of S-L1 launches it
  const unsigned before = t->failures;
  for (unsigned i = 0; i < 2 && t->failures == before; i++) {
    struct sl1_way way = {.lanes = i ? 64 : 32, .extended = extended, .lines = c->lines};
    if (c->options.threshold % 3 == 0) way.shuffled = k->seed + 1;
    if (!m)
      complain(t, k, c, &way, message);
    else
      run_one(t, k, m, c, candidates, &way, &want[i]);
  }
  if (m) weir_module_free(m);
  weir_sl1_report_free(&report);
  weir_free(text);
}

// The kernel without S-L1 runs, and its outputs do not depend on the order of warps or their width: else it is the
// generator that is wrong. Lanes that tell each other things know the width.
static bool is_sound(struct tally *t, const struct sl1_kernel *k, const struct weir_module *m,
                     struct sl1_outcome want[2]) {
  char message[600];
  const struct configuration none = {.options = weir_sl1_defaults()};
  bool sound = true;
  for (unsigned i = 0; i < 2; i++) {
    struct sl1_outcome shuffled;
    struct sl1_way way = {.lanes = i ? 64 : 32};
    sl1_run(k, m, &way, &want[i]);
    way.shuffled = k->seed + 7;
    sl1_run(k, m, &way, &shuffled);
    if (sl1_differ(k, &want[0], &want[i], message, sizeof message) ||
        sl1_differ(k, &want[i], &shuffled, message, sizeof message)) {
      char full[700];
      snprintf(full, sizeof full, "without S-L1: %s", message);
      complain(t, k, &none, &way, full);
      sound = false;
    }
    weir_free(shuffled.bytes);
  }
  return sound;
}

static void try_kernel(struct tally *t, uint64_t seed) {
  char message[512];
  struct sl1_kernel k;
  struct sl1_outcome want[2] = {0};
  sl1_kernel_draw(&k, seed);
  if (getenv("WEIR_SL1_SEED")) printf("%s", k.text);
  struct weir_module *m = sl1_parse(k.text, message, sizeof message);
  if (!m) fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, message);
  t->kernels++;
  t->failures += !m;
  if (m && is_sound(t, &k, m, want)) {
    struct weir_rng rng = weir_rng_seed(seed, 2850);
    const unsigned before = t->failures;
    for (unsigned i = 0; i < CONFIGURATIONS && t->failures == before; i++) {
      struct configuration c = draw_configuration(&k, &rng);
      const bool chosen = chosen_configuration(&c);
      try_configuration(t, &k, m, &c, want);
      if (chosen) break;
    }
  }
  weir_free(want[0].bytes);
  weir_free(want[1].bytes);
  if (m) weir_module_free(m);
  sl1_kernel_free(&k);
}

static void outputs_are_the_same(void **state) {
  (void)state;
  struct tally t = {0};
  const char *seed = getenv("WEIR_SL1_SEED"), *kernels = getenv("WEIR_SL1_KERNELS");
  if (seed) {
    try_kernel(&t, strtoull(seed, NULL, 10));
    assert_int_equal(t.failures, 0);
    return;
  }
  const uint64_t count = kernels ? strtoull(kernels, NULL, 10) : test_all() ? ALL_KERNELS : KERNELS;
  for (uint64_t i = 1; i <= count && t.failures < MOST_FAILURES; i++) try_kernel(&t, i);
  printf(
    "%u kernels; %u transforms had something to cache; of %u runs with room and counters %u filled lines, %u hit them, "
    "%u wrote back\n",
    t.kernels, t.candidates, t.counted, t.cached, t.hit, t.wrote);
  assert_int_equal(t.failures, 0);
  assert_true(t.candidates > t.kernels * CONFIGURATIONS / 2);
  assert_true(t.cached > t.counted / 2 && t.hit > t.counted / 3 && t.wrote > t.counted / 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_are_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
