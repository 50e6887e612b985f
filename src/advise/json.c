// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/mend.h"
#include "advise/print.h"

#include "base/alloc.h"
#include "run/numbers.h"
#include "run/object.h"

#include <math.h>
#include <string.h>

static json_t *number(double value) {
  return isnan(value) ? json_null() : json_real(value);
}

static json_t *count(double value) {
  return json_integer((json_int_t)value);
}

static json_t *outcome(const struct weir_measured *o) {
  if (!o->ran) return json_null();
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "cycles", count(o->cycles), "l1_misses", count(o->l1_misses),
                   "network_bytes", count(o->network_bytes), "dram_bytes", count(o->dram_bytes), "energy_pj",
                   number(o->energy_pj));
}

static json_t *answer(const struct weir_advice *a, const struct weir_answer *is) {
  json_t *list = json_array();
  for (unsigned i = 0; i < a->perturbed; i++) json_array_append_new(list, outcome(&is->perturbed[i]));
  return json_pack("{s:o, s:o}", "outcome", outcome(&is->outcome), "perturbed", list);
}

static json_t *lines(char *text) { // takes it
  json_t *list = json_array();
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
    if (*line) json_array_append_new(list, json_string(line));
  weir_free(text);
  return list;
}

static json_t *trial_json(const struct weir_advice *a, const struct weir_trial *t) {
  const struct weir_site *s = &a->sites.all[t->site];
  return json_pack("{s:s, s:o, s:o, s:o}", "hint", t->hint, "requests", lines(weir_site_requests(s, t->hint, "")),
                   "outcome", outcome(&t->outcome), "speedup", number(weir_gain(&a->base.outcome, &t->outcome)));
}

static json_t *text_or_null(char *text) { // takes it
  json_t *value = text ? json_string(text) : json_null();
  weir_free(text);
  return value;
}

static json_t *site_json(const struct weir_advice *a, unsigned k) {
  const struct weir_site *s = &a->sites.all[k];
  const struct weir_trial *best = weir_advice_best(a, k);
  const double gain = best ? weir_gain(&a->base.outcome, &best->outcome) : NAN;
  const bool gains = best && weir_gain_counts(a, gain);
  json_t *tried = json_array(), *o = json_object();
  for (unsigned i = 0; i < a->tried; i++)
    if (a->trials[i].site == k) json_array_append_new(tried, trial_json(a, &a->trials[i]));
  json_object_set_new(o, "place", json_string(s->place));
  json_object_set_new(o, "array", *s->array ? json_string(s->array) : json_null());
  if (!*s->array) json_object_set_new(o, "allocation", *s->shown ? json_string(s->shown) : json_null());
  json_object_set_new(o, "kind", json_string(s->store ? "store" : "load"));
  json_object_set_new(o, "function", json_string(s->function));
  json_object_set_new(o, "weight", json_real(s->weight));
#define X(name) json_object_set_new(o, #name, count(s->name));
  WEIR_SITE_FIELDS(X)
#undef X
  json_object_set_new(o, "tried", tried);
  json_object_set_new(o, "best", gains ? json_string(best->hint) : json_null());
  json_object_set_new(o, "mend", text_or_null(weir_mend_site(s, a->setup.chip, gains)));
  return o;
}

static json_t *chips_json(const struct weir_advice *a) {
  json_t *list = json_array();
  for (unsigned i = 0; i < a->chip_count; i++) {
    const struct weir_chip_answer *c = &a->chips[i];
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:o, s:o}", "chip", c->chip, "base", outcome(&c->base), "together",
                                    outcome(&c->together), "speedup", number(weir_gain(&c->base, &c->together))));
  }
  return list;
}

static json_t *remedies_json(const struct weir_advice *a) {
  json_t *list = json_array();
  for (unsigned i = 0; i < a->remedy_count; i++) {
    const struct weir_remedy *r = &a->remedies[i];
    json_t *sets = json_array();
    for (unsigned k = 0; k < r->set_count; k++) json_array_append_new(sets, json_string(r->sets[k]));
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "name", r->name, "how", r->how, "sl1",
                                    r->sl1, "sets", sets, "outcome", outcome(&r->outcome), "speedup",
                                    number(weir_gain(&a->base.outcome, &r->outcome)), "failure",
                                    r->failure ? json_string(r->failure) : json_null()));
  }
  return list;
}

static json_t *bound_json(const struct weir_advice *a) {
  const json_t *bound = a->bound ? weir_run_bound(a->bound, WEIR_FIRST_CACHE) : NULL;
  if (!bound) return json_null();
  const struct weir_bound_numbers n = weir_bound_of(bound);
  return json_pack("{s:o, s:o, s:o, s:o}", "load_misses", count(n.load_misses), "least_load_misses",
                   count(n.least_load_misses), "outcome", outcome(&a->opt), "speedup",
                   number(weir_gain(&a->base.outcome, &a->opt)));
}

static json_t *patched_json(const struct weir_advice *a) {
  const struct weir_patched *p = &a->patched;
  if (!p->requests) return json_null();
  return json_pack("{s:o, s:o, s:o, s:o}", "hints", lines(weir_text_copy(p->requests)), "hinted", outcome(&p->hinted),
                   "compiled", outcome(&p->compiled), "speedup", number(weir_gain(&a->base.outcome, &p->compiled)));
}

json_t *weir_advice_json(const struct weir_advice *a) {
  json_t *sites = json_array(), *root = json_object();
  for (unsigned k = 0; k < a->picked; k++) json_array_append_new(sites, site_json(a, k));
  json_object_set_new(root, "program", json_string(weir_run_text(a->run, "program")));
  json_object_set_new(root, "chip", json_string(weir_run_text(a->run, "chip")));
  json_object_set_new(root, "scheme", json_string(weir_run_text(a->run, "scheme")));
  json_object_set_new(root, "base", answer(a, &a->base));
  json_object_set_new(root, "band", json_real(a->band));
  json_object_set_new(root, "sites", sites);
  json_object_set_new(root, "hints", lines(weir_advice_requests(a, "")));
  json_object_set_new(root, "together", answer(a, &a->together));
  json_object_set_new(root, "speedup", number(weir_gain(&a->base.outcome, &a->together.outcome)));
  json_object_set_new(root, "patched", patched_json(a));
  json_object_set_new(root, "remedies", remedies_json(a));
  json_object_set_new(root, "bound", bound_json(a));
  json_object_set_new(root, "chips", chips_json(a));
  json_object_set_new(root, "mend", text_or_null(weir_mend_program(a->run, a->setup.chip)));
  json_object_set_new(root, "runs", count(a->runs));
  json_object_set_new(root, "cost", number(a->cost));
  json_object_set_new(root, "tried", count(a->tried));
  json_object_set_new(root, "untried", count(a->trial_count - a->tried));
  json_object_set_new(root, "left_out", count(a->left_out));
  json_object_set_new(root, "given_up", count(a->given_up));
  return root;
}
