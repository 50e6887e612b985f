// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hawkeye (Jain and Lin, ISCA 2016): OPTgen on the paper's example and against all that any policy could do, and the whole policy
// against a model of the whole past.
#include "policy/optgen.h"
#include "shared_rig.h"

// ---- OPTgen ----------------------------------------------------------------------------------------------------------------

struct bench {
  struct weir_optgen o;
  void *memory;
};

static struct bench bench_new(uint32_t capacity, uint32_t window, uint32_t quantum) {
  struct bench b = {.o = {.sampled = 1,
                          .stride = 1,
                          .slots = (window + quantum - 1) / quantum,
                          .quantum = quantum,
                          .capacity = capacity,
                          .entries = window}};
  b.memory = calloc(1, weir_optgen_bytes(&b.o));
  weir_optgen_start(&b.o, b.memory);
  return b;
}

// One letter per access: '.' first, 'h' OPT would hit, 'm' it would miss.
static char judge(struct bench *b, uint64_t line) {
  uint32_t pc;
  static const char letters[] = {[WEIR_OPTGEN_FIRST] = '.', [WEIR_OPTGEN_HIT] = 'h', [WEIR_OPTGEN_MISS] = 'm'};
  return letters[weir_optgen_access(&b->o, 0, line, 1, &pc)];
}

// Section 3.1, Figure 6: two lines; "B is accessed at times 1 and 2", A again at 6, D at 8 (a hit: positions 4 to 7 have room),
// C at 11 (a miss: some position has 2).
static void figure_6(void **state) {
  (void)state;
  struct bench b = bench_new(2, 64, 1);
  const char *accesses = "ABBCDEAFDEFC", *expected = "..h...h.hmhm";
  for (unsigned i = 0; accesses[i]; i++) assert_int_equal(judge(&b, (uint64_t)accesses[i]), expected[i]);
  // Its occupancies in the end: A over 0-5, B over 1, D over 4-7, F over 7-9.
  static const uint8_t occupancy[] = {1, 2, 1, 1, 2, 2, 1, 2, 1, 1, 0, 0};
  assert_memory_equal(b.o.occupancy, occupancy, sizeof occupancy);
  free(b.memory);
}

// The most hits that any sequence of decisions has, bypassing allowed: over all sets of lines that may be held.
static unsigned best_hits(const uint8_t *line, unsigned count, unsigned lines, unsigned capacity) {
  unsigned best[64], next[64], most = 0;
  for (unsigned held = 0; held < 1u << lines; held++) best[held] = held ? 0 : 1; // 0: cannot be; else hits + 1
  for (unsigned i = 0; i < count; i++) {
    memset(next, 0, sizeof next);
    for (unsigned held = 0; held < 1u << lines; held++) {
      if (!best[held]) continue;
      unsigned hits = best[held] + (held >> line[i] & 1), with = held | 1u << line[i];
      for (unsigned kept = with;; kept = (kept - 1) & with) { // any part of these may be held further
        if (weir_popcount(kept) <= capacity && next[kept] < hits) next[kept] = hits;
        if (!kept) break;
      }
    }
    memcpy(best, next, sizeof best);
  }
  for (unsigned held = 0; held < 1u << lines; held++) most = best[held] > most ? best[held] : most;
  return most - 1;
}

static void it_counts_the_hits_of_opt(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(625, 0);
  for (unsigned n = 0; n < 400; n++) {
    uint8_t line[40];
    unsigned lines = 3 + (unsigned)weir_rng_below(&rng, 4), capacity = 1 + (unsigned)weir_rng_below(&rng, 3), hits = 0;
    struct bench b = bench_new(capacity, 64, 1);
    for (unsigned i = 0; i < 40; i++) {
      line[i] = (uint8_t)weir_rng_below(&rng, lines);
      hits += judge(&b, line[i]) == 'h';
      if (hits != best_hits(line, i + 1, lines, capacity)) fail_msg("case %u, access %u: %u hits", n, i, hits);
    }
    free(b.memory);
  }
}

// A use is a miss that lies a window or more back, and forgotten if its line is not among those remembered.
static void the_window_ends(void **state) {
  (void)state;
  for (unsigned distance = 1; distance < 12; distance++) {
    struct bench b = bench_new(4, 8, 1);
    b.o.entries = 5;
    judge(&b, 1);
    for (unsigned i = 1; i < distance; i++) judge(&b, 2 + i % 3); // three others
    assert_int_equal(judge(&b, 1), distance < 8 ? 'h' : 'm');
    for (unsigned i = 0; i < 5; i++) judge(&b, 100 + i);
    assert_int_equal(judge(&b, 1), '.');
    free(b.memory);
  }
}

// Quanta of four: what comes within one needs no room, and what spans more is held in each it began in.
static void quanta(void **state) {
  (void)state;
  struct bench b = bench_new(1, 32, 4);
  const char *accesses = "AABA"
                         "CBCD"
                         "ABCD",
             *expected = ".h.h"
                         ".hh."
                         "mhmm";
  // One line. B takes quantum 0 as it is used in 1. Then, in 2, A, from quantum 0, finds it full; B, C and D are all from 1, and the
  // first of them takes it.
  for (unsigned i = 0; accesses[i]; i++) assert_int_equal(judge(&b, (uint64_t)accesses[i]), expected[i]);
  free(b.memory);
}

// ---- the policy ----------------------------------------------------------------------------------------------------------------

// One sampled set of four ways teaches that PC 8's lines are worth keeping and PC 16's, nine that go round and round, are not.
static void averse_lines_leave_first(void **state) {
  (void)state;
  struct rig *rig = rig_new(2, 4, "hawkeye", "sampled_sets=1,quantum=1");
  for (unsigned round = 0; round < 12; round++)
    for (uint64_t block = 0; block < 18; block += 2) rig_load(rig, block, 16);
  assert_true(rig_counter(&rig->replace, "opt_misses") > rig_counter(&rig->replace, "opt_hits"));
  for (unsigned i = 0; i < 20; i++) rig_load(rig, 100, 8);
  // In set 1, which is not sampled, PC 16's leave first, the lowest way before others, whatever their age.
  rig_load(rig, 101, 8);
  rig_load(rig, 103, 16);
  rig_load(rig, 105, 8);
  rig_load(rig, 107, 16);
  rig_load(rig, 109, 8);
  assert_int_equal(rig->evicted, 103 * RIG_LINE_BYTES);
  rig_load(rig, 111, 8);
  assert_int_equal(rig->evicted, 107 * RIG_LINE_BYTES);
  rig_load(rig, 113, 8); // all friendly: the oldest
  assert_int_equal(rig->evicted, 101 * RIG_LINE_BYTES);
  assert_int_equal(rig_load(rig, 105, 16), 'h'); // a hit by an averse PC makes it the next to leave
  rig_load(rig, 115, 8);
  assert_int_equal(rig->evicted, 105 * RIG_LINE_BYTES);
  rig_free(rig);
}

// Friendly lines grow no older than 6: with ten ways, of which nine hold friendly lines, the first of them eight misses old, an
// averse line in the last way leaves first.
static void no_age_makes_averse(void **state) {
  (void)state;
  struct rig *rig = rig_new(2, 10, "hawkeye", "sampled_sets=1,quantum=1,predictor=16");
  for (unsigned round = 0; round < 6; round++) // PC 16: 30 lines round and round in ten ways
    for (uint64_t block = 0; block < 60; block += 2) rig_load(rig, block, 16);
  for (uint64_t line = 0; line < 9; line++) rig_load(rig, 101 + 2 * line, 8);
  rig_load(rig, 201, 16);
  rig_load(rig, 203, 8);
  assert_int_equal(rig->evicted, 201 * RIG_LINE_BYTES);
  rig_free(rig);
}

// ---- the model -------------------------------------------------------------------------------------------------------------------

enum { SETS = 6, WAYS = 4, STEPS = 5000, WINDOW = 8 * WAYS, SAMPLED = 2, PCS = 1024 };

struct interval { // that OPT holds a line in its set, in accesses to it
  unsigned from, to, set;
};

struct lesson {
  uint32_t pc;
  int by;
};

struct model {
  struct shared_access access[STEPS]; // demand accesses, all
  unsigned time[STEPS];               // each in its set
  size_t count;
  struct interval held[STEPS];
  size_t helds;
  struct lesson lesson[2 * STEPS];
  size_t lessons;
  struct {
    bool valid, friendly;
    uint64_t block;
    unsigned age; // misses of friendly lines since, at most 6
  } line[SETS][WAYS];
};

static uint32_t pc_of(struct shared_access s) {
  uint32_t number = s.requester ? s.pc : s.pc / 8;
  return number / PCS ^ number % PCS;
}

static bool is_friendly(const struct model *m, uint32_t pc) {
  int value = 4;
  for (size_t i = 0; i < m->lessons; i++)
    if (m->lesson[i].pc == pc) {
      value += m->lesson[i].by;
      value = value < 0 ? 0 : value > 7 ? 7 : value;
    }
  return value >= 4;
}

// The last access to the block before access number `before`; -1: none.
static int last_use(const struct model *m, uint64_t block, size_t before) {
  for (size_t i = before; i-- > 0;)
    if (m->access[i].block == block) return (int)i;
  return -1;
}

// At each moment of its interval fewer lines are held than there are ways.
static bool opt_keeps(const struct model *m, unsigned set, unsigned from, unsigned to) {
  for (unsigned t = from; t < to; t++) {
    unsigned held = 0;
    for (size_t i = 0; i < m->helds; i++) held += m->held[i].set == set && m->held[i].from <= t && t < m->held[i].to;
    if (held >= WAYS) return false;
  }
  return to - from < WINDOW;
}

static void model_learn(struct model *m, struct shared_access s) {
  unsigned set = (unsigned)(s.block % SETS), now = 0;
  for (size_t i = 0; i < m->count; i++) now += m->access[i].block % SETS == set;
  m->access[m->count] = s;
  m->time[m->count] = now;
  int last = last_use(m, s.block, m->count++);
  if (set % (SETS / SAMPLED) || last < 0) return;
  bool keeps = opt_keeps(m, set, m->time[last], now);
  if (keeps) m->held[m->helds++] = (struct interval){m->time[last], now, set};
  m->lesson[m->lessons++] = (struct lesson){pc_of(m->access[last]), keeps ? 1 : -1};
}

// Averse lines before all, then the oldest friendly one, which counts its PC down in a sampled set.
static unsigned model_place(struct model *m, unsigned set) {
  unsigned best = 0;
  for (unsigned w = 0; w < WAYS; w++)
    if (!m->line[set][w].valid) return w;
  for (unsigned w = 1; w < WAYS; w++) {
    bool better =
      m->line[set][best].friendly && (!m->line[set][w].friendly || m->line[set][w].age > m->line[set][best].age);
    best = better ? w : best;
  }
  int last = last_use(m, m->line[set][best].block, m->count);
  if (m->line[set][best].friendly && set % (SETS / SAMPLED) == 0 && last >= 0)
    m->lesson[m->lessons++] = (struct lesson){pc_of(m->access[last]), -1};
  return best;
}

static char model_do(struct model *m, struct shared_access s) {
  unsigned set = (unsigned)(s.block % SETS);
  bool demand = s.kind != WEIR_ACCESS_WRITEBACK;
  if (demand) model_learn(m, s);
  for (unsigned w = 0; w < WAYS; w++)
    if (m->line[set][w].valid && m->line[set][w].block == s.block) {
      if (demand) {
        m->line[set][w].friendly = is_friendly(m, pc_of(s));
        m->line[set][w].age = 0;
      }
      return 'h';
    }
  unsigned place = model_place(m, set);
  bool friendly = demand && is_friendly(m, pc_of(s));
  for (unsigned w = 0; w < WAYS; w++) m->line[set][w].age += friendly && m->line[set][w].age < 6;
  m->line[set][place].valid = true;
  m->line[set][place].friendly = friendly;
  m->line[set][place].block = s.block;
  m->line[set][place].age = 0;
  return 'm';
}

static void agrees_with_a_model(void **state) {
  (void)state;
  for (unsigned requesters = 1; requesters <= 2; requesters++) {
    char knobs[128];
    snprintf(knobs, sizeof knobs, "sampled_sets=%d,quantum=1,history=1048576,predictor=%d", SAMPLED, PCS);
    struct rig *rig = rig_new_shared(requesters, SETS, WAYS, "hawkeye", knobs);
    struct model *m = calloc(1, sizeof *m);
    struct weir_rng rng = weir_rng_seed(6250, requesters);
    for (unsigned step = 0; step < STEPS; step++) {
      struct shared_access s = shared_random(&rng, requesters, SETS, WAYS, false);
      char expected = model_do(m, s);
      if (shared_do(rig, s) != expected) fail_msg("%u requesters, step %u: not %c", requesters, step, expected);
    }
    assert_true(rig_counter(&rig->replace, "friendly") > 300 && rig_counter(&rig->replace, "averse") > 300);
    assert_true(rig_counter(&rig->replace, "detrainings") > 100);
    free(m);
    rig_free(rig);
  }
}

// Section 4.1's sizes for 2 MiB of 16 ways: 12 KiB of lines' counters, 3 KiB of predictor, and for 64 sets 1 KiB of occupancies (32
// quanta of 4 bits) and 37 lines each of the 2400 remembered, 5 bytes.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice hawkeye = rig_choose(WEIR_POLICY_REPLACE, "hawkeye", NULL);
  struct weir_geometry g = {.sets = 2048, .ways = 16, .line_bytes = 64, .knobs = hawkeye.knobs};
  assert_int_equal(weir_policy_cost_bits(hawkeye.policy, &g), (12 + 3 + 1) * 8192 + 64 * 37 * 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(figure_6),
    cmocka_unit_test(it_counts_the_hits_of_opt),
    cmocka_unit_test(the_window_ends),
    cmocka_unit_test(quanta),
    cmocka_unit_test(averse_lines_leave_first),
    cmocka_unit_test(no_age_makes_averse),
    cmocka_unit_test(agrees_with_a_model),
    cmocka_unit_test(costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
