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

// Blocks of 128 threads on a third of the chip: from the paper's fewest, one per SMX, to as many as all SMXs have room
// for, at size paper to twice as many. The fewer are such that a thread still has some hundred accesses to make.
static const char *blocks_of(enum weir_size size, enum mokhtari_sweep sweep) {
  if (sweep == MOKHTARI_FEW) return size == WEIR_SIZE_SMALL ? "20" : "best:20|40|80";
  return size == WEIR_SIZE_SMALL ? "best:5|20|80" : "best:5|10|20|40|60|80|160";
}

// Monitoring ends early (unless the variant says when), since inputs are small.
static const char *spec_of(const struct weir_plan *p, char spec[SPEC], const char *variant, enum mokhtari_sweep sweep) {
  bool early = !strncmp(variant, MOKHTARI_SL1, strlen(MOKHTARI_SL1)) && !strstr(variant, "threshold");
  snprintf(spec, SPEC, "%s%s,core.count=5,dram.channels=4,l2.size_kib=512,launch.threads=128,launch.blocks=%s", variant,
           early ? ",sl1.threshold=32" : "", blocks_of(weir_plan_size(p), sweep));
  return spec;
}

void mokhtari_plan(struct weir_plan *p, const char *variant, enum mokhtari_sweep sweep) {
  char spec[SPEC];
  for (const char *const *program = mokhtari_programs; *program; program++)
    weir_plan_add(p, *program, MOKHTARI_CHIP, spec_of(p, spec, variant, sweep));
}

const json_t *mokhtari_run(const struct weir_plan *p, const char *program, const char *variant,
                           enum mokhtari_sweep sweep) {
  char spec[SPEC];
  return weir_plan_run(p, program, MOKHTARI_CHIP, spec_of(p, spec, variant, sweep));
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
