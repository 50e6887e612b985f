// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mokhtari2015/mokhtari2015.h"

#include <stdio.h>
#include <string.h>

enum { SPEC = 256 };

const char *const mokhtari_programs[] = {"upper", "wc", "dna", "opinion", "invindex", "pageview", "affinity", "matmul", "grep",
                                         "kmeans-stream", NULL};
const struct weir_figure_group mokhtari_groups[] = {{mokhtari_programs, "mean"}, {NULL, NULL}};

static const struct weir_published numbers[] = {
#define PUBLISHED(figure, row, column, value, quote) {figure, row, column, value},
#include "published.def"
#undef PUBLISHED
};

// A third of the chip, and blocks of 128 threads: from the paper's fewest, one per SMX, to as many as all SMXs have room
// for, at size paper to twice as many. Monitoring ends early (unless the variant says when), since inputs are small.
static void sweep(const struct weir_plan *p, char spec[SPEC], const char *variant) {
  bool small = weir_plan_size(p) == WEIR_SIZE_SMALL, sl1 = !strncmp(variant, MOKHTARI_SL1, strlen(MOKHTARI_SL1));
  bool early = sl1 && !strstr(variant, "threshold");
  snprintf(spec, SPEC, "%s%s,core.count=5,dram.channels=4,l2.size_kib=512,launch.threads=128,launch.blocks=best:%s", variant,
           early ? ",sl1.threshold=32" : "", small ? "5|20|80" : "5|10|20|40|60|80|160");
}

void mokhtari_plan(struct weir_plan *p, const char *variant) {
  char spec[SPEC];
  sweep(p, spec, variant);
  for (const char *const *program = mokhtari_programs; *program; program++) weir_plan_add(p, *program, MOKHTARI_CHIP, spec);
}

const json_t *mokhtari_run(const struct weir_plan *p, const char *program, const char *variant) {
  char spec[SPEC];
  sweep(p, spec, variant);
  return weir_plan_run(p, program, MOKHTARI_CHIP, spec);
}

double mokhtari_number(const struct weir_plan *p, const char *program, const char *variant, const char *path) {
  return weir_run_number(mokhtari_run(p, program, variant), path);
}

double mokhtari_speedup(const struct weir_plan *p, const char *program, const char *variant) {
  return mokhtari_number(p, program, MOKHTARI_NO_L1, "total.cycles") / mokhtari_number(p, program, variant, "total.cycles");
}

void mokhtari_publish(struct weir_table *t) {
  weir_figure_publish(t, numbers, sizeof numbers / sizeof *numbers);
}

void mokhtari_table(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns) {
  weir_figure_fill(t, p, columns, mokhtari_groups);
  mokhtari_publish(t);
}
