// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/look.h"

#include "base/alloc.h"
#include "base/file.h"
#include "chip/foresight.h"
#include "config/config.h"
#include "report/source.h"
#include "run/access.h"
#include "run/mix.h"

#include <string.h>

const char *weir_look_cache(const struct weir_look *l) {
  return weir_chip_level_name(l->setup.chip, l->level);
}

// ---- which cache ----------------------------------------------------------------------------------------------------------

static bool find_level(struct weir_look *l, const struct weir_look_options *o, struct weir_sink *sink) {
  const struct weir_chip_config *c = l->setup.chip;
  char names[200] = "";
  for (l->level = 0; l->level < c->caches_count; l->level++) {
    const char *name = weir_chip_level_name(c, l->level);
    if (!o->cache || !strcmp(o->cache, name)) return true;
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
  }
  return weir_fail_plain(sink, "--cache: the chip '%s' has no cache '%s'; it has %s", c->name, o->cache, names);
}

static bool find_instance(struct weir_look *l, const struct weir_look_options *o, struct weir_sink *sink) {
  const uint32_t count = weir_chip_instances(l->setup.chip, l->level);
  const char *right = l->level ? "slice" : "core", *wrong = l->level ? "core" : "slice";
  if (l->level ? o->by_core : o->by_slice)
    return weir_fail_plain(sink, "--%s: each %s has a cache %s of its own; choose one by --%s", wrong, right,
                           weir_look_cache(l), right);
  if (o->instance >= count)
    return weir_fail_plain(sink, "--%s: the chip '%s' has no %s %u; it has 0 to %u", right, l->setup.chip->name, right,
                           o->instance, count - 1);
  l->instance = o->instance;
  return true;
}

static bool start_record(struct weir_look *l, const struct weir_look_options *o, struct weir_sink *sink) {
  const struct weir_cache_config *k = &l->setup.chip->caches[l->level];
  const uint32_t sets = weir_chip_sets(l->setup.chip, l->level);
  if (o->set != WEIR_LOOK_ANY && o->set >= sets)
    return weir_fail_plain(sink, "--only-set: %s of '%s' has no set %u; it has 0 to %u", weir_look_cache(l),
                           l->setup.chip->name, o->set, sets - 1);
  l->line_bytes = k->line_bytes;
  l->sector_bytes = k->sector_bytes;
  weir_look_record_start(&l->record, sets, k->ways, k->line_bytes / k->sector_bytes);
  l->record.only_set = o->set;
  l->record.most_events = o->most_events;
  return true;
}

// ---- the run --------------------------------------------------------------------------------------------------------------

struct passage { // between a program and its chip: counts launches
  struct weir_backend inner;
  struct weir_look *look;
};

static bool launch(void *context, const struct weir_launch *what, struct weir_fault *fault) {
  struct passage *p = context;
  struct weir_look *l = p->look;
  const bool looked_at = l->launches++ == l->launch;
  if (looked_at) {
    l->kernel = weir_text_copy(what->kernel->name);
    weir_look_record_begin(&l->record);
  }
  const bool ok = p->inner.launch(p->inner.context, what, fault);
  weir_look_record_end(&l->record);
  return ok;
}

static void copied_in(void *context, uint64_t address, uint64_t bytes) {
  struct passage *p = context;
  p->inner.copied_in(p->inner.context, address, bytes);
}

static void find_places(struct weir_look *l, const struct weir_program *program, const struct weir_memory *memory) {
  uint32_t count;
  const struct weir_static *statics = weir_program_statics(program, &count);
  const uint32_t first = weir_program_first_pc(program);
  struct weir_access_finder finder = {0};
  l->places = weir_new_array(struct weir_look_place, l->record.load_count);
  for (uint32_t i = 0; i < l->record.load_count; i++) {
    const struct weir_look_load *load = &l->record.loads[i];
    const uint32_t pc = load->pc;
    if (pc == UINT32_MAX || pc < first || pc - first >= count) continue;
    const struct weir_static *s = &statics[pc - first];
    const char *file = s->source_line ? weir_program_file(program, s->source_file) : NULL;
    struct weir_look_place *p = &l->places[i];
    struct weir_found_access found = weir_access_find(&finder, program, pc);
    p->array = found.array ? weir_text_copy(found.array) : NULL;
    p->allocation =
      found.array ? NULL : weir_memory_owner(memory, load->low * l->line_bytes, load->high * l->line_bytes);
    weir_found_access_free(&found);
    p->function = weir_text_copy(weir_program_function_name(program, s->function));
    p->line = file ? s->source_line : s->line;
    p->source = file ? weir_source_line(file, p->line, l->experiment->program) : NULL;
    p->file = weir_text_copy(weir_path_name(file ? file : weir_program_function_path(program, s->function)));
  }
  weir_access_finder_free(&finder);
}

static bool run(struct weir_look *l, const struct weir_opened *opened, struct weir_sink *sink) {
  const struct weir_experiment *e = l->experiment;
  struct weir_chip *chip = weir_chip_create(l->setup.chip, l->setup.scheme, e->seed, sink);
  if (!chip) return false;
  const struct weir_cache_watch watch = {.saw = weir_look_record_saw, .context = &l->record};
  weir_chip_watch(chip, l->level, l->instance, &watch);
  struct passage p = {.inner = weir_chip_backend(chip), .look = l};
  const struct weir_backend between = {
    .context = &p, .copied_in = p.inner.copied_in ? copied_in : NULL, .launch = launch};
  bool ok = weir_app_run(opened->app, between);
  if (ok && l->launch >= l->launches)
    ok = weir_fail_plain(sink, "--launch: '%s' has no launch %llu; it has 0 to %llu", e->program,
                         (unsigned long long)l->launch, (unsigned long long)l->launches - 1);
  if (ok) find_places(l, weir_app_program(opened->app), weir_app_memory(opened->app));
  weir_chip_free(chip);
  return ok;
}

// What cannot be looked into.
static bool fits(const struct weir_look *l, struct weir_sink *sink) {
  if (weir_mix_is(l->experiment->program) || weir_chip_cpu_cores(l->setup.chip))
    return weir_fail_plain(sink, "look watches a program of the GPU on a chip without CPU cores; '%s' on '%s' is none",
                           l->experiment->program, l->setup.chip->name);
  if (weir_setup_foresees(&l->setup))
    return weir_fail_plain(sink, "--scheme: a policy of '%s' foresees, and needs two runs; look watches one",
                           l->experiment->scheme);
  if (weir_scheme_sweep_count(l->setup.scheme))
    return weir_fail_plain(sink, "--scheme: '%s' leaves values open; look watches one run", l->experiment->scheme);
  return true;
}

bool weir_look(struct weir_look *l, const struct weir_look_options *o, struct weir_sink *sink) {
  *l = (struct weir_look){.experiment = o->experiment, .launch = o->launch};
  if (!weir_setup_read(&l->setup, l->experiment, sink)) return false;
  if (!fits(l, sink) || !find_level(l, o, sink) || !find_instance(l, o, sink) || !start_record(l, o, sink))
    return false;
  struct weir_opened *opened = weir_experiment_open(l->experiment, &l->setup, sink);
  const bool ok = opened && run(l, opened, sink);
  weir_experiment_close(opened);
  return ok;
}

void weir_look_free(struct weir_look *l) {
  for (uint32_t i = 0; l->places && i < l->record.load_count; i++) {
    weir_free(l->places[i].function);
    weir_free(l->places[i].file);
    weir_free(l->places[i].source);
    weir_free(l->places[i].array);
    weir_free(l->places[i].allocation);
  }
  weir_free(l->places);
  weir_free(l->kernel);
  weir_look_record_free(&l->record);
  weir_setup_free(&l->setup);
}
