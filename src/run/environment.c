// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // program_invocation_name

// Inside a program: the experiment that the environment describes.
#include "policy/host.h"
#include "run/environment.h"

#include "base/alloc.h"
#include "base/crew.h"
#include "base/param_rows.h"
#include "exec/isa.h"
#include "gpu/occupancy.h"

#include <errno.h> // program_invocation_name
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *given(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

// Variables that take one value each.
#define EXPERIMENT weir_experiment
static const struct weir_param values[] = {
  UINT_AT(EXPERIMENT, seed, WEIR_ENV_SEED, 0, INT64_MAX, NULL),
  UINT_AT(EXPERIMENT, step_limit, WEIR_ENV_STEP_LIMIT, 0, INT64_MAX, NULL),
  UINT_AT(EXPERIMENT, threads, WEIR_ENV_THREADS, 0, WEIR_MAX_CREW, NULL),
  BOOL_AT(EXPERIMENT, strict, WEIR_ENV_STRICT, NULL),
  UINT_AT(EXPERIMENT, select.most, WEIR_ENV_MAX_LAUNCHES, 0, INT64_MAX, NULL),
  BOOL_AT(EXPERIMENT, select.warm, WEIR_ENV_WARM, NULL),
};
static const struct weir_param_table table = TABLE_OF("the environment", EXPERIMENT, values);

static bool read_values(struct weir_experiment *e, struct weir_sink *sink) {
  bool ok = true;
  char message[300];
  for (unsigned i = 0; i < table.count; i++) {
    const char *name = values[i].name, *text = given(name);
    if (text && weir_param_assign(&table, e, name, text, message, sizeof message))
      ok = weir_fail_plain(sink, "%s", message);
  }
  return ok;
}

// WEIR_SL1: true, or options. NULL: no S-L1.
static const char *sl1_options(void) {
  static const struct weir_param word = {.type = WEIR_PARAM_BOOL};
  const char *text = given(WEIR_ENV_SL1);
  bool on;
  if (!text || !weir_param_parse(&word, text, &on)) return text ? weir_text_copy(text) : NULL;
  return on ? "" : NULL;
}

struct texts {
  const char **all;
  unsigned count, capacity;
};

static struct texts list(const char *name) {
  struct texts t = {0};
  char *rest = given(name) ? weir_text_copy(given(name)) : NULL; // lives as long as the process
  for (char *one; (one = strsep(&rest, ";"));)
    if (*one) *weir_push(t.all, t.count, t.capacity) = one;
  return t;
}

static bool load_plugins(const struct texts *plugins, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < plugins->count; i++) {
    char message[512];
    const char *wrong = weir_policy_load(plugins->all[i], message, sizeof message);
    if (wrong) ok = weir_fail_plain(sink, "%s: %s: %s", WEIR_ENV_PLUGIN, plugins->all[i], wrong);
  }
  return ok;
}

static const char *executable(void) {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  return weir_text_copy(n > 0 ? path : program_invocation_name);
}

// WEIR_PTXAS: the registers of kernels, by name.
static bool read_registers(struct weir_experiment *e, struct weir_sink *sink) {
  const char *text = given(WEIR_ENV_PTXAS), *wrong = text ? weir_registers_wrong(text) : NULL;
  e->ptxas = text ? weir_text_copy(text) : NULL;
  return !wrong || weir_fail_plain(sink, "%s %s, not '%s'", WEIR_ENV_PTXAS, wrong, text);
}

bool weir_environment_experiment(struct weir_experiment *e, struct weir_sink *sink) {
  const char *chip = given(WEIR_ENV_CHIP), *scheme = given(WEIR_ENV_SCHEME);
  struct texts sets = list(WEIR_ENV_SET), plugins = list(WEIR_ENV_PLUGIN);
  *e = (struct weir_experiment){
    .program = executable(),
    .chip = weir_text_copy(chip ? chip : WEIR_ENV_DEFAULT_CHIP),
    .scheme = !scheme                       ? WEIR_DEFAULT_SCHEME
      : strcmp(scheme, WEIR_ENV_FUNCTIONAL) ? weir_text_copy(scheme)
                                            : NULL,
    .sl1 = sl1_options(),
    .records = given(WEIR_ENV_RECORDS) ? weir_text_copy(given(WEIR_ENV_RECORDS)) : NULL,
    .hints = given(WEIR_ENV_HINTS) ? weir_text_copy(given(WEIR_ENV_HINTS)) : NULL,
    .select.kernels = given(WEIR_ENV_KERNELS) ? weir_text_copy(given(WEIR_ENV_KERNELS)) : NULL,
    .select.sample = given(WEIR_ENV_SAMPLE) ? weir_text_copy(given(WEIR_ENV_SAMPLE)) : NULL,
    .select.launches = given(WEIR_ENV_LAUNCHES) ? weir_text_copy(given(WEIR_ENV_LAUNCHES)) : NULL,
    .clock = given(WEIR_ENV_CLOCK) ? weir_text_copy(given(WEIR_ENV_CLOCK)) : NULL,
    .timeline = given(WEIR_ENV_TIMELINE) ? weir_text_copy(given(WEIR_ENV_TIMELINE)) : NULL,
    .recording = given(WEIR_ENV_RECORDING) ? weir_text_copy(given(WEIR_ENV_RECORDING)) : NULL,
    .sets = sets.all,
    .set_count = sets.count,
    .plugins = plugins.all,
    .plugin_count = plugins.count,
    .seed = 1,
  };
  struct weir_sl1_options read = weir_sl1_defaults();
  bool fits = !e->sl1 || weir_param_set_list(&weir_sl1_table, &read, e->sl1, weir_option_place(WEIR_ENV_SL1), sink);
  bool ok = read_values(e, sink);
  ok = read_registers(e, sink) && ok;
  ok = weir_isa_check(sink) && ok;
  return load_plugins(&plugins, sink) && ok && fits;
}
