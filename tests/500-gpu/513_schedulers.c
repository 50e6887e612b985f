// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which warp issues when. Warps read the clock in instruction after instruction; the readings make a line of digits, one per
// cycle: the warp that read the clock in it, '.' where none did. The lines expected are derived by hand.
#include "gpu_test.h"

// One core whose warps have all of their short program at hand: a fetch of 16 instructions, long before the barrier lets
// them go together, and no function unit in the way.
static struct rig *wide_rig(const char *scheduler) {
  struct rig *rig = rig_new();
  rig_set(rig, "core.scheduler=%s", scheduler);
  rig_set(rig, "core.schedulers=1");
  rig_set(rig, "core.fetch_instructions=16");
  rig_set(rig, "core.decode_cycles=1");
  rig_set(rig, "core.main_units=8");
  rig_set(rig, "core.memory_collectors=0");
  rig_set(rig, "core.operand_cycles=2");
  rig_set(rig, "core.latency.int_logic.latency_cycles=2");
  rig_set(rig, "core.writeback_cycles=1"); // a result five cycles after its instruction
  return rig;
}

// The readings %d0 … of `n` per warp from the first on.
static const char *timeline(const struct sight *sight, unsigned warps, unsigned n) {
  static char line[256];
  uint64_t first = UINT64_MAX;
  for (unsigned w = 0; w < warps; w++)
    for (unsigned i = 0; i < n; i++)
      if (sight->words[w][i] < first) first = sight->words[w][i];
  size_t length = 0;
  memset(line, '.', sizeof line);
  for (unsigned w = 0; w < warps; w++)
    for (unsigned i = 0; i < n; i++) {
      size_t at = sight->words[w][i] - first;
      assert_true(at < sizeof line - 1);
      assert_int_equal(line[at], '.'); // one scheduler: one per cycle
      line[at] = (char)('0' + w);
      if (at + 1 > length) length = at + 1;
    }
  line[length] = 0;
  return line;
}

// A barrier first: warp 0, whose fetch came last, is the last to reach it, and all go on together in the cycle after. The
// second barrier keeps what follows from the slots.
static void together(char *body, const char *text, unsigned n) {
  sprintf(body, "bar.sync 0; %s bar.sync 0; %s", text, RECORD_PLACE);
  record(body, n);
}

static void expect_line(struct rig *rig, const char *text, unsigned warps, unsigned n, const char *line) {
  char body[8192];
  together(body, text, n);
  struct run run = {.body = body, .threads = 32 * warps};
  for (int i = 0; i < 2; i++) {
    struct sight sight;
    observe(rig, &run, i ? UINT64_C(0xFFFFFFF0) : UINT64_C(0x1000000), &sight);
    assert_string_equal(timeline(&sight, warps, n), line);
  }
  rig_free(rig);
}

// Warp 0 was fetched last (the first fetch is of warp 1) and so is the last that reached the barrier: loose round robin goes
// on with warp 1. Each passes the slot on after one instruction.
static void round_robin(void **state) {
  (void)state;
  expect_line(wide_rig("lrr"), READ(0) READ(1) READ(2), 4, 3, "123012301230");
}

// Greedy: warp 0 issued last (the barrier), keeps the slot to the end of what it has (three readings and a barrier, '.'),
// then the oldest of the others.
static void greedy_then_oldest(void **state) {
  (void)state;
  expect_line(wide_rig("gto"), READ(0) READ(1) READ(2), 4, 3, "000.111.222.333");
}

// Greedy: warp 0 keeps the slot, then the youngest of the others has it.
static void greedy_then_youngest(void **state) {
  (void)state;
  expect_line(wide_rig("gty"), READ(0) READ(1) READ(2), 4, 3, "000.333.222.111");
}

// Where a warp must wait for its first result (the addition reads %d0 and is issuable five cycles after it), greedy stays
// with the younger warp that took its place, and oldest-first comes back to the older as soon as it can go on. A '.' is an
// addition, or a barrier, or an empty slot.
//   gto:    warp 0 reads at 0 to 2 and waits to 5; warp 1 reads at 3 to 5, keeping the slot, and waits to 8; at 6 warp 0 is
//           older than warp 2: addition, reading 3 at 7, barrier at 8; 9: warp 1 (addition), 10, barrier at 11; then warp 2:
//           12 to 14, idle to 16, addition at 17, reading at 18.
//   oldest: at 5 warp 0 takes the slot from warp 1: addition 5, reading 6, barrier 7; warp 1 reads its third at 8; its addition
//           (ready at 8) at 9, 10, barrier 11; warp 2 as before.
//   lrr:    from warp 1 on, in turn: 120 three times to 8; warp 1 is ready again at 5 in its turn behind all readings:
//           additions at 9, 10, 11, readings at 12, 13, 14.
static void a_warp_that_waited(void **state) {
  (void)state;
  const char *text = READ(0) READ(1) READ(2) "add.u64 %d11, %d0, %d0;" READ(3);
  expect_line(wide_rig("gto"), text, 3, 4, "000111.0..1.222...2");
  expect_line(wide_rig("oldest"), text, 3, 4, "00011.0.1.1.222...2");
  expect_line(wide_rig("lrr"), text, 3, 4, "120120120...120");
}

// The first warp to be fetched is number 1, then each in its turn: one fetch per cycle, from the cycle after the block's
// start; issued decode_cycles later.
static void fetch_goes_round(void **state) {
  (void)state;
  for (unsigned warps = 1; warps <= 4; warps++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.fetch_instructions=1");
    char body[4096] = READ(0) RECORD_PLACE;
    record(body, 1);
    struct run run = {.body = body, .threads = 32 * warps};
    struct sight sight;
    observe(rig, &run, UINT64_C(0xFFFFFFF0), &sight);
    for (unsigned w = 0; w < warps; w++)
      assert_int_equal(sight.words[w][0], sight.begin + 1 + (w + warps - 1) % warps + rig->config->core.decode_cycles);
    rig_free(rig);
  }
}

// The last to reach the barrier: warp 0, fetched `warps` cycles after the block's start, issues it a cycle later.
static weir_cycle last_at_barrier(const struct sight *s, unsigned warps) {
  return s->begin + warps + 1;
}

// Two schedulers: warps 0 and 2 share the one, 1 and 3 the other, and both issue in every cycle. Warp 0 ends the barrier in
// cycle t. Its scheduler goes on with warp 2. The other one, of which warp 3 was the last, goes on with warp 1: in the same
// cycle if its turn comes behind scheduler 0's (t even), else in the next.
static void each_scheduler_has_its_warps(void **state) {
  (void)state;
  for (unsigned parity = 0; parity < 2; parity++) {
    struct rig *rig = wide_rig("lrr");
    rig_set(rig, "core.schedulers=2");
    char body[8192];
    together(body, READ(0) READ(1), 2);
    struct run run = {.body = body, .threads = 128};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0) + parity, &s);
    weir_cycle t = last_at_barrier(&s, 4), other = t + t % 2;
    for (unsigned i = 0; i < 2; i++) {
      assert_int_equal(s.words[2][i], t + 1 + 2 * i);
      assert_int_equal(s.words[0][i], t + 2 + 2 * i);
      assert_int_equal(s.words[1][i], other + 2 * i);
      assert_int_equal(s.words[3][i], other + 1 + 2 * i);
    }
    rig_free(rig);
  }
}

// One memory instruction per cycle goes to the load/store unit, whatever the number of schedulers, and each of them has the
// first choice in turn: scheduler (cycle mod schedulers). Two warps with three stores each, behind a barrier that warp 0 ends
// in cycle t, read the clock in the cycle after their last store.
//   t odd:  stores of warp 0 in t + 1, 3, 5, of warp 1 in t + 2, 4, 6.
//   t even: warp 1 stores behind warp 0's barrier in t, and, as the first in odd cycles, in t + 1 and t + 3; warp 0 in t + 2, t + 4
//           and, nobody else having a store, t + 5.
// Round robin: even if warp 1 stores in t, its turn, in which it stands behind warp 0's, comes again in t + 2 and t + 4.
static void one_memory_instruction_per_cycle(void **state) {
  (void)state;
  const char *stores = "st.shared.u64 [s], %d10; st.shared.u64 [s], %d10; st.shared.u64 [s], %d10;" READ(0);
  for (unsigned i = 0; i < 4; i++) {
    const bool round_robin = i & 1, parity = i & 2;
    struct rig *rig = wide_rig("gto");
    rig_set(rig, "core.schedulers=2");
    rig_set(rig, "core.memory_queue=16");
    rig_set(rig, "core.memory_turn=%s", round_robin ? "round_robin" : "cycle");
    char body[8192];
    together(body, stores, 1);
    struct run run = {.body = body, .threads = 64};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0) + parity, &s);
    weir_cycle t = last_at_barrier(&s, 2);
    assert_int_equal(s.words[0][0], t + 6);
    assert_int_equal(s.words[1][0], t % 2 ? t + 7 : round_robin ? t + 5 : t + 4);
    rig_free(rig);
  }
}

// Two warps with four stores each that keep the banks for 32 cycles (32 words of one bank) want the load/store unit's only
// place. A store issued in cycle c has its operands in c + 2, works from there on for 32 cycles, and leaves the place to one
// that issues in the last of them, c + 33 and operand_cycles - 2: a period of 34 cycles. Warp 0 ends a barrier in cycle t.
//   t even: warp 1 stores behind it in t, when the turn is warp 0's, as it is in all cycles t + 34 k: it has the place until
//           it has no more stores.
//   t odd:  the first store is warp 0's, in t + 1, and so are the next ones.
// By round robin they take turns whatever t is.
static void a_unit_that_is_busy_goes_round(void **state) {
  (void)state;
  enum { STORES = 4, PERIOD = 34 };
  static const char *const orders[] = {"10000111", "10101010", "00001111", "01010101"};
  for (unsigned i = 0; i < 4; i++) {
    struct rig *rig = wide_rig("gto");
    rig_set(rig, "core.schedulers=2");
    rig_set(rig, "core.memory_queue=1");
    rig_set(rig, "core.operand_cycles=3");
    rig_set(rig, "core.memory_turn=%s", i % 2 ? "round_robin" : "cycle");
    char body[4096] = "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 31; mov.u32 %r2, s; mad.lo.u32 %r1, %r1, 128, %r2;"
                      "mov.u32 %r3, %r1;" READ(4) "bar.sync 0;"; // the address is there
    for (int k = 0; k < STORES; k++)
      sprintf(body + strlen(body), "st.shared.u32 [%%r1], %%r1; mov.u64 %%d%d, %%clock64;", k);
    strcat(body, "bar.sync 0;" RECORD_PLACE);
    record(body, STORES + 1);
    struct run run = {.body = body, .threads = 64, .shared_bytes = 4096};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0) + i / 2, &s);
    weir_cycle t = s.words[0][STORES] + 1, first = t + t % 2;
    const char *order = orders[2 * (t % 2) + i % 2];
    for (unsigned turn = 0, next[2] = {0}; turn < 2 * STORES; turn++) {
      unsigned warp = (unsigned)(order[turn] - '0');
      assert_int_equal(s.words[warp][next[warp]++], first + turn * PERIOD + 1); // the clock is read a cycle later
    }
    rig_free(rig);
  }
}

// With core.code=machine an instruction keeps its scheduler for as many cycles as it becomes machine instructions. Three sums of 64
// bits between two readings of the clock are two each: 6 + 1 cycles from reading to reading. Those of 32 bits are one, as all are
// without. What they sum is there: a sum that waits for it stands before the first reading.
static void an_instruction_takes_its_slots(void **state) {
  (void)state;
  for (unsigned machine = 0; machine < 2; machine++)
    for (unsigned wide = 0; wide < 2; wide++) {
      struct rig *rig = wide_rig("gto");
      rig->code = (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_70, .assembled = true, .machine = machine};
      const char *const body = wide
        ? "ld.param.u64 %d20, [a]; ld.global.u64 %d4, [%d20]; add.s64 %d5, %d4, %d4;" READ(
            0) "add.s64 %d6, %d4, %d4; add.s64 %d7, %d4, 7; add.s64 %d8, %d4, 8;" READ(1) "bar.sync 0;" RECORD_PLACE
                                                                                          "st.global.u64 [%d90+64], %d5; st.global.u64 [%d90+72], %d6; st.global.u64 [%d90+80], %d7; st.global.u64 [%d90+88], %d8;"
        : "ld.param.u64 %d20, [a]; ld.global.u32 %r4, [%d20]; add.s32 %r5, %r4, %r4;" READ(0) "add.s32 %r6, %r4, %r4; add.s32 %r7, %r4, 7; add.s32 %r8, %r4, 8;" READ(
            1) "bar.sync 0;" RECORD_PLACE
               "st.global.u32 [%d90+64], %r5; st.global.u32 [%d90+72], %r6; st.global.u32 [%d90+80], %r7; st.global.u32 [%d90+88], %r8;";
      char text[4096];
      strcpy(text, body);
      record(text, 2);
      struct run run = {.body = text};
      struct sight s;
      observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
      assert_int_equal(s.words[0][1] - s.words[0][0], machine && wide ? 7 : 4);
      rig_free(rig);
    }
}

// What a predicate guards issues core.guard_cycles after what writes it, a branch too; what selects by it, four cycles after as any other.
static void a_guard_waits(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool guards;
  } uses[] = {
    {"@%p1 mov.u64 %d1, %clock64;", true},
    {"@!%p1 bra.uni OUT; OUT: mov.u64 %d1, %clock64;", true},
    {"selp.u32 %r5, 1, 2, %p1; mov.u64 %d1, %clock64;", false},
  };
  for (unsigned cycles = 0; cycles <= 12; cycles += 4)
    for (unsigned k = 0; k < sizeof uses / sizeof *uses; k++) {
      struct rig *rig = wide_rig("gto");
      rig_set(rig, "core.guard_cycles=%u", cycles);
      char body[8192];
      strcpy(body,
             "mov.u32 %r90, %tid.x; add.u32 %r91, %r90, %r90; bar.sync 0;" READ(0) "setp.lt.u32 %p1, %r90, 1000;");
      strcat(strcat(body, uses[k].text), "bar.sync 0;" RECORD_PLACE);
      record(body, 2);
      struct run run = {.body = body};
      struct sight s;
      observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
      const unsigned waits = uses[k].guards && cycles > 4 ? cycles : 4, others = k > 0;
      assert_int_equal(s.words[0][1] - s.words[0][0], 1 + waits + others);
      rig_free(rig);
    }
}

// One memory instruction issues per cycle for five cycles. The sixth waits. Cycles in which each of `active` schedulers issues its
// sixth, seventh and eighth, if they issue their first in cycle 2, and how much later the later ones issue: Table 1 of Huerta et al. (MICRO 2025),
// measured on an Ampere GPU whose memory structures take an instruction every two cycles.
static const unsigned measured[4][3][4] = {
  {{13}, {17}, {21}},
  {{13, 15}, {17, 19}, {21, 23}},
  {{13, 15, 17}, {19, 21, 23}, {25, 27, 29}},
  {{13, 15, 17, 19}, {21, 23, 25, 27}, {29, 31, 33, 35}},
};
static const unsigned measured_period[4] = {4, 4, 6, 8};

// In which cycle which scheduler issues the `nth` store of `active`, in the table's cycles, in ascending order.
static void issue_nth(unsigned active, unsigned nth, unsigned issued[4]) {
  char stores[1024] = "", body[8192];
  for (unsigned i = 0; i < nth; i++) strcat(stores, "st.shared.u64 [s], %d10;");
  strcat(stores, READ(0));
  together(body, stores, 1);
  for (unsigned parity = 0; parity < 4; parity++) {
    struct rig *rig = wide_rig("gto");
    rig_set(rig, "core.schedulers=4");
    rig_set(rig, "core.memory_queue=20");
    rig_set(rig, "core.memory_interval_cycles=2");
    rig_set(rig, "core.address_cycles=4");
    struct run run = {.body = body, .threads = 32 * active};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0) + parity, &s);
    rig_free(rig);
    // Warp 0 ends the barrier in cycle t and begins in t + 1; so do the others, but in t if scheduler 0 is the first in it.
    const weir_cycle t = last_at_barrier(&s, active), first = active > 1 ? t : t + 1;
    if (t % 4) continue;
    for (unsigned w = 0; w < active; w++) { // sorted in
      unsigned at = (unsigned)(s.words[w][0] - 1 - first) + 2, k = w;
      for (; k && issued[k - 1] > at; k--) issued[k] = issued[k - 1];
      issued[k] = at;
    }
    return;
  }
  fail_msg("no run began in a cycle that is a multiple of four");
}

static void an_address_unit_takes_its_time(void **state) {
  (void)state;
  for (unsigned active = 1; active <= 4; active++) {
    unsigned issued[4], before[4];
    issue_nth(active, 5, issued);
    assert_int_equal(issued[0], 6);
    assert_true(issued[active - 1] <= 7); // who begins in the next cycle
    for (unsigned nth = 6; nth <= 10; nth++) {
      issue_nth(active, nth, issued);
      for (unsigned k = 0; k < active; k++)
        assert_int_equal(issued[k],
                         nth <= 8 ? measured[active - 1][nth - 6][k] : before[k] + measured_period[active - 1]);
      memcpy(before, issued, sizeof before);
    }
  }
}

// Each scheduler has its own: both issue stores in the same cycles, where a core without issues one.
static void each_scheduler_has_its_address_unit(void **state) {
  (void)state;
  const char *stores = "st.shared.u64 [s], %d10; st.shared.u64 [s], %d10; st.shared.u64 [s], %d10;" READ(0);
  for (unsigned parity = 0; parity < 2; parity++) {
    struct rig *rig = wide_rig("gto");
    rig_set(rig, "core.schedulers=2");
    rig_set(rig, "core.memory_queue=16");
    rig_set(rig, "core.address_cycles=1");
    char body[8192];
    together(body, stores, 1);
    struct run run = {.body = body, .threads = 64};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0) + parity, &s);
    weir_cycle t = last_at_barrier(&s, 2), other = t + t % 2;
    assert_int_equal(s.words[0][0], t + 4);
    assert_int_equal(s.words[1][0], other + 3);
    rig_free(rig);
  }
}

// Warp 0's third load waits 20 cycles for its address unit. Warp 1's, which issues meanwhile by the other scheduler, does not wait for it.
static void address_units_do_not_wait_for_each_other(void **state) {
  (void)state;
  uint64_t took[2];
  for (unsigned loads = 0; loads < 2; loads++) {
    struct rig *rig = wide_rig("gto");
    rig_set(rig, "core.schedulers=2");
    rig_set(rig, "core.memory_queue=16");
    rig_set(rig, "core.address_cycles=10");
    char body[8192];
    sprintf(
      body,
      "mov.u32 %%r1, %%tid.x; setp.ge.u32 %%p1, %%r1, 32; bar.sync 0; @%%p1 bra SECOND; %s bra BOTH;\n"
      "SECOND: mov.u64 %%d0, %%clock64; ld.shared.u64 %%d13, [s]; add.u64 %%d14, %%d13, 1; mov.u64 %%d1, %%clock64;\n"
      "BOTH: bar.sync 0;",
      loads ? "ld.shared.u64 %d10, [s]; ld.shared.u64 %d11, [s]; ld.shared.u64 %d12, [s];" : "");
    strcat(body, RECORD_PLACE);
    record(body, 2);
    struct run run = {.body = body, .threads = 64};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
    took[loads] = s.words[1][1] - s.words[1][0];
    rig_free(rig);
  }
  assert_in_range(took[1] - took[0], 0, 1); // a cycle in which the load/store unit has one of the others
}

// A predicate is written, so many cycles before what it guards may issue; in between the warp waits for a load, far longer. By the scoreboard the
// guarded reading goes right behind the other one. The assembler has counted as if the load were there: the predicate at 0, the addition at 1, the
// first reading at 2, so that the second one comes D - 2 cycles after that (D: cycles that the predicate takes, four or core.guard_cycles),
// whatever was waited for.
static void a_count_is_waited_for_in_full(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int scoreboard, counts; // cycles between the readings: D and this; 0: one
  } bodies[] = {
    {"setp.lt.u32 %p1, %r90, 1000; add.u32 %r5, %r4, %r4;" READ(0) "@%p1 mov.u64 %d1, %clock64;", 0, -2},
    {"setp.lt.u32 %p1, %r90, 1000; add.u32 %r5, %r90, %r90;" READ(0) "@%p1 mov.u64 %d1, %clock64;", -2, -2},
    {"add.u32 %r5, %r4, %r4; setp.lt.u32 %p1, %r90, 1000;" READ(0) "@%p1 mov.u64 %d1, %clock64;", -1, -1},
    // What follows a jump is counted anew.
    {"setp.lt.u32 %p1, %r90, 1000; add.u32 %r5, %r4, %r4;" READ(0) "bra.uni ON; ON: @%p1 mov.u64 %d1, %clock64;", 2, 2},
  };
  for (unsigned guard = 0; guard <= 12; guard += 6)
    for (unsigned counted = 0; counted < 2; counted++)
      for (unsigned k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        struct rig *rig = wide_rig("gto");
        rig_set(rig, "core.guard_cycles=%u", guard);
        rig_set(rig, "core.stall_counts=%s", counted ? "true" : "false");
        char body[8192];
        strcpy(body, "mov.u32 %r90, %tid.x; ld.param.u64 %d20, [a]; bar.sync 0; ld.global.u32 %r4, [%d20];");
        strcat(strcat(body, bodies[k].text), "bar.sync 0;" RECORD_PLACE);
        record(body, 2);
        struct run run = {.body = body};
        struct sight s;
        observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
        const int cycles = guard > 4 ? (int)guard : 4, less = counted ? bodies[k].counts : bodies[k].scoreboard;
        const int expected = less > 0 ? less : less < 0 && cycles + less > 1 ? cycles + less : 1;
        if ((int)(s.words[0][1] - s.words[0][0]) != expected)
          fail_msg("body %u, guard %u, counted %u: %d cycles, not %d", k, guard, counted,
                   (int)(s.words[0][1] - s.words[0][0]), expected);
        rig_free(rig);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(round_robin),
    cmocka_unit_test(greedy_then_oldest),
    cmocka_unit_test(greedy_then_youngest),
    cmocka_unit_test(a_warp_that_waited),
    cmocka_unit_test(fetch_goes_round),
    cmocka_unit_test(each_scheduler_has_its_warps),
    cmocka_unit_test(one_memory_instruction_per_cycle),
    cmocka_unit_test(a_unit_that_is_busy_goes_round),
    cmocka_unit_test(an_instruction_takes_its_slots),
    cmocka_unit_test(a_guard_waits),
    cmocka_unit_test(a_count_is_waited_for_in_full),
    cmocka_unit_test(an_address_unit_takes_its_time),
    cmocka_unit_test(each_scheduler_has_its_address_unit),
    cmocka_unit_test(address_units_do_not_wait_for_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
