// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random chips × kernels × schemes under the laws of docs/VALIDATION.md ("Laws").
//
//   test_720_laws                           the seeds of `make test`, or of `make test-all`
//   test_720_laws --seed N --count M        those from N on
//   test_720_laws --seed N --keep FOLDER    one, whose chip, kernel, launches and scheme stay in the folder
#include "laws.h"

#include "all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  SEEDS = WEIR_LAW_SEEDS,
  ALL_SEEDS = 2 * SEEDS,
  REPEAT = 4,
  MOST_REJECTED = 25
}; // every REPEAT-th seed runs twice; percent

struct tally {
  uint64_t ran, rejected, failed, instructions;
};

static void try(uint64_t seed, const char *folder, bool tell, struct tally *tally) {
  static struct run run;
  static char why[NOTE_BYTES];
  struct example e;
  *why = 0;
  make_example(seed, &e);
  if (!keep_example(&e, folder)) {
    fprintf(stderr, "cannot write to %s\n", folder);
    exit(2);
  }
  const enum outcome o = run_example(&e, folder, tell || seed % REPEAT == 0, &run, why);
  const unsigned broken = o == RAN ? check_laws(&run, why) : 0;
  tally->ran += o == RAN;
  tally->rejected += o == REJECTED;
  tally->failed += broken || o == BROKE;
  tally->instructions += o == RAN ? run.total.warp_instructions : 0;
  if (broken || o == BROKE)
    printf("seed %" PRIu64 " %s; to keep its files: test_720_laws --seed %" PRIu64 " --keep FOLDER\n%s", seed,
           broken ? "breaks laws" : "stopped", seed, why);
  else if (tell)
    printf("seed %" PRIu64 ": %s\n%s", seed, o == RAN ? "every law holds" : "rejected", why);
  free_run(&run);
  free_example(&e);
}

static int usage(void) {
  fputs("usage: test_720_laws [--seed N] [--count M | --keep FOLDER]\n", stderr);
  return 2;
}

int main(int argc, char **argv) {
  uint64_t first = 1, count = test_all() ? ALL_SEEDS : SEEDS;
  const char *keep = NULL;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return usage();
    if (!strcmp(argv[i], "--seed"))
      first = strtoull(argv[i + 1], NULL, 10);
    else if (!strcmp(argv[i], "--count"))
      count = strtoull(argv[i + 1], NULL, 10);
    else if (!strcmp(argv[i], "--keep"))
      keep = argv[i + 1];
    else
      return usage();
  }
  char folder[] = "/tmp/weir-laws-XXXXXX";
  if (!keep && !mkdtemp(folder)) return 2;
  struct tally tally = {0};
  for (uint64_t seed = first; seed < first + (keep ? 1 : count); seed++) try(seed, keep ? keep : folder, keep, &tally);
  if (!keep) forget_example(folder);
  printf("%" PRIu64 " runs, %" PRIu64 " rejected, %" PRIu64 " failed; %" PRIu64 " warp instructions\n", tally.ran,
         tally.rejected, tally.failed, tally.instructions);
  const bool starved = tally.rejected * 100 > (tally.ran + tally.rejected) * MOST_REJECTED;
  if (starved) puts("more are rejected than may be: the generators do not know what chips and schemes must be");
  return tally.failed || starved;
}
