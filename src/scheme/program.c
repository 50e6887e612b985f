// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a scheme says of the program: S-L1 and its options, and how many threads to launch with.
#include "base/alloc.h"
#include "scheme/program.h"

#include <stdlib.h>
#include <string.h>

static const char sl1_prefix[] = "sl1.", launch_prefix[] = "launch.";

enum { MOST_BLOCKS = 1 << 16, MOST_THREADS = 1024 };

static const char *behind(const char *key, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(key, prefix, length) ? NULL : key + length;
}

bool weir_scheme_is_program(const char *key) {
  return !strcmp(key, "sl1") || behind(key, sl1_prefix) || behind(key, launch_prefix);
}

static bool set_switch(struct weir_program_options *o, const char *value, const char *where, struct weir_sink *sink) {
  o->sl1 = !strcmp(value, "on");
  return o->sl1 || !strcmp(value, "off") || weir_fail_plain(sink, "%s: sl1 is on or off, not '%s'", where, value);
}

static bool set_option(struct weir_program_options *o, const char *key, const char *value, const char *where,
                       struct weir_sink *sink) {
  char *assignment = weir_text_format("%s=%s", key, value);
  bool ok = weir_sl1_set(&o->sl1_options, assignment, where, sink);
  weir_free(assignment);
  o->sl1 = true;
  return ok;
}

static bool set_launch(struct weir_program_options *o, const char *key, const char *value, const char *where,
                       struct weir_sink *sink) {
  bool blocks = !strcmp(key, "blocks");
  if (!blocks && strcmp(key, "threads"))
    return weir_fail_plain(sink, "%s: '%s%s' is neither launch.blocks nor launch.threads", where, launch_prefix, key);
  unsigned long most = blocks ? MOST_BLOCKS : MOST_THREADS, n = strtoul(value, NULL, 10);
  if (!*value || value[strspn(value, "0123456789")] || strlen(value) > 9 || !n || n > most)
    return weir_fail_plain(sink, "%s: launch.%s is a whole number from 1 to %lu, not '%s'", where, key, most, value);
  *(blocks ? &o->threads.blocks : &o->threads.block) = (uint32_t)n;
  return true;
}

bool weir_scheme_set_program(struct weir_program_options *o, const char *key, const char *value, const char *where,
                             struct weir_sink *sink) {
  const char *option = behind(key, sl1_prefix), *launch = behind(key, launch_prefix);
  return option ? set_option(o, option, value, where, sink)
    : launch    ? set_launch(o, launch, value, where, sink)
                : set_switch(o, value, where, sink);
}

const char *const weir_scheme_program_keys[] = {"sl1", "launch.blocks", "launch.threads", NULL};
