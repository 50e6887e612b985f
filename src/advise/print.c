// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/print.h"

#include "advise/mend.h"
#include "base/alloc.h"
#include "report/part.h"
#include "report/share.h"
#include "report/source.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <math.h>
#include <string.h>

// ---- what the sites do to the caches ----------------------------------------------------------------------------------------

enum site_column { SITE, KIND, REQUESTS, SCATTER, HIT, FILLS, UNUSED, WAITS };

static void site_row(struct weir_table *t, const struct weir_advice *a, const struct weir_site *s, double waits) {
  struct weir_cell *c = weir_table_row(t);
  char *where = weir_text_format("%s %s", s->place, *s->shown ? s->shown : "?");
  weir_table_text(t, &c[SITE], where);
  weir_table_text(t, &c[KIND], s->store ? "store" : "load");
  c[REQUESTS].ours = s->executions;
  c[SCATTER].ours = weir_site_scatter(s);
  c[HIT].ours = weir_share(s->hits + s->hits_on_miss, s->transactions);
  if (!s->store) {
    c[FILLS].ours = weir_share(s->fills, a->sites.fills);
    c[UNUSED].ours = weir_share(s->zero_reuse_fills, s->lines);
    c[WAITS].ours = weir_share(s->missed_latency_cycles, waits);
  }
  weir_free(where);
}

static void print_sites(const struct weir_advice *a, FILE *to) {
  static const struct weir_column columns[] = {
    [SITE] = {"site", "line, array", "as the PTX tells it, else the allocation by its address; ? several",
              WEIR_COLUMN_TEXT},
    [KIND] = {"kind", "kind", NULL, WEIR_COLUMN_TEXT},
    [REQUESTS] = {"requests", "requests", NULL, WEIR_COLUMN_COUNT},
    [SCATTER] = {"transactions_per_request", "trans/req", NULL, WEIR_COLUMN_REAL},
    [HIT] = {"hits", "hit", "in the first level, or on its way into it", WEIR_COLUMN_PERCENT},
    [FILLS] = {"fills", "of fills", NULL, WEIR_COLUMN_PERCENT},
    [UNUSED] = {"unused", "unused", "of the lines it brings in, those that leave without a hit", WEIR_COLUMN_PERCENT},
    [WAITS] = {"waits", "of waits", "its share of the cycles that loads wait which miss", WEIR_COLUMN_PERCENT},
  };
  struct weir_table t;
  double waits = 0;
  for (unsigned i = 0; i < a->sites.count; i++) waits += a->sites.all[i].missed_latency_cycles;
  weir_table_start(&t, "sites", "");
  weir_table_columns(&t, columns, WAITS + 1u);
  for (unsigned i = 0; i < a->picked; i++) site_row(&t, a, &a->sites.all[i], waits);
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (a->sites.count > a->picked) fprintf(to, "\n%u other sites matter less (--lines)\n", a->sites.count - a->picked);
}

static void print_sources(const struct weir_advice *a, FILE *to) {
  const char *program = weir_run_text(a->run, "program");
  bool some = false;
  for (unsigned i = 0; i < a->picked; i++) {
    const struct weir_site *s = &a->sites.all[i];
    unsigned before = 0;
    while (strcmp(a->sites.all[before].place, s->place)) before++;
    char *text = before == i ? weir_source_line(s->source_file, s->line, program) : NULL;
    if (text) fprintf(to, "%s%s: %s\n", some ? "" : "\n", s->place, text);
    some |= text != NULL;
    weir_free(text);
  }
}

// ---- what hints do ----------------------------------------------------------------------------------------------------------

enum gain_column { GAIN_SITE, HINT, CYCLES, MISSES, NETWORK, DRAM, ENERGY, CHANCE };

static void put_outcome(struct weir_cell *c, const struct weir_measured *without, const struct weir_measured *with) {
  c[CYCLES].ours = weir_share(without->cycles, with->cycles);
  c[MISSES].ours = weir_share(with->l1_misses, without->l1_misses);
  c[NETWORK].ours = weir_share(with->network_bytes, without->network_bytes);
  c[DRAM].ours = weir_share(with->dram_bytes, without->dram_bytes);
  c[ENERGY].ours = weir_share(with->energy_pj, without->energy_pj);
}

// "1.031 to 1.042×" over the perturbed pairs; "" if there are none. To be freed.
static char *spread(const struct weir_advice *a, const struct weir_answer *answer) {
  double least = INFINITY, most = 0;
  for (unsigned i = 0; i < a->perturbed; i++) {
    const double gain = weir_gain(&a->base.perturbed[i], &answer->perturbed[i]);
    if (gain < least) least = gain;
    if (gain > most) most = gain;
  }
  return most > 0 ? weir_text_format("%.3f to %.3f×", least, most) : weir_text_copy("");
}

static const struct weir_answer *alone_of(const struct weir_advice *a, const struct weir_trial *t) {
  for (unsigned i = 0; i < a->chosen_count; i++)
    if (&a->trials[a->chosen[i]] == t) return &a->alone[i];
  return NULL;
}

static void gain_row(struct weir_table *t, const struct weir_advice *a, unsigned site) {
  const struct weir_trial *best = weir_advice_best(a, site);
  const double gain = best ? weir_gain(&a->base.outcome, &best->outcome) : NAN;
  struct weir_cell *c = weir_table_row(t);
  char *name = weir_site_name(&a->sites.all[site]);
  weir_table_text(t, &c[GAIN_SITE], name);
  weir_free(name);
  if (!best) {
    weir_table_text(t, &c[HINT], a->sites.all[site].hint_count ? "none tried" : "none has an effect here");
    return;
  }
  const bool counts = weir_gain_counts(a, gain);
  char *hint = weir_text_format("%s%s", counts ? "" : "none gains; best ", best->hint);
  weir_table_text(t, &c[HINT], hint);
  weir_free(hint);
  put_outcome(c, &a->base.outcome, &best->outcome);
  const struct weir_answer *alone = alone_of(a, best);
  char *range = alone ? spread(a, alone) : weir_text_copy(counts ? "" : "no gain");
  weir_table_text(t, &c[CHANCE], range);
  weir_free(range);
}

static void together_row(struct weir_table *t, const struct weir_advice *a) {
  struct weir_cell *c = weir_table_row(t);
  char *range = spread(a, &a->together);
  char *what = weir_text_format("%u hint%s", a->chosen_count, a->chosen_count == 1 ? "" : "s");
  weir_table_text(t, &c[GAIN_SITE], "all together");
  weir_table_text(t, &c[HINT], what);
  put_outcome(c, &a->base.outcome, &a->together.outcome);
  weir_table_text(t, &c[CHANCE], range);
  weir_free(what);
  weir_free(range);
}

static void print_gains(const struct weir_advice *a, FILE *to) {
  static const struct weir_column columns[] = {
    [GAIN_SITE] = {"site", "line, array", NULL, WEIR_COLUMN_TEXT},
    [HINT] = {"hint", "best hint", NULL, WEIR_COLUMN_TEXT},
    [CYCLES] = {"speedup", "cycles", "of the program without over with the hint: above 1 is a gain", WEIR_COLUMN_RATIO},
    [MISSES] = {"l1_misses", "L1 misses", "of the whole program, as are the next three: with over without",
                WEIR_COLUMN_CHANGE},
    [NETWORK] = {"network_bytes", "L1 to L2", "bytes between them, both ways", WEIR_COLUMN_CHANGE},
    [DRAM] = {"dram_bytes", "DRAM bytes", NULL, WEIR_COLUMN_CHANGE},
    [ENERGY] = {"energy", "energy", NULL, WEIR_COLUMN_CHANGE},
    [CHANCE] = {"perturbed", "perturbed", "the gain in runs whose blocks and warps start late by chance",
                WEIR_COLUMN_TEXT},
  };
  struct weir_table t;
  weir_table_start(&t, "gains", "");
  weir_table_columns(&t, columns, CHANCE + 1u);
  for (unsigned k = 0; k < a->picked; k++) gain_row(&t, a, k);
  if (a->chosen_count) {
    together_row(&t, a);
    t.summary_row = a->picked;
  }
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (a->perturbed)
    fprintf(
      to,
      "\nnoise: without hints, cycles differ by %.2f %% over %u runs, %u of them perturbed; a gain within that is none\n",
      100 * a->band, a->perturbed + 1, a->perturbed);
  if (a->other_work)
    fprintf(
      to,
      "%u run%s with hints executed other instructions than the program without them and tell nothing of them: does it draw from the "
      "time of day?\n",
      a->other_work, a->other_work == 1 ? "" : "s");
}

// ---- what to do with it --------------------------------------------------------------------------------------------------------

static void print_command(const struct weir_advise_options *o, const char *hints, FILE *to) {
  const struct weir_experiment *e = o->experiment;
  fprintf(to, "    weir run%s%s --chip %s --hints %s", o->program ? "" : " ", o->program ? "" : e->program, e->chip,
          hints);
  if (o->program) fputs(" --", to);
  for (unsigned i = 0; o->program && o->program[i]; i++) fprintf(to, " %s", o->program[i]);
  fputc('\n', to);
}

static void print_hints(const struct weir_advice *a, const struct weir_advise_options *o, const char *path, FILE *to) {
  if (!a->chosen_count) {
    fputs("\nno hint helps\n", to);
    return;
  }
  char *hints = weir_advice_requests(a, "    ");
  fprintf(to, "\nhints%s%s%s:\n%s\n", path ? " (written to " : " (--output FILE writes them)", path ? path : "",
          path ? ")" : "", hints);
  print_command(o, path ? path : "FILE", to);
  weir_free(hints);
}

// More than two points apart is told.
static void print_patched(const struct weir_advice *a, FILE *to) {
  static const double POINTS = 0.02;
  const struct weir_patched *p = &a->patched;
  if (p->requests && *p->requests && !p->compiled.ran)
    fputs(
      "\nthe patch is not measured (--build COMMAND does that): loads past the first level are volatile ones in it, around which "
      "compilers change nothing; around functions such as __ldcs they may\n",
      to);
  if (!p->compiled.ran) return;
  const double hinted = weir_gain(&a->base.outcome, &p->hinted), compiled = weir_gain(&a->base.outcome, &p->compiled);
  fprintf(to, "\nthe patch, compiled: %.3f×, %.0f cycles; its hints without it: %.3f×\n", compiled, p->compiled.cycles,
          hinted);
  if (fabs(hinted - compiled) > POINTS)
    fputs(
      "the compiler makes other code around the functions that have hints; weir hint writes them into its PTX and changes nothing "
      "else\n",
      to);
}

static void print_mends(const struct weir_advice *a, FILE *to) {
  bool some = false;
  for (unsigned k = 0; k < a->picked; k++) {
    const struct weir_trial *best = weir_advice_best(a, k);
    const bool gains = best && weir_gain_counts(a, weir_gain(&a->base.outcome, &best->outcome));
    char *text = weir_mend_site(&a->sites.all[k], a->setup.chip, gains), *name = weir_site_name(&a->sites.all[k]);
    if (text) fprintf(to, "%s  %s: %s\n", some ? "" : "\nwhat no hint mends:\n", name, text);
    some |= text != NULL;
    weir_free(text);
    weir_free(name);
  }
  char *text = weir_mend_program(a->run, a->setup.chip);
  if (text) fprintf(to, "%s  %s\n", some ? "" : "\nwhat no hint mends:\n", text);
  weir_free(text);
}

// ---- beside hints ------------------------------------------------------------------------------------------------------------

static void remedy_row(struct weir_table *t, const struct weir_advice *a, const struct weir_remedy *r) {
  struct weir_cell *c = weir_table_row(t);
  char *name = weir_text_format("%s%s", r->name, r->failure ? " (does not run)" : "");
  weir_table_text(t, &c[0], name);
  weir_free(name);
  if (r->failure) return;
  c[1].ours = weir_share(a->base.outcome.cycles, r->outcome.cycles);
  c[2].ours = weir_share(r->outcome.l1_misses, a->base.outcome.l1_misses);
  c[3].ours = weir_share(r->outcome.dram_bytes, a->base.outcome.dram_bytes);
  c[4].ours = weir_share(r->outcome.energy_pj, a->base.outcome.energy_pj);
  weir_table_text(t, &c[5], weir_gain_counts(a, weir_gain(&a->base.outcome, &r->outcome)) ? r->how : "no gain");
}

static void print_remedies(const struct weir_advice *a, FILE *to) {
  static const struct weir_column columns[] = {
    {"remedy", "beside hints", NULL, WEIR_COLUMN_TEXT},   {"speedup", "cycles", NULL, WEIR_COLUMN_RATIO},
    {"l1_misses", "L1 misses", NULL, WEIR_COLUMN_CHANGE}, {"dram_bytes", "DRAM bytes", NULL, WEIR_COLUMN_CHANGE},
    {"energy", "energy", NULL, WEIR_COLUMN_CHANGE},       {"how", "how", NULL, WEIR_COLUMN_TEXT},
  };
  struct weir_table t;
  if (!a->remedy_count) return;
  weir_table_start(&t, "remedies", "");
  weir_table_columns(&t, columns, sizeof columns / sizeof *columns);
  for (unsigned i = 0; i < a->remedy_count; i++) remedy_row(&t, a, &a->remedies[i]);
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  for (unsigned i = 0; i < a->remedy_count; i++)
    if (a->remedies[i].failure) fprintf(to, "\n%s: %s", a->remedies[i].name, a->remedies[i].failure);
}

// How far hints have come on the way to what no policy of the first level beats.
static void print_bound(const struct weir_advice *a, FILE *to) {
  if (!a->bound) return;
  const json_t *first = weir_run_bound(a->bound, WEIR_FIRST_CACHE);
  if (!first || weir_bound_of(first).load_misses == 0) {
    fputs("\nthe bound: no load looked into the first level and missed\n", to);
    return;
  }
  weir_print_bound(a->bound, to);
  fprintf(to, "\nthat run has %.3f× the program's speed, the hints together %.3f×\n",
          weir_gain(&a->base.outcome, &a->opt), weir_gain(&a->base.outcome, &a->together.outcome));
}

static void print_chips(const struct weir_advice *a, FILE *to) {
  for (unsigned i = 0; i < a->chip_count; i++) {
    const struct weir_chip_answer *c = &a->chips[i];
    if (!i) fputs("\nthe same hints on other chips:\n", to);
    if (c->failure)
      fprintf(to, "  %s: %s", c->chip, c->failure);
    else
      fprintf(to, "  %s: %.3f×\n", c->chip, weir_gain(&c->base, &c->together));
  }
}

static void print_effort(const struct weir_advice *a, FILE *to) {
  fprintf(to, "\n%u run%s in %.0f s, the search with the effort of %.1f; %u of %u hints tried alone", a->runs,
          a->runs == 1 ? "" : "s", a->seconds, a->cost, a->tried, a->trial_count);
  if (a->tried < a->trial_count) fputs("; --runs and --budget bound the others", to);
  if (a->given_up) fprintf(to, "; %u given up that took more than was left", a->given_up);
  if (a->left_out) fprintf(to, "; %u that gain alone were not tried with the others", a->left_out);
  fputc('\n', to);
}

void weir_advice_print(const struct weir_advice *a, const struct weir_advise_options *o, const char *hints_path,
                       FILE *to) {
  fprintf(to, "%s on %s under scheme %s: %.0f cycles\n", weir_run_text(a->run, "program"),
          weir_run_text(a->run, "chip"), weir_run_text(a->run, "scheme"), a->base.outcome.cycles);
  if (!a->picked) {
    fputs("\nno load or store of global memory that takes a hint was executed: there is nothing to put one on\n", to);
    return;
  }
  print_sites(a, to);
  print_sources(a, to);
  print_gains(a, to);
  print_hints(a, o, hints_path, to);
  print_patched(a, to);
  print_mends(a, to);
  print_remedies(a, to);
  print_bound(a, to);
  print_chips(a, to);
  print_effort(a, to);
}
