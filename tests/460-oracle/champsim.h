// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A built ChampSim as another opinion (docs/VALIDATION.md says how it must be configured). Invariant: one run is a
// process of its own; what it counted is read from the JSON file that it writes.
#ifndef WEIR_TESTS_ORACLE_CHAMPSIM_H
#define WEIR_TESTS_ORACLE_CHAMPSIM_H

#include "base/alloc.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEIR_ENV_CHAMPSIM                                                                                              \
  "WEIR_CHAMPSIM" // the folder of its programs `lru` and `srrip`, named after the last-level cache's policy

struct champsim_counts {
  uint64_t instructions, cycles;
  uint64_t llc_reads, llc_read_misses; // loads, instructions, and lines to be written
  uint64_t llc_writebacks, llc_writeback_misses;
};

static uint64_t first_number(const json_t *array) {
  assert_true(json_is_integer(json_array_get(array, 0)));
  return (uint64_t)json_integer_value(json_array_get(array, 0));
}

static void add_accesses(const json_t *llc, const char *kind, uint64_t *accesses, uint64_t *misses) {
  const json_t *k = json_object_get(llc, kind);
  const uint64_t missed = first_number(json_object_get(k, "miss"));
  *accesses += first_number(json_object_get(k, "hit")) + missed;
  *misses += missed;
}

static inline struct champsim_counts champsim_read(const char *path) {
  json_t *all = json_load_file(path, 0, NULL);
  const json_t *roi = json_object_get(json_array_get(all, 0), "roi"), *llc = json_object_get(roi, "LLC");
  const json_t *core = json_array_get(json_object_get(roi, "cores"), 0);
  struct champsim_counts c = {0};
  assert_non_null(llc);
  c.instructions = (uint64_t)json_integer_value(json_object_get(core, "instructions"));
  c.cycles = (uint64_t)json_integer_value(json_object_get(core, "cycles"));
  assert_true(c.cycles > 0);
  add_accesses(llc, "LOAD", &c.llc_reads, &c.llc_read_misses);
  add_accesses(llc, "RFO", &c.llc_reads, &c.llc_read_misses);
  add_accesses(llc, "WRITE", &c.llc_writebacks, &c.llc_writeback_misses);
  json_decref(all);
  return c;
}

static inline struct champsim_counts champsim_run(const char *policy, const char *trace, uint64_t warmup,
                                                  uint64_t instructions) {
  char program[4096], json[4096], before[32], counted[32];
  snprintf(program, sizeof program, "%s/%s", getenv(WEIR_ENV_CHAMPSIM), policy);
  snprintf(json, sizeof json, "%s.%s.json", trace, policy);
  snprintf(before, sizeof before, "%llu", (unsigned long long)warmup);
  snprintf(counted, sizeof counted, "%llu", (unsigned long long)instructions);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execl(program, program, "--hide-heartbeat", "-w", before, "-i", counted, "--json", json, trace, (char *)NULL);
    _exit(127);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) fail_msg("%s did not end as it should: status %d", program, status);
  const struct champsim_counts c = champsim_read(json);
  unlink(json);
  return c;
}

#endif
