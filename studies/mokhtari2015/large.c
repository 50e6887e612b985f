// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figure 10: data that the GPU's memory does not hold, from a CPU's threads to chunks that are copied and computed side by side. The rule,
// written down before it ran:
//
// - The four applications are those of Table 1 that the system without S-L1 was measured with too, but for kmeans, where S-L1 caches nothing:
//   the text does not name them.
// - Data are 12 GiB, twice the GPU's memory, in pinned memory of the host, and go through buffers of 64 MiB. A pass over the data copies all of
//   it; what kernels write stays on the device until the end, and is small.
// - A chunk's kernel takes what Figure 7's run takes, without an L1, on one of the chip's 15 SMXs, times the bytes of the chunk over 15 times
//   those of the run.
// - The link is PCIe 3.0 x16 (copies.h).
// - BigKernel (Mokhtari and Stumm, IPDPS 2014): of that paper this has the abstract, which says that it is a pipeline of four stages with
//   prefetching that optimises communication and GPU accesses by compiler transformations; the rest is inferred. Threads of the GPU work out
//   which addresses the others will read; these follow a pattern, so that they cost no time and nothing is sent, but they take half of an SMX's
//   threads (best of 4 and 8 blocks of 128). Four threads of the CPU gather the chunk into a pinned buffer, so that threads side by side find
//   what they read side by side (sl1/interleave.h): byte by byte or, under S-L1, by its lines of 16 bytes. The CPU's memory moves each byte three
//   times for that: read, the written line's fill, and back. A buffer is gathered, copied and computed on, stage by stage; there are two.
// - The CPU is cpu-i7-4820k. A thread's trace is a chunk of 384 KiB; it passes once as warm-up, so that the text comes from the L3: the model's
//   cores have no prefetcher, and the CPU's own has no trouble with a text. Serial is the first thread alone; the others run beside it. Two
//   threads of a core at once are not modelled: the multithreaded form has four threads, not eight.
#include "mokhtari2015/large.h"

#include "copies.h"
#include "timeline/schedule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CPU_CHIP "cpu-i7-4820k"
enum { CPU_CHIP_MHZ = 1300, CPU_CORE_MHZ = 3700 }; // of the cycles that a run counts; of the cores
enum {
  CHUNK_MIB = MOKHTARI_CHUNK_MIB,
  CHUNKS = 12 * 1024 / CHUNK_MIB,
  THREADS = 4,
  THREAD_KIB = 384,
  CLOCK_MHZ = 980,
  NAME = 64
};
static const double MIB = 1 << 20;

const struct mokhtari_machine mokhtari_machine = {
  .copy = 1, .gather = 1, .side_by_side = 1, .moves = 3, .sweep = MOKHTARI_HALF};

// A thread's trace, and how much of it is run: 99 % of the shortest of the four, rounded.
static const struct app {
  const char *program;
  uint64_t instructions, trace; // trace: of all four
  unsigned passes;              // kernels that go over the data, one after the other
} apps[] = {{"wc", 2920000, 11799208, 1},
            {"dna", 14620000, 59160966, 2},
            {"opinion", 14400000, 58255197, 1},
            {"affinity", 9360000, 37843107, 2}};
// One thread's trace of what gathers; all four are as long.
static const struct gather {
  const char *program;
  uint64_t instructions, trace;
} gathers[] = {
  [MOKHTARI_BY_BYTE] = {"assemble1", 2357000, 2381076}, [MOKHTARI_BY_LINE] = {"assemble16", 147500, 149073}};

const char *const mokhtari_large[] = {"wc", "dna", "opinion", "affinity", NULL};
static const struct weir_figure_group groups[] = {{mokhtari_large, "mean"}, {NULL, NULL}};

static const struct app *app_of(const char *program) {
  unsigned i = 0;
  while (strcmp(apps[i].program, program) != 0) i++;
  return &apps[i];
}

// ---- the CPU ----------------------------------------------------------------------------------------------------------------

static const char *threads_of(char name[NAME], const char *program, unsigned threads) {
  if (threads == 1)
    snprintf(name, NAME, "%s-1", program);
  else
    snprintf(name, NAME, "%s-1+%s-2+%s-3+%s-4", program, program, program, program);
  return name;
}

// Bytes per second of so many threads that go over so much each, until the last one has.
static double rate_of(const struct weir_plan *p, const char *program, unsigned threads, double bytes) {
  char name[NAME];
  const json_t *run = weir_plan_run(p, threads_of(name, program, threads), CPU_CHIP, "lru");
  return threads * bytes / (weir_run_total(run).cycles / (CPU_CHIP_MHZ * 1e6));
}

static double cpu_rate(const struct weir_plan *p, const char *program, unsigned threads) {
  const struct app *a = app_of(program);
  return rate_of(p, program, threads, (double)a->instructions * THREADS * THREAD_KIB * 1024 / (double)a->trace);
}

// What four threads gather.
static double gather_rate(const struct weir_plan *p, enum mokhtari_gather unit, const struct mokhtari_machine *m) {
  static const double dram_bytes_per_second = 2 * 1866e6 * 8; // of cpu-i7-4820k
  const struct gather *g = &gathers[unit];
  const double bytes = (double)g->instructions / (double)g->trace * THREAD_KIB * 1024;
  return fmin(rate_of(p, g->program, THREADS, bytes) * m->side_by_side, dram_bytes_per_second / m->moves);
}

double mokhtari_gather_ps(const struct weir_plan *p, enum mokhtari_gather unit, const struct mokhtari_machine *m) {
  return CHUNK_MIB * MIB / gather_rate(p, unit, m) * 1e12 * m->gather;
}

double mokhtari_gather_ipc(const struct weir_plan *p, enum mokhtari_gather unit) {
  char name[NAME];
  const json_t *run = weir_plan_run(p, threads_of(name, gathers[unit].program, THREADS), CPU_CHIP, "lru");
  const struct weir_run_numbers n = weir_run_total(run);
  return n.cpu_instructions / THREADS / (n.cycles * CPU_CORE_MHZ / CPU_CHIP_MHZ);
}

static double serial_seconds(const struct weir_plan *p, const char *program) {
  return CHUNKS * CHUNK_MIB * MIB / cpu_rate(p, program, 1);
}

double mokhtari_serial_ps(const struct weir_plan *p, const char *program) {
  return serial_seconds(p, program) / CHUNKS * 1e12;
}

double mokhtari_cores(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m) {
  return cpu_rate(p, program, THREADS) / cpu_rate(p, program, 1) * m->side_by_side;
}

// ---- chunks on the GPU --------------------------------------------------------------------------------------------------

unsigned mokhtari_passes(const char *program) {
  return app_of(program)->passes;
}

double mokhtari_copy_ps(const struct mokhtari_machine *m) {
  return m->copy * study_link_ps(true, WEIR_LINK_PINNED, (uint64_t)(CHUNK_MIB * MIB));
}

double mokhtari_kernel_ps(const struct weir_plan *p, const char *program, const char *variant,
                          enum mokhtari_sweep sweep, unsigned pass) {
  const json_t *run = mokhtari_run(p, program, variant, sweep);
  const struct weir_run_numbers n = weir_launch_counts(json_array_get(weir_run_member(run, "kernels"), pass));
  const double chunk = CHUNK_MIB * MIB, part = 1024.0 * mokhtari_input_kib(program) * MOKHTARI_PARTS;
  return n.cycles / CLOCK_MHZ * 1e6 * chunk / part;
}

// One pass, by so many buffers: a chunk is copied into one of them when the kernel that read it has ended.
static double pass_ps(weir_time copy, weir_time kernel, unsigned buffers) {
  static const struct weir_grid_use whole = {.blocks = 1, .resident = 1};
  struct weir_timeline t = {.copy_engines = 2};
  struct weir_stream streams[2] = {{.kind = WEIR_STREAM_NON_BLOCKING, .number = 1},
                                   {.kind = WEIR_STREAM_NON_BLOCKING, .number = 2}};
  for (unsigned i = 0; i < CHUNKS; i++) {
    struct weir_stream *s = &streams[i % buffers];
    weir_timeline_place(&t, s, WEIR_ENGINE_TO_DEVICE, copy);
    weir_timeline_run(&t, s, &whole, kernel);
  }
  weir_timeline_host_waits_for_all(&t);
  const double end = (double)t.host;
  for (unsigned i = 0; i < 2; i++) weir_stream_close(&streams[i]);
  weir_timeline_drain(&t);
  return end;
}

static double buffered(const struct weir_plan *p, const char *program, unsigned buffers,
                       const struct mokhtari_machine *m) {
  const double copy = mokhtari_copy_ps(m);
  double ps = 0;
  for (unsigned pass = 0; pass < mokhtari_passes(program); pass++) {
    const double kernel = mokhtari_kernel_ps(p, program, MOKHTARI_NO_L1, MOKHTARI_MANY, pass);
    if (isnan(copy) || isnan(kernel)) return NAN;
    ps += pass_ps((weir_time)copy, (weir_time)kernel, buffers);
  }
  return serial_seconds(p, program) / (ps * 1e-12);
}

double mokhtari_double_buffer(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m) {
  return buffered(p, program, 2, m);
}

// ---- BigKernel --------------------------------------------------------------------------------------------------------------

struct stages {
  weir_time assembly, copy, kernel; // of a chunk
};

// A stage waits for the one before it on the same chunk, and for the one behind it on the chunk that had the buffer before. What the CPU's
// threads do takes the engine of copies to the host, of which there are none.
static double pipeline_ps(const struct stages *s) {
  enum { BUFFERS = 2 };
  static const struct weir_grid_use whole = {.blocks = 1, .resident = 1};
  struct weir_timeline t = {.copy_engines = 2};
  struct weir_stream cpu = {.kind = WEIR_STREAM_NON_BLOCKING, .number = 1},
                     link = {.kind = WEIR_STREAM_NON_BLOCKING, .number = 2},
                     gpu = {.kind = WEIR_STREAM_NON_BLOCKING, .number = 3};
  struct weir_item *copied[BUFFERS] = {0}, *computed[BUFFERS] = {0};
  for (unsigned i = 0; i < CHUNKS; i++) {
    struct weir_item **c = &copied[i % BUFFERS], **k = &computed[i % BUFFERS];
    if (*c) weir_timeline_wait(&t, &cpu, *c);
    weir_item_release(*c);
    struct weir_item *full = weir_item_hold(weir_timeline_place(&t, &cpu, WEIR_ENGINE_TO_HOST, s->assembly));
    weir_timeline_wait(&t, &link, full);
    weir_item_release(full);
    if (*k) weir_timeline_wait(&t, &link, *k);
    weir_item_release(*k);
    *c = weir_item_hold(weir_timeline_place(&t, &link, WEIR_ENGINE_TO_DEVICE, s->copy));
    weir_timeline_wait(&t, &gpu, *c);
    *k = weir_item_hold(weir_timeline_run(&t, &gpu, &whole, s->kernel));
  }
  weir_timeline_host_waits_for_all(&t);
  const double end = (double)t.host;
  for (unsigned i = 0; i < BUFFERS; i++) weir_item_release(copied[i]), weir_item_release(computed[i]);
  weir_stream_close(&cpu);
  weir_stream_close(&link);
  weir_stream_close(&gpu);
  weir_timeline_drain(&t);
  return end;
}

static double pipelined(const struct weir_plan *p, const char *program, const char *variant, enum mokhtari_gather unit,
                        const struct mokhtari_machine *m) {
  const double copy = mokhtari_copy_ps(m), gather = mokhtari_gather_ps(p, unit, m);
  double ps = 0;
  for (unsigned pass = 0; pass < mokhtari_passes(program); pass++) {
    const double kernel = mokhtari_kernel_ps(p, program, variant, m->sweep, pass);
    if (isnan(copy) || isnan(gather) || isnan(kernel)) return NAN;
    ps += pipeline_ps(&(struct stages){(weir_time)gather, (weir_time)copy, (weir_time)kernel});
  }
  return serial_seconds(p, program) / (ps * 1e-12);
}

double mokhtari_big(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m) {
  return pipelined(p, program, MOKHTARI_BIG, m->by_line ? MOKHTARI_BY_LINE : MOKHTARI_BY_BYTE, m);
}

double mokhtari_big_sl1(const struct weir_plan *p, const char *program, const struct mokhtari_machine *m) {
  return pipelined(p, program, MOKHTARI_BIG_SL1, MOKHTARI_BY_LINE, m);
}

// ---- the figure -------------------------------------------------------------------------------------------------------------

static double cores(const struct weir_plan *p, const char *program) {
  return mokhtari_cores(p, program, &mokhtari_machine);
}

static double single_buffer(const struct weir_plan *p, const char *program) {
  return buffered(p, program, 1, &mokhtari_machine);
}

static double double_buffer(const struct weir_plan *p, const char *program) {
  return mokhtari_double_buffer(p, program, &mokhtari_machine);
}

static double big(const struct weir_plan *p, const char *program) {
  return mokhtari_big(p, program, &mokhtari_machine);
}

static double big_sl1(const struct weir_plan *p, const char *program) {
  return mokhtari_big_sl1(p, program, &mokhtari_machine);
}

static double over_big(const struct weir_plan *p, const char *program) {
  return big_sl1(p, program) / big(p, program);
}

static double over_cores(const struct weir_plan *p, const char *program) {
  return big_sl1(p, program) / cores(p, program);
}

void mokhtari_plan_gather(struct weir_plan *p, enum mokhtari_gather unit) {
  char name[NAME];
  const struct gather *g = &gathers[unit];
  const struct weir_mix_counts counts = {.cpu = g->instructions, .warmup = g->instructions};
  weir_plan_add_counted(p, threads_of(name, g->program, THREADS), CPU_CHIP, "lru", &counts);
}

void mokhtari_plan_gathers(struct weir_plan *p) {
  mokhtari_plan_gather(p, MOKHTARI_BY_BYTE);
  mokhtari_plan_gather(p, MOKHTARI_BY_LINE);
}

static void plan_threads(struct weir_plan *p, const struct app *a, unsigned threads) {
  char name[NAME];
  const struct weir_mix_counts counts = {.cpu = a->instructions, .warmup = a->instructions};
  weir_plan_add_counted(p, threads_of(name, a->program, threads), CPU_CHIP, "lru", &counts);
}

void mokhtari_plan_serial(struct weir_plan *p, const char *program) {
  plan_threads(p, app_of(program), 1);
}

void mokhtari_plan_kernels(struct weir_plan *p, const char *program) {
  mokhtari_plan_one(p, program, MOKHTARI_NO_L1, MOKHTARI_MANY);
  mokhtari_plan_one(p, program, MOKHTARI_BIG, MOKHTARI_HALF);
  mokhtari_plan_one(p, program, MOKHTARI_BIG_SL1, MOKHTARI_HALF);
}

void mokhtari_plan_large(struct weir_plan *p) {
  mokhtari_plan_gathers(p);
  for (unsigned i = 0; i < sizeof apps / sizeof *apps; i++) {
    plan_threads(p, &apps[i], 1);
    plan_threads(p, &apps[i], THREADS);
    mokhtari_plan_kernels(p, apps[i].program);
  }
}

#define SPEED(name, heading, meaning, of)                                                                              \
  { name, heading, meaning, WEIR_COLUMN_RATIO, WEIR_GEOMETRIC_MEAN, of, NULL, NULL }
void mokhtari_figure_10(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    SPEED("cores", "4 threads", "speed over one thread of the CPU", cores),
    SPEED("single", "single buffer", "of the GPU, over the same", single_buffer),
    SPEED("double", "double buffer", NULL, double_buffer),
    SPEED("big", "BigKernel", NULL, big),
    SPEED("big_sl1", "with S-L1", "BigKernel with S-L1", big_sl1),
    SPEED("over_big", "over BigKernel", "the last over the one before it", over_big),
    SPEED("over_cores", "over 4 threads", "and over four threads of the CPU", over_cores),
    {0}};
  weir_figure_fill(t, p, columns, groups);
  mokhtari_add_range(t, t->summary_row);
  mokhtari_publish(t);
}
