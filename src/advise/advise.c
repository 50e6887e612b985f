// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The search: the program as it is, each hint alone, the best ones together, and both under perturbations.
#include "advise/advise.h"

#include "base/alloc.h"
#include "batch/batch.h"
#include "batch/jobs.h"
#include "run/numbers.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- gains -----------------------------------------------------------------------------------------------------------------

double weir_gain(const struct weir_measured *without, const struct weir_measured *with) {
  return without->ran && with->ran ? without->cycles / with->cycles : NAN;
}

bool weir_gain_counts(const struct weir_advice *a, double gain) {
  return gain > 1 + a->band;
}

const struct weir_trial *weir_advice_best(const struct weir_advice *a, unsigned site) {
  const struct weir_trial *best = NULL;
  for (unsigned i = 0; i < a->tried; i++) {
    const struct weir_trial *t = &a->trials[i];
    if (t->site == site && t->outcome.ran && (!best || t->outcome.cycles < best->outcome.cycles)) best = t;
  }
  return best;
}

static double gain_of(const struct weir_advice *a, const struct weir_trial *t) {
  return t ? weir_gain(&a->base.outcome, &t->outcome) : NAN;
}

static bool wins(const struct weir_advice *a, unsigned site) {
  return weir_gain_counts(a, gain_of(a, weir_advice_best(a, site)));
}

// How far apart runs lie that differ in chance alone.
static double band_of(const struct weir_advice *a) {
  double least = a->base.outcome.cycles, most = least;
  for (unsigned i = 0; i < a->perturbed; i++) {
    const struct weir_measured *o = &a->base.perturbed[i];
    if (!o->ran) continue;
    if (o->cycles < least) least = o->cycles;
    if (o->cycles > most) most = o->cycles;
  }
  return (most - least) / a->base.outcome.cycles;
}

// ---- runs ------------------------------------------------------------------------------------------------------------------

struct search {
  const struct weir_advise_options *options;
  struct weir_advice *advice;
  struct weir_trials trials;
  double spent;      // effort of runs that count against options->runs
  double dearest;    // of these, the most
  unsigned reserved; // runs of what is left: for the answer, perturbed
  unsigned wasted;   // runs beside others that came to nothing
  bool all_alone;    // none is kept to put hints together
  struct weir_sink *sink;
};

enum { TENTHS = 10 }; // of a run: finer, the noise of a run would count

// In tenths of a run of the program as it is: what cores and the network have to do is what a run's time goes with. A run that has less
// to do is charged as one, since its program does the same.
static double effort(const struct weir_advice *a, const struct weir_measured *o) {
  const struct weir_measured *base = &a->base.outcome;
  if (!o->ran) return TENTHS;
  const double cores = weir_part_of(o->core_cycles, base->core_cycles);
  return round(TENTHS * fmax(fmax(1, cores), weir_part_of(o->network_flits, base->network_flits)));
}

static void widen_work(struct weir_advice *a, const struct weir_measured *o) {
  if (!o->ran) return;
  if (!a->most_work || o->instructions < a->least_work) a->least_work = o->instructions;
  if (o->instructions > a->most_work) a->most_work = o->instructions;
}

// Hints change no value, so that a run with them executes what the program does: as many instructions, or as many more or fewer as by chance.
// Otherwise it does other work, as a program does that draws from the time of day, and its cycles tell nothing.
static bool same_work(const struct weir_advice *a, const struct weir_measured *o) {
  const double chance = a->most_work - a->least_work;
  return o->instructions >= a->least_work - chance && o->instructions <= a->most_work + chance;
}

// Of all effort a twelfth is kept: for what the search itself does, and for what a run's time differs from its charge (up to 5 % were
// measured).
static double margin(const struct search *s) {
  enum { SHARES = 12 };
  return TENTHS * (double)s->options->runs / SHARES;
}

// The effort that is left, beside `kept` runs of the program as it is.
static double left(const struct search *s, unsigned kept) {
  if (!s->options->runs) return INFINITY;
  return TENTHS * ((double)s->options->runs - s->reserved - kept) - margin(s) - s->spent;
}

// A run that takes more than `most` is given up, so that whatever is tried, no more is spent.
static void bound(const struct search *s, struct weir_wanted *w, double most) {
  const struct weir_measured *base = &s->advice->base.outcome;
  if (most == INFINITY) return;
  const double times = (most + 0.5) / TENTHS; // the charge is rounded
  w->most_core_cycles = times * base->core_cycles;
  w->most_flits = times * base->network_flits;
}

// So what is tried depends on no clock. What a run took that did not end is not known, but for the bound that it had.
static void charge(struct search *s, struct weir_measured *o, double most) {
  const double tenths = effort(s->advice, o);
  if (most < INFINITY && (!o->ran || tenths > most)) {
    o->ran = false;
    s->spent += most;
    s->advice->given_up++;
    return;
  }
  s->spent += tenths;
  if (tenths > s->dearest) s->dearest = tenths;
  if (!o->ran || same_work(s->advice, o)) return;
  o->ran = false;
  s->advice->other_work++;
}

// How many of that effort there is room for, beside `kept` runs of the program as it is.
static unsigned room(const struct search *s, double tenths, unsigned kept) {
  if (!s->options->runs) return UINT32_MAX;
  const double most = left(s, kept);
  return most >= tenths ? (unsigned)(most / tenths) : 0;
}

static bool may_offer(const struct search *s) {
  return room(s, s->dearest, 0) && weir_trials_affordable(&s->trials, 1);
}

static void release(struct weir_wanted *wanted, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    weir_free(wanted[i].failure);
    json_decref(wanted[i].run);
  }
}

// The program as it is. What keeps it from running is the user's to mend.
static int run_base(struct search *s) {
  struct weir_wanted w = {0};
  const int status = weir_trials_run(&s->trials, &w, 1, s->sink);
  if (status) return status;
  if (w.failure) {
    weir_report(s->sink, WEIR_ERROR, (struct weir_place){.file = s->options->experiment->program},
                "it cannot be run: %s", w.failure);
    release(&w, 1);
    return WEIR_EXIT_USER;
  }
  s->advice->run = w.run;
  s->advice->base.outcome = s->advice->together.outcome = w.outcome;
  widen_work(s->advice, &w.outcome);
  charge(s, &w.outcome, INFINITY);
  return WEIR_EXIT_OK;
}

// Perturbed runs, each of the hints (NULL: none). Those of hints share what is left: they may take more than unperturbed.
static int perturb(struct search *s, const char *hints, struct weir_answer *answer, unsigned count) {
  struct weir_wanted wanted[WEIR_ADVISE_PERTURBED] = {0};
  const double most = hints && count ? (left(s, 0) + margin(s)) / count : INFINITY;
  for (unsigned i = 0; i < count; i++) {
    wanted[i] = (struct weir_wanted){.hints = hints, .perturb = i + 1};
    bound(s, &wanted[i], most);
  }
  const int status = weir_trials_run(&s->trials, wanted, count, s->sink);
  for (unsigned i = 0; i < count && !status; i++) {
    if (!hints) widen_work(s->advice, &wanted[i].outcome);
    charge(s, &wanted[i].outcome, most);
    answer->perturbed[i] = wanted[i].outcome;
  }
  release(wanted, count);
  return status;
}

// ---- each hint alone -------------------------------------------------------------------------------------------------------

// In rounds: the likeliest hint of each site first.
static void plan_trials(struct weir_advice *a) {
  unsigned capacity = 0;
  for (unsigned round = 0; round < WEIR_SITE_HINTS; round++)
    for (unsigned k = 0; k < a->picked; k++) {
      const struct weir_site *site = &a->sites.all[k];
      if (round >= site->hint_count) continue;
      *weir_push(a->trials, a->trial_count, capacity) = (struct weir_trial){
        .site = k, .hint = site->hints[round], .requests = weir_site_requests(site, site->hints[round], "--hint\t")};
    }
}

static int try_some(struct search *s, struct weir_trial *trials, unsigned count, double most) {
  struct weir_wanted *wanted = weir_new_array(struct weir_wanted, count);
  for (unsigned i = 0; i < count; i++) {
    wanted[i].hints = trials[i].requests;
    bound(s, &wanted[i], most);
  }
  const int status = weir_trials_run(&s->trials, wanted, count, s->sink);
  for (unsigned i = 0; i < count && !status; i++) {
    trials[i].outcome = wanted[i].outcome;
    trials[i].failure = wanted[i].failure ? "it did not run" : NULL;
  }
  release(wanted, count);
  weir_free(wanted);
  return status;
}

static unsigned winners(const struct weir_advice *a) {
  unsigned count = 0;
  for (unsigned k = 0; k < a->picked; k++) count += wins(a, k);
  return count;
}

// Runs that are kept for putting hints together: for winners, and a few for what gains only beside others.
static unsigned reserve(const struct weir_advice *a) {
  enum { FOR_OTHERS = 2 };
  const unsigned others = a->picked < FOR_OTHERS + 1 ? a->picked - 1 : FOR_OTHERS, found = winners(a);
  return found > others + 1 ? found - 1 : others;
}

// What is kept for putting hints together. With few runs in all, the first go to hints alone.
static unsigned kept_of(const struct search *s) {
  return s->advice->tried && !s->all_alone ? reserve(s->advice) : 0;
}

// Of those that are left, how many there is room for.
static unsigned next_trials(const struct search *s) {
  const struct weir_advice *a = s->advice;
  const unsigned count = a->trial_count - a->tried, most = room(s, s->dearest, kept_of(s));
  return count < most ? count : most;
}

// In order, as on one core. Some run side by side, and one that turns out to have no room is not counted, so that what is found does not
// depend on how many do.
static int try_alone(struct search *s) {
  struct weir_advice *a = s->advice;
  const unsigned jobs = s->options->jobs ? s->options->jobs : weir_processors();
  unsigned ran = a->tried;
  for (unsigned count; (count = next_trials(s));) {
    if (a->tried == ran) {
      const unsigned now = weir_trials_affordable(&s->trials, count < jobs ? count : jobs);
      const int status = now ? try_some(s, a->trials + ran, now, left(s, kept_of(s))) : WEIR_EXIT_OK;
      if (!now || status) return status;
      ran += now;
    }
    const double most = left(s, kept_of(s));
    charge(s, &a->trials[a->tried++].outcome, most);
  }
  s->wasted += ran - a->tried;
  return WEIR_EXIT_OK;
}

// ---- together --------------------------------------------------------------------------------------------------------------

static char *with(const struct weir_advice *a, const struct weir_trial *more, const char *before) {
  char *all = weir_text_copy("");
  for (unsigned i = 0; i < a->chosen_count + (more != NULL); i++) {
    const struct weir_trial *t = i < a->chosen_count ? &a->trials[a->chosen[i]] : more;
    char *own = weir_site_requests(&a->sites.all[t->site], t->hint, before);
    char *longer = weir_text_format("%s%s", all, own);
    weir_free(own);
    weir_free(all);
    all = longer;
  }
  return all;
}

char *weir_advice_requests(const struct weir_advice *a, const char *before) {
  return with(a, NULL, before);
}

static bool is_chosen(const struct weir_advice *a, unsigned site) {
  for (unsigned i = 0; i < a->chosen_count; i++)
    if (a->trials[a->chosen[i]].site == site) return true;
  return false;
}

// Of sites that were not offered yet, the hint that gains most, or loses least: it may gain beside others, as loads that push one
// another's lines out do. NULL: none is left.
static const struct weir_trial *next_offer(const struct weir_advice *a, const bool *offered) {
  const struct weir_trial *best = NULL;
  for (unsigned k = 0; k < a->picked; k++) {
    const struct weir_trial *t = weir_advice_best(a, k);
    if (offered[k] || is_chosen(a, k) || !t) continue;
    if (!best || t->outcome.cycles < best->outcome.cycles) best = t;
  }
  return best;
}

static void choose(struct weir_advice *a, const struct weir_trial *t, const struct weir_measured *o) {
  a->chosen[a->chosen_count++] = (unsigned)(t - a->trials);
  a->together.outcome = *o;
}

// One run with hints, of what effort is left.
static int run_hinted(struct search *s, struct weir_wanted *w) {
  const double most = left(s, 0);
  bound(s, w, most);
  const int status = weir_trials_run(&s->trials, w, 1, s->sink);
  if (!status) charge(s, &w->outcome, most);
  return status;
}

// Beside those that are chosen: kept if it gains once more.
static int offer(struct search *s, const struct weir_trial *t) {
  struct weir_advice *a = s->advice;
  char *hints = with(a, t, "--hint\t");
  struct weir_wanted w = {.hints = hints};
  const int status = run_hinted(s, &w);
  if (!status && weir_gain_counts(a, weir_gain(&a->together.outcome, &w.outcome))) choose(a, t, &w.outcome);
  release(&w, 1);
  weir_free(hints);
  return status;
}

// None gains alone: all that lose little, at once. They are the answer if that gains.
static int try_all(struct search *s) {
  static const double LITTLE = 0.9;
  struct weir_advice *a = s->advice;
  for (unsigned k = 0; k < a->picked; k++) {
    const struct weir_trial *t = weir_advice_best(a, k);
    if (t && gain_of(a, t) >= LITTLE) a->chosen[a->chosen_count++] = (unsigned)(t - a->trials);
  }
  int status = WEIR_EXIT_OK;
  struct weir_wanted w = {0};
  char *hints = with(a, NULL, "--hint\t");
  w.hints = hints;
  if (a->chosen_count > 1 && may_offer(s)) status = run_hinted(s, &w);
  if (weir_gain_counts(a, weir_gain(&a->base.outcome, &w.outcome)))
    a->together.outcome = w.outcome;
  else
    a->chosen_count = 0;
  release(&w, 1);
  weir_free(hints);
  return status;
}

static int put_together(struct search *s) {
  struct weir_advice *a = s->advice;
  bool offered[WEIR_ADVISE_LINES] = {false};
  int status = WEIR_EXIT_OK;
  if (!winners(a)) return try_all(s);
  for (const struct weir_trial *t; !status && (t = next_offer(a, offered));) {
    offered[t->site] = true;
    if (!a->chosen_count)
      choose(a, t, &t->outcome);
    else if (may_offer(s))
      status = offer(s, t);
    else
      a->left_out += wins(a, t->site);
  }
  return status;
}

// Where nothing comes of that, what was kept for it goes to hints alone.
static int try_hints(struct search *s) {
  struct weir_advice *a = s->advice;
  int status = try_alone(s);
  if (!status) status = put_together(s);
  if (status || a->chosen_count) return status;
  s->all_alone = true;
  status = try_alone(s);
  return !status && winners(a) ? put_together(s) : status;
}

// ---- the answer, perturbed and elsewhere -----------------------------------------------------------------------------------

// Of as many runs as there are perturbed ones, those that there is room for if they take what the hints took unperturbed.
static unsigned perturbable(const struct search *s, const struct weir_measured *o) {
  const unsigned most = room(s, effort(s->advice, o), 0), wanted = s->advice->perturbed;
  return wanted < most ? wanted : most;
}

static int perturb_answer(struct search *s) {
  struct weir_advice *a = s->advice;
  if (!a->chosen_count || !a->perturbed) return WEIR_EXIT_OK;
  char *hints = weir_advice_requests(a, "--hint\t");
  s->reserved = 0;
  int status = perturb(s, hints, &a->together, perturbable(s, &a->together.outcome));
  weir_free(hints);
  for (unsigned i = 0; i < a->chosen_count && !status; i++) {
    const struct weir_trial *t = &a->trials[a->chosen[i]];
    a->alone[i].outcome = t->outcome;
    if (a->chosen_count == 1)
      a->alone[i] = a->together;
    else if (perturbable(s, &t->outcome) == a->perturbed && weir_trials_affordable(&s->trials, a->perturbed))
      status = perturb(s, t->requests, &a->alone[i], a->perturbed);
  }
  return status;
}

static int ask_chips(struct search *s) {
  struct weir_advice *a = s->advice;
  int status = WEIR_EXIT_OK;
  a->chips = weir_new_array(struct weir_chip_answer, s->options->chip_count);
  char *hints = weir_advice_requests(a, "--hint\t");
  for (unsigned i = 0; i < s->options->chip_count && !status; i++) {
    struct weir_chip_answer *c = &a->chips[a->chip_count++];
    struct weir_wanted wanted[2] = {{.chip = s->options->chips[i]}, {.chip = s->options->chips[i], .hints = hints}};
    c->chip = s->options->chips[i];
    status = weir_trials_run(&s->trials, wanted, a->chosen_count ? 2 : 1, s->sink);
    c->base = wanted[0].outcome;
    c->together = a->chosen_count ? wanted[1].outcome : wanted[0].outcome;
    const char *failure = wanted[0].failure ? wanted[0].failure : wanted[1].failure;
    c->failure = failure ? weir_text_copy(failure) : NULL;
    release(wanted, 2);
  }
  weir_free(hints);
  return status;
}

// ---- beside hints ----------------------------------------------------------------------------------------------------------

static int try_remedies(struct search *s) {
  struct weir_advice *a = s->advice;
  if (!s->options->remedies) return WEIR_EXIT_OK;
  a->remedy_count = weir_remedies_of(a->remedies, &a->setup, s->options->experiment, a->run);
  return a->remedy_count ? weir_remedies_run(a->remedies, a->remedy_count, &s->trials) : WEIR_EXIT_OK;
}

// Recorded once, and run again with that order known.
static int ask_bound(struct search *s) {
  struct weir_wanted w = {.scheme = "opt"};
  if (!s->options->bound) return WEIR_EXIT_OK;
  const int status = weir_trials_run(&s->trials, &w, 1, s->sink);
  s->advice->bound = w.run;
  s->advice->opt = w.outcome;
  if (w.failure) weir_report(s->sink, WEIR_NOTE, (struct weir_place){0}, "there is no bound: %s", w.failure);
  weir_free(w.failure);
  return status;
}

// ---- all of it -------------------------------------------------------------------------------------------------------------

static unsigned expected_runs(const struct search *s) {
  const struct weir_advice *a = s->advice;
  const unsigned all = 1 + a->trial_count + a->picked + 2 * a->perturbed, most = s->options->runs;
  return (most && all > most ? most : all) + 2 * s->options->chip_count + (s->options->remedies ? 2 : 0) +
    s->options->bound;
}

static int search(struct search *s) {
  struct weir_advice *a = s->advice;
  int status = run_base(s);
  if (status) return status;
  if ((status = ask_bound(s))) return status;
  const json_t *bound = a->bound ? weir_run_bound(a->bound, WEIR_FIRST_CACHE) : NULL;
  weir_sites_read(&a->sites, a->run, bound, a->setup.chip);
  a->picked = a->sites.count < s->options->lines ? a->sites.count : s->options->lines;
  plan_trials(a);
  s->trials.expected = expected_runs(s);
  if (a->trial_count && !weir_trials_affordable(&s->trials, a->perturbed)) a->perturbed = 0;
  if (!a->trial_count) a->perturbed = 0;
  s->reserved = a->perturbed;
  status = perturb(s, NULL, &a->base, a->perturbed);
  a->band = band_of(a);
  if (!status) status = try_hints(s);
  if (!status) status = perturb_answer(s);
  a->cost = s->spent / TENTHS;
  if (!status) status = try_remedies(s);
  return status ? status : ask_chips(s);
}

static bool decides(const struct weir_advice *a, const struct weir_advise_options *o, struct weir_sink *sink) {
  if (!weir_scheme_sweep_count(a->setup.scheme)) return true;
  return weir_fail_plain(sink, "the scheme '%s' leaves values open: advice is for one that decides them",
                         o->experiment->scheme);
}

int weir_advise(struct weir_advice *a, const struct weir_advise_options *o, struct weir_sink *sink) {
  *a = (struct weir_advice){.perturbed = o->perturb};
  struct search s = {
    .options = o,
    .advice = a,
    .trials = {.experiment = o->experiment, .program = o->program, .jobs = o->jobs, .budget = o->budget, .expected = 1},
    .sink = sink};
  const bool ready = o->program ? weir_setup_read_process(&a->setup, o->experiment, sink)
                                : weir_setup_read(&a->setup, o->experiment, sink);
  if (!ready || !decides(a, o, sink)) return WEIR_EXIT_USER;
  weir_trials_start(&s.trials);
  const int status = search(&s);
  a->runs = s.trials.done - s.wasted;
  a->seconds = weir_seconds_now() - s.trials.start;
  return status;
}

void weir_advice_free(struct weir_advice *a) {
  for (unsigned i = 0; i < a->trial_count; i++) weir_free(a->trials[i].requests);
  for (unsigned i = 0; i < a->chip_count; i++) weir_free(a->chips[i].failure);
  weir_free(a->trials);
  weir_free(a->chips);
  weir_sites_free(&a->sites);
  weir_remedies_free(a->remedies, a->remedy_count);
  weir_free(a->patched.requests);
  json_decref(a->bound);
  json_decref(a->run);
  weir_setup_free(&a->setup);
}
