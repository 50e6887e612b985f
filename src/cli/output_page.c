// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cli/pages.h"
#include "run/experiment.h"

#include <string.h>

static const char *const kinds[] = {[WEIR_INTEGER] = "integer",
                                    [WEIR_REAL] = "number",
                                    [WEIR_TEXT] = "text",
                                    [WEIR_BOOLEAN] = "true or false",
                                    [WEIR_SCALAR] = "number, true or false, or text",
                                    [WEIR_OBJECT] = "object",
                                    [WEIR_LIST] = "array"};

static void put_member(const char *prefix, const struct weir_member *m, FILE *to) {
  fprintf(to, "| `%s%s` | %s | %s | %s |\n", prefix, m->name, kinds[m->kind], m->unit, m->meaning);
}

static bool is_include(const struct weir_member *m) {
  return !strcmp(m->name, "…");
}

// The members of a table and of the objects and lists of objects in it, by path.
static void put_members(const char *prefix, const struct weir_member *table, FILE *to) {
  for (const struct weir_member *m = table; m->name; m++) {
    if (is_include(m)) {
      fprintf(to, "| | | | %s |\n", m->meaning);
      if (m->members != weir_counts_members) put_members(prefix, m->members, to);
      continue;
    }
    put_member(prefix, m, to);
    if (!m->members) continue;
    char inner[128];
    snprintf(inner, sizeof inner, "%s%s%s.", prefix, m->name, m->kind == WEIR_LIST ? "[]" : "");
    put_members(inner, m->members, to);
  }
}

static void put_table(const char *title, const struct weir_member *table, FILE *to) {
  fprintf(to, "\n## %s\n\n| member | type | unit | meaning |\n|---|---|---|---|\n", title);
  put_members("", table, to);
}

void weir_print_output_doc(FILE *to) {
  fputs(
    "<!-- Made by 'weir help --output-doc' from the declarations that write the output. Do not edit. -->\n"
    "# The run object\n\n"
    "`weir run --json` prints one run object; `weir compare --json` prints an array of them. Members keep the order "
    "below. Everything but `host` is the same from run to run, from machine to machine, and for any number of jobs. "
    "[run.schema.json](run.schema.json) is the same as a JSON Schema (`weir help --schema`). "
    "A name in angle brackets stands for any name. A member without a value is null.\n"
    "\n"
    "| to learn | look at |\n|---|---|\n"
    "| how long it took | `total.cycles`, `total.time_ps`; of each launch, `kernels[].cycles` |\n"
    "| what a cache did | `total.l1`, `total.l2` (by the cache's name in the chip file): accesses, hits, misses, fills |\n"
    "| which load is to blame | `loads[]`: one element per load instruction, with its source line |\n"
    "| what stores and atomics come to | `stores[]`, `atomics[]`, likewise |\n"
    "| whether scattered loads matter | `load_groups`, `loads[].groups` |\n"
    "| what shared memory costs | `shared[]` |\n"
    "| how many blocks fit, and why | `kernels[].core_blocks`, `kernels[].limited_by`, `kernels[].registers` |\n"
    "| whether the results are right | `check`, `complete`, `checksums`; of a foreign program `process` |\n"
    "| what ran | `program`, `size`, `chip`, `set`, `scheme`, `seed`, `policy[]` with every knob |\n"
    "| energy | `total.energy_pj` |\n"
    "| phases | `samples`, with `--set sample_cycles=N` |\n"
    "| CPU programs beside the GPU's | `mix` |\n"
    "\n| member | type | unit | meaning |\n|---|---|---|---|\n",
    to);
  for (const struct weir_member *m = weir_run_members; m->name; m++) put_member("", m, to);
  for (const struct weir_member *m = weir_run_members; m->name; m++) {
    char title[64];
    snprintf(title, sizeof title, m->kind == WEIR_LIST ? "Each element of `%s`" : "`%s`", m->name);
    if (m->members) put_table(title, m->members, to);
  }
}
