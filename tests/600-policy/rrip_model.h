// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Another model of RRIP, for random traces: no line has a value that changes. Its RRPV is what it was given when it was last
// touched, plus all by which its set has aged since, which is looked up in the set's whole history every time.
#ifndef WEIR_TESTS_POLICY_RRIP_MODEL_H
#define WEIR_TESTS_POLICY_RRIP_MODEL_H

#include "shared_rig.h"

enum { MODEL_WAYS = 16, MODEL_AGINGS = 20000 };

struct model_line {
  bool valid, reused;
  uint64_t block;
  unsigned requester, value; // as it was last touched
  size_t touched;            // agings of the set before that
  uint32_t signature;
};

struct model_set {
  struct model_line line[MODEL_WAYS];
  unsigned aging[MODEL_AGINGS];
  size_t agings;
};

static inline unsigned model_rrpv(const struct model_set *s, unsigned way, unsigned distant) {
  unsigned value = s->line[way].value;
  for (size_t i = s->line[way].touched; i < s->agings; i++)
    value = value + s->aging[i] > distant ? distant : value + s->aging[i];
  return value;
}

static inline void model_touch(struct model_set *s, unsigned way, unsigned value) {
  s->line[way].value = value;
  s->line[way].touched = s->agings;
}

static inline int model_find(const struct model_set *s, unsigned ways, uint64_t block) {
  for (unsigned way = 0; way < ways; way++)
    if (s->line[way].valid && s->line[way].block == block) return (int)way;
  return -1;
}

// The way for a new line: an invalid one, else one in the distant future, the GPU's first if so asked, then the lowest.
static inline unsigned model_place(struct model_set *s, unsigned ways, unsigned distant, bool gpu_first) {
  unsigned oldest = 0;
  for (unsigned way = 0; way < ways; way++)
    if (!s->line[way].valid) return way;
  for (unsigned way = 0; way < ways; way++)
    oldest = model_rrpv(s, way, distant) > oldest ? model_rrpv(s, way, distant) : oldest;
  assert_true(s->agings < MODEL_AGINGS);
  s->aging[s->agings++] = distant - oldest;
  for (unsigned pass = gpu_first ? 0 : 1; pass < 2; pass++)
    for (unsigned way = 0; way < ways; way++)
      if (model_rrpv(s, way, distant) == distant && (pass || s->line[way].requester == 0)) return way;
  fail_msg("no line is in the distant future");
  return 0;
}

#endif
