// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Schemes compared on mixes: the speedup of each program (Holey et al. Eq. 1) and their geometric mean (Eq. 2).
#include "base/alloc.h"
#include "report/compare_private.h"
#include "report/share.h"
#include "run/mix.h"
#include "run/numbers.h"
#include "run/object.h"

#include <math.h>

// The programs' own columns stand between the two.
enum column { PROGRAM, SCHEME, REPLACEMENT, SPEEDUP, FIRST_CPU };
enum after { GPU, CPU_MISSES, GPU_MISSES, ENERGY, ED2, GPU_HOLDS, DRAM, CHECK, CHOSEN };

static void name_columns(struct weir_table *t, unsigned cpus, bool sweeps) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "program", "mix", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "scheme", "scheme", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "replacement", "replacement", WEIR_REPLACEMENT_HELP);
  weir_table_column(t, WEIR_COLUMN_RATIO, "speedup", "speedup",
                    "geometric mean of the programs' own: IPC up to their counts over that under the first scheme");
  for (unsigned i = 1; i <= cpus; i++) {
    char name[32], heading[32];
    snprintf(name, sizeof name, "speedup_cpu_%u", i);
    snprintf(heading, sizeof heading, "CPU %u", i);
    weir_table_column(t, WEIR_COLUMN_RATIO, name, heading, i == 1 ? "speedup of the program on that core" : NULL);
  }
  weir_table_column(t, WEIR_COLUMN_RATIO, "speedup_gpu", "GPU", "speedup of the GPU's program");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "cpu_misses", "CPU misses",
                    "demand misses of the CPU programs in the last shared cache, against the first scheme's");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "gpu_misses", "GPU misses", "the same of the GPU's program");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "energy", "energy",
                    "of the programs, shared parts pro-rated, against the first scheme's: geometric mean");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "ed2", "ED²", "the same of their energy times the square of their time");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "gpu_occupancy", "GPU holds",
                    "of that cache's lines, mean until its count");
  weir_table_column(t, WEIR_COLUMN_BYTES, "dram_bytes", "DRAM",
                    "bytes moved to and from memory for the programs up to their counts");
  weir_table_column(t, WEIR_COLUMN_TEXT, "check", "results",
                    "of the GPU's program against its own reference, if it ended");
  if (sweeps)
    weir_table_column(
      t, WEIR_COLUMN_TEXT, "chosen", "chosen",
      "by a scheme that sweeps: the values with the highest geometric mean of IPCs, which its row is of");
}

// ---- one run --------------------------------------------------------------------------------------------------------

// Eq. 1; NaN if the mix has no such program.
static double speedup(const json_t *run, const json_t *first, int requester) {
  return weir_share(weir_run_requester_numbers(run, requester).ipc, weir_run_requester_numbers(first, requester).ipc);
}

// Eq. 2.
static double mean_speedup(const json_t *run, const json_t *first) {
  return weir_share(weir_run_mean_ipc(run), weir_run_mean_ipc(first));
}

// Geometric mean of the programs' energy × time^power, in pJ and s; NaN if the chip file has no energies.
static double mean_energy(const json_t *run, double power) {
  const json_t *programs = weir_run_programs(run);
  const size_t count = json_array_size(programs);
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const struct weir_program_numbers a = weir_program_of(json_array_get(programs, i));
    sum += log(a.energy_pj) + power * log(a.time_ps * 1e-12);
  }
  return count ? exp(sum / (double)count) : NAN;
}

static double misses(const json_t *run, bool of_gpu) {
  const json_t *programs = weir_run_programs(run);
  double sum = 0;
  for (size_t i = 0; i < json_array_size(programs); i++) {
    const struct weir_program_numbers a = weir_program_of(json_array_get(programs, i));
    if ((a.requester == 0) == of_gpu) sum += weir_last_share(&a.shared).demand_misses;
  }
  return sum;
}

static double dram_bytes(const json_t *run) {
  const json_t *programs = weir_run_programs(run);
  double sum = 0;
  for (size_t i = 0; i < json_array_size(programs); i++)
    sum += weir_program_of(json_array_get(programs, i)).traffic.dram_bytes;
  return sum;
}

static void put_run(struct weir_table *t, struct weir_cell *c, unsigned cpus, const json_t *run, const json_t *first) {
  struct weir_cell *after = c + FIRST_CPU + cpus;
  const struct weir_program_numbers gpu = weir_run_requester_numbers(run, 0);
  char *replacement = weir_compare_replacement(run);
  weir_table_text(t, &c[REPLACEMENT], replacement);
  weir_free(replacement);
  c[SPEEDUP].ours = mean_speedup(run, first);
  for (unsigned i = 0; i < cpus; i++) c[FIRST_CPU + i].ours = speedup(run, first, (int)i + 1);
  after[GPU].ours = speedup(run, first, 0);
  after[CPU_MISSES].ours = weir_share(misses(run, false), misses(first, false));
  after[GPU_MISSES].ours = weir_share(misses(run, true), misses(first, true));
  after[ENERGY].ours = weir_share(mean_energy(run, 0), mean_energy(first, 0));
  after[ED2].ours = weir_share(mean_energy(run, 2), mean_energy(first, 2));
  after[GPU_HOLDS].ours = weir_last_share(&gpu.shared).occupancy;
  after[DRAM].ours = dram_bytes(run);
  weir_table_text(t, &after[CHECK], weir_run_text(run, "check"));
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static void put_item(struct weir_table *t, unsigned cpus, const struct weir_batch_item *item,
                     const struct weir_batch_item *first) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[PROGRAM], item->experiment.program);
  weir_table_text(t, &c[SCHEME], item->experiment.scheme);
  if (item->run)
    put_run(t, c, cpus, item->run, first->run);
  else
    weir_table_text(t, &c[FIRST_CPU + cpus + CHECK], item->failure ? "failed" : "not run");
  char *chosen = weir_batch_choice(item);
  if (*chosen) weir_table_text(t, &c[FIRST_CPU + cpus + CHOSEN], chosen);
  weir_free(chosen);
}

// The most CPU programs of a run.
static unsigned most_cpus(const struct weir_batch *b) {
  unsigned most = 0;
  for (unsigned i = 0; i < b->count; i++)
    while (weir_run_requester(b->items[i].run, (int)most + 1)) most++;
  return most;
}

void weir_compare_mixes(struct weir_table *t, const struct weir_batch *b, unsigned schemes, bool sweeps) {
  unsigned cpus = most_cpus(b), averaged[FIRST_CPU + WEIR_MIX_CPUS + ED2 + 1], count = 0;
  name_columns(t, cpus, sweeps);
  for (unsigned i = 0; i < b->count; i++) put_item(t, cpus, &b->items[i], &b->items[i - i % schemes]);
  if (b->count == schemes) return;
  for (unsigned i = SPEEDUP; i <= FIRST_CPU + cpus + ED2; i++) averaged[count++] = i;
  weir_compare_means(t, b, schemes, averaged, count);
}
