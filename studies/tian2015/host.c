// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// kmeans and histogram with the host's time. Of both the paper says that pulling data from the CPU's side dominates, and that no technique gains
// (5.2); its times are whole programs', ours kernels'. The rule, written down before the figure was computed:
//
// - What moves is what the programs copy: kmeans its points once, and each round the centres in and the memberships out; histogram each frame's
//   pixels in and bins out.
// - The paper's machine is an APU, where host and device share memory: a copy reads and writes each byte at the peak of its DRAM. As an upper
//   bound, the same over PCIe 3.0 x16 from pageable memory. Copies and kernels do not overlap: each waits for the
//   other's data.
// - Of what the host computes, the additions of kmeans' new centres count, a feature of a point each, at one per cycle of cpu-i7-4820k's cores,
//   which store as much; vectors would take less. The paper says nothing of its CPU.
// - "Dominates" is more than half of the whole; "no significant improvement" is less than half a per cent, as on this study's page.
#include "copies.h"
#include "tian2015/tian2015.h"

#include <math.h>
#include <string.h>

static const char *const programs[] = {"kmeans", "histogram", NULL};
static const struct weir_figure_group groups[] = {{programs, NULL}, {NULL, NULL}};

struct work {
  uint64_t once_in, in, out; // bytes: before the first kernel; of each round
  double rounds, host_ps;
};

// workloads/kmeans, workloads/histogram.
static struct work work_of(const struct weir_plan *p, const char *program) {
  enum { FEATURES = 34, CLUSTERS = 5, FRAMES = 4, WIDTH = 1024, BINS = 256, PIXELS_OF_GROUP = 128 * 128, WORD = 4 };
  static const double cpu_mhz = 3700;
  const bool paper = weir_plan_size(p) == WEIR_SIZE_PAPER;
  const json_t *run = weir_plan_run(p, program, TIAN_CHIP, TIAN_BASELINE);
  if (!strcmp(program, "kmeans")) {
    const uint64_t points = paper ? 16384 : 4096, bytes = points * FEATURES * WORD;
    const double rounds = tian_launches(run) - 1; // one kernel transposes the points
    return (struct work){bytes, FEATURES * CLUSTERS * WORD, points * WORD, rounds,
                         rounds * (double)(points * FEATURES) / cpu_mhz * 1e6};
  }
  const uint64_t pixels = WIDTH * (paper ? 1024 : 512);
  return (struct work){0, pixels * WORD, pixels / PIXELS_OF_GROUP * BINS * WORD, FRAMES, 0};
}

static double kernels(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_total(p, program, scheme).time_ps;
}

static double in_memory(const struct weir_plan *p, const char *program) {
  const struct work w = work_of(p, program);
  return study_memory_ps(TIAN_CHIP, w.once_in) + w.rounds * study_memory_ps(TIAN_CHIP, w.in + w.out);
}

static double over_link(const struct weir_plan *p, const char *program) {
  const struct work w = work_of(p, program);
  return study_link_ps(true, WEIR_LINK_PAGEABLE, w.once_in) +
    w.rounds * (study_link_ps(true, WEIR_LINK_PAGEABLE, w.in) + study_link_ps(false, WEIR_LINK_PAGEABLE, w.out));
}

static double computing(const struct weir_plan *p, const char *program) {
  return work_of(p, program).host_ps;
}

// ---- columns ------------------------------------------------------------------------------------------------------------

static const double per_us = 1e6;

static double kernels_us(const struct weir_plan *p, const char *program) {
  return kernels(p, program, TIAN_BASELINE) / per_us;
}

static double in_memory_us(const struct weir_plan *p, const char *program) {
  return in_memory(p, program) / per_us;
}

static double over_link_us(const struct weir_plan *p, const char *program) {
  return over_link(p, program) / per_us;
}

static double computing_us(const struct weir_plan *p, const char *program) {
  return computing(p, program) / per_us;
}

static double share(double host, double device) {
  return host / (host + device);
}

static double copies_of_apu(const struct weir_plan *p, const char *program) {
  return share(in_memory(p, program), kernels(p, program, TIAN_BASELINE));
}

static double copies_of_link(const struct weir_plan *p, const char *program) {
  return share(over_link(p, program), kernels(p, program, TIAN_BASELINE));
}

static double share_of_apu(const struct weir_plan *p, const char *program) {
  return share(in_memory(p, program) + computing(p, program), kernels(p, program, TIAN_BASELINE));
}

static double share_of_link(const struct weir_plan *p, const char *program) {
  return share(over_link(p, program) + computing(p, program), kernels(p, program, TIAN_BASELINE));
}

static double gain(const struct weir_plan *p, const char *program, double host) {
  return (host + kernels(p, program, TIAN_BASELINE)) / (host + kernels(p, program, TIAN_PC));
}

static double gain_alone(const struct weir_plan *p, const char *program) {
  return gain(p, program, 0);
}

static double gain_of_apu(const struct weir_plan *p, const char *program) {
  return gain(p, program, in_memory(p, program) + computing(p, program));
}

static double gain_of_link(const struct weir_plan *p, const char *program) {
  return gain(p, program, over_link(p, program) + computing(p, program));
}

// The host's share with which the gain of the kernels comes to half a per cent of the whole: host + k = 1.005 (host + k').
static double share_needed(const struct weir_plan *p, const char *program) {
  static const double significant = 1.005;
  const double k = kernels(p, program, TIAN_BASELINE), gained = kernels(p, program, TIAN_PC);
  return share(fmax(0, (k - significant * gained) / (significant - 1)), k);
}

void tian_figure_host(struct weir_table *t, const struct weir_plan *p) {
#define PLAIN(name, heading, meaning, format, of)                                                                      \
  { name, heading, meaning, format, WEIR_NO_MEAN, of, NULL, NULL }
  static const struct weir_figure_column columns[] = {
    PLAIN("kernels", "kernels", "us, of the baseline", WEIR_COLUMN_REAL, kernels_us),
    PLAIN("memory", "copies, APU", "us, within the memory that host and device share", WEIR_COLUMN_REAL, in_memory_us),
    PLAIN("link", "copies, PCIe", "us, over PCIe 3.0 x16 from pageable memory", WEIR_COLUMN_REAL, over_link_us),
    PLAIN("computing", "additions", "us, the host's", WEIR_COLUMN_REAL, computing_us),
    PLAIN("copies_memory", "share, APU", "of copies, in copies and kernels", WEIR_COLUMN_PERCENT, copies_of_apu),
    PLAIN("copies_link", "PCIe", NULL, WEIR_COLUMN_PERCENT, copies_of_link),
    PLAIN("share_memory", "with additions, APU", "of copies and additions", WEIR_COLUMN_PERCENT, share_of_apu),
    PLAIN("share_link", "PCIe", NULL, WEIR_COLUMN_PERCENT, share_of_link),
    PLAIN("needed", "needed", "share with which what bypassing gains of the whole is half a per cent",
          WEIR_COLUMN_PERCENT, share_needed),
    PLAIN("gain", "gain, kernels", "PC-based bypassing", WEIR_COLUMN_CHANGE, gain_alone),
    PLAIN("gain_memory", "whole, APU", NULL, WEIR_COLUMN_CHANGE, gain_of_apu),
    PLAIN("gain_link", "whole, PCIe", NULL, WEIR_COLUMN_CHANGE, gain_of_link),
    {0}};
#undef PLAIN
  weir_figure_fill(t, p, columns, groups);
}

void tian_plan_host(struct weir_plan *p) {
  for (unsigned i = 0; programs[i]; i++) {
    weir_plan_add(p, programs[i], TIAN_CHIP, TIAN_BASELINE);
    weir_plan_add(p, programs[i], TIAN_CHIP, TIAN_PC);
  }
}
