// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a scheme says of the program: S-L1 and its options, and how to launch it.
#include "scheme/program.h"

#include "base/param_rows.h"

#include <string.h>

#define SHAPE weir_shape
static const struct weir_param launch_rows[] = {
  UINT(SHAPE, blocks, 1, 1 << 16, "thread blocks of each launch, instead of the workload's own"),
  UINT_AT(SHAPE, block, "threads", 1, 1024, "threads of a block"),
  UINT(SHAPE, footprint_kib, 1, 1 << 22,
       "bytes that a microbenchmark, or a program whose input follows them, goes over"),
  UINT(SHAPE, stride, 1, 1 << 20, "elements from what one lane of a microbenchmark reads to what the next one reads"),
  POW2(SHAPE, interleave, 1, 16,
       "bytes of a unit of the text that threads go through: units of different threads lie side by side"),
  BOOL(SHAPE, gather,
       "one kernel works out what threads read of the text, another reads it gathered, by units of launch.interleave"),
};
static const struct weir_param_table launch_table = TABLE_OF("launch", SHAPE, launch_rows);

#define PROGRAM weir_program_options
static const struct weir_param program_rows[] = {
  BOOL(PROGRAM, sl1, "a first-level cache in software (S-L1)"),
  SECTION_AT(PROGRAM, sl1_options, "sl1", weir_sl1_table),
  SECTION_AT(PROGRAM, shape, "launch", launch_table),
};
const struct weir_param_table weir_program_table = TABLE_OF("the program", PROGRAM, program_rows);

static bool begins(const char *key, const char *prefix) {
  return !strncmp(key, prefix, strlen(prefix));
}

bool weir_scheme_is_program(const char *key) {
  return !strcmp(key, "sl1") || begins(key, "sl1.") || begins(key, "launch.");
}

bool weir_scheme_set_program(struct weir_program_options *o, const char *key, const char *value,
                             struct weir_place where, struct weir_sink *sink) {
  char message[600];
  if (weir_param_assign(&weir_program_table, o, key, value, message, sizeof message))
    return weir_fail(sink, where, "%s", message);
  o->sl1 |= begins(key, "sl1.");
  return true;
}
