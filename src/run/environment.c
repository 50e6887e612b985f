// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Inside a program: the experiment that the environment describes.
#include "run/environment.h"

#include "base/alloc.h"
#include "exec/isa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *given(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static bool number(const char *name, uint64_t *value, struct weir_sink *sink) {
  const char *text = given(name);
  if (!text) return true;
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  if (errno || *end || *text == '-' || n > INT64_MAX)
    return weir_fail_plain(sink, "%s is a whole number, not '%s'", name, text);
  *value = n;
  return true;
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

bool weir_environment_experiment(struct weir_experiment *e, struct weir_sink *sink) {
  const char *chip = given(WEIR_ENV_CHIP), *scheme = given(WEIR_ENV_SCHEME);
  struct texts sets = list(WEIR_ENV_SET), plugins = list(WEIR_ENV_PLUGIN);
  const char *sl1 = given(WEIR_ENV_SL1);
  *e = (struct weir_experiment){
    .program = executable(),
    .chip = weir_text_copy(chip ? chip : WEIR_ENV_DEFAULT_CHIP),
    .scheme = !scheme                       ? "lru"
      : strcmp(scheme, WEIR_ENV_FUNCTIONAL) ? weir_text_copy(scheme)
                                            : NULL,
    .sl1 = !sl1           ? NULL
      : strcmp(sl1, "on") ? weir_text_copy(sl1)
                          : "",
    .sets = sets.all,
    .set_count = sets.count,
    .plugins = plugins.all,
    .plugin_count = plugins.count,
    .seed = 1,
  };
  struct weir_sl1_options read = weir_sl1_defaults();
  bool fits = !e->sl1 || weir_sl1_set_all(&read, e->sl1, WEIR_ENV_SL1, sink);
  uint64_t strict = 0;
  bool ok = number(WEIR_ENV_SEED, &e->seed, sink);
  ok = number(WEIR_ENV_STEP_LIMIT, &e->step_limit, sink) && ok;
  ok = number(WEIR_ENV_STRICT, &strict, sink) && ok;
  e->strict = strict;
  ok = weir_isa_check(sink) && ok;
  return load_plugins(&plugins, sink) && ok && fits;
}
