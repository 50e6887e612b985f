// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random schemes: any policy of the table at any cache, its knobs anywhere in their declared ranges.
#include "laws.h"

#include <math.h>

// What a policy keeps may grow with its knobs: not beyond this.
enum { MOST = 1 << 14 };

static void add_value(struct weir_rng *r, struct text *t, const struct weir_knob *k) {
  switch (k->type) {
  case WEIR_KNOB_BOOL: add(t, "%s", chance(r, 50) ? "true" : "false"); return;
  case WEIR_KNOB_CHOICE: add(t, "%s", k->choices[between(r, 0, (uint32_t)k->highest)]); return;
  case WEIR_KNOB_REAL: add(t, "%.6f", k->lowest + (k->highest - k->lowest) * weir_rng_unit(r)); return;
  case WEIR_KNOB_INT: break;
  }
  const double most = k->highest > MOST && k->lowest < MOST ? MOST : k->highest, low = k->lowest < 1 ? 1 : k->lowest;
  double value = low * pow(most / low, weir_rng_unit(r)); // small ones as often as large ones
  if (k->power_of_two) value = exp2(floor(log2(value)));
  if (k->power_of_two && value < k->lowest) value *= 2;
  if (!k->power_of_two && k->lowest < 1 && chance(r, 10)) value = k->lowest;
  add(t, "%.0f", floor(value));
}

static void add_knobs(struct weir_rng *r, struct text *t, const struct weir_policy *p) {
  bool any = false;
  const uint32_t share = chance(r, 50) ? 0 : 30;
  for (const struct weir_knob *k = p->knobs; k && k->name; k++) {
    if (!chance(r, share)) continue;
    add(t, "%s%s: ", any ? ", " : "    knobs: {", k->name);
    add_value(r, t, k);
    any = true;
  }
  if (any) add(t, "}\n");
}

// Would it, as it comes, manage an ordinary cache of the level?
static bool suits(const struct weir_policy *p, unsigned level) {
  struct weir_policy_choice choice;
  weir_policy_defaults(&choice, p);
  const struct weir_geometry g = {.sets = 64,
                                  .ways = 8,
                                  .line_bytes = 128,
                                  .knobs = choice.knobs,
                                  .warps = level ? 0 : 8,
                                  .instances = 1,
                                  .requesters = 1};
  return !p->reject || !p->reject(&g);
}

static const struct weir_policy *any_policy(struct weir_rng *r, enum weir_policy_kind kind, unsigned level) {
  unsigned count;
  const struct weir_policy *const *all = weir_policies(&count);
  for (;;) {
    const struct weir_policy *p = all[weir_rng_below(r, count)];
    if (p->kind == kind && suits(p, level)) return p;
  }
}

static void add_policy(struct weir_rng *r, struct example *e, unsigned level, enum weir_policy_kind kind) {
  const struct weir_policy *p = any_policy(r, kind, level);
  add(&e->scheme, "  - cache: l%u\n    %s: %s%s%s\n", level + 1, weir_policy_kind_name(kind), kind ? "[" : "", p->name,
      kind ? "]" : "");
  add_knobs(r, &e->scheme, p);
}

void make_scheme(struct weir_rng *r, struct example *e) {
  add(&e->scheme, "name: random\nsummary: s\ncitation: c\npolicies:\n");
  for (unsigned l = 0; l < e->facts.levels; l++) {
    add_policy(r, e, l, WEIR_POLICY_REPLACE);
    if (chance(r, l ? 25 : 45)) add_policy(r, e, l, WEIR_POLICY_BYPASS);
    if (chance(r, 8)) add_policy(r, e, l, WEIR_POLICY_BYPASS);
    if (!l && chance(r, 20)) add_policy(r, e, l, WEIR_POLICY_THROTTLE);
  }
}
