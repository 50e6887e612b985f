// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/sampling.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- host copies --------------------------------------------------------------------------------------------------------

enum { MOST_COPIES = 1024 }; // that wait

static void hand_over_copies(struct weir_sampling *s) {
  const struct weir_backend chip = weir_chip_backend(s->chip);
  for (unsigned i = 0; i < s->copy_count; i++) chip.copied_in(chip.context, s->copies[i].address, s->copies[i].bytes);
  s->copy_count = 0;
}

static void copied_in(void *context, uint64_t address, uint64_t bytes) {
  struct weir_sampling *s = context;
  unsigned kept = 0;
  for (unsigned i = 0; i < s->copy_count; i++)
    if (s->copies[i].address != address || s->copies[i].bytes != bytes) s->copies[kept++] = s->copies[i];
  s->copy_count = kept;
  if (kept == MOST_COPIES) hand_over_copies(s);
  *weir_push(s->copies, s->copy_count, s->copy_capacity) = (struct weir_sampling_copy){address, bytes};
}

// ---- a launch with time -------------------------------------------------------------------------------------------------

// Of a launch that became steady the rest of its blocks; what they would have counted is added.
static bool run_rest(struct weir_sampling *s, const struct weir_foretold *g, const struct weir_launch *l,
                     struct weir_run_stats *counts, double within[static WEIR_ESTIMATES], struct weir_fault *fault) {
  struct weir_chip_rest rest;
  if (!weir_chip_rest(s->chip, &rest)) return true;
  const uint64_t before = *l->steps;
  const bool ok = weir_chip_run_rest(s->chip, l, weir_foretell_warms(&s->foretelling, s->launched, g, l), fault);
  const uint64_t instructions = *l->steps - before;
  const double times = (double)instructions / (double)rest.steady.warp_instructions;
  const uint64_t timed = counts->warp_instructions;
  weir_run_stats_add_times(counts, &rest.steady, times);
  counts->warp_instructions = timed + instructions; // these two are known
  counts->blocks = weir_launch_blocks(l);
  s->passed_ps += times * (double)rest.steady.time_ps;
  s->stopped++;
  s->rest_instructions += instructions;
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++)
    within[i] = weir_student(WEIR_CHIP_REST_FREEDOM) * rest.deviation[i] * (double)instructions;
  return ok;
}

// counts, within: of the launch.
static bool time_launch(struct weir_sampling *s, struct weir_foretold *g, const struct weir_launch *l,
                        struct weir_run_stats *counts, double within[static WEIR_ESTIMATES], struct weir_fault *fault) {
  const struct weir_backend chip = weir_chip_backend(s->chip);
  hand_over_copies(s);
  const struct weir_run_stats before = *weir_chip_total(s->chip);
  bool ok = chip.launch(chip.context, l, fault);
  *counts = *weir_chip_total(s->chip);
  weir_run_stats_subtract(counts, &before);
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) within[i] = 0;
  if (ok) ok = run_rest(s, g, l, counts, within, fault);
  weir_stratum_add_timed(weir_strata_have(&s->strata, l, counts->warp_instructions), counts, within);
  s->timed++;
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) s->whole[i] += weir_estimated_counter(counts, (enum weir_estimate)i);
  weir_foretell_learn(&s->foretelling, g, l, s->launched, counts->warp_instructions);
  return ok;
}

static bool run_timed(struct weir_sampling *s, struct weir_foretold *g, const struct weir_launch *l,
                      struct weir_fault *fault) {
  struct weir_run_stats counts;
  double within[WEIR_ESTIMATES];
  return time_launch(s, g, l, &counts, within, fault);
}

// ---- a launch without -----------------------------------------------------------------------------------------------------

// What the launch prints waits until it is known that it is not taken back.
struct spoken {
  const struct weir_services *own; // NULL: none
  char *text;
  size_t bytes;
  FILE *to;
};

static void hear(void *context, const char *text, size_t bytes) {
  struct spoken *p = context;
  fwrite(text, 1, bytes, p->to);
}

static void stray(void *context, const struct weir_launch *launch, const struct weir_fault *where) {
  const struct spoken *p = context;
  p->own->strayed(p->own->context, launch, where);
}

static void say(const struct spoken *p) {
  if (p->own && p->own->print)
    p->own->print(p->own->context, p->text, p->bytes);
  else
    fwrite(p->text, 1, p->bytes, stderr);
}

static bool run_untimed(struct weir_sampling *s, const struct weir_launch *l, bool warms, struct spoken *spoken,
                        struct weir_fault *fault) {
  struct weir_services services = l->services ? *l->services : (struct weir_services){0};
  struct weir_launch heard = *l;
  *spoken = (struct spoken){.own = l->services};
  spoken->to = open_memstream(&spoken->text, &spoken->bytes);
  services.context = spoken;
  services.print = hear;
  services.strayed = services.strayed ? stray : NULL;
  heard.services = &services;
  const bool ok = warms ? weir_chip_run_noted(s->chip, &heard, fault) : weir_functional_launch(&heard, NULL, fault);
  fclose(spoken->to);
  return ok;
}

static void account(struct weir_sampling *s, struct weir_foretold *g, const struct weir_launch *l,
                    struct weir_stratum *stratum, uint64_t instructions) {
  weir_stratum_add_untimed(stratum, instructions);
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++)
    s->whole[i] += weir_stratum_estimate(stratum, (enum weir_estimate)i, instructions);
  s->passed_ps += weir_stratum_ps(stratum, instructions);
  weir_chip_pass(s->chip);
  weir_foretell_learn(&s->foretelling, g, l, s->launched, instructions);
}

// Runs a launch that is expected to be of the stratum. If it is of one that should be timed, it is taken back and timed. `warms`: else
// shared caches have what it accesses.
static bool run_expected(struct weir_sampling *s, struct weir_foretold *g, const struct weir_launch *l,
                         struct weir_stratum *expected, bool warms, bool *printed, struct weir_fault *fault) {
  const uint64_t before = *l->steps;
  if (!s->before) s->before = weir_snapshot_create();
  const bool kept = !weir_foretold_is_steady(g, l) && weir_snapshot_take(s->before, l->memory);
  struct spoken spoken;
  const bool ok = run_untimed(s, l, warms, &spoken, fault);
  const uint64_t instructions = *l->steps - before;
  struct weir_stratum *own = weir_strata_find(&s->strata, l, weir_launch_blocks(l), instructions);
  const bool open = own != expected && (!own || weir_stratum_is_open(own, s->whole));
  *printed = spoken.bytes != 0;
  if (ok && open && kept && weir_snapshot_restore(s->before, l->memory)) {
    free(spoken.text);
    *l->steps = before;
    return run_timed(s, g, l, fault);
  }
  if (warms) {
    hand_over_copies(s);
    weir_chip_warm_noted(s->chip);
    s->warmed++;
  }
  say(&spoken);
  free(spoken.text);
  account(s, g, l, own ? own : expected, instructions);
  return ok;
}

// ---- the same again -------------------------------------------------------------------------------------------------------

// Comparing so many bytes of memory takes about as long as running a warp instruction without time.
enum { BYTES_PER_INSTRUCTION = 32 };

static bool is_again(const struct weir_sampling_echo *e, const struct weir_launch *l) {
  const struct weir_launch *a = &e->launch;
  return !l->streams && a->kernel == l->kernel && e->first_pc == weir_program_first_pc(l->program) &&
    a->memory == l->memory && !memcmp(a->grid, l->grid, sizeof a->grid) &&
    !memcmp(a->block, l->block, sizeof a->block) && !memcmp(a->cluster, l->cluster, sizeof a->cluster) &&
    a->dynamic_shared_bytes == l->dynamic_shared_bytes && a->shared_preference == l->shared_preference &&
    e->param_bytes == l->kernel->param_bytes && (!e->param_bytes || !memcmp(e->params, l->params, e->param_bytes));
}

static void begin_echo(struct weir_sampling_echo *e, const struct weir_launch *l) {
  const uint32_t bytes = l->kernel->param_bytes;
  if (e->param_room < bytes) {
    weir_free(e->params);
    e->params = weir_alloc(bytes);
    e->param_room = bytes;
  }
  if (bytes) memcpy(e->params, l->params, bytes);
  e->param_bytes = bytes;
  e->launch = *l;
  e->first_pc = weir_program_first_pc(l->program);
  e->repeats = 0;
  e->settled = false;
  e->timed = 0;
}

static bool is_worth_it(const struct weir_sampling_echo *e, const struct weir_launch *l) {
  return e->repeats >= 2 && !l->cooperative && weir_memory_bytes(l->memory) / BYTES_PER_INSTRUCTION < e->instructions;
}

// Is memory what the launch left when it ran last?
static bool is_unchanged(const struct weir_sampling_echo *e, const struct weir_launch *l) {
  return is_worth_it(e, l) && e->after && weir_snapshot_same(e->after, l->memory);
}

// The launch has run; `unchanged`: on what it had left before.
static void end_echo(struct weir_sampling_echo *e, const struct weir_launch *l, uint64_t instructions, bool unchanged,
                     bool silent) {
  e->instructions = instructions;
  e->settled = unchanged && silent && weir_snapshot_same(e->after, l->memory);
  e->timed = 0;
  if (e->settled || !is_worth_it(e, l)) return;
  if (!e->after) e->after = weir_snapshot_create();
  weir_snapshot_take(e->after, l->memory);
}

// The first repeats that are settled are timed: what they find in the caches is what such a launch has left there. All others count as
// the second of them.
enum { TIMED_REPEATS = 2 };

static bool time_repeat(struct weir_sampling *s, struct weir_foretold *g, const struct weir_launch *l,
                        struct weir_fault *fault) {
  struct weir_sampling_echo *e = &s->echo;
  const struct weir_run_stats before = e->counts;
  const bool ok = time_launch(s, g, l, &e->counts, e->within, fault);
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) {
    const enum weir_estimate what = (enum weir_estimate)i;
    e->apart[i] = fabs(weir_estimated_counter(&e->counts, what) - weir_estimated_counter(&before, what));
  }
  e->timed++;
  return ok;
}

static void pass_repeat(struct weir_sampling *s, struct weir_foretold *g, const struct weir_launch *l) {
  const struct weir_sampling_echo *e = &s->echo;
  double error[WEIR_ESTIMATES];
  for (unsigned i = 0; i < WEIR_ESTIMATES; i++) {
    error[i] = e->within[i] + e->apart[i];
    s->whole[i] += weir_estimated_counter(&e->counts, (enum weir_estimate)i);
  }
  weir_stratum_add_repeat(weir_strata_find(&s->strata, l, weir_launch_blocks(l), e->instructions), &e->counts, error);
  *l->steps += e->instructions;
  s->not_run++;
  s->passed_ps += (double)e->counts.time_ps;
  weir_chip_pass(s->chip);
  weir_foretell_learn(&s->foretelling, g, l, s->launched, e->instructions);
}

// ---- all launches ---------------------------------------------------------------------------------------------------------

static bool launch(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  struct weir_sampling *s = context;
  struct weir_sampling_echo *e = &s->echo;
  struct weir_foretold *g = weir_foretell(&s->foretelling, l);
  const bool again = is_again(e, l);
  if (!again) begin_echo(e, l);
  e->repeats += again;
  s->launched++;
  const bool unchanged = is_unchanged(e, l);
  if (unchanged && e->settled) {
    if (e->timed < TIMED_REPEATS) return time_repeat(s, g, l, fault);
    pass_repeat(s, g, l);
    return true;
  }
  struct weir_stratum *expected =
    weir_strata_find(&s->strata, l, weir_launch_blocks(l), weir_foretold_instructions(g, l));
  // A launch that finds memory as it left it will be timed if it comes again.
  const bool warms = unchanged || weir_foretell_warms(&s->foretelling, s->launched, NULL, l);
  bool printed = true; // by a launch that is timed, for all that is known
  const bool ok = !expected || weir_stratum_is_open(expected, s->whole)
    ? run_timed(s, g, l, fault)
    : run_expected(s, g, l, expected, warms, &printed, fault);
  end_echo(e, l, g->instructions, unchanged, !printed);
  return ok;
}

struct weir_backend weir_sampling_backend(struct weir_sampling *s) {
  s->foretelling = (struct weir_foretelling){.strata = &s->strata, .whole = s->whole};
  return (struct weir_backend){.context = s, .copied_in = copied_in, .launch = launch};
}

void weir_sampling_free(struct weir_sampling *s) {
  weir_strata_free(&s->strata);
  weir_foretelling_free(&s->foretelling);
  weir_free(s->copies);
  weir_snapshot_free(s->before);
  weir_snapshot_free(s->echo.after);
  weir_free(s->echo.params);
}

// What is counted at the end alone is of the launches that were timed.
void weir_sampling_total(const struct weir_sampling *s, struct weir_run_stats *total) {
  const struct weir_run_stats *timed = weir_chip_total(s->chip);
  weir_strata_total(&s->strata, total);
  const double times =
    timed->warp_instructions ? (double)total->warp_instructions / (double)timed->warp_instructions : 0;
  for (unsigned l = 0; l < WEIR_MAX_LEVELS; l++) {
    total->levels[l].predictor_accesses = (uint64_t)((double)timed->levels[l].predictor_accesses * times + 0.5);
    total->levels[l].distinct_lines = timed->levels[l].distinct_lines;
    total->levels[l].once_only_lines = timed->levels[l].once_only_lines;
  }
}
