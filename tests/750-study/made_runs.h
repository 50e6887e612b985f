// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs that never ran: a plan that answers every experiment with round numbers, in place of the one in src/experiment.
#ifndef WEIR_TEST_MADE_RUNS_H
#define WEIR_TEST_MADE_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiment/study.h"

#include <math.h>
#include <string.h>

extern const struct weir_study weir_study_tian2015;

enum { MAX_PLANNED = 256 };

struct planned {
  char program[32], scheme[64];
  json_t *run;
};

struct weir_plan {
  struct planned all[MAX_PLANNED];
  unsigned count;
};

json_t *made_run(const char *program, const char *scheme); // NULL: as if it had failed

static inline struct planned *planned_find(const struct weir_plan *p, const char *program, const char *scheme) {
  for (unsigned i = 0; i < p->count; i++)
    if (!strcmp(p->all[i].program, program) && !strcmp(p->all[i].scheme, scheme))
      return (struct planned *)&p->all[i];
  return NULL;
}

void weir_plan_add(struct weir_plan *p, const char *program, const char *chip, const char *scheme) {
  assert_string_equal(chip, "gcn-apu");
  if (planned_find(p, program, scheme)) return;
  assert_true(p->count < MAX_PLANNED);
  struct planned *one = &p->all[p->count++];
  snprintf(one->program, sizeof one->program, "%s", program);
  snprintf(one->scheme, sizeof one->scheme, "%s", scheme);
  one->run = made_run(program, scheme);
}

const json_t *weir_plan_run(const struct weir_plan *p, const char *program, const char *chip, const char *scheme) {
  (void)chip;
  const struct planned *one = planned_find(p, program, scheme);
  assert_non_null(one); // computed from what was not planned
  return one->run;
}

static inline const struct weir_figure *figure_of(const char *number) {
  for (const struct weir_figure *f = weir_study_tian2015.figures; f->number; f++)
    if (!strcmp(f->number, number)) return f;
  fail_msg("no figure %s", number);
  return NULL;
}

static inline void figure_make(struct weir_table *t, const char *number) {
  const struct weir_figure *f = figure_of(number);
  struct weir_plan p = {.count = 0};
  f->plan(&p);
  weir_table_start(t, f->number, f->title);
  f->compute(t, &p);
  for (unsigned i = 0; i < p.count; i++) json_decref(p.all[i].run);
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

#endif
