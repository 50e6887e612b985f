// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs by name. Apart from setup.c, so that what runs no workload links none.
#include "base/alloc.h"
#include "config/config.h"
#include "run/ignored.h"
#include "run/mix.h"
#include "gpu/occupancy.h"
#include "host/launch.h"

bool weir_program_known(const char *program, struct weir_sink *sink) {
  struct weir_mix m;
  if (!weir_mix_read(&m, program, sink)) return false;
  weir_mix_release(&m);
  return true;
}

// ---- does it fit? ---------------------------------------------------------------------------------------------------

static bool has_cores(const struct weir_mix *m, const char *program, const struct weir_chip_config *chip,
                      struct weir_sink *sink) {
  unsigned cores = weir_chip_cpu_cores(chip);
  if (m->cpus <= cores) return true;
  if (!cores)
    return weir_fail_plain(sink, "the chip '%s' has no CPU cores for '%s' (apu-1c4g, apu-2c4g and apu-4c4g have some)",
                           weir_chip_name(chip), program);
  return weir_fail_plain(sink, "'%s' has %u CPU programs, and the chip '%s' has %u CPU core%s", program, m->cpus,
                         weir_chip_name(chip), cores, cores == 1 ? "" : "s");
}

// What is given that only a program of the GPU could take; NULL: nothing.
static const char *meant_for_gpu(const struct weir_experiment *e, const struct weir_setup *s) {
  return e->input                         ? "--input"
    : e->step_limit                       ? "--step-limit"
    : e->hints                            ? "--hint"
    : s->program.sl1                      ? "S-L1"
    : weir_shape_given(&s->program.shape) ? "a key that begins with launch."
                                          : NULL;
}

static bool mix_fits(const struct weir_mix *m, const struct weir_experiment *e, const struct weir_setup *setup,
                     struct weir_sink *sink) {
  const char *given = m->gpu ? NULL : meant_for_gpu(e, setup);
  if (m->cpus && !e->scheme)
    return weir_fail_plain(sink, "'%s' runs on a chip: without one (--functional) only a program of the GPU does",
                           e->program);
  if (given)
    return weir_fail_plain(sink, "%s has no meaning for '%s': none of its programs runs on the GPU", given, e->program);
  return !m->cpus || has_cores(m, e->program, setup->chip, sink);
}

bool weir_experiment_fits(const struct weir_experiment *e, const struct weir_setup *setup, struct weir_sink *sink) {
  struct weir_mix m;
  if (!weir_mix_read(&m, e->program, sink)) return false;
  bool fits = mix_fits(&m, e, setup, sink);
  weir_mix_release(&m);
  return fits;
}

// ---- opening --------------------------------------------------------------------------------------------------------

struct weir_app *weir_mix_open_gpu(const struct weir_experiment *e, const struct weir_setup *setup, const char *name,
                                   struct weir_sink *sink) {
  struct weir_app_options options = {.size = e->size,
                                     .input = e->input,
                                     .seed = e->seed,
                                     .step_limit = e->step_limit,
                                     .lanes = setup->lanes,
                                     .code = setup->code,
                                     .memory_bytes = setup->memory_bytes,
                                     .program = setup->program};
  return weir_app_open(name, &options, sink);
}

// What is in its buffers where a count stops it is nobody's result.
static bool may_be_stopped(const struct weir_opened *o, const struct weir_experiment *e, struct weir_sink *sink) {
  return !(o->mix.cpus || e->counts.gpu) || !weir_app_dumps(o->app) ||
    weir_fail_plain(sink,
                    "'%s' dumps buffers once it has ended: with a count of instructions it is stopped before, or "
                    "begun again",
                    o->mix.gpu);
}

// --registers names kernels of the program.
static bool kernels_are_known(const struct weir_opened *o, const struct weir_setup *setup, struct weir_sink *sink) {
  bool ok = true;
  const char *at = setup->chip ? setup->chip->core.kernel_registers : "";
  for (char *name; (name = weir_registers_kernel(&at)); weir_free(name))
    ok &= weir_launch_kernel(weir_app_program(o->app), name, (struct weir_place){0}, sink) != NULL;
  return ok;
}

static bool open_gpu(struct weir_opened *o, const struct weir_experiment *e, const struct weir_setup *setup,
                     struct weir_sink *sink) {
  if (!o->mix.gpu) return true;
  o->app = weir_mix_open_gpu(e, setup, o->mix.gpu, sink);
  if (o->app && setup->chip) weir_tell_ignored_hints(weir_app_program(o->app), setup->chip, sink);
  return o->app && kernels_are_known(o, setup, sink) && may_be_stopped(o, e, sink);
}

struct weir_opened *weir_experiment_open(const struct weir_experiment *e, const struct weir_setup *setup,
                                         struct weir_sink *sink) {
  struct weir_opened *o = weir_new(struct weir_opened);
  if (weir_mix_read(&o->mix, e->program, sink) && mix_fits(&o->mix, e, setup, sink) && open_gpu(o, e, setup, sink))
    return o;
  weir_experiment_close(o);
  return NULL;
}

void weir_experiment_close(struct weir_opened *o) {
  if (!o) return;
  weir_app_free(o->app);
  weir_mix_release(&o->mix);
  weir_free(o);
}
