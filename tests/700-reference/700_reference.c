// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The 28 reference cases on fermi-gtx480 against GPGPU-Sim 4.2 on identical PTX (shared/reference). Checksums, warp
// instructions and L1 accesses must be equal, L1 misses within 2 % (gather-4096, which stands at the edge of the cache: 3 %), L2
// misses within 5 %, cycles within 8 % (docs/differences/gpgpu-sim.md says what stands out). Skipped where the reference is absent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/chip.h"
#include "config/chip_file.h"
#include "scheme/scheme.h"
#include "host/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFERENCE WEIR_SOURCE_DIR "/../shared/reference/"

struct row {
  char name[64]; // of the launch file
  uint64_t warp_instructions, cycles, l1_accesses, l1_misses, l2_misses, checksum;
};

struct measured {
  uint64_t warp_instructions, cycles, l1_accesses, l1_misses, l2_misses, checksum;
};

static bool read_row(FILE *f, struct row *r) {
  char line[512], a[16], b[16], kernel[24];
  if (!fgets(line, sizeof line, f)) return false;
  unsigned long long n[11];
  int got = sscanf(line, "%23[^,],%15[^,],%15[^,],%*[^,],%*[^,],%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu", kernel,
                   a, b, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]);
  assert_int_equal(got, 12);
  bool one = !strcmp(b, "-");
  int length = snprintf(r->name, sizeof r->name, "%s-%s%s%s", kernel, a, one ? "" : "-", one ? "" : b);
  assert_in_range(length, 1, sizeof r->name - 1);
  r->warp_instructions = n[0];
  r->cycles = n[1];
  r->l1_accesses = n[2];
  r->l1_misses = n[3];
  r->l2_misses = n[7];
  r->checksum = n[8];
  return true;
}

static uint64_t misses(const struct weir_level_stats *l) {
  return l->loads.misses + l->stores.misses;
}

static struct measured run(const char *name) {
  struct weir_sink sink = {0};
  struct weir_chip_config *config = weir_chip_read("fermi-gtx480", &sink);
  assert_non_null(config);
  struct weir_scheme *scheme = weir_scheme_read("none", config, &sink);
  char path[512];
  snprintf(path, sizeof path, REFERENCE "cases/%s.yaml", name);
  struct weir_app_options options = {.seed = 1, .lanes = weir_chip_lanes(config)};
  struct weir_app *app = weir_app_open(path, &options, &sink);
  assert_non_null(app);
  struct weir_chip *chip = weir_chip_create(config, scheme, 1, &sink);
  bool ok = weir_app_run(app, weir_chip_backend(chip));
  if (!ok) weir_sink_print(&sink, stderr);
  assert_true(ok);
  weir_chip_finish(chip);
  const struct weir_run_stats *t = weir_chip_total(chip);
  unsigned results;
  const struct weir_result *result = weir_host_results(weir_app_host(app), &results);
  assert_int_equal(results, 1);
  struct measured m = {t->warp_instructions,
                       t->cycles,
                       t->levels[0].loads.accesses + t->levels[0].stores.accesses,
                       misses(&t->levels[0]),
                       misses(&t->levels[1]),
                       weir_host_checksum(weir_app_host(app), result)};
  weir_chip_free(chip);
  weir_app_free(app);
  weir_scheme_free(scheme);
  weir_chip_config_free(config);
  weir_sink_free(&sink);
  return m;
}

static double off(uint64_t ours, uint64_t theirs) {
  return ((double)ours - (double)theirs) / (double)theirs;
}

static int flaws(const struct row *r, const struct measured *m) {
  int n = 0;
  n += m->checksum != r->checksum;
  n += m->warp_instructions != r->warp_instructions;
  n += m->l1_accesses != r->l1_accesses;
  n += fabs(off(m->l1_misses, r->l1_misses)) > (strcmp(r->name, "gather-4096-240") ? 0.02 : 0.03);
  n += fabs(off(m->l2_misses, r->l2_misses)) > 0.05;
  n += fabs(off(m->cycles, r->cycles)) > 0.08;
  return n;
}

static void test_cases(void **state) {
  (void)state;
  FILE *f = fopen(REFERENCE "gpgpusim-gtx480.csv", "r");
  if (!f) skip();
  char header[512];
  assert_non_null(fgets(header, sizeof header, f));
  assert_non_null(strstr(header, "cycles,l1d_accesses,l1d_misses,l1d_pending_hits,l1d_reservation_fails,l2_accesses"));
  struct row r;
  int failed = 0, cases = 0;
  double log_ratio = 0;
  printf("%-24s %8s %8s %7s  %7s %7s %6s  %7s %7s %6s\n", "case", "cycles", "theirs", "off", "L1 miss", "theirs", "off",
         "L2 miss", "theirs", "off");
  while (read_row(f, &r)) {
    struct measured m = run(r.name);
    int n = flaws(&r, &m);
    printf("%-24s %8ju %8ju %6.1f%%  %7ju %7ju %5.1f%%  %7ju %7ju %5.1f%%%s\n", r.name, (uintmax_t)m.cycles,
           (uintmax_t)r.cycles, 100 * off(m.cycles, r.cycles), (uintmax_t)m.l1_misses, (uintmax_t)r.l1_misses,
           100 * off(m.l1_misses, r.l1_misses), (uintmax_t)m.l2_misses, (uintmax_t)r.l2_misses,
           100 * off(m.l2_misses, r.l2_misses), n ? "  <--" : "");
    failed += n;
    cases++;
    log_ratio += fabs(log((double)m.cycles / (double)r.cycles));
  }
  printf("cycles: off by a factor of %.3f on average\n", exp(log_ratio / cases));
  fclose(f);
  assert_int_equal(cases, 28);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
  if (access(REFERENCE "gpgpusim-gtx480.csv", R_OK)) {
    puts("no reference beside the checkout: skipped");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
