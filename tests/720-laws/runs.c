// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a seed to a run: the case's texts become files, which are read as a user's would be.
#include "laws.h"

#include "base/alloc.h"
#include "warptrace/known.h"
#include "warptrace/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDED = 8 }; // of the cases that are run again: each with such a seed is recorded, too

void make_example(uint64_t seed, struct example *e) {
  *e = (struct example){.seed = seed};
  struct weir_rng chip = weir_rng_seed(seed, 1), kernel = weir_rng_seed(seed, 2), scheme = weir_rng_seed(seed, 3);
  make_chip(&chip, e);
  make_kernel(&kernel, e);
  make_scheme(&scheme, e);
}

void free_example(struct example *e) {
  weir_free(e->chip.at);
  weir_free(e->kernel.at);
  weir_free(e->launches.at);
  weir_free(e->scheme.at);
}

static bool keep(const char *folder, const char *name, const struct text *t) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  if (!f) return false;
  bool ok = fwrite(t->at, 1, t->length, f) == t->length;
  return fclose(f) == 0 && ok;
}

bool keep_example(const struct example *e, const char *folder) {
  return keep(folder, "chip.yaml", &e->chip) && keep(folder, "kernel.ptx", &e->kernel) &&
    keep(folder, "launch.yaml", &e->launches) && keep(folder, "scheme.yaml", &e->scheme);
}

void forget_example(const char *folder) {
  static const char *const names[] = {"chip.yaml", "kernel.ptx", "launch.yaml", "scheme.yaml"};
  char path[512];
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}

// ---- programs ---------------------------------------------------------------------------------------------------------------------

static void say(char *why, const struct weir_sink *sink) {
  size_t n = 0;
  for (size_t i = 0; i < sink->count && n < NOTE_BYTES - 1; i++)
    n += (size_t)snprintf(why + n, NOTE_BYTES - n, "%s\n", sink->diags[i].message);
}

static uint64_t checksum_of(struct weir_host *h) {
  unsigned count;
  const struct weir_result *results = weir_host_results(h, &count);
  uint64_t sum = 0;
  for (unsigned i = 0; i < count; i++) sum = sum * 1000003 + weir_host_checksum(h, &results[i]);
  return sum;
}

// Runs the program on the backend: false, and why, if it stops.
static bool run_program(const char *folder, unsigned lanes, struct weir_backend backend, uint64_t *checksum,
                        char *why) {
  char path[512];
  struct weir_sink sink = {0};
  snprintf(path, sizeof path, "%s/launch.yaml", folder);
  struct weir_app_options options = {.seed = 1, .lanes = lanes, .step_limit = 1000000};
  struct weir_app *app = weir_app_open(path, &options, &sink);
  bool ok = app && weir_app_run(app, backend);
  if (ok)
    *checksum = checksum_of(weir_app_host(app));
  else
    say(why, &sink);
  if (app) weir_app_free(app);
  weir_sink_free(&sink);
  return ok;
}

static struct grain grain_of(const struct weir_chip_config *c) {
  struct grain g = {.coalesce = c->core.coalesce_bytes,
                    .piece = c->caches[1].sector_bytes,
                    .sector = c->caches[0].sector_bytes,
                    .line = c->caches[0].line_bytes,
                    .constant_line = c->constant_cache.line_bytes,
                    .texture_line = c->texture_cache.size_bytes ? c->texture_cache.line_bytes : 0,
                    .shared_banks = c->core.shared_banks,
                    .shared_bank_bytes = c->core.shared_bank_bytes,
                    .by_element = c->core.coalesce_by_element,
                    .skip_l1_global = c->core.skip_l1_global,
                    .constant_by_address = c->core.constant_by_address,
                    .calls_are_local = c->core.call_parameters == WEIR_PARAMETERS_LOCAL};
  for (unsigned i = 0; i < WEIR_HINT_COUNT; i++)
    g.past_first[i] = c->caches[0].hints.effects[i] == WEIR_EFFECT_OF_HINT_PAST_FIRST;
  return g;
}

// ---- a timed run ------------------------------------------------------------------------------------------------------------------

static uint64_t fold(const void *bytes, size_t n) {
  uint64_t sum = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < n; i++) sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
  return sum;
}

static uint64_t fold_pcs(const struct weir_chip *c) {
  uint32_t count;
  const struct weir_pc_stats *pcs = weir_chip_pcs(c, &count);
  const struct weir_bank_counts *banks = weir_chip_bank_counts(c, &count);
  return fold(pcs, count * sizeof *pcs) * 3 + fold(banks, count * sizeof *banks);
}

static void read_samples(const struct weir_chip *c, struct run *run) {
  weir_cycle period;
  run->sample_count = weir_chip_samples(c, &period);
  for (unsigned i = 0; i < run->sample_count; i++) {
    struct weir_sample s = weir_chip_sample(c, i);
#define X(name, unit, meaning) run->samples.name += s.name;
    WEIR_SAMPLE_FIELDS(X)
#undef X
#define X(name, unit, meaning) run->samples.loads.name += s.loads.name;
    WEIR_ACCESS_FIELDS(X)
#undef X
  }
}

static void read_policies(const struct weir_chip *c, struct run *run) {
  struct weir_policy_report reports[MAX_REPORTS];
  const unsigned count = weir_chip_policies(c, reports, MAX_REPORTS);
  for (unsigned i = 0; i < count; i++) {
    const struct weir_policy_counter *counters = reports[i].policy->counters;
    unsigned l = 0;
    while (strcmp(run->config->caches[l].name, reports[i].level)) l++;
    for (unsigned k = 0; counters && counters[k].name; k++)
      if (counters[k].predictor_access) run->predictors[l] += reports[i].counters[k];
  }
}

static void read_results(const struct weir_chip *c, struct run *run) {
  const struct weir_kernel_stats *kernels = weir_chip_kernels(c, &run->kernel_count);
  for (unsigned i = 0; i < run->kernel_count; i++) weir_run_stats_add(&run->kernels, &kernels[i].counts);
  run->total = *weir_chip_total(c);
  const struct weir_pc_stats *pcs = weir_chip_pcs(c, &run->pc_count);
  if (run->pc_count > MAX_PCS) abort();
  memcpy(run->pcs, pcs, run->pc_count * sizeof *pcs);
  read_policies(c, run);
  run->part_count = weir_chip_energy(c, &run->total, run->parts, WEIR_MAX_ENERGY_PARTS);
  run->first_pcs = fold_pcs(c);
  read_samples(c, run);
}

static enum outcome run_timed(struct run *run, const char *folder, uint64_t seed, char *why) {
  struct weir_sink sink = {0};
  struct weir_chip *chip = weir_chip_create(run->config, run->scheme, seed, &sink);
  if (!chip) say(why, &sink);
  weir_sink_free(&sink);
  if (!chip) return REJECTED;
  bool ok = run_program(folder, weir_chip_lanes(run->config), weir_chip_backend(chip), &run->checksum, why);
  if (ok) {
    look_inside(chip, run);
    weir_chip_finish(chip);
    read_results(chip, run);
  }
  weir_chip_free(chip);
  return ok ? RAN : BROKE;
}

// Once more, as before but that nobody watches, and that several threads serve the parts.
static enum outcome run_again(struct run *run, const char *folder, const struct weir_scheme *scheme, uint64_t seed,
                              char *why) {
  struct weir_sink sink = {0};
  struct weir_chip *chip = weir_chip_create(run->config, scheme, seed, &sink);
  weir_sink_free(&sink);
  static const unsigned threads[] = {2, 3, 7};
  weir_chip_use_threads(chip, threads[seed % 3]);
  if (!run_program(folder, weir_chip_lanes(run->config), weir_chip_backend(chip), &run->again_checksum, why)) {
    weir_chip_free(chip);
    return BROKE;
  }
  weir_chip_finish(chip);
  run->again = *weir_chip_total(chip);
  run->again_pcs = fold_pcs(chip);
  run->repeated = true;
  weir_chip_free(chip);
  return RAN;
}

// ---- a recording ------------------------------------------------------------------------------------------------------------------

static void unseen(void *context, const struct weir_winstr *access) {
  (void)context;
  (void)access;
}

// Without a chip, each warp's turn being a few instructions: another order than any chip's.
static bool record_launch(void *context, const struct weir_launch *launch, struct weir_fault *fault) {
  const struct weir_listener listener = weir_warptrace_listen(context, launch);
  const struct weir_observer observer = {.saw = unseen};
  struct weir_launch heard = *launch;
  heard.listener = &listener;
  return weir_functional_launch(&heard, &observer, fault);
}

static void record_copy(void *context, uint64_t address, uint64_t bytes) {
  if (bytes) weir_warptrace_copy(context, address, bytes);
}

static bool record(const char *folder, const char *to, unsigned lanes, struct weir_sink *sink) {
  char path[512];
  snprintf(path, sizeof path, "%s/launch.yaml", folder);
  struct weir_app_options options = {.seed = 1, .lanes = lanes, .step_limit = 1000000};
  struct weir_app *app = weir_app_open(path, &options, sink);
  json_t *about = json_pack("{s:i}", "warp_lanes", (int)lanes);
  struct weir_warptrace_writer *w = app ? weir_warptrace_create(to, about, lanes, sink) : NULL;
  bool ok = w;
  if (w) {
    struct weir_known_program known;
    ok = weir_app_run(app, (struct weir_backend){w, record_copy, record_launch});
    size_t count;
    const struct weir_program *const *programs = weir_warptrace_listened(w, &count);
    weir_know_programs(&known, programs, count);
    ok = weir_warptrace_close(w, ok ? &known.program : NULL, sink) && ok;
    weir_known_free(&known);
  }
  json_decref(about);
  weir_app_free(app);
  return ok;
}

static enum outcome run_recorded(struct run *run, const char *folder, const struct weir_scheme *scheme, uint64_t seed,
                                 char *why) {
  char path[512];
  struct weir_sink sink = {0};
  snprintf(path, sizeof path, "%s/recording", folder);
  const unsigned lanes = weir_chip_lanes(run->config);
  const struct weir_app_options options = {.seed = 1, .lanes = lanes};
  struct weir_app *app = record(folder, path, lanes, &sink) ? weir_app_open(path, &options, &sink) : NULL;
  struct weir_chip *chip = weir_chip_create(run->config, scheme, seed, &sink);
  const bool ok = app && weir_app_run(app, weir_chip_backend(chip));
  if (ok) {
    weir_chip_finish(chip);
    run->replayed = *weir_chip_total(chip);
    run->replayed_pcs = fold_pcs(chip);
    run->recorded = true;
  } else {
    say(why, &sink);
  }
  weir_chip_free(chip);
  weir_app_free(app);
  weir_sink_free(&sink);
  unlink(path);
  return ok ? RAN : BROKE;
}

// Recordings have no clusters.
static enum outcome run_all(struct run *run, const char *folder, struct weir_scheme *second, const struct example *e,
                            char *why) {
  const uint64_t seed = e->seed;
  const bool recorded = second && seed % RECORDED == 0 && e->cluster == 1;
  const unsigned lanes = weir_chip_lanes(run->config);
  const struct grain grain = grain_of(run->config);
  if (!run_program(folder, lanes, weir_functional_backend(NULL), &run->functional, why)) return BROKE;
  if (!run_program(folder, lanes, expecting(&run->expected, &grain), &run->stepped, why)) return BROKE;
  enum outcome o = run_timed(run, folder, seed, why);
  if (o == RAN && second) o = run_again(run, folder, second, seed, why);
  return o == RAN && recorded ? run_recorded(run, folder, second, seed, why) : o;
}

enum outcome run_example(const struct example *e, const char *folder, bool repeat, struct run *run, char *why) {
  char chip[512], scheme[512];
  struct weir_sink sink = {0};
  snprintf(chip, sizeof chip, "%s/chip.yaml", folder);
  snprintf(scheme, sizeof scheme, "%s/scheme.yaml", folder);
  memset(run, 0, sizeof *run);
  enum outcome o = REJECTED;
  run->config = weir_chip_read(chip, &sink);
  struct weir_scheme *first = run->config ? weir_scheme_read(scheme, run->config, &sink) : NULL, *second = NULL;
  if (first && repeat) second = weir_scheme_read(scheme, run->config, &sink);
  run->scheme = first;
  if (first && weir_chip_validate(run->config, &sink)) {
    watch(first, run->config->caches_count, run);
    o = run_all(run, folder, second, e, why);
  } else {
    say(why, &sink);
  }
  weir_sink_free(&sink);
  weir_scheme_free(second);
  return o;
}

void free_run(struct run *run) {
  weir_scheme_free((struct weir_scheme *)(uintptr_t)run->scheme);
  weir_chip_config_free(run->config);
}
