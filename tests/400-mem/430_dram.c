// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// DRAM timing to the cycle. Every time below is derived by hand from the rules at the head of mem/dram.h. A request sent
// at cycle s is taken from the controller's pipe at s + fixed latency, and the scheduler sees it in the next cycle, T: the
// first command of an idle channel issues at T. An answer is handed over in the cycle after its data's first.
#include "mem_test.h"

#include "mem/dram.h"

enum { FIXED = 10, MAX_ANSWERS = 512 };

struct channel {
  struct weir_mreq_pool pool;
  struct weir_address_map map;
  struct weir_dram_stats stats;
  struct weir_dram dram;
  weir_cycle now;
  weir_cycle at[MAX_ANSWERS]; // per token: when its answer was handed over
  uint32_t order[MAX_ANSWERS], answers;
  bool refuse;
};

// GTX 480's, as GPGPU-Sim publishes them.
static struct weir_dram_params gddr5(void) {
  return (struct weir_dram_params){.banks = 16,
                                   .bank_groups = 4,
                                   .atom_bytes = 64,
                                   .burst_cycles = 2,
                                   .queue = 64,
                                   .outstanding = 200,
                                   .fixed_latency = FIXED,
                                   .ccd = 2,
                                   .ccdl = 3,
                                   .rrd = 6,
                                   .rcd = 12,
                                   .ras = 28,
                                   .rp = 12,
                                   .rc = 40,
                                   .cl = 12,
                                   .wl = 4,
                                   .cdlr = 5,
                                   .wr = 12,
                                   .rtpl = 2};
}

static struct channel *channel_new(const struct weir_dram_params *p) {
  struct channel *c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->map = (struct weir_address_map){.channels = 1, .slices_per_channel = 1, .interleave_bytes = 256};
  assert_null(weir_address_map_parse(&c->map, "R12 B3 C4 B1 C2 S6"));
  weir_dram_init(&c->dram, p, &c->map, &c->pool, &c->stats);
  c->now = START;
  return c;
}

static void channel_free(struct channel *c) {
  assert_int_equal(c->dram.taken, 0);
  assert_int_equal(c->stats.row_hits + c->stats.row_misses + c->stats.row_conflicts, c->stats.reads + c->stats.writes);
  assert_int_equal(c->stats.activates, c->stats.row_misses + c->stats.row_conflicts);
  weir_mreq_pool_free(&c->pool);
  free(c);
}

static uint64_t address_of(uint32_t row, uint32_t bank, uint32_t column) {
  return (uint64_t)row << 16 | (bank >> 1) << 13 | (column >> 2) << 9 | (bank & 1) << 8 | (column & 3) << 6;
}

static void ask(struct channel *c, enum weir_mreq_kind kind, uint32_t row, uint32_t bank, uint32_t column,
                uint32_t bytes, uint32_t token) {
  struct weir_mreq *r = weir_mreq_new(&c->pool);
  r->kind = kind & 7;
  r->address = address_of(row, bank, column);
  r->bytes = (uint16_t)bytes;
  r->token = token;
  assert_true(weir_dram_accepts(&c->dram));
  weir_dram_send(&c->dram, r, c->now);
}

static void read_atom(struct channel *c, uint32_t row, uint32_t bank, uint32_t column, uint32_t token) {
  ask(c, WEIR_MREQ_LOAD, row, bank, column, 64, token);
}

static bool deliver(void *context, struct weir_mreq *r) {
  struct channel *c = context;
  if (c->refuse) return false;
  assert_true(r->is_reply);
  c->at[r->token] = c->now;
  c->order[c->answers++] = r->token;
  weir_mreq_release(&c->pool, r);
  return true;
}

// Runs until nothing is left. every: ticks each cycle; else only when the channel asked for it, which must do the same.
static void drain(struct channel *c, bool every) {
  weir_cycle next = c->now + 1;
  while (c->dram.taken) {
    assert_true(next != WEIR_NEVER && next > c->now && next < START + 100000);
    c->now = every ? c->now + 1 : next;
    next = weir_dram_tick(&c->dram, c->now, deliver, c);
  }
  c->now++;
}

// ---- single rules ---------------------------------------------------------------------------------------------------

struct ask {
  enum weir_mreq_kind kind;
  uint32_t row, bank, column;
};

#define RD WEIR_MREQ_LOAD
#define WR WEIR_MREQ_STORE

// Two requests sent in one cycle: A's first command issues at T, B is first seen at T + 1. When each is answered, after T.
struct pair {
  const char *what;
  struct weir_dram_params p; // members that are not 0 replace gddr5's
  struct ask a, b;
  uint32_t a_at, b_at;
};

#define REPLACE(member)                                                                                                \
  if (with->member) p->member = with->member;
static void replace(struct weir_dram_params *p, const struct weir_dram_params *with) {
  // clang-format off
  REPLACE(ccd) REPLACE(ccdl) REPLACE(rrd) REPLACE(rcd) REPLACE(ras) REPLACE(rp) REPLACE(rc) REPLACE(cl) REPLACE(wl)
  REPLACE(cdlr) REPLACE(wr) REPLACE(rtpl) REPLACE(burst_cycles)
  // clang-format on
}

static const struct pair pairs[] = {
  // Activate at 0, column at rcd = 12, data at + cl = 24, handed over at 25. B, row hit: ccdl after A's column.
  {"read, row hit: ccdl", {0}, {RD, 0, 0, 0}, {RD, 0, 0, 1}, 25, 28},
  {"rcd", {.rcd = 17}, {RD, 0, 0, 0}, {RD, 0, 0, 1}, 30, 33},
  {"cl", {.cl = 20}, {RD, 0, 0, 0}, {RD, 0, 0, 1}, 33, 36},
  {"ccdl 7", {.ccdl = 7}, {RD, 0, 0, 0}, {RD, 0, 0, 1}, 25, 32},
  // Another bank: its activate waits rrd, everything else overlaps.
  {"rrd", {0}, {RD, 0, 0, 0}, {RD, 0, 1, 0}, 25, 31},
  {"rrd 9", {.rrd = 9}, {RD, 0, 0, 0}, {RD, 0, 1, 0}, 25, 34},
  {"rrd 1: B's own activate, a cycle later", {.rrd = 1, .ccd = 1}, {RD, 0, 0, 0}, {RD, 0, 1, 0}, 25, 26},
  {"ccd", {.rrd = 1, .ccd = 4, .ccdl = 4}, {RD, 0, 0, 0}, {RD, 0, 1, 0}, 25, 29},
  {"ccdl in one group", {.rrd = 1, .ccdl = 8}, {RD, 0, 0, 0}, {RD, 0, 4, 0}, 25, 33},
  {"no ccdl between groups", {.rrd = 1, .ccdl = 8}, {RD, 0, 0, 0}, {RD, 0, 1, 0}, 25, 27},
  // Row conflict: precharge at ras = 28, activate at 28 + rp = 40 = rc, column at 52, answer at 65.
  {"ras + rp", {0}, {RD, 0, 0, 0}, {RD, 1, 0, 0}, 25, 65},
  {"ras 33", {.ras = 33}, {RD, 0, 0, 0}, {RD, 1, 0, 0}, 25, 70},
  {"rp 20", {.rp = 20}, {RD, 0, 0, 0}, {RD, 1, 0, 0}, 25, 73},
  {"rc 50", {.rc = 50}, {RD, 0, 0, 0}, {RD, 1, 0, 0}, 25, 75},
  // With ras and rc out of the way: A's column at 12, precharge at 12 + the greater of burst and rtpl, activate + rp = 12.
  {"rtpl 9", {.ras = 1, .rc = 1, .rtpl = 9}, {RD, 0, 0, 0}, {RD, 1, 0, 0}, 25, 58}, // 21, 33, 45, 57
  {"read to precharge: burst 7", {.ras = 1, .rc = 1, .burst_cycles = 7}, {RD, 0, 0, 0}, {RD, 1, 0, 0}, 25, 56},
  // Write: activate to column rcd − (wl + 1) = 7, data at + wl = 11, handed over at 12.
  {"two writes", {0}, {WR, 0, 0, 0}, {WR, 0, 0, 1}, 12, 15},
  {"wl 6", {.wl = 6}, {WR, 0, 0, 0}, {WR, 0, 0, 1}, 12, 15}, // column at 5
  {"wl greater than rcd: the next cycle", {.wl = 20}, {WR, 0, 0, 0}, {WR, 0, 0, 1}, 22, 25},
  // Write column at 7; read at 7 + wl + burst + cdlr = 18, answer at 31.
  {"write to read", {0}, {WR, 0, 0, 0}, {RD, 0, 0, 1}, 12, 31},
  {"cdlr 9", {.cdlr = 9}, {WR, 0, 0, 0}, {RD, 0, 0, 1}, 12, 35},
  {"write to read, another bank", {.rrd = 1}, {WR, 0, 0, 0}, {RD, 0, 1, 0}, 12, 31},
  // Read column at 12; write at 12 + cl + burst + 2 − wl = 24, data at 28, handed over at 29.
  {"read to write", {0}, {RD, 0, 0, 0}, {WR, 0, 0, 1}, 25, 29},
  {"read to write, cl 20", {.cl = 20}, {RD, 0, 0, 0}, {WR, 0, 0, 1}, 33, 37},
  {"read to write, another bank", {.rrd = 4, .wl = 1}, {RD, 0, 0, 0}, {WR, 0, 1, 0}, 25, 29}, // 27, 28
  // B's write may be first, at 1 + rcd − (wl + 1) = 11; then A's read waits until 11 + wl + burst + cdlr = 19.
  {"a write overtakes a read", {.rrd = 1, .wl = 1}, {RD, 0, 0, 0}, {WR, 0, 1, 0}, 32, 13},
  // Write column at 7, precharge at 7 + wl + burst + wr = 25 but for ras = 28.
  {"write recovery behind ras", {0}, {WR, 0, 0, 0}, {RD, 1, 0, 0}, 12, 65},
  {"wr 20", {.wr = 20}, {WR, 0, 0, 0}, {RD, 1, 0, 0}, 12, 70}, // 33, 45, 57, 69
};

static void rules(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int every = 0; every < 2; every++) {
      const struct pair *x = &pairs[i];
      struct weir_dram_params p = gddr5();
      replace(&p, &x->p);
      struct channel *c = channel_new(&p);
      weir_cycle t = c->now + FIXED + 1;
      ask(c, x->a.kind, x->a.row, x->a.bank, x->a.column, 64, 0);
      ask(c, x->b.kind, x->b.row, x->b.bank, x->b.column, 64, 1);
      drain(c, every);
      if (c->at[0] - t != x->a_at || c->at[1] - t != x->b_at)
        fail_msg("%s: answers at %u and %u, not %u and %u", x->what, (unsigned)(c->at[0] - t), (unsigned)(c->at[1] - t),
                 x->a_at, x->b_at);
      channel_free(c);
    }
}

// Opens row 0 of the banks and waits until every rule has been met.
static void open_rows(struct channel *c, uint32_t banks) {
  for (uint32_t i = 0; i < banks; i++) read_atom(c, 0, i, 0, 0);
  drain(c, true);
  c->now += 100;
  c->answers = 0;
  c->stats = (struct weir_dram_stats){.row_misses = banks, .activates = banks, .reads = banks};
}

// Row open, nothing to wait for: column at T, answer at T + cl + 1.
static void an_open_row_is_hit(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  struct channel *c = channel_new(&p);
  open_rows(c, 1);
  weir_cycle t = c->now + FIXED + 1;
  read_atom(c, 0, 0, 5, 1);
  drain(c, true);
  assert_int_equal(c->at[1], t + 12 + 1);
  assert_int_equal(c->stats.row_hits, 1);
  channel_free(c);
}

// Row hits across bank groups move an atom every ccd, within one group every ccdl: the channel's bandwidth.
static void bandwidth(void **state) {
  (void)state;
  enum { N = 48 };
  static const struct { uint32_t banks, step, per_atom; } cases[] = {{1, 1, 3}, {2, 4, 3}, {2, 1, 2}, {4, 1, 2}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct weir_dram_params p = gddr5();
    struct channel *c = channel_new(&p);
    open_rows(c, 16);
    for (uint32_t i = 0; i < N; i++) read_atom(c, 0, i % cases[k].banks * cases[k].step, i / cases[k].banks, i);
    drain(c, true);
    assert_int_equal(c->at[N - 1] - c->at[0], (N - 1) * cases[k].per_atom);
    assert_int_equal(c->stats.row_hits, N);
    assert_int_equal(c->stats.bytes, N * 64);
    channel_free(c);
  }
}

// A request of several atoms is answered with its last.
static void several_atoms(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  struct channel *c = channel_new(&p);
  weir_cycle t = c->now + FIXED + 1;
  ask(c, WEIR_MREQ_LOAD, 0, 0, 0, 128, 0);
  drain(c, true);
  assert_int_equal(c->at[0], t + 12 + 3 + 12 + 1);
  assert_int_equal(c->stats.reads, 1);
  assert_int_equal(c->stats.bytes, 128);
  channel_free(c);
}

// A request narrower than an atom moves a whole one.
static void less_than_an_atom(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  struct channel *c = channel_new(&p);
  ask(c, WEIR_MREQ_LOAD, 0, 0, 0, 32, 0);
  drain(c, true);
  assert_int_equal(c->stats.bytes, 64);
  channel_free(c);
}

// ---- order -------------------------------------------------------------------------------------------------------------

// First ready, first come first served: of one bank, requests to the open row go before older ones to another.
static void row_hits_go_first(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  struct channel *c = channel_new(&p);
  static const uint32_t rows[6] = {0, 1, 0, 2, 1, 0}, order[6] = {0, 2, 5, 1, 4, 3};
  for (uint32_t i = 0; i < 6; i++) read_atom(c, rows[i], 3, i, i);
  drain(c, true);
  assert_memory_equal(c->order, order, sizeof order);
  assert_int_equal(c->stats.row_misses, 1);
  assert_int_equal(c->stats.row_hits, 3);
  assert_int_equal(c->stats.row_conflicts, 2);
  channel_free(c);
}

// There is no age limit: while row hits keep coming, a request to another row waits, as in GPGPU-Sim.
static void row_hits_may_starve_others(void **state) {
  (void)state;
  enum { N = 60 };
  struct weir_dram_params p = gddr5();
  struct channel *c = channel_new(&p);
  for (uint32_t i = 0; i < N; i++) read_atom(c, i == 1, 0, i % 64, i);
  drain(c, true);
  assert_int_equal(c->order[N - 1], 1);
  channel_free(c);
}

// Requests to different banks do not wait for each other's rows: sixteen conflicts together take as long as rrd allows.
static void banks_work_side_by_side(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  struct channel *c = channel_new(&p);
  open_rows(c, 16);
  for (uint32_t i = 0; i < 16; i++) read_atom(c, 1, i, 0, i);
  drain(c, true);
  assert_int_equal(c->stats.row_conflicts, 16);
  assert_int_equal(c->at[15] - c->at[0], 15 * 6);
  channel_free(c);
}

// ---- queues --------------------------------------------------------------------------------------------------------------

static void outstanding_bounds_what_is_taken(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  p.outstanding = 3;
  struct channel *c = channel_new(&p);
  for (uint32_t i = 0; i < 3; i++) read_atom(c, 0, 0, i, i);
  assert_false(weir_dram_accepts(&c->dram));
  drain(c, true);
  assert_true(weir_dram_accepts(&c->dram));
  channel_free(c);
}

// A scheduler's queue of one sees no younger row hit: strictly first come first served.
static void a_queue_of_one_cannot_reorder(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  p.queue = 1;
  for (int every = 0; every < 2; every++) {
    struct channel *c = channel_new(&p);
    for (uint32_t i = 0; i < 6; i++) read_atom(c, i & 1, 0, i, i);
    drain(c, every);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(c->order[i], i);
    assert_int_equal(c->stats.row_conflicts, 5);
    channel_free(c);
  }
}

// ---- a queue of writes ---------------------------------------------------------------------------------------------------

// Answers after the cycle at which a request that was sent at `sent` is first seen.
static weir_cycle after(const struct channel *c, uint32_t token, weir_cycle sent) {
  return c->at[token] - (sent + FIXED + 1);
}

static void tick_until(struct channel *c, weir_cycle end) {
  while (c->now < end) weir_dram_tick(&c->dram, ++c->now, deliver, c);
}

static struct weir_dram_params with_write_queue(uint32_t high, uint32_t low) {
  struct weir_dram_params p = gddr5();
  p.write_queue = 8;
  p.write_high = high;
  p.write_low = low;
  p.write_idle = 1000;
  return p;
}

// Three writes wait, and a read passes them: column at T, answer at T + cl + 1. The fourth write makes them go: columns at T,
// and ccdl = 3 after each other, answers wl + 1 = 5 later. When the third has been chosen only one waits, fewer than two; that
// one goes 1000 cycles after the read left its queue, in the cycle in which it was first seen.
static void writes_wait_for_each_other(void **state) {
  (void)state;
  const struct weir_dram_params p = with_write_queue(4, 2);
  struct channel *c = channel_new(&p);
  open_rows(c, 1);
  for (uint32_t i = 0; i < 3; i++) ask(c, WR, 0, 0, i, 64, i);
  tick_until(c, c->now + 400);
  assert_int_equal(c->answers, 0);
  const weir_cycle read = c->now;
  read_atom(c, 0, 0, 9, 9);
  tick_until(c, c->now + 100);
  const weir_cycle fourth = c->now;
  ask(c, WR, 0, 0, 3, 64, 3);
  drain(c, true);
  static const uint32_t order[] = {9, 0, 1, 2, 3};
  assert_memory_equal(c->order, order, sizeof order);
  assert_int_equal(after(c, 9, read), 13);
  assert_int_equal(after(c, 0, fourth), 5);
  assert_int_equal(after(c, 1, fourth), 8);
  assert_int_equal(after(c, 2, fourth), 11);
  assert_int_equal(after(c, 3, read), 1000 + 5);
  channel_free(c);
}

// Writes that go keep reads waiting. All are sent in one cycle and enter their queues one after the other, so that T, when
// four writes are there, is three cycles after the first would be seen, and the read comes a cycle later. With a low mark of 1
// all four go: columns at T, T + 3, T + 6, T + 9, and the read's at T + 9 + wl + burst + cdlr = T + 20. With one of 3 two go,
// and the read's column is at T + 3 + 11 = T + 14; it is chosen at T + 4, after the second write's column, and the others
// follow 1000 cycles later.
static void reads_wait_for_writes(void **state) {
  (void)state;
  for (uint32_t low = 1; low <= 3; low += 2) {
    const struct weir_dram_params p = with_write_queue(4, low);
    struct channel *c = channel_new(&p);
    open_rows(c, 1);
    const weir_cycle sent = c->now + 3;
    for (uint32_t i = 0; i < 4; i++) ask(c, WR, 0, 0, i, 64, i);
    read_atom(c, 0, 0, 9, 9);
    drain(c, true);
    assert_int_equal(after(c, 0, sent), 5);
    assert_int_equal(after(c, 1, sent), 8);
    assert_int_equal(after(c, 2, sent), low == 1 ? 11 : 1004 + 5);
    assert_int_equal(after(c, 3, sent), low == 1 ? 14 : 1007 + 5);
    assert_int_equal(after(c, 9, sent), low == 1 ? 20 + 13 : 14 + 13);
    channel_free(c);
  }
}

// Each queue holds its own: one read that waits for its row leaves no room for another, but for writes.
static void each_queue_has_its_room(void **state) {
  (void)state;
  struct weir_dram_params p = with_write_queue(8, 1);
  p.queue = 1;
  struct channel *c = channel_new(&p);
  open_rows(c, 1);
  read_atom(c, 1, 0, 0, 0);
  read_atom(c, 2, 0, 0, 1);
  for (uint32_t i = 2; i < 6; i++) ask(c, WR, 0, 0, i, 64, i);
  read_atom(c, 3, 0, 0, 6);
  tick_until(c, c->now + FIXED + 10);
  assert_int_equal(c->dram.queued[0], 1); // the second: the first is being served, the third waits behind the writes
  assert_int_equal(c->dram.queued[1], 4);
  drain(c, true);
  channel_free(c);
}

// Answers that nobody takes wait in order; a write-back has none.
static void answers_wait(void **state) {
  (void)state;
  struct weir_dram_params p = gddr5();
  struct channel *c = channel_new(&p);
  c->refuse = true;
  for (uint32_t i = 0; i < 4; i++) read_atom(c, 0, 0, i, i);
  ask(c, WEIR_MREQ_WRITEBACK, 0, 0, 9, 64, 9);
  tick_until(c, c->now + 300);
  assert_int_equal(c->dram.taken, 4);
  c->refuse = false;
  drain(c, true);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(c->order[i], i);
  for (uint32_t i = 1; i < 4; i++) assert_int_equal(c->at[i], c->at[0] + i); // one per cycle
  assert_int_equal(c->answers, 4);
  assert_int_equal(c->stats.writes, 1);
  channel_free(c);
}

// Random traffic answered at the same cycles whether the channel is ticked always or only when it asks to be.
static void sleeping_changes_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 30; seed++) {
    weir_cycle at[2][MAX_ANSWERS];
    for (int every = 0; every < 2; every++) {
      struct weir_rng rng = weir_rng_seed(seed, 1);
      struct weir_dram_params p = gddr5();
      p.queue = 1 + (uint32_t)weir_rng_below(&rng, 20);
      if (seed & 1) {
        p.write_queue = 1 + (uint32_t)weir_rng_below(&rng, 20);
        p.write_high = 1 + (uint32_t)weir_rng_below(&rng, p.write_queue);
        p.write_low = 1 + (uint32_t)weir_rng_below(&rng, p.write_high);
        p.write_idle = (uint32_t)weir_rng_below(&rng, 2000);
      }
      struct channel *c = channel_new(&p);
      for (uint32_t i = 0; i < 100; i++)
        ask(c, weir_rng_below(&rng, 3) ? RD : WR, (uint32_t)weir_rng_below(&rng, 3), (uint32_t)weir_rng_below(&rng, 16),
            (uint32_t)weir_rng_below(&rng, 64), 64, i);
      drain(c, every);
      assert_int_equal(c->answers, 100);
      memcpy(at[every], c->at, sizeof c->at);
      channel_free(c);
    }
    assert_memory_equal(at[0], at[1], sizeof at[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rules),
    cmocka_unit_test(an_open_row_is_hit),
    cmocka_unit_test(bandwidth),
    cmocka_unit_test(several_atoms),
    cmocka_unit_test(less_than_an_atom),
    cmocka_unit_test(row_hits_go_first),
    cmocka_unit_test(row_hits_may_starve_others),
    cmocka_unit_test(banks_work_side_by_side),
    cmocka_unit_test(outstanding_bounds_what_is_taken),
    cmocka_unit_test(a_queue_of_one_cannot_reorder),
    cmocka_unit_test(writes_wait_for_each_other),
    cmocka_unit_test(reads_wait_for_writes),
    cmocka_unit_test(each_queue_has_its_room),
    cmocka_unit_test(answers_wait),
    cmocka_unit_test(sleeping_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
