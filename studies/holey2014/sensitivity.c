// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 3, 4, 5, 10 and 14: GPU programs alone on the chip. How much of the cache they need, how much they use again, and
// how many of their wavefronts are ready.
#include "holey2014/holey2014.h"

#include <math.h>

#define AT(kib) HOLEY_LRU ",llc.size_kib=" #kib

static void plan_alone(struct weir_plan *p, const char *program, const char *spec) {
  char with_input[HOLEY_SPEC];
  holey_alone_spec(program, spec, with_input);
  weir_plan_add(p, program, holey_chip(program), with_input);
}

static void plan_each(struct weir_plan *p, const char *spec) {
  for (const char *const *program = holey_gpu_all->programs; *program; program++) plan_alone(p, *program, spec);
}

// ---- Figures 3 and 4: one program against the cache's size ---------------------------------------------------------

static const struct {
  double kib;
  const char *spec;
} sizes[] = {{256, AT(256)}, {512, AT(512)}, {1024, AT(1024)}, {2048, AT(2048)}, {4096, AT(4096)}, {8192, AT(8192)}};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void plan_one(struct weir_plan *p, const char *program) {
  for (unsigned i = 0; i < SIZES; i++) plan_alone(p, program, sizes[i].spec);
}

static double ready_warps(const struct weir_plan *p, const char *program, const char *spec) {
  const struct weir_run_numbers total = weir_run_total(holey_run_alone(p, program, spec));
  return total.ready_warp_cycles / total.core_cycles;
}

static void against_size(struct weir_table *t, const struct weir_plan *p, const char *program) {
  weir_table_column(t, WEIR_COLUMN_COUNT, "llc_kib", "LLC, KiB", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "ipc", "IPC", "warp instructions per GPU cycle");
  weir_table_column(t, WEIR_COLUMN_REAL, "mpki", "MPKI", "misses of the LLC per 1000 warp instructions");
  weir_table_column(t, WEIR_COLUMN_REAL, "ready", "ready wavefronts",
                    "of a core, mean over its cycles with a wavefront");
  weir_table_column(t, WEIR_COLUMN_RATIO, "ipc_relative", "IPC over 8 MiB's", NULL);
  weir_table_column(t, WEIR_COLUMN_RATIO, "mpki_relative", "MPKI over 256 KiB's", NULL);
  for (unsigned i = 0; i < SIZES; i++) {
    struct weir_cell *cells = weir_table_row(t);
    cells[0].ours = sizes[i].kib;
    cells[1].ours = holey_alone_ipc(p, program, sizes[i].spec);
    cells[2].ours = holey_alone_mpki(p, program, sizes[i].spec);
    cells[3].ours = ready_warps(p, program, sizes[i].spec);
    cells[4].ours = cells[1].ours / holey_alone_ipc(p, program, sizes[SIZES - 1].spec);
    cells[5].ours = cells[2].ours / holey_alone_mpki(p, program, sizes[0].spec);
  }
}

void holey_plan_boxfilter(struct weir_plan *p) {
  plan_one(p, "boxfilter");
}

void holey_figure_3(struct weir_table *t, const struct weir_plan *p) {
  against_size(t, p, "boxfilter");
  weir_table_note(t, "The program boxfilter alone under LRU, on 1C4G.");
}

void holey_plan_floyd(struct weir_plan *p) {
  plan_one(p, "floyd");
}

void holey_figure_4(struct weir_table *t, const struct weir_plan *p) {
  against_size(t, p, "floyd");
  weir_table_note(t, "The program floyd alone under LRU, on 1C4G.");
}

// ---- Figure 5: random bypassing ------------------------------------------------------------------------------------

#define BYPASSING(probability) "bypass-random-gpu,probability=" #probability

void holey_plan_bypassing(struct weir_plan *p) {
  static const char *const specs[] = {HOLEY_LRU, BYPASSING(0.25), BYPASSING(0.5), BYPASSING(0.75), BYPASSING(1)};
  for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) plan_each(p, specs[i]);
}

static double against_lru(const struct weir_plan *p, const char *program, const char *spec) {
  return holey_alone_ipc(p, program, spec) / holey_alone_ipc(p, program, HOLEY_LRU);
}

void holey_figure_5(struct weir_table *t, const struct weir_plan *p) {
#define PART(name, heading, probability)                                                                               \
  { name, heading, NULL, WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, NULL, against_lru, BYPASSING(probability) }
  static const struct weir_figure_column columns[] = {PART("bypass_25", "25 %", 0.25),
                                                      PART("bypass_50", "50 %", 0.5),
                                                      PART("bypass_75", "75 %", 0.75),
                                                      PART("bypass_100", "100 %", 1),
                                                      {0}};
#undef PART
  weir_figure_fill(t, p, columns, holey_gpu_all);
  holey_publish(t);
  weir_table_note(t,
                  "Speed with that part of the LLC's misses bypassing it at random, against LRU without, each program "
                  "alone on 1C4G. Mean: geometric.");
}

// ---- Figure 10: the classes ----------------------------------------------------------------------------------------

void holey_plan_sizes(struct weir_plan *p) {
  for (unsigned i = 1; i < SIZES; i++) plan_each(p, sizes[i].spec);
}

static double against_smallest(const struct weir_plan *p, const char *program, const char *spec) {
  return holey_alone_ipc(p, program, spec) / holey_alone_ipc(p, program, AT(512));
}

void holey_figure_10(struct weir_table *t, const struct weir_plan *p) {
#define IPC(kib, heading)                                                                                              \
  { "ipc_" #kib, "IPC " heading, NULL, WEIR_COLUMN_RATIO, WEIR_GEOMETRIC_MEAN, NULL, against_smallest, AT(kib) }
#define MPKI(kib, heading)                                                                                             \
  { "mpki_" #kib, "MPKI " heading, NULL, WEIR_COLUMN_REAL, WEIR_ARITHMETIC_MEAN, NULL, holey_alone_mpki, AT(kib) }
  static const struct weir_figure_column columns[] = {
    IPC(1024, "1M"),  IPC(2048, "2M"),  IPC(4096, "4M"),  IPC(8192, "8M"),  MPKI(512, "512K"),
    MPKI(1024, "1M"), MPKI(2048, "2M"), MPKI(4096, "4M"), MPKI(8192, "8M"), {0}};
#undef IPC
#undef MPKI
  weir_figure_fill(t, p, columns, holey_gpu_classes);
  weir_table_note(
    t,
    "Each program alone under LRU on 1C4G, by the size of its LLC: instructions per cycle over those with "
    "512 KiB (mean: geometric), misses of the LLC per 1000 warp instructions (mean: arithmetic).");
}

// ---- which wavefronts are ready --------------------------------------------------------------------------------------

#define HAZARD_FREE HOLEY_LRU ",core.ready_warps=hazard_free"

void holey_plan_readiness(struct weir_plan *p) {
  plan_each(p, HOLEY_LRU);
  plan_each(p, HAZARD_FREE);
}

void holey_readiness(struct weir_table *t, const struct weir_plan *p) {
#define READY(name, heading, scheme)                                                                                   \
  { name, heading, NULL, WEIR_COLUMN_REAL, WEIR_ARITHMETIC_MEAN, NULL, ready_warps, scheme }
  static const struct weir_figure_column columns[] = {
    READY("issuable", "issuable", HOLEY_LRU), READY("hazard_free", "free of hazards", HAZARD_FREE), {0}};
#undef READY
  weir_figure_fill(t, p, columns, holey_gpu_all);
  weir_table_note(t, "Wavefronts of a core, mean over its cycles with one; each program alone on 1C4G under LRU.");
}

// ---- Figure 14: reuse ----------------------------------------------------------------------------------------------

void holey_plan_reuse(struct weir_plan *p) {
  plan_each(p, HOLEY_LRU);
}

enum hits { NEVER, ONCE, TWICE, THREE_TIMES, MORE_OFTEN, HITS };

// Lines that left the LLC, by how often they had been hit.
static void ended(const struct weir_plan *p, const char *program, double lines[HITS]) {
  const json_t *ports = weir_run_ports(holey_run_alone(p, program, HOLEY_LRU));
  for (unsigned i = 0; i < HITS; i++) lines[i] = 0;
  for (size_t i = 0; i < json_array_size(ports); i++) {
    const struct weir_port_numbers port = weir_port_of(json_array_get(ports, i));
    const struct weir_share_numbers llc = weir_last_share(&port.shared);
    lines[NEVER] += llc.ended_0;
    lines[ONCE] += llc.ended_1;
    lines[TWICE] += llc.ended_2;
    lines[THREE_TIMES] += llc.ended_3;
    lines[MORE_OFTEN] += llc.ended_more;
  }
}

static double share_ended(const struct weir_plan *p, const char *program, enum hits hits) {
  double lines[HITS], sum = 0;
  ended(p, program, lines);
  for (unsigned i = 0; i < HITS; i++) sum += lines[i];
  return lines[hits] / sum;
}

#define SHARE_ENDED(name, hits)                                                                                        \
  static double name(const struct weir_plan *p, const char *program) {                                                 \
    return share_ended(p, program, hits);                                                                              \
  }
SHARE_ENDED(never, NEVER)
SHARE_ENDED(once, ONCE)
SHARE_ENDED(twice, TWICE)
SHARE_ENDED(three_times, THREE_TIMES)
SHARE_ENDED(more_often, MORE_OFTEN)
#undef SHARE_ENDED

static double reused(const struct weir_plan *p, const char *program) {
  return 1 - share_ended(p, program, NEVER);
}

void holey_figure_14(struct weir_table *t, const struct weir_plan *p) {
#define REUSE(name, heading, of)                                                                                       \
  { name, heading, NULL, WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, of, NULL, NULL }
  static const struct weir_figure_column columns[] = {
    REUSE("ended_0", "never", never),
    REUSE("ended_1", "once", once),
    REUSE("ended_2", "twice", twice),
    REUSE("ended_3", "3 times", three_times),
    REUSE("ended_more", "more often", more_often),
    {"reused", "reused", "at least once", WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, reused, NULL, NULL},
    {0}};
#undef REUSE
  weir_figure_fill(t, p, columns, holey_gpu_all);
  holey_publish(t);
  weir_table_note(t,
                  "How often a line of the LLC (2 MiB, LRU) was hit before it left; each GPU program alone on 1C4G.");
}
