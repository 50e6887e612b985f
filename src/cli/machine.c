// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cli/machine.h"

#include "base/alloc.h"
#include "base/file.h"
#include "batch/jobs.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>

static void read_processor(char *out, size_t size) {
  char line[256];
  snprintf(out, size, "unknown processor");
  FILE *f = fopen("/proc/cpuinfo", "r");
  while (f && fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    colon[strcspn(colon, "\n")] = 0;
    snprintf(out, size, "%s", colon + 2);
    break;
  }
  if (f) fclose(f);
}

// "0.1.0", and behind a plus sign the commit of the checkout that weir's data come from, if they do.
static void read_version(char *out, size_t size) {
  char *bench = weir_data_path("bench"), commit[32] = "";
  char *command = weir_text_format("git -C '%s' describe --always --dirty --abbrev=9 2>/dev/null", bench ? bench : "/");
  FILE *f = popen(command, "r");
  if (f && !fgets(commit, sizeof commit, f)) *commit = 0;
  if (f) pclose(f);
  commit[strcspn(commit, "\n")] = 0;
  snprintf(out, size, "%s%s%s", WEIR_VERSION, *commit ? "+" : "", commit);
  weir_free(command);
  weir_free(bench);
}

void weir_machine_describe(struct weir_machine *m) {
  char processor[128];
  struct sysinfo info = {0};
  time_t now = time(NULL);
  read_processor(processor, sizeof processor);
  sysinfo(&info);
  strftime(m->date, sizeof m->date, "%Y-%m-%d", gmtime(&now));
  read_version(m->version, sizeof m->version);
#ifdef __clang__
  const char *compiler = "clang " __clang_version__;
#else
  const char *compiler = "gcc " __VERSION__;
#endif
  snprintf(m->description, sizeof m->description, "%s; %u cores; %.0f GiB; %s", processor, weir_processors(),
           (double)info.totalram * info.mem_unit / (1 << 30), compiler);
}

// 64 sets of 8 ways, the least recently used way given up; addresses of a generator (Marsaglia's xorshift) in a quarter more lines
// than the cache has. Answers the hits, so that no compiler leaves the work out.
static uint64_t look_up(uint32_t lookups) {
  enum { SETS = 64, WAYS = 8, LINES = SETS * WAYS * 5 / 4 };
  static uint32_t tags[SETS][WAYS], used[SETS][WAYS];
  uint64_t x = 88172645463325252u, hits = 0;
  for (uint32_t now = 1; now <= lookups; now++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    const uint32_t line = 1 + (uint32_t)(x >> 32) % LINES, set = line % SETS;
    unsigned way = 0, oldest = 0;
    while (way < WAYS && tags[set][way] != line) {
      if (used[set][way] < used[set][oldest]) oldest = way;
      way++;
    }
    hits += way < WAYS;
    if (way == WAYS) way = oldest;
    tags[set][way] = line;
    used[set][way] = now;
  }
  return hits;
}

double weir_machine_calibrate(void) {
  enum { LOOKUPS = 4 << 20 };
  const clock_t start = clock();
  const uint64_t hits = look_up(LOOKUPS);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  return hits ? LOOKUPS / seconds : 0;
}
