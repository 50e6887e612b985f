// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs that never ran: a plan that answers every experiment with round numbers, in place of the one in src/report/study.c.
#ifndef WEIR_TEST_MADE_RUNS_H
#define WEIR_TEST_MADE_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/study.h"
#include "run/numbers.h"

#include <math.h>
#include <string.h>

enum { MAX_PLANNED = 1024 };

struct planned {
  char program[96], scheme[256];
  json_t *run;
  bool read;
};

struct weir_plan {
  struct planned all[MAX_PLANNED];
  unsigned count;
};

// What a test says of its plans: whose figures it makes, the chip that all runs are on (NULL: any), each run (NULL: as if
// it had failed).
extern const struct weir_study *const made_study;
extern const char *const made_chip;
json_t *made_run(const char *program, const char *scheme);

static enum weir_size made_size = WEIR_SIZE_SMALL;
static unsigned made_mixes; // what is asked for by --mixes; 0: nothing

static inline struct planned *planned_find(const struct weir_plan *p, const char *program, const char *scheme) {
  for (unsigned i = 0; i < p->count; i++)
    if (!strcmp(p->all[i].program, program) && !strcmp(p->all[i].scheme, scheme)) return (struct planned *)&p->all[i];
  return NULL;
}

void weir_plan_add_counted(struct weir_plan *p, const char *program, const char *chip, const char *scheme,
                           const struct weir_mix_counts *counts) {
  (void)chip, (void)counts;
  if (planned_find(p, program, scheme)) return;
  assert_true(p->count < MAX_PLANNED);
  struct planned *one = &p->all[p->count++];
  snprintf(one->program, sizeof one->program, "%s", program);
  snprintf(one->scheme, sizeof one->scheme, "%s", scheme);
  one->run = made_run(program, scheme);
}

void weir_plan_add(struct weir_plan *p, const char *program, const char *chip, const char *scheme) {
  if (made_chip) assert_string_equal(chip, made_chip);
  weir_plan_add_counted(p, program, chip, scheme, NULL);
}

const json_t *weir_plan_run(const struct weir_plan *p, const char *program, const char *chip, const char *scheme) {
  (void)chip;
  struct planned *one = planned_find(p, program, scheme);
  assert_non_null(one); // computed from what was not planned
  one->read = true;
  return one->run;
}

enum weir_size weir_plan_size(const struct weir_plan *p) {
  (void)p;
  return made_size;
}

unsigned weir_plan_mixes(const struct weir_plan *p) {
  (void)p;
  return made_mixes;
}

// ---- caches by other names ----------------------------------------------------------------------------------------------

struct names { // of the first level of caches and the last; NULL: there is none
  const char *first, *last;
};

static inline struct names names_of(const json_t *run) {
  const struct weir_run_numbers total = weir_run_total(run);
  return (struct names){weir_cache_of(&total, WEIR_FIRST_CACHE).name,
                        weir_cache_of(&total, WEIR_LAST_SHARED_CACHE).name};
}

static inline void rename_text(char *out, size_t size, const char *text, const struct names *n) {
  const char *old[] = {n->first, n->last}, *new[] = {"vl1", "system"};
  snprintf(out, size, "%s", text);
  for (int i = 0; i < 2; i++) {
    const size_t length = old[i] ? strlen(old[i]) : 0;
    if (length && !strncmp(text, old[i], length) && (!text[length] || text[length] == '_'))
      snprintf(out, size, "%s%s", new[i], text + length);
  }
}

// The same run of a chip that calls these caches otherwise: wherever they, their energies or their policies stand. A CPU
// core's own caches are called what they are called on every chip.
static inline json_t *renamed(const json_t *o, const struct names *n, bool of_program) {
  json_t *copy = json_is_array(o) ? json_array() : json_object(), *value;
  const char *key;
  size_t i;
  char name[64];
  json_array_foreach(o, i, value)
    json_array_append_new(copy, json_is_object(value) ? renamed(value, n, of_program) : json_deep_copy(value));
  json_object_foreach((json_t *)o, key, value) {
    const bool level = !strcmp(key, "level"), nested = json_is_object(value) || json_is_array(value);
    rename_text(name, sizeof name, level ? json_string_value(value) : key, n);
    json_object_set_new(copy, of_program || level ? key : name,
                        level      ? json_string(name)
                          : nested ? renamed(value, n, !strcmp(key, "programs"))
                                   : json_deep_copy(value));
  }
  return copy;
}

static inline void assert_same_table(const struct weir_table *a, const struct weir_table *b) {
  assert_int_equal(a->row_count, b->row_count);
  assert_int_equal(a->column_count, b->column_count);
  for (unsigned i = 0; i < a->row_count; i++)
    for (unsigned j = 0; j < a->column_count; j++) {
      const struct weir_cell *x = &a->rows[i][j], *y = &b->rows[i][j];
      assert_true(x->ours == y->ours || (isnan(x->ours) && isnan(y->ours)));
      assert_true(x->text == y->text || !strcmp(x->text, y->text));
    }
}

// A figure says the same of chips that are alike but for the names of their caches.
static inline void figure_holds_renamed(const struct weir_table *t, const struct weir_figure *f, struct weir_plan *p) {
  struct weir_table other;
  for (unsigned i = 0; i < p->count; i++) {
    const struct names n = names_of(p->all[i].run);
    json_t *run = p->all[i].run ? renamed(p->all[i].run, &n, false) : NULL;
    json_decref(p->all[i].run);
    p->all[i].run = run;
  }
  weir_table_start(&other, f->number, f->title);
  f->compute(&other, p);
  assert_same_table(t, &other);
  weir_table_free(&other);
}

static inline void figure_compute(struct weir_table *t, const struct weir_figure *f) {
  struct weir_plan p = {.count = 0};
  f->plan(&p);
  weir_table_start(t, f->number, f->title);
  t->chart = f->chart;
  f->compute(t, &p);
  figure_holds_renamed(t, f, &p);
  for (unsigned i = 0; i < p.count; i++) {
    if (!p.all[i].read) fail_msg("figure %s plans %s under %s in vain", f->number, p.all[i].program, p.all[i].scheme);
    json_decref(p.all[i].run);
  }
}

static inline const struct weir_figure *figure_find(const char *number) { // NULL: there is none
  const struct weir_figure *f = made_study->figures;
  while (f->number && strcmp(f->number, number)) f++;
  return f->number ? f : NULL;
}

static inline void figure_make(struct weir_table *t, const char *number) {
  const struct weir_figure *f = figure_find(number);
  if (!f) fail_msg("no figure %s", number);
  figure_compute(t, f);
}

static inline const struct weir_cell *cell_of(const struct weir_table *t, const char *row, const char *column) {
  for (unsigned i = 0; i < t->row_count; i++)
    for (unsigned j = 1; j < t->column_count; j++)
      if (!strcmp(t->rows[i][0].text, row) && !strcmp(t->columns[j].name, column)) return &t->rows[i][j];
  fail_msg("%s has no cell %s, %s", t->name, row, column);
  return NULL;
}

static inline void assert_near(double a, double b) {
  assert_true(fabs(a - b) <= 1e-12 * fabs(b));
}

#define assert_ours(t, row, column, value) assert_near(cell_of(t, row, column)->ours, value)
#define assert_published(t, row, column, value) assert_near(cell_of(t, row, column)->published, value)
#define assert_none(t, row, column) assert_true(isnan(cell_of(t, row, column)->ours))

#endif
