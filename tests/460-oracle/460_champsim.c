// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir's core, caches and policies beside ChampSim's (Gober et al., 2022) on the same traces: the last-level cache's
// misses within 1 % under LRU and SRRIP, instructions per cycle within 15 %. docs/VALIDATION.md says what is alike and
// what is not.
#include "champsim.h"
#include "placed.h"
#include "system.h"

#include "base/rng.h"
#include "trace/programs.h"

enum { WARMUP = 400000, COUNTED = 600000, SLACK = 10000, SKIPPED = 2000000, LINE = 64 };
static const double MISSES_APART = 0.01, IPC_APART = 0.15;

// The core and private caches of Holey et al., Table II. Latencies are what a chain of dependent loads measures with
// ChampSim, whose own figures (2, 8, 20, 200) leave out its queues; all instructions take a cycle, as a ChampSim trace
// does not tell them apart; its stores wait in queues and MSHRs that hold about as many as `store_buffer` here.
static const struct system_config table_2 = {.core = {.width = 4,
                                                      .window = 64,
                                                      .load_ports = 2,
                                                      .store_buffer = 224,
                                                      .redirect_cycles = 6,
                                                      .refetch_cycles = 4,
                                                      .fetch_ahead = 16,
                                                      .latency_cycles = {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                                      .perceptrons = 1024,
                                                      .history_bits = 32,
                                                      .targets = 8192,
                                                      .returns = 64,
                                                      .l1i = {32768, 4, LINE, 8, 4},
                                                      .l1d = {32768, 4, LINE, 16, 6},
                                                      .l2 = {262144, 8, LINE, 32, 6}},
                                             .llc = {.sets = 1024,
                                                     .ways = 32,
                                                     .line_bytes = LINE,
                                                     .sector_bytes = LINE,
                                                     .allocate = WEIR_ALLOCATE_ON_FILL,
                                                     .write_hit = WEIR_WRITE_BACK,
                                                     .write_miss = WEIR_WRITE_ALLOCATE_LAZY,
                                                     .mshrs = 64,
                                                     .mshr_merges = UINT32_MAX,
                                                     .fetch_pieces = 1,
                                                     .level = 1,
                                                     .requesters = 2},
                                             .llc_cycles = 21,
                                             .memory_cycles = 215};

static size_t read_trace(void *reader, struct weir_trace_inst *out, size_t most) {
  return weir_trace_read(reader, out, most);
}

static struct system_counts run_weir(const char *policy, const char *trace) {
  struct weir_sink sink = {0};
  struct weir_trace_reader *r = weir_trace_open(trace, &sink);
  assert_non_null(r);
  struct system_config config = table_2;
  weir_policy_defaults(&config.llc.replace, weir_policy_find(WEIR_POLICY_REPLACE, policy));
  const struct system_counts c = system_run(&config, &(struct weir_cpu_feed){read_trace, r}, WARMUP, COUNTED);
  weir_trace_close(r);
  return c;
}

static double apart(double ours, double theirs) {
  return theirs > 0 ? (ours > theirs ? ours - theirs : theirs - ours) / theirs : ours > 0;
}

static bool compare(const char *name, const char *policy, const char *trace) {
  const struct champsim_counts theirs = champsim_run(policy, trace, WARMUP, COUNTED);
  const struct system_counts ours = run_weir(policy, trace);
  const double ipc = (double)theirs.instructions / (double)theirs.cycles;
  const double our_ipc = (double)ours.instructions / (double)ours.cycles;
  const bool alike = apart((double)ours.llc_read_misses, (double)theirs.llc_read_misses) <= MISSES_APART &&
    apart(our_ipc, ipc) <= IPC_APART;
  print_message("%-10s %-5s  LLC misses %7llu, ChampSim %7llu (%+.2f %%)  IPC %.3f, ChampSim %.3f (%+.1f %%)%s\n", name,
                policy, (unsigned long long)ours.llc_read_misses, (unsigned long long)theirs.llc_read_misses,
                100 * ((double)ours.llc_read_misses / (double)theirs.llc_read_misses - 1), our_ipc, ipc,
                100 * (our_ipc / ipc - 1), alike ? "" : "  TOO FAR APART");
  return alike;
}

static bool compare_both(const char *name, const char *trace) {
  const bool lru = compare(name, "lru", trace), srrip = compare(name, "srrip", trace);
  unlink(trace);
  return lru && srrip;
}

static void trace_path(char path[static 4096], const char *name) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, 4096, "%s/weir-oracle-%d-%s.champsim.gz", folder ? folder : "/tmp", (int)getpid(), name);
}

// ---- programs -------------------------------------------------------------------------------------------------------

// Of each class of Holey et al.: some whose working set a larger cache holds, some that stream, some that compute.
static const char *const programs[] = {"bzip2", "omnetpp", "glpsol", "mcf",  "libquantum", "milc",
                                       "lbm",   "gnugo",   "hmmer",  "x264", "gamess"};

static void test_programs(void **state) {
  (void)state;
  unsigned compared = 0, alike = 0;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    char path[4096], *trace = weir_cpu_program_path(programs[i]);
    if (!trace) continue;
    trace_path(path, programs[i]);
    if (placed_copy(trace, path, SKIPPED, WARMUP + COUNTED + SLACK) == WARMUP + COUNTED + SLACK) {
      compared++;
      alike += compare_both(programs[i], path);
    }
    unlink(path);
    weir_free(trace);
  }
  assert_true(compared >= 6);
  assert_int_equal(alike, compared);
}

// ---- made to tell policies apart ------------------------------------------------------------------------------------

typedef uint64_t picker(struct weir_rng *rng, uint64_t load);

// Every second instruction loads from the line that `pick` chooses.
static void write_loads(const char *path, picker *pick) {
  struct weir_rng rng = weir_rng_seed(1, 0);
  struct placed p;
  placed_open(&p, path);
  for (uint64_t i = 0; i < WARMUP + COUNTED + SLACK; i++) {
    const uint64_t address = 0x10000000 + pick(&rng, i / 2) * LINE;
    struct weir_trace_static s = {
      .pc = 0x400000 + i % 16 * 4, .length = 4, .destinations = {33}, .destination_count = 1};
    if (i % 16 == 15)
      s = (struct weir_trace_static){.pc = s.pc, .length = 4, .branch = WEIR_TRACE_JUMP, .taken = 1};
    else if (i % 2)
      s.accesses[s.access_count++].bytes = 8;
    placed_put(&p, &(struct weir_trace_inst){.what = &s, .addresses = &address});
  }
  placed_close(&p);
}

static uint64_t around(struct weir_rng *rng, uint64_t load) { // 2.5 MiB over and over: LRU keeps nothing of it
  (void)rng;
  return load % 40960;
}

static uint64_t scanned(struct weir_rng *rng, uint64_t load) { // 1.25 MiB at random between lines that are used once
  return weir_rng_below(rng, 2) ? weir_rng_below(rng, 20480) : 65536 + load;
}

static void test_patterns(void **state) {
  (void)state;
  static const struct {
    const char *name;
    picker *pick;
  } patterns[] = {{"around", around}, {"scanned", scanned}};
  unsigned alike = 0;
  for (size_t i = 0; i < 2; i++) {
    char path[4096];
    trace_path(path, patterns[i].name);
    write_loads(path, patterns[i].pick);
    alike += compare_both(patterns[i].name, path);
  }
  assert_int_equal(alike, 2);
}

int main(void) {
  if (!getenv(WEIR_ENV_CHAMPSIM)) {
    fprintf(stderr, "%s is not set: nothing to compare with\n", WEIR_ENV_CHAMPSIM);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns), cmocka_unit_test(test_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
