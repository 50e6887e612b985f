// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Who holds lines of a watched cache, and for how long, by hand; and what each port has the network and DRAM do. Whatever is
// counted per port adds up to what the level, the network and the channels count of themselves.
#include "mem/residency.h"
#include "memory_test.h"
#include "requesters.h"

enum {
  PORTS = 64,
  LINE = 128,
  SETS = 4,
  WAY_STRIDE = LINE * SETS,
  A = 0,
  B = WAY_STRIDE,
  C = 2 * WAY_STRIDE,
  D = 3 * WAY_STRIDE,
  E = 4 * WAY_STRIDE,
  F = 5 * WAY_STRIDE
};

static struct weir_cache_params params(void) {
  struct weir_cache_params p = small_cache();
  p.write_hit = WEIR_WRITE_BACK;
  p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  p.requesters = 4;
  return p;
}

static struct weir_residency *watch(struct bench *b) {
  struct weir_residency *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->ports = calloc(PORTS, sizeof *t->ports);
  assert_non_null(t);
  weir_cache_watch(&b->cache, t, b->now);
  return t;
}

static void watch_end(struct bench *b, struct weir_residency *t) {
  bench_free(b);
  free(t->ports);
  free(t);
}

// A request of the test's own; the write-backs that the cache makes have no token.
static struct weir_mreq *by(struct bench *b, uint16_t port, uint8_t requester, enum weir_mreq_kind kind,
                            uint64_t address) {
  struct weir_mreq *r = make(b, kind, address, LINE, 1);
  r->core = port;
  r->requester = requester;
  return r;
}

// What the ports of the table are: 1 is the GPU's, 5 and 6 are those of programs 2 and 3.
static uint8_t requester_of(uint16_t port) {
  return port < 4 ? 0 : (uint8_t)(port - 3);
}

// One access `at` cycles after START, served to its end.
static void serve(struct bench *b, weir_cycle at, uint16_t port, enum weir_mreq_kind kind, uint64_t address) {
  b->now = START + at;
  const char c = send(b, by(b, port, requester_of(port), kind, address));
  b->now = START + at;
  if (c != 'm') return;
  for (struct weir_mreq *r; (r = go_down(b));)
    if (weir_cache_waits_for(&b->cache, r))
      weir_cache_fill(&b->cache, r, b->now);
    else
      weir_mreq_release(&b->pool, r);
  take_all_ready(b);
}

static void assert_counts(const struct weir_requester_counts *got, struct weir_requester_counts want) {
#define X(name, unit, meaning)                                                                                         \
  if (got->name != want.name)                                                                                          \
    fail_msg(#name ": %llu, not %llu", (unsigned long long)got->name, (unsigned long long)want.name);
  WEIR_REQUESTER_FIELDS(X)
#undef X
#define X(name, unit, meaning)                                                                                         \
  if (got->at.name != want.at.name)                                                                                    \
    fail_msg(#name ": %llu, not %llu", (unsigned long long)got->at.name, (unsigned long long)want.at.name);
  WEIR_ACCESS_FIELDS(X)
#undef X
}

// One set of two ways, LRU. Cycle: port, line, what happens to whom.
//   10: 1 A  miss                        60: 5 C  miss, its own B goes (30 … 60, never hit)
//   20: 1 A  hit                         70: 6 D  stored, misses, A goes (10 … 70, hit twice, last in 40)
//   30: 5 B  miss                        80: 6 D  stored, hit
//   40: 5 A  hit, on a line of 1         90: 1 E  miss, C goes (60 … 90, never hit)
//                                        95: 1 F  miss, D goes down (70 … 95, hit in 80)
static void lifetimes_by_hand(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  struct weir_residency *t = watch(b);
  serve(b, 10, 1, WEIR_MREQ_LOAD, A);
  serve(b, 20, 1, WEIR_MREQ_LOAD, A);
  serve(b, 30, 5, WEIR_MREQ_LOAD, B);
  serve(b, 40, 5, WEIR_MREQ_INSTRUCTION, A);
  struct weir_requester_counts so_far[PORTS] = {0};
  weir_residency_read(&b->cache, START + 50, false, so_far);
  assert_counts(&so_far[1], (struct weir_requester_counts){.line_cycles = 40, .dead_cycles = 10});
  assert_counts(&so_far[5],
                (struct weir_requester_counts){.line_cycles = 20, .dead_cycles = 20, .never_hit_cycles = 20});
  serve(b, 60, 5, WEIR_MREQ_LOAD, C);
  serve(b, 70, 6, WEIR_MREQ_STORE, D);
  serve(b, 80, 6, WEIR_MREQ_STORE, D);
  serve(b, 90, 1, WEIR_MREQ_LOAD, E);
  b->now = START + 95;
  assert_int_equal(send(b, by(b, 1, 0, WEIR_MREQ_LOAD, F)), 'm');
  fetched(b, F);
  take_all_ready(b);
  struct weir_mreq *w = go_down(b);
  assert_int_equal(w->kind, WEIR_MREQ_WRITEBACK);
  assert_int_equal(w->core, 6);
  assert_int_equal(w->requester, 3);
  weir_mreq_release(&b->pool, w);
  weir_residency_read(&b->cache, START + 100, true, t->ports);
  assert_counts(&t->ports[1],
                (struct weir_requester_counts){.at.accesses = 4,
                                               .at.hits = 1,
                                               .at.misses = 3,
                                               .demand_misses = 3,
                                               .fills = 3,
                                               .evictions = 1,
                                               .evicted_by_others = 1,
                                               .data_reads = 1,
                                               .line_cycles = 60 + 10 + 5,
                                               .dead_cycles = 30 + 10 + 5,
                                               .never_hit_cycles = 10 + 5,
                                               .ended_0 = 2,
                                               .ended_2 = 1});
  assert_counts(&t->ports[5],
                (struct weir_requester_counts){.at.accesses = 3,
                                               .at.hits = 1,
                                               .at.misses = 2,
                                               .demand_misses = 2,
                                               .fills = 2,
                                               .evictions = 2,
                                               .evicted_by_others = 1,
                                               .data_reads = 1,
                                               .line_cycles = 60,
                                               .dead_cycles = 60,
                                               .never_hit_cycles = 60,
                                               .ended_0 = 2});
  assert_counts(&t->ports[6],
                (struct weir_requester_counts){.at.accesses = 2,
                                               .at.hits = 1,
                                               .at.misses = 1,
                                               .demand_misses = 1,
                                               .fills = 1,
                                               .evictions = 1,
                                               .evicted_by_others = 1,
                                               .writebacks = 1,
                                               .data_reads = 1,
                                               .data_writes = 2,
                                               .line_cycles = 25,
                                               .dead_cycles = 15,
                                               .ended_1 = 1});
  watch_end(b, t);
}

// Ports of one program are not others to each other.
static void of_one_program(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  struct weir_residency *t = watch(b);
  serve(b, 0, 1, WEIR_MREQ_LOAD, A);
  serve(b, 1, 1, WEIR_MREQ_LOAD, B);
  serve(b, 2, 2, WEIR_MREQ_LOAD, C);
  assert_int_equal(t->ports[1].evictions, 1);
  assert_int_equal(t->ports[1].evicted_by_others, 0);
  watch_end(b, t);
}

// Hit 0, 1, 2, 3, 4 and 5 times.
static void lines_end_by_their_hits(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  struct weir_residency *t = watch(b);
  for (uint64_t hits = 0; hits < 6; hits++)
    for (uint64_t i = 0; i <= hits; i++) serve(b, hits, 1, WEIR_MREQ_LOAD, hits * LINE);
  weir_residency_read(&b->cache, b->now, true, t->ports);
  const struct weir_requester_counts *n = &t->ports[1];
  assert_int_equal(n->ended_0, 1);
  assert_int_equal(n->ended_1, 1);
  assert_int_equal(n->ended_2, 1);
  assert_int_equal(n->ended_3, 1);
  assert_int_equal(n->ended_more, 2);
  watch_end(b, t);
}

// A write-back that finds no line is given one, by nobody's demand; another hits it.
static void write_backs_demand_nothing(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  struct weir_residency *t = watch(b);
  serve(b, 0, 5, WEIR_MREQ_WRITEBACK, A);
  serve(b, 7, 5, WEIR_MREQ_WRITEBACK, A);
  weir_residency_read(&b->cache, START + 9, true, t->ports);
  assert_counts(&t->ports[5],
                (struct weir_requester_counts){.at.accesses = 2,
                                               .at.hits = 1,
                                               .at.misses = 1,
                                               .fills = 1,
                                               .data_writes = 2,
                                               .line_cycles = 9,
                                               .dead_cycles = 2,
                                               .ended_1 = 1});
  watch_end(b, t);
}

// Loads that wait for one fill: hits on a miss, and uses of the line, whether its way is taken on the miss (10) or on the fill (20).
static void hits_on_misses_are_uses(void **state) {
  (void)state;
  for (int on_fill = 0; on_fill < 2; on_fill++) {
    struct weir_cache_params p = params();
    p.allocate = on_fill ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS;
    struct bench *b = bench_new(&p);
    struct weir_residency *t = watch(b);
    for (uint16_t i = 0; i < 3; i++) {
      b->now = START + 10 + i;
      send(b, by(b, (uint16_t)(1 + i), 0, WEIR_MREQ_LOAD, A));
    }
    b->now = START + 20;
    fetched(b, A);
    take_all_ready(b);
    weir_residency_read(&b->cache, START + 50, true, t->ports);
    assert_counts(&t->ports[1],
                  (struct weir_requester_counts){.at.accesses = 1,
                                                 .at.misses = 1,
                                                 .demand_misses = 1,
                                                 .fills = 1,
                                                 .line_cycles = on_fill ? 30 : 40,
                                                 .dead_cycles = on_fill ? 30 : 38,
                                                 .ended_2 = 1});
    for (unsigned port = 2; port < 4; port++)
      assert_counts(&t->ports[port], (struct weir_requester_counts){.at = {.accesses = 1, .hits_on_miss = 1}});
    watch_end(b, t);
  }
}

// Lines that are there when it begins, one of a host copy; and an evict by a store that writes through.
static void from_then_on(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  p.write_hit = WEIR_WRITE_EVICT;
  p.write_miss = WEIR_WRITE_NO_ALLOCATE;
  struct bench *b = bench_new(&p);
  serve(b, 0, 5, WEIR_MREQ_LOAD, A);
  serve(b, 1, 5, WEIR_MREQ_LOAD, A);
  weir_cache_place(&b->cache, B, B, 1, START + 2);
  b->now = START + 10;
  struct weir_residency *t = watch(b);
  b->now = START + 30;
  assert_int_equal(send(b, by(b, 1, 0, WEIR_MREQ_STORE, A)), 'd');
  went_down(b, WEIR_MREQ_STORE, A, LINE);
  weir_residency_read(&b->cache, START + 40, true, t->ports);
  assert_counts(
    &t->ports[5],
    (struct weir_requester_counts){.line_cycles = 20, .dead_cycles = 20, .never_hit_cycles = 20, .ended_0 = 1});
  assert_counts(&t->ports[1], (struct weir_requester_counts){.at = {.accesses = 1, .hits = 1}});
  assert_counts(
    &t->ports[0],
    (struct weir_requester_counts){.line_cycles = 30, .dead_cycles = 30, .never_hit_cycles = 30, .ended_0 = 1});
  weir_cache_watch(&b->cache, NULL, b->now);
  serve(b, 50, 1, WEIR_MREQ_LOAD, A);
  assert_int_equal(t->ports[1].at.accesses, 1);
  watch_end(b, t);
}

// ---- random traffic ----------------------------------------------------------------------------------------------------

static uint64_t lines_there(const struct weir_cache *c) {
  uint64_t n = 0;
  for (uint32_t set = 0; set < c->params.sets; set++)
    for (uint32_t way = 0; way < c->params.ways; way++) n += weir_cache_tags(c, set)[way] != 0;
  return n;
}

static void went_all_down(struct bench *b) {
  for (struct weir_mreq *r; (r = go_down(b));)
    if (r->token)
      give_back(b, r);
    else
      weir_mreq_release(&b->pool, r);
}

static void random_access(struct bench *b, struct weir_rng *rng, weir_cycle at) {
  static const enum weir_mreq_kind kinds[] = {WEIR_MREQ_LOAD, WEIR_MREQ_STORE, WEIR_MREQ_INSTRUCTION, WEIR_MREQ_ATOMIC,
                                              WEIR_MREQ_WRITEBACK};
  const uint16_t port = (uint16_t)(1 + weir_rng_below(rng, 6));
  const enum weir_mreq_kind kind = kinds[weir_rng_below(rng, 5)];
  serve(b, at, port, kind, weir_rng_below(rng, 24) * LINE);
  went_all_down(b);
}

struct random_run {
  struct weir_requester_counts ports[PORTS];
  uint64_t held, there; // line cycles, and lines left at the end, as the tags tell step by step
  struct weir_level_stats level;
};

static void look(const struct weir_cache *c, weir_cycle now) {
  struct weir_requester_counts unused[PORTS] = {0};
  weir_residency_read(c, now, now % 2, unused);
}

static void run_random(struct random_run *run, struct weir_cache_params p, uint64_t seed, bool looks) {
  *run = (struct random_run){0};
  struct bench *b = bench_new(&p);
  struct weir_residency *t = watch(b);
  struct weir_rng rng = weir_rng_seed(419, seed);
  weir_cycle last = 0;
  for (unsigned step = 0; step < 4000; step++) {
    const weir_cycle at = last + weir_rng_below(&rng, 5);
    run->held += lines_there(&b->cache) * (at - last);
    random_access(b, &rng, at);
    if (looks) look(&b->cache, START + at);
    last = at;
  }
  weir_residency_read(&b->cache, START + last, true, t->ports);
  memcpy(run->ports, t->ports, sizeof run->ports);
  run->there = lines_there(&b->cache);
  run->level = b->stats;
  watch_end(b, t);
}

static struct weir_cache_params random_params(uint64_t seed) {
  struct weir_cache_params p = params();
  p.allocate = seed & 1 ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS;
  p.ways = 1 + (uint32_t)(seed % 5);
  if (seed & 2) p.write_miss = WEIR_WRITE_NO_ALLOCATE;
  if (seed & 4) p.write_hit = seed & 8 ? WEIR_WRITE_EVICT : WEIR_WRITE_THROUGH;
  if (seed & 16)
    weir_policy_defaults(&p.companions[p.companion_count++], weir_policy_find(WEIR_POLICY_BYPASS, "random"));
  return p;
}

static void it_adds_up(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 64; seed++) {
    struct random_run *run = calloc(1, sizeof *run);
    run_random(run, random_params(seed), seed, false);
    const struct weir_requester_counts n = sum_of(run->ports, PORTS);
    assert_adds_up(&n, &run->level);
    assert_true(n.demand_misses < n.at.misses && n.evictions);
    assert_int_equal(n.line_cycles, run->held);
    assert_true(n.never_hit_cycles <= n.dead_cycles && n.dead_cycles <= n.line_cycles);
    assert_int_equal(n.ended_0 + n.ended_1 + n.ended_2 + n.ended_3 + n.ended_more,
                     n.evictions + run->level.invalidations + run->there);
    free(run);
  }
}

static void looking_changes_nothing(void **state) {
  (void)state;
  struct random_run *runs = calloc(2, sizeof *runs);
  for (uint64_t seed = 0; seed < 64; seed += 7) {
    for (int i = 0; i < 2; i++) run_random(&runs[i], random_params(seed), seed, i);
    assert_memory_equal(&runs[0], &runs[1], sizeof *runs);
  }
  free(runs);
}

// ---- networks and channels ------------------------------------------------------------------------------------------------

static struct memory_params memory_params(void) {
  struct memory_params p = {.cores = 4, .channels = 2, .slices = 1, .caches = 1, .to_dram = 8, .fills = 8};
  p.stages[0] =
    (struct weir_stage_params){.cache = params(), .input_delay_cycles = 2, .hit_latency_cycles = 3, .input_queue = 8};
  p.stages[0].cache.level = 1;
  p.network = (struct weir_network_params){.flit_bytes = 32,
                                           .header_bytes = 8,
                                           .latency_cycles = 3,
                                           .input_flits = 64,
                                           .output_packets = 8,
                                           .flits_per_input = 1,
                                           .flits_per_output = 1};
  p.dram = ddr_for_slices();
  return p;
}

static void watch_traffic(struct memory *m, struct weir_traffic_counts *ports) {
  m->fabric.requests.ports = m->fabric.replies.ports = ports;
  for (uint32_t i = 0; i < m->params.channels; i++) m->drams[i].ports = ports;
}

// Port 3 loads 32 bytes of a line: 8 bytes, one flit, go and 40, two flits, come; the line is two bursts of 64 bytes, of one
// read, in a row opened for it. Then port 1 stores a line, 136 bytes in five flits there and 8 in one back, which stays in
// the cache; two more lines in its set, and it goes down in two bursts: a write of port 1's, though others made it go.
static void traffic_by_hand(void **state) {
  (void)state;
  struct memory_params p = memory_params();
  struct memory *m = memory_new(&p);
  struct weir_traffic_counts ports[PORTS] = {0};
  watch_traffic(m, ports);
  memory_send(m, 3, WEIR_MREQ_LOAD, 0, 32);
  memory_drain(m);
  static const struct weir_traffic_counts load = {
    .network_bytes = 48, .network_flits = 3, .dram_reads = 1, .dram_bytes = 128, .dram_activates = 1};
  assert_memory_equal(&ports[3], &load, sizeof load);
  memory_send(m, 1, WEIR_MREQ_STORE, 128, LINE);
  memory_drain(m);
  const uint32_t set = 2 * WAY_STRIDE; // of every other line number, as two channels take turns: 256 bytes each
  for (uint32_t i = 1; i < 3; i++) {
    memory_send(m, 2, WEIR_MREQ_LOAD, 128 + i * set, 32);
    memory_drain(m);
  }
  assert_int_equal(ports[1].network_bytes, 136 + 8);
  assert_int_equal(ports[1].network_flits, 5 + 1);
  assert_int_equal(ports[1].dram_reads, 0);
  assert_int_equal(ports[1].dram_writes, 1);
  assert_int_equal(ports[1].dram_bytes, LINE);
  assert_int_equal(ports[2].dram_reads, 2);
  assert_int_equal(ports[2].dram_writes, 0);
  memory_free(m);
}

// A whole line that a CPU's cache lets go, to a shared cache that has it not: 136 bytes in five flits, no answer, and nothing
// is fetched for it. Another program's load finds it whole; when two more loads make it go, it goes down as its first requester's.
static void a_write_back_from_above(void **state) {
  (void)state;
  struct memory_params p = memory_params();
  struct memory *m = memory_new(&p);
  struct weir_traffic_counts ports[PORTS] = {0};
  watch_traffic(m, ports);
  struct weir_mreq *w = memory_make(m, WEIR_MREQ_WRITEBACK, 128, LINE);
  w->core = 1;
  w->requester = 2;
  weir_network_send(&m->fabric.requests, 1, w);
  for (unsigned i = 0; i < 20; i++) memory_tick(m);
  static const struct weir_traffic_counts sent = {.network_bytes = 136, .network_flits = 5};
  assert_memory_equal(&ports[1], &sent, sizeof sent);
  assert_int_equal(m->levels[0].stores.misses, 1);
  memory_send(m, 2, WEIR_MREQ_LOAD, 128, 32);
  memory_drain(m);
  assert_int_equal(m->levels[0].loads.hits, 1);
  assert_int_equal(m->stats.dram.reads, 0);
  for (uint32_t i = 1; i < 3; i++) {
    memory_send(m, 2, WEIR_MREQ_LOAD, 128 + i * 2 * WAY_STRIDE, 32);
    memory_drain(m);
  }
  assert_int_equal(ports[1].dram_writes, 1);
  assert_int_equal(ports[1].dram_bytes, LINE);
  assert_int_equal(ports[2].dram_writes, 0);
  memory_free(m);
}

static void traffic_adds_up(void **state) {
  (void)state;
  struct memory_params p = memory_params();
  struct memory *m = memory_new(&p);
  struct weir_traffic_counts ports[PORTS] = {0}, sum = {0};
  watch_traffic(m, ports);
  struct weir_rng rng = weir_rng_seed(419, 99);
  for (unsigned i = 0; i < 4000; i++) {
    const uint32_t core = (uint32_t)weir_rng_below(&rng, 4);
    struct weir_mreq *r =
      memory_make(m, weir_rng_below(&rng, 3) ? WEIR_MREQ_LOAD : WEIR_MREQ_STORE, weir_rng_below(&rng, 4096) * 32, 32);
    if (!memory_try(m, core, r)) weir_mreq_release(&m->fabric.pool, r);
    memory_tick(m);
  }
  memory_drain(m);
  for (unsigned i = 0; i < PORTS; i++) weir_traffic_counts_add(&sum, &ports[i]);
  const struct weir_dram_stats *d = &m->stats.dram;
  const struct weir_traffic_counts want = {
    .network_bytes = m->fabric.requests.bytes_moved + m->fabric.replies.bytes_moved,
    .network_flits = m->fabric.requests.flits_moved + m->fabric.replies.flits_moved,
    .dram_reads = d->reads,
    .dram_writes = d->writes,
    .dram_bytes = d->bytes,
    .dram_activates = d->activates};
  assert_memory_equal(&sum, &want, sizeof want);
  for (unsigned i = 0; i < 4; i++) assert_true(ports[i].dram_reads && ports[i].dram_writes && ports[i].dram_activates);
  memory_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lifetimes_by_hand),
    cmocka_unit_test(of_one_program),
    cmocka_unit_test(lines_end_by_their_hits),
    cmocka_unit_test(write_backs_demand_nothing),
    cmocka_unit_test(hits_on_misses_are_uses),
    cmocka_unit_test(from_then_on),
    cmocka_unit_test(it_adds_up),
    cmocka_unit_test(looking_changes_nothing),
    cmocka_unit_test(traffic_by_hand),
    cmocka_unit_test(traffic_adds_up),
    cmocka_unit_test(a_write_back_from_above),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
