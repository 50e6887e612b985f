// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A scheme's values left open: which there are, and the ordinary schemes that they stand for.
#include "base/alloc.h"
#include "config/set.h"
#include "scheme/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weir_policy_choice *weir_scheme_choice(struct weir_scheme *s, unsigned level, unsigned i) {
  struct weir_level_policies *l = &s->levels[level];
  return i ? &l->companions[i - 1] : &l->replace;
}

weir_places weir_scheme_place(unsigned level, unsigned i) {
  return (weir_places)1 << (level * (1 + WEIR_MAX_COMPANIONS) + i);
}

// ---- while the scheme is read ----------------------------------------------------------------------------------------

const char *weir_scheme_give(struct weir_scheme *s, unsigned level, unsigned i, const char *knob,
                             const struct weir_values *v, char *message, size_t size) {
  struct weir_policy_choice *choice = weir_scheme_choice(s, level, i);
  const struct weir_knob *which = weir_policy_knob(choice->policy, knob);
  for (unsigned k = 0; k < s->sweeps_count; k++)
    if (s->sweeps[k].knob == which) s->sweeps[k].left &= ~weir_scheme_place(level, i);
  for (unsigned k = 0; k < v->count; k++)
    if (weir_policy_set(choice, knob, v->text[k], message, size)) return message;
  return weir_policy_set(choice, knob, v->text[0], message, size);
}

void weir_scheme_close_replace(struct weir_scheme *s, unsigned level) {
  for (unsigned k = 0; k < s->sweeps_count; k++) {
    s->sweeps[k].given &= ~weir_scheme_place(level, 0);
    s->sweeps[k].left &= ~weir_scheme_place(level, 0);
  }
}

// In the order of the spec, what the file leaves open first.
void weir_scheme_keep_sweep(struct weir_scheme *s, const struct weir_scheme_sweep *sweep) {
  weir_push(s->sweeps, s->sweeps_count, s->sweeps_capacity);
  struct weir_scheme_sweep *w = &s->sweeps[s->sweeps_count - 1];
  for (; w > s->sweeps && w[-1].override > sweep->override; w--) *w = w[-1];
  *w = *sweep;
  w->left = w->given;
  w->sweep.values = (const char *const *)w->values.text;
  w->sweep.count = w->values.count;
}

static void free_sweep(struct weir_scheme_sweep *w) {
  weir_values_free(&w->values);
  weir_free((char *)w->sweep.key);
  weir_free(w->cache);
  weir_free(w->name);
}

static void forget(struct weir_scheme *s, unsigned k) {
  free_sweep(&s->sweeps[k]);
  s->sweeps_count--;
  memmove(&s->sweeps[k], &s->sweeps[k + 1], (s->sweeps_count - k) * sizeof *s->sweeps);
}

static void forget_path(struct weir_scheme *s, const char *path) {
  for (unsigned k = s->sweeps_count; k-- > 0;)
    if (!s->sweeps[k].knob && !strcmp(s->sweeps[k].sweep.key, path)) forget(s, k);
}

void weir_scheme_forget_bypass(struct weir_scheme *s, weir_places places) {
  for (unsigned k = s->sweeps_count; k-- > 0;)
    if (!s->sweeps[k].knob && s->sweeps[k].given && !(s->sweeps[k].given & ~places)) forget(s, k);
}

static bool give_path(struct weir_scheme *s, struct weir_chip_config *chip, const char *path, const char *value,
                      struct weir_place where, struct weir_sink *sink) {
  if (weir_scheme_is_program(path)) return weir_scheme_set_program(&s->program, path, value, where, sink);
  return weir_chip_give(chip, path, value, where, sink);
}

bool weir_scheme_give_path(struct weir_scheme *s, struct weir_chip_config *chip, const char *assignment, int override,
                           struct weir_place where, struct weir_sink *sink) {
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment)
    return weir_chip_set_at(chip, assignment, where, sink); // which says what is wrong
  char *path = weir_text_format("%.*s", (int)(equals - assignment), assignment), message[200];
  struct weir_scheme_sweep w = {.override = override, .where = where};
  bool ok = !weir_values_read(&w.values, equals + 1, message, sizeof message) ||
    weir_fail(sink, where, "%s: %s", path, message);
  for (unsigned k = 0; ok && k < w.values.count; k++) ok = give_path(s, chip, path, w.values.text[k], where, sink);
  ok = ok && give_path(s, chip, path, w.values.text[0], where, sink);
  forget_path(s, path);
  w.sweep.key = path;
  if (ok && w.values.open)
    weir_scheme_keep_sweep(s, &w);
  else
    free_sweep(&w);
  return ok;
}

// ---- once it is resolved ---------------------------------------------------------------------------------------------

// The places whose policy still has the knob: an override may have put another policy there.
static weir_places places_of(struct weir_scheme *s, const struct weir_knob *knob) {
  weir_places all = 0;
  for (unsigned level = 0; level < s->levels_count; level++)
    for (unsigned i = 0; i <= s->levels[level].companion_count; i++)
      if (weir_policy_knob(weir_scheme_choice(s, level, i)->policy, knob->name) == knob)
        all |= weir_scheme_place(level, i);
  return all;
}

// A replacement policy left open in `set` is the chip's own; what the file's policies put in its place would hide it.
static bool shows(struct weir_scheme *s, const struct weir_chip_config *chip, const struct weir_scheme_sweep *w,
                  struct weir_sink *sink) {
  for (unsigned level = 0; level < s->levels_count && w->override == WEIR_OF_FILE; level++) {
    char path[64];
    snprintf(path, sizeof path, "%s.replace", chip->caches[level].name);
    if (!strcmp(path, w->sweep.key) && strcmp(w->values.text[0], weir_scheme_choice(s, level, 0)->policy->name))
      return weir_fail(sink, w->where, "%s is left open, but decided by the scheme's policies", path);
  }
  return true;
}

bool weir_scheme_settle_sweeps(struct weir_scheme *s, const struct weir_chip_config *chip, struct weir_place where,
                               struct weir_sink *sink) {
  bool ok = true;
  for (unsigned k = s->sweeps_count; k-- > 0;) {
    struct weir_scheme_sweep *w = &s->sweeps[k];
    if (!w->knob) {
      ok &= shows(s, chip, w, sink);
      continue;
    }
    weir_places there = places_of(s, w->knob);
    w->given &= there;
    w->left &= there;
    if (!w->left) forget(s, k);
  }
  unsigned long long all = 1;
  for (unsigned k = 0; k < s->sweeps_count && all <= WEIR_MAX_COMBINATIONS; k++) all *= s->sweeps[k].values.count;
  for (unsigned k = 1; k < s->sweeps_count && ok; k++)
    if (s->sweeps[k].values.objective != s->sweeps[0].values.objective)
      ok = weir_fail(sink, where,
                     "it leaves values open by 'best:' (fewest cycles) and by 'best-ipc:' (highest IPC); one "
                     "of them has to say what is best");
  if (all > WEIR_MAX_COMBINATIONS)
    ok = weir_fail(sink, where, "what it leaves open makes more than %d combinations", WEIR_MAX_COMBINATIONS);
  return ok;
}

void weir_scheme_free_sweeps(struct weir_scheme *s) {
  for (unsigned k = 0; k < s->sweeps_count; k++) free_sweep(&s->sweeps[k]);
  weir_free(s->sweeps);
}

// ---- what it says ----------------------------------------------------------------------------------------------------

unsigned weir_scheme_sweep_count(const struct weir_scheme *s) {
  return s->sweeps_count;
}

enum weir_objective weir_scheme_objective(const struct weir_scheme *s) {
  return s->sweeps_count ? s->sweeps[0].values.objective : WEIR_FEWEST_CYCLES;
}

const struct weir_sweep *weir_scheme_sweep(const struct weir_scheme *s, unsigned k) {
  return &s->sweeps[k].sweep;
}

unsigned weir_scheme_combinations(const struct weir_scheme *s) {
  unsigned all = 1;
  for (unsigned k = 0; k < s->sweeps_count; k++) all *= s->sweeps[k].values.count;
  return all;
}

const char *weir_scheme_choice_of(const struct weir_scheme *s, unsigned combination, unsigned k) {
  for (unsigned later = s->sweeps_count; --later > k;) combination /= s->sweeps[later].values.count;
  return s->sweeps[k].values.text[combination % s->sweeps[k].values.count];
}

static void put_choices(FILE *to, const struct weir_scheme *s, unsigned combination, int override) {
  for (unsigned k = 0; k < s->sweeps_count; k++)
    if (s->sweeps[k].override == override)
      fprintf(to, ",%s=%s", s->sweeps[k].sweep.key, weir_scheme_choice_of(s, combination, k));
}

static bool is_open(const struct weir_scheme *s, int override) {
  for (unsigned k = 0; k < s->sweeps_count; k++)
    if (s->sweeps[k].override == override) return true;
  return false;
}

// What a file leaves open is decided directly behind the name, so that what the spec says still comes last.
char *weir_scheme_combination(const struct weir_scheme *s, unsigned combination) {
  char *text = NULL;
  size_t size, length = strcspn(s->spec, ",");
  FILE *to = open_memstream(&text, &size);
  if (!to) abort();
  fprintf(to, "%.*s", (int)length, s->spec);
  put_choices(to, s, combination, WEIR_OF_FILE);
  const char *at = s->spec + length;
  for (int override = 0; *at; override++, at += length) {
    length = strcspn(++at, ",");
    if (is_open(s, override))
      put_choices(to, s, combination, override);
    else
      fprintf(to, ",%.*s", (int)length, at);
  }
  fclose(to);
  char *spec = weir_text_copy(text);
  free(text);
  return spec;
}
