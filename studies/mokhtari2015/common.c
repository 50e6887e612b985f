// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mokhtari2015/mokhtari2015.h"

#include <stdio.h>
#include <string.h>

enum { SPEC = 256 };

const char *const mokhtari_programs[] = {"upper",    "wc",     "dna",  "opinion",       "invindex", "pageview",
                                         "affinity", "matmul", "grep", "kmeans-stream", NULL};
const struct weir_figure_group mokhtari_groups[] = {{mokhtari_programs, "mean"}, {NULL, NULL}};

static const struct weir_published numbers[] = {
#define PUBLISHED(figure, row, column, value, quote) {figure, row, column, value},
#include "published.def"
#undef PUBLISHED
};

// What each program goes over: the least multiple of 512 KiB of which 1024 threads make 3000 accesses each, counted on one SMX
// without an L1 at size small (matmul: multiplications with sides of a multiple of 16).
static const struct {
  const char *program;
  unsigned kib;
} inputs[] = {{"upper", 1536},    {"wc", 3072},       {"dna", 1024},   {"opinion", 2560}, {"invindex", 3072},
              {"pageview", 3072}, {"affinity", 1536}, {"matmul", 363}, {"grep", 1536},    {"kmeans-stream", 12288}};

unsigned mokhtari_input_kib(const char *program) {
  unsigned i = 0;
  while (strcmp(inputs[i].program, program) != 0) i++;
  return inputs[i].kib;
}

// Blocks of 128 threads, the paper's smallest: a quarter of the threads that an SMX has room for, half of them, all, or the first two. On the
// whole chip 15 times as many would have nothing to do after 300 accesses: there it is the paper's fewest, and twice as many.
static const char *const blocks[] = {[MOKHTARI_MANY] = MOKHTARI_PART ",launch.threads=128,launch.blocks=best:4|8|16",
                                     [MOKHTARI_FEW] = MOKHTARI_PART ",launch.threads=128,launch.blocks=8",
                                     [MOKHTARI_HALF] = MOKHTARI_PART ",launch.threads=128,launch.blocks=best:4|8",
                                     [MOKHTARI_CHIP_WIDE] = "launch.threads=128,launch.blocks=best:15|30",
                                     [MOKHTARI_LITTLE] = MOKHTARI_PART ",launch.threads=128,launch.blocks=16",
                                     [MOKHTARI_FORMER] =
                                       MOKHTARI_THIRD ",launch.threads=128,launch.blocks=best:5|20|80"};

static const char *spec_of(char spec[SPEC], const char *program, const char *variant, enum mokhtari_sweep sweep) {
  enum { LITTLE_KIB = 48 };
  char input[40] = "";
  if (sweep != MOKHTARI_FORMER)
    snprintf(input, sizeof input, ",launch.footprint_kib=%u",
             sweep == MOKHTARI_LITTLE ? LITTLE_KIB : mokhtari_input_kib(program));
  snprintf(spec, SPEC, "%s,%s%s", variant, blocks[sweep], input);
  return spec;
}

void mokhtari_plan_one(struct weir_plan *p, const char *program, const char *variant, enum mokhtari_sweep sweep) {
  char spec[SPEC];
  weir_plan_add(p, program, MOKHTARI_CHIP, spec_of(spec, program, variant, sweep));
}

void mokhtari_plan(struct weir_plan *p, const char *variant, enum mokhtari_sweep sweep) {
  for (const char *const *program = mokhtari_programs; *program; program++)
    mokhtari_plan_one(p, *program, variant, sweep);
}

const json_t *mokhtari_run(const struct weir_plan *p, const char *program, const char *variant,
                           enum mokhtari_sweep sweep) {
  char spec[SPEC];
  return weir_plan_run(p, program, MOKHTARI_CHIP, spec_of(spec, program, variant, sweep));
}

struct weir_run_numbers mokhtari_total(const struct weir_plan *p, const char *program, const char *variant,
                                       enum mokhtari_sweep sweep) {
  return weir_run_total(mokhtari_run(p, program, variant, sweep));
}

void mokhtari_publish(struct weir_table *t) {
  weir_figure_publish(t, numbers, sizeof numbers / sizeof *numbers);
}

void mokhtari_table(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns) {
  weir_figure_fill(t, p, columns, mokhtari_groups);
  mokhtari_publish(t);
}
