// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The schemes of section 4.2, in one place. At size paper they are as the paper and its sources have them. A program of
// size small executes about a hundredth of the paper's instructions, so what counts time is scaled there: HeLM's period by
// 20, with the fewest misses that say something by 4 (its leader sets see that many fewer), and TAP's period by 20. And it
// leaves many lines of 4 and 8 MiB empty to its end, as runs of the paper's length would not: so HeLM is kept from
// bypassing those. Nothing else differs.
#include "holey2014/holey2014.h"

#include <stdio.h>
#include <string.h>

const char *const holey_schemes[] = {HOLEY_DRRIP, HOLEY_MAT, HOLEY_SDBP, HOLEY_TAP, HOLEY_HELM, NULL};

static const struct {
  const char *name, *paper, *small;
} specs[] = {
  {HOLEY_LRU, "lru", "lru"},
  {HOLEY_DRRIP, "ta-drrip", "ta-drrip"},
  {HOLEY_MAT, "mat", "mat"},
  // The GPU's accesses alone (section 5); samplers for 32 sets of each tile: 128 in all, which cost Table V's 13.7 KB.
  {HOLEY_SDBP, "sdbp", "sdbp"},
  // Equal priority if the GPU is sensitive (section 1).
  {HOLEY_TAP, "tap-rrip", "tap-rrip,tap_period=250000"},
  // Section 3.3 to the letter.
  {HOLEY_HELM, "helm,chop_by=gpu", "helm,chop_by=gpu,fills_room=true,period_cycles=50000,fewest_misses=8"},
};

const char *holey_spec(const struct weir_plan *p, const char *scheme) {
  unsigned i = 0;
  while (strcmp(specs[i].name, scheme) != 0) i++;
  return weir_plan_size(p) == WEIR_SIZE_PAPER ? specs[i].paper : specs[i].small;
}

void holey_spec_with(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix,
                     char out[HOLEY_SPEC]) {
  const char *last = strrchr(mix, '+');
  const bool own = !strncmp(suffix, HOLEY_FORMER_INPUTS, strlen(HOLEY_FORMER_INPUTS));
  const unsigned kib = own ? 0 : holey_footprint_kib(last ? last + 1 : mix, holey_cores_of(mix));
  char input[40] = "";
  if (kib) snprintf(input, sizeof input, ",launch.footprint_kib=%u", kib);
  snprintf(out, HOLEY_SPEC, "%s%s%s", holey_spec(p, scheme), input, suffix + (own ? strlen(HOLEY_FORMER_INPUTS) : 0));
}
