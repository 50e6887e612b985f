// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX modules on the device. Invariant: d->modules is in the order of PCs; a module that has launched stays in it, since
// the report names its kernels and the lines of its loads.
#include "device/device_private.h"

#include "base/alloc.h"
#include "config/config.h"
#include "ptx/hints.h"
#include "ptx/link.h"
#include "ptx/parse.h"
#include "run/ignored.h"
#include "sl1/apply.h"

#include <string.h>
#include <unistd.h>

static void free_all(struct weir_module **modules, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (modules[i]) weir_module_free(modules[i]);
}

// All of them, or none and what is wrong with each.
static bool parse(struct weir_module **modules, const struct weir_device_text *texts, unsigned count,
                  struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < count; i++) {
    modules[i] = weir_ptx_parse(texts[i].path, texts[i].text, texts[i].bytes, sink);
    ok &= modules[i] != NULL;
  }
  if (!ok) free_all(modules, count);
  return ok;
}

// ---- S-L1 ---------------------------------------------------------------------------------------------------------------

// Puts the transformed modules in the place of the read ones, which `m` keeps.
static bool apply_sl1(struct weir_device *d, struct weir_device_module *m, struct weir_module **modules, unsigned count,
                      struct weir_sink *sink) {
  bool ok = true;
  m->originals = weir_new_array(struct weir_module *, count);
  m->reports = weir_new_array(struct weir_sl1_report, count);
  m->text_count = count;
  for (unsigned i = 0; i < count; i++) {
    m->originals[i] = modules[i];
    modules[i] = weir_sl1_apply(modules[i], &d->setup.program.sl1_options, false, &m->reports[i], sink);
    ok &= modules[i] != NULL;
  }
  if (!ok) free_all(modules, count);
  return ok;
}

static void free_sl1(struct weir_device_module *m) {
  for (unsigned i = 0; i < m->text_count; i++) {
    weir_sl1_report_free(&m->reports[i]);
    weir_module_free(m->originals[i]);
  }
  weir_free(m->reports);
  weir_free(m->originals);
}

// ---- hints --------------------------------------------------------------------------------------------------------------

// What the user asked for and no module has is the user's mistake and not the program's, which would go on without: it ends.
static void put_hints(struct weir_device *d, struct weir_module **modules, unsigned count) {
  struct weir_sink wrong = {0};
  bool ok = true;
  for (unsigned i = 0; d->hints && i < count; i++) ok &= weir_hints_apply(d->hints, modules[i], &wrong);
  weir_sink_print(&wrong, stderr);
  weir_sink_free(&wrong);
  if (!ok) _exit(WEIR_EXIT_USER);
}

// ---- reading ------------------------------------------------------------------------------------------------------------

static void read_texts(struct weir_device *d, struct weir_device_module *m, const struct weir_device_text *texts,
                       unsigned count, struct weir_sink *sink) {
  struct weir_module **modules = weir_new_array(struct weir_module *, count);
  const bool parsed = parse(modules, texts, count, sink);
  if (parsed) put_hints(d, modules, count);
  if (parsed && (!d->setup.program.sl1 || apply_sl1(d, m, modules, count, sink)))
    m->module = count == 1 ? modules[0] : weir_ptx_link(modules, count, sink);
  weir_free(modules);
}

static bool takes(const struct weir_chip_config *c, const void *context) {
  return weir_module_runs_on(context, weir_chip_capability(c));
}

// A real device refuses PTX that was compiled for a newer one, or for another alone. weir runs it, for policies may well be
// compared so, and says it.
static void say_if_refused(const struct weir_device *d, const struct weir_module *m) {
  const struct weir_chip_config *c = d->setup.chip;
  const unsigned target = m->target_number, capability = weir_chip_capability(c);
  if (!d->chip || !capability || takes(c, m)) return; // 0: a chip of another maker, for OpenCL
  char *chips = weir_chips_that_suit(takes, m);
  weir_device_say(
    "the program's PTX is for compute capability %u.%u%s and would not run on a real %s (%u.%u); chips that "
    "take it (--chip): %s",
    target / 10, target % 10,
    m->target_feature == 'a'     ? " alone"
      : m->target_feature == 'f' ? " and others of its major version"
                                 : "",
    weir_chip_name(c), capability / 10, capability % 10, chips);
  weir_free(chips);
}

static void discard(struct weir_device *d, struct weir_device_module *m) {
  weir_device_release_managed(d, m);
  if (m->program) weir_program_free(m->program);
  if (m->module) weir_module_free(m->module);
  free_sl1(m);
}

static void say_ignored_hints(const struct weir_device *d, const struct weir_program *p) {
  struct weir_sink notes = {0};
  if (d->chip) weir_tell_ignored_hints(p, d->setup.chip, &notes);
  weir_sink_print(&notes, stderr);
  weir_sink_free(&notes);
}

static const struct weir_program *load(struct weir_device *d, const struct weir_device_text *texts, unsigned count,
                                       struct weir_sink *sink) {
  struct weir_device_module m = {0};
  read_texts(d, &m, texts, count, sink);
  if (m.module) say_if_refused(d, m.module);
  weir_device_place_managed(d, &m);
  if (m.module) m.program = weir_program_build_partly(m.module, d->setup.lanes, d->setup.code, d->memory, sink);
  weir_device_place_managed(d, NULL);
  if (!m.program) {
    discard(d, &m);
    return NULL;
  }
  say_ignored_hints(d, m.program);
  uint64_t used = weir_memory_bytes(d->memory);
  if (used > d->peak_bytes) d->peak_bytes = used;
  *weir_push(d->modules, d->module_count, d->module_capacity) = m;
  return m.program;
}

const struct weir_program *weir_device_load(struct weir_device *d, const struct weir_device_text *texts, unsigned count,
                                            struct weir_sink *sink) {
  struct weir_device_own own;
  weir_device_enter(&own);
  const struct weir_program *program = load(d, texts, count, sink);
  weir_device_leave(&own);
  return program;
}

void weir_device_unload(struct weir_device *d, const struct weir_program *p) {
  unsigned i = 0;
  while (i < d->module_count && d->modules[i].program != p) i++;
  if (i == d->module_count) return;
  if (d->modules[i].launched) return weir_device_release_managed(d, &d->modules[i]);
  discard(d, &d->modules[i]);
  memmove(&d->modules[i], &d->modules[i + 1], (--d->module_count - i) * sizeof *d->modules);
}

void weir_device_count_registers(struct weir_device *d, const struct weir_program *p, const char *kernel,
                                 uint32_t registers) {
  if (d->setup.program.sl1) return;
  for (unsigned i = 0; i < d->module_count; i++)
    if (d->modules[i].program == p) weir_program_count_registers(d->modules[i].program, kernel, registers);
}
