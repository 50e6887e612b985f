// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 18, 19 and 20: energy of the programs of 2C4G, their own cores' and their shares of what all use (section
// 6.1), and their energy times delay squared. What was counted is priced again under each variant of the costs that
// energy/variants.h has: HeLM's numbers come with the lowest and the highest of them.
#include "holey2014/holey2014.h"

#include "scheme/policies.h"
#include "energy/variants.h"
#include "run/mix_energy.h"

#include <math.h>

struct what {
  const char *part; // of a program's energy; NULL: all that is on the chip
  bool delays;      // times the time squared
};

enum { REQUESTERS = 3, ALL = REQUESTERS };

// What events cost under a scheme. `chip` NULL: what the run was charged.
struct prices {
  const struct weir_chip_config *chip;
  struct weir_energy_costs costs;
};

static double part_of(const json_t *program, const struct prices *prices, const char *part) {
  if (prices->chip) return weir_energy_priced(program, prices->chip, &prices->costs, part);
  return weir_run_number(weir_run_member(program, "energy_pj"), part);
}

static double energy(const json_t *program, const struct prices *prices, const struct what *w) {
  if (!program) return NAN;
  double e = w->part ? part_of(program, prices, w->part)
                     : part_of(program, prices, "on_chip_dynamic") + part_of(program, prices, "on_chip_static");
  const double delay = weir_program_of(program).time_ps;
  return w->delays ? e * delay * delay : e;
}

// A scheme, and what it and LRU are charged.
struct charged {
  const char *scheme;
  struct prices with, lru;
};

// Mean over the mixes of one program's energy over that under LRU, or of all three programs'.
static double mean_ratio(const struct weir_plan *p, const struct charged *c, unsigned requester, const struct what *w) {
  struct holey_mix mixes[HOLEY_MIXES];
  struct holey_mean mean = {0};
  unsigned count = holey_draw(p, HOLEY_2C4G, mixes);
  for (unsigned m = 0; m < count; m++) {
    const json_t *run = holey_run(p, mixes[m].name, c->scheme, "");
    const json_t *base = holey_run(p, mixes[m].name, HOLEY_LRU, "");
    for (int i = 0; i < REQUESTERS; i++)
      if (requester == ALL || requester == (unsigned)i)
        holey_mean_add(
          &mean, energy(weir_run_requester(run, i), &c->with, w) / energy(weir_run_requester(base, i), &c->lru, w));
  }
  return holey_mean_of(&mean);
}

// ---- other sources' costs ------------------------------------------------------------------------------------------

struct range {
  double low, high;
};

static void widen(struct range *r, double value) {
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static bool setup_read(struct weir_setup *s, const char *scheme, enum weir_size size, struct weir_sink *sink) {
  const struct weir_experiment e = {.chip = "apu-2c4g", .scheme = scheme, .size = size};
  return weir_setup_read(s, &e, sink);
}

static void range_over(struct range rows[], const struct weir_plan *p, const struct what *w,
                       const struct weir_setup *helm, const struct weir_setup *lru) {
  unsigned count;
  const struct weir_energy_variant *variants = weir_energy_variants(&count);
  for (unsigned v = 0; v < count; v++) {
    struct charged c = {.scheme = HOLEY_HELM, .with.chip = helm->chip, .lru.chip = lru->chip};
    weir_scheme_energy_costs(helm->scheme, helm->chip, &c.with.costs);
    weir_scheme_energy_costs(lru->scheme, lru->chip, &c.lru.costs);
    variants[v].apply(&c.with.costs);
    variants[v].apply(&c.lru.costs);
    for (unsigned requester = 0; requester <= ALL; requester++)
      widen(&rows[requester], mean_ratio(p, &c, requester, w));
  }
}

// By requester; NaN where a chip or scheme cannot be read, which the runs have said by then.
static void ranges(struct range rows[ALL + 1], const struct weir_plan *p, const struct what *w) {
  struct weir_sink sink = {0};
  struct weir_setup helm, lru;
  for (unsigned requester = 0; requester <= ALL; requester++) rows[requester] = (struct range){NAN, NAN};
  if (setup_read(&helm, holey_spec(p, HOLEY_HELM), weir_plan_size(p), &sink)) {
    if (setup_read(&lru, holey_spec(p, HOLEY_LRU), weir_plan_size(p), &sink)) {
      range_over(rows, p, w, &helm, &lru);
      weir_setup_free(&lru);
    }
    weir_setup_free(&helm);
  }
  weir_sink_free(&sink);
}

// ---- the figures ---------------------------------------------------------------------------------------------------

static void add_requester(struct weir_table *t, const struct weir_plan *p, const char *label, unsigned requester,
                          const struct what *w, const struct range *r) {
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[0], label);
  unsigned i = 0;
  for (; holey_schemes[i]; i++)
    cells[1 + i].ours = mean_ratio(p, &(struct charged){.scheme = holey_schemes[i]}, requester, w);
  cells[1 + i].ours = cells[i].ours / cells[i - 1].ours;
  cells[2 + i].ours = r->low;
  cells[3 + i].ours = r->high;
}

static void by_requester(struct weir_table *t, const struct weir_plan *p, const struct what *w, const char *note) {
  struct range rows[ALL + 1];
  ranges(rows, p, w);
  holey_scheme_columns(t, "", WEIR_COLUMN_CHANGE);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "helm_over_tap", "HeLM over TAP-RRIP", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "helm_low", "HeLM, lowest", "over LRU under other sources' costs");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "helm_high", "highest", NULL);
  add_requester(t, p, "CPU 1", 1, w, &rows[1]);
  add_requester(t, p, "CPU 2", 2, w, &rows[2]);
  add_requester(t, p, "GPU", 0, w, &rows[0]);
  add_requester(t, p, "system", ALL, w, &rows[ALL]);
  holey_publish(t);
  weir_table_note(t, note);
}

#define OF_2C4G " Mixes of 2C4G, over LRU; system: of the three programs. Means: geometric."

void holey_figure_18a(struct weir_table *t, const struct weir_plan *p) {
  by_requester(t, p, &(struct what){"on_chip_dynamic", false}, "Cores, caches, network, memory controllers." OF_2C4G);
}

void holey_figure_18b(struct weir_table *t, const struct weir_plan *p) {
  by_requester(t, p, &(struct what){"on_chip_static", false}, "Cores, caches, network, memory controllers." OF_2C4G);
}

void holey_figure_18c(struct weir_table *t, const struct weir_plan *p) {
  by_requester(t, p, &(struct what){NULL, false}, "Dynamic and static." OF_2C4G);
}

void holey_figure_19a(struct weir_table *t, const struct weir_plan *p) {
  by_requester(t, p, &(struct what){"dram", false}, "Dynamic and static." OF_2C4G);
}

void holey_figure_19b(struct weir_table *t, const struct weir_plan *p) {
  by_requester(t, p, &(struct what){"total", false}, "On the chip and in DRAM." OF_2C4G);
}

void holey_figure_20(struct weir_table *t, const struct weir_plan *p) {
  by_requester(t, p, &(struct what){"total", true},
               "Energy, on the chip and in DRAM, times the square of the time." OF_2C4G);
}
