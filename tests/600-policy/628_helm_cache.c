// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// HeLM at a cache: which threshold holds for which set and core, what is measured, whose programs decide, what a period changes;
// as one policy in several parts; and against a model that decides from the whole past.
#include "policy/leaders.h"
#include "shared_rig.h"

// 64 sets, a GPU and two programs; four leaders a threshold: every 16th set from 0 (low) and from 1 (high). Cores 0 (low), 1 (high).
enum { SETS = 64, WAYS = 4, LOW_SET = 16, HIGH_SET = 17, SET = 30, LOW_CORE = 0, HIGH_CORE = 1, CORE = 3 };

static struct rig *helm(uint32_t requesters, const char *knobs) {
  char all[256];
  snprintf(all, sizeof all, "leaders=4%s%s", knobs ? "," : "", knobs ? knobs : "");
  struct rig *rig = rig_new_shared(requesters, SETS, WAYS, "lru", NULL);
  rig_add_bypass(rig, "helm", all);
  return rig;
}

// Does a miss of the GPU with so many ready warps bypass? Asked without a trace of it in the cache.
static bool bypasses(struct rig *rig, uint32_t set, uint16_t core, unsigned ready, enum weir_access_kind kind) {
  struct weir_access a = shared_request(
    rig,
    (struct shared_access){
      .block = (UINT64_C(1) << 30) * SETS + set, .core = core, .ready = (uint8_t)ready, .kind = (uint8_t)kind});
  struct weir_policy_instance *i = &rig->companions[0];
  return kind == WEIR_ACCESS_STORE ? i->policy->store_miss(&i->view, &a) : i->policy->miss(&i->view, &a);
}

// The threshold that holds there: the most ready warps that do not bypass.
static unsigned threshold(struct rig *rig, uint32_t set, uint16_t core) {
  unsigned ready = 0;
  while (bypasses(rig, set, core, ready, WEIR_ACCESS_LOAD) == false) ready++;
  for (unsigned more = ready; more < 256; more++) assert_true(bypasses(rig, set, core, more, WEIR_ACCESS_LOAD));
  return ready - 1;
}

// A period in which the sampled cores issued so many instructions, in so many of 1000 cycles busy.
static void end_period(struct rig *rig, uint64_t low, uint64_t high, uint64_t busy) {
  const struct weir_core_sensors core[SHARED_CORES] = {{.instructions = low, .busy_cycles = busy},
                                                       {.instructions = high, .busy_cycles = busy}};
  shared_epoch(rig, &rig->companions[0], core, SHARED_CORES, 1000);
}

// So many misses of a program in the leader sets of a threshold.
static void misses(struct rig *rig, unsigned requester, uint32_t set, unsigned count) {
  static uint64_t fresh = 1000;
  for (unsigned i = 0; i < count; i++) shared_load(rig, requester, fresh++ * SETS + set);
}

// Set before core before the rest, which start with the high threshold.
static void precedence(void **state) {
  (void)state;
  struct rig *rig = helm(2, NULL);
  static const uint16_t cores[] = {LOW_CORE, HIGH_CORE, CORE};
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(threshold(rig, LOW_SET, cores[i]), 15);
    assert_int_equal(threshold(rig, HIGH_SET, cores[i]), 47);
  }
  assert_int_equal(threshold(rig, SET, LOW_CORE), 15);
  assert_int_equal(threshold(rig, SET, HIGH_CORE), 47);
  assert_int_equal(threshold(rig, SET, CORE), 47);
  rig_free(rig);
}

// Programs never bypass; write-backs and atomics are not asked. Stores bypass as loads do, unless told not to.
static void who_and_what(void **state) {
  (void)state;
  struct rig *rig = helm(2, NULL), *loads = helm(2, "stores=off");
  struct shared_access s = {.block = SET, .requester = 1, .ready = 255};
  assert_int_equal(shared_do(rig, s), 'm');
  assert_true(bypasses(rig, SET, CORE, 48, WEIR_ACCESS_STORE));
  assert_false(bypasses(rig, SET, CORE, 47, WEIR_ACCESS_STORE));
  assert_false(bypasses(loads, SET, CORE, 48, WEIR_ACCESS_STORE));
  assert_true(bypasses(loads, SET, CORE, 48, WEIR_ACCESS_LOAD));
  assert_int_equal(rig_counter(&rig->companions[0], "bypassed_stores"), 1);
  // A line that a program waits for as well comes in.
  struct weir_access a = shared_request(rig, s);
  struct weir_policy_instance *i = &rig->companions[0];
  assert_false(i->policy->reply(&i->view, &a, true));
  a.shared_reply = true;
  assert_true(i->policy->reply(&i->view, &a, true));
  rig_free(rig);
  rig_free(loads);
}

// With 48 ready a miss bypasses whether or not a way is free; told to fill those, it bypasses once the four ways have lines.
static void ways_without_a_line(void **state) {
  (void)state;
  struct rig *literal = helm(2, NULL), *fills = helm(2, "fills_room=on");
  struct shared_access s = {.block = SET, .core = CORE, .ready = 48};
  for (unsigned i = 0; i < WAYS; i++, s.block += SETS) {
    s.kind = i % 2 ? WEIR_ACCESS_STORE : WEIR_ACCESS_LOAD;
    assert_int_equal(shared_do(literal, s), 'b');
    assert_int_equal(shared_do(fills, s), 'm');
  }
  assert_int_equal(shared_do(fills, s), 'b');
  s.ready = 47;
  assert_int_equal(shared_do(literal, s), 'm');
  assert_int_equal(shared_do(fills, s), 'm');
  rig_free(literal);
  rig_free(fills);
}

// Thread awareness (section 3.3): 50 misses to 100 make program 2 sensitive though program 1 is not, and though both together,
// 1050 to 1100, would not be. The low threshold holds, and both have moved down: 31 and 7.
static void any_program_decides(void **state) {
  (void)state;
  for (unsigned sensitive = 1; sensitive <= 2; sensitive++) {
    struct rig *rig = helm(3, NULL);
    misses(rig, 3 - sensitive, LOW_SET, 1000);
    misses(rig, 3 - sensitive, HIGH_SET, 1000);
    misses(rig, sensitive, LOW_SET, 50);
    misses(rig, sensitive, HIGH_SET, 100);
    end_period(rig, 800, 1000, 1000); // the GPU is sensitive too, which does not matter
    assert_int_equal(threshold(rig, SET, CORE), 7);
    assert_int_equal(threshold(rig, HIGH_SET, CORE), 31);
    // The counters are of one period: in the next nobody is, but the GPU, and the direction changes: a toggle.
    end_period(rig, 800, 1000, 1000);
    assert_int_equal(threshold(rig, SET, CORE), 31);
    assert_int_equal(threshold(rig, LOW_SET, CORE), 7);
    assert_int_equal(rig_counter(&rig->companions[0], "toggles"), 1);
    rig_free(rig);
  }
}

// Only demand accesses of programs, misses, and in leader sets count: 31 of the high sets' are too few, and the GPU, which is
// sensitive, decides; 32 are enough.
static void what_counts_as_a_miss(void **state) {
  (void)state;
  for (unsigned enough = 0; enough < 2; enough++) {
    struct rig *rig = helm(2, NULL);
    misses(rig, 0, HIGH_SET, 500);     // the GPU's
    misses(rig, 1, SET, 500);          // no leader
    misses(rig, 1, HIGH_SET + 1, 500); // nor this
    for (unsigned i = 0; i < 500; i++)
      shared_do(rig,
                (struct shared_access){
                  .block = (UINT64_C(90000) + i) * SETS + HIGH_SET, .requester = 1, .kind = WEIR_ACCESS_WRITEBACK});
    misses(rig, 1, HIGH_SET, 30 + enough);
    for (unsigned i = 0; i < 500; i++) // one miss, which is one of the 32, then hits
      shared_load(rig, 1, UINT64_C(1) * SETS + HIGH_SET + 16);
    end_period(rig, 800, 1000, 1000);
    assert_int_equal(threshold(rig, SET, CORE), enough ? 7 : 55);
    rig_free(rig);
  }
}

// The GPU alone: no program can be sensitive. It is: up. It is not, and bypassing costs nothing: down. In between (3 %): energy.
static void one_requester(void **state) {
  (void)state;
  struct rig *rig = helm(1, NULL);
  end_period(rig, 940, 1000, 1000);
  assert_int_equal(threshold(rig, SET, CORE), 55);
  rig_free(rig);
  rig = helm(1, NULL);
  end_period(rig, 1000, 1000, 1000);
  assert_int_equal(threshold(rig, SET, CORE), 7);
  rig_free(rig);
  rig = helm(1, "tie=keep");
  end_period(rig, 970, 1000, 1000);
  assert_int_equal(threshold(rig, SET, CORE), 55);
  assert_int_equal(rig_counter(&rig->companions[0], "ties"), 1);
  rig_free(rig);
}

// A tie, 3 % and no misses: the leader sets that used less energy. Ten reads of the GPU that miss: in low sets they bypass
// (32 ready: above 15), in high ones (47) they fill. Per miss 22 + 7168 pJ against 22 + 7168 + 630; with as many hits to
// follow in the high sets, which are misses in the low ones, 22 + 484 against 22 + 7168.
static void a_tie_is_decided_by_energy(void **state) {
  (void)state;
  for (unsigned reused = 0; reused < 2; reused++) {
    struct rig *rig = helm(2, NULL);
    for (unsigned i = 0; i < 10; i++)
      for (unsigned use = 0; use <= reused; use++)
        for (uint32_t set = LOW_SET; set <= HIGH_SET; set++)
          shared_do(rig, (struct shared_access){.block = (UINT64_C(1) + i) * SETS + set, .core = CORE, .ready = 32});
    end_period(rig, 970, 1000, 1000);
    assert_int_equal(threshold(rig, SET, CORE), reused ? 55 : 7);
    assert_int_equal(rig_counter(&rig->companions[0], "ties"), 1);
    rig_free(rig);
  }
  // Dirty lines that leave cost a read and a way to memory: five stores in four ways, of the high sets alone; the low ones'
  // are forwarded, one way each. 5 × (22 + 630) + 484 + 7168 = 10912 against 5 × (22 + 7168): high.
  struct rig *rig = helm(2, NULL);
  for (unsigned i = 0; i < 5; i++)
    for (uint32_t set = LOW_SET; set <= HIGH_SET; set++)
      shared_do(rig,
                (struct shared_access){
                  .block = (UINT64_C(1) + i) * SETS + set, .core = CORE, .ready = 32, .kind = WEIR_ACCESS_STORE});
  end_period(rig, 970, 1000, 1000);
  assert_int_equal(threshold(rig, SET, CORE), 55);
  rig_free(rig);
  // Against one load of the low ones, 22 + 7168, five are more, but one store that stays is less, as it fetches nothing.
  for (unsigned stores = 1; stores <= 5; stores += 4) {
    rig = helm(2, NULL);
    shared_do(rig, (struct shared_access){.block = SETS + LOW_SET, .core = CORE, .ready = 32});
    for (unsigned i = 0; i < stores; i++)
      shared_do(rig,
                (struct shared_access){
                  .block = (UINT64_C(1) + i) * SETS + HIGH_SET, .core = CORE, .ready = 32, .kind = WEIR_ACCESS_STORE});
    end_period(rig, 970, 1000, 1000);
    assert_int_equal(threshold(rig, SET, CORE), stores == 1 ? 55 : 7);
    rig_free(rig);
  }
  // At 100 pJ for memory, it is 5 × 652 + 584 against 5 × 122: low.
  rig = helm(2, "dram_pj=100");
  for (unsigned i = 0; i < 5; i++)
    for (uint32_t set = LOW_SET; set <= HIGH_SET; set++)
      shared_do(rig,
                (struct shared_access){
                  .block = (UINT64_C(1) + i) * SETS + set, .core = CORE, .ready = 32, .kind = WEIR_ACCESS_STORE});
  end_period(rig, 970, 1000, 1000);
  assert_int_equal(threshold(rig, SET, CORE), 7);
  rig_free(rig);
}

// A period in which a sampled core had little to do says nothing of the GPU's speed: the last difference stands.
static void idle_cores_say_nothing(void **state) {
  (void)state;
  struct rig *rig = helm(1, NULL);
  end_period(rig, 900, 1000, 1000);
  end_period(rig, 1000, 1000, 499); // still sensitive: up again
  assert_int_equal(threshold(rig, SET, CORE), 59);
  assert_int_equal(rig_counter(&rig->companions[0], "silent_periods"), 1);
  end_period(rig, 1000, 1000, 500);
  assert_int_equal(rig_counter(&rig->companions[0], "toggles"), 1);
  rig_free(rig);
  rig = helm(1, "high_core=0"); // one core cannot be both
  end_period(rig, 900, 1000, 1000);
  assert_int_equal(rig_counter(&rig->companions[0], "silent_periods"), 1);
  rig_free(rig);
}

// Both sensitive: the low threshold is chosen, and thresholds move down with it; by the GPU's sensitivity alone (section 3.3) up.
static void what_moves_them(void **state) {
  (void)state;
  for (unsigned by_gpu = 0; by_gpu < 2; by_gpu++) {
    struct rig *rig = helm(2, by_gpu ? "chop_by=gpu" : NULL);
    misses(rig, 1, HIGH_SET, 100);
    end_period(rig, 800, 1000, 1000);
    assert_int_equal(threshold(rig, SET, CORE), by_gpu ? 31 : 7);
    assert_int_equal(threshold(rig, HIGH_SET, CORE), by_gpu ? 55 : 31);
    rig_free(rig);
  }
}

// The script of Figure 9: up, a toggle, five epochs held in which the choice follows all the same, and anew from 47 and 15; without
// restarts on from 55 and 31. keeps_choice: it does not follow.
static void figure_9_with(bool keeps, bool restarts) {
  char knobs[64];
  snprintf(knobs, sizeof knobs, "keeps_choice=%s%s", keeps ? "on" : "off", restarts ? "" : ",restarts=off");
  struct rig *rig = helm(1, knobs);
  assert_int_equal(threshold(rig, SET, CORE), 47);
  end_period(rig, 900, 1000, 1000);
  assert_int_equal(threshold(rig, SET, CORE), 55);
  end_period(rig, 1000, 1000, 1000); // low chosen: down would be a change
  assert_int_equal(threshold(rig, SET, CORE), keeps ? 55 : 31);
  for (unsigned i = 0; i < 5; i++) {
    end_period(rig, i % 2 ? 1000 : 900, 1000, 1000);
    const bool anew = restarts && i == 4;
    assert_int_equal(threshold(rig, SET, CORE), anew ? 47 : keeps ? 55 : i % 2 ? 31 : 55);
    assert_int_equal(threshold(rig, LOW_SET, CORE), anew ? 15 : 31);
  }
  end_period(rig, 1000, 1000, 1000); // E = 43: 43 and 15; anew E = 31: 31 and 7
  assert_int_equal(threshold(rig, SET, CORE), restarts ? 7 : 15);
  assert_int_equal(threshold(rig, HIGH_SET, CORE), restarts ? 31 : 43);
  assert_int_equal(rig_counter(&rig->companions[0], "held_periods"), 5);
  rig_free(rig);
}

static void figure_9(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) figure_9_with(variant & 1, variant & 2);
}

// The mean of a core's requests over the last whole window of 1024 cycles, of its own alone.
static void mean_parallelism(void **state) {
  (void)state;
  struct rig *rig = helm(1, "parallelism=mean");
  rig->now = 1024 * 1000;
  for (unsigned i = 0; i < 1024; i++)
    shared_do(rig,
              (struct shared_access){.block = SET,
                                     .core = (uint16_t)(CORE - i % 2),
                                     .ready = i % 2 ? 3
                                       : i % 4      ? 60
                                                    : 50});
  assert_int_equal(rig->now, 1024 * 1001);
  for (unsigned core = CORE - 1; core <= CORE; core++) // the first of the next window
    shared_do(rig, (struct shared_access){.block = SET, .core = (uint16_t)core, .ready = 0});
  assert_true(bypasses(rig, SET, CORE, 0, WEIR_ACCESS_LOAD)); // 55 > 47
  assert_false(bypasses(rig, SET, CORE - 1, 63, WEIR_ACCESS_LOAD));
  rig_free(rig);
}

// Over any replacement the GPU's lines may be made to leave first.
static void gpu_lines_first(void **state) {
  (void)state;
  struct rig *rig = helm(2, "gpu_lines_first=on"), *plain = helm(2, NULL);
  shared_trace(rig, SET, "aBcD B e f g", "mmmm h D B a");
  shared_trace(plain, SET, "aBcD B e f g", "mmmm h a c D");
  rig_free(rig);
  rig_free(plain);
}

// Two tiles of a level, each with four leader sets a threshold.
static void two_tiles(struct rig *tile[2], const char *scope) {
  char knobs[64];
  snprintf(knobs, sizeof knobs, "leaders=8,scope=%s", scope);
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "helm", knobs);
  for (uint32_t t = 0; t < 2; t++) {
    tile[t] = rig_new_shared(2, SETS, WAYS, "lru", NULL);
    tile[t]->g.instance = t;
    tile[t]->g.instances = 2;
    tile[t]->bypasses = 1;
    weir_policy_start(&tile[t]->companions[0], t ? &tile[0]->companions[0] : NULL, &choice, &tile[t]->g, 1, t);
  }
}

// 31 misses in each tile are too few, and 62 of the level enough: the tiles decide alike if the scope is the level, from what
// both saw, told once; and each for itself, told each, if it is the part: then the GPU, which loses 20 %, has the low
// threshold (15) where its own misses were enough, and the high one (47) where they were not. A move chops (15 to 7, 47 to 55).
static void tiles_decide_as_one(void **state) {
  (void)state;
  const struct weir_core_sensors core[2] = {{.instructions = 800, .busy_cycles = 1000},
                                            {.instructions = 1000, .busy_cycles = 1000}};
  const struct weir_sensors s = {.epoch_cycles = 1000, .cores = 2, .core = core};
  struct rig *tile[2];
  two_tiles(tile, "level");
  for (unsigned t = 0; t < 2; t++) misses(tile[t], 1, HIGH_SET, 31);
  assert_true(weir_policy_leads_scope(&tile[0]->companions[0]));
  assert_false(weir_policy_leads_scope(&tile[1]->companions[0]));
  weir_hook(&tile[0]->companions[0], epoch, &s);
  for (unsigned t = 0; t < 2; t++) {
    assert_int_equal(threshold(tile[t], SET, CORE), 7);
    assert_int_equal(rig_counter(&tile[t]->companions[0], "low_periods"), 1); // each counts it
  }
  rig_free(tile[1]);
  rig_free(tile[0]);
  two_tiles(tile, "part");
  misses(tile[0], 1, HIGH_SET, 32);
  misses(tile[1], 1, HIGH_SET, 31);
  for (unsigned t = 0; t < 2; t++) {
    assert_true(weir_policy_leads_scope(&tile[t]->companions[0]));
    weir_hook(&tile[t]->companions[0], epoch, &s);
  }
  assert_int_equal(threshold(tile[0], SET, CORE), 7);
  assert_int_equal(threshold(tile[1], SET, CORE), 55);
  rig_free(tile[1]);
  rig_free(tile[0]);
}

// ---- the model -------------------------------------------------------------------------------------------------------------------

enum { STEPS = 8000, PERIOD = 80, REQUESTERS = 3 };

struct step {
  struct shared_access access;
  bool missed;
};

// Every threshold there can be, from the moves so far: where high and low are, and who is held, told again from the start.
static void thresholds(const char *moves, bool restarts, unsigned *high, unsigned *low) {
  unsigned held = 0;
  char last = 0;
  *high = 47;
  *low = 15;
  for (; *moves; moves++) {
    if (held) {
      held--;
      *high = restarts && !held ? 47 : *high;
      *low = restarts && !held ? 15 : *low;
    } else if (last && *moves != last) {
      held = 5;
      last = 0;
    } else {
      unsigned middle = (*high + *low) / 2;
      *high = *moves == 'u' ? (63 + *high) / 2 : middle;
      *low = *moves == 'u' ? middle : *low / 2;
      last = *moves;
    }
  }
}

static char verdict(const struct step *from, const struct step *to, double gpu) {
  double worst = 0;
  for (unsigned requester = 1; requester < REQUESTERS; requester++) {
    double count[16] = {0};
    for (const struct step *s = from; s < to; s++)
      if (s->access.requester == requester && s->missed && s->access.kind != WEIR_ACCESS_WRITEBACK)
        count[s->access.block % 16]++;
    double delta = count[1] >= 2 && count[1] > count[0] ? 1 - count[0] / count[1] : 0;
    worst = delta > worst ? delta : worst;
  }
  if (worst >= 0.1) return 'd';
  return gpu > 0.05 ? 'u' : 1 - gpu / 0.05 >= 1 - worst / 0.1 ? 'd' : '=';
}

static void agrees_with(bool restarts) {
  struct rig *rig = helm(REQUESTERS, restarts ? "fewest_misses=2,tie=keep" : "fewest_misses=2,tie=keep,restarts=off");
  struct step *past = calloc(STEPS, sizeof *past);
  char moves[STEPS / PERIOD + 1] = "", choice = 'u';
  unsigned high = 47, low = 15, bypassed = 0;
  struct weir_rng rng = weir_rng_seed(628, 0);
  for (unsigned step = 0; step < STEPS; step++) {
    struct shared_access s = shared_random(&rng, REQUESTERS, SETS, WAYS, false);
    char outcome = shared_do(rig, s);
    past[step] = (struct step){s, outcome != 'h'};
    uint64_t offset = s.block % 16;
    bool is_low = offset == 0 || (offset != 1 && (s.core == LOW_CORE || (s.core != HIGH_CORE && choice == 'd')));
    bool may = s.requester == 0 && (s.kind == WEIR_ACCESS_LOAD || s.kind == WEIR_ACCESS_STORE) && outcome != 'h';
    if ((outcome == 'b') != (may && s.ready > (is_low ? low : high))) fail_msg("step %u: %c", step, outcome);
    bypassed += outcome == 'b';
    if ((step + 1) % PERIOD) continue;
    uint64_t speed = 900 + weir_rng_below(&rng, 150);
    char v = verdict(past + step + 1 - PERIOD, past + step + 1, (1000 - (double)speed) / 1000);
    choice = v == '=' ? choice : v;
    moves[strlen(moves)] = choice;
    thresholds(moves, restarts, &high, &low);
    end_period(rig, speed, 1000, 1000);
  }
  assert_true(bypassed > STEPS / 20 && strchr(moves, 'u') && strchr(moves, 'd'));
  assert_true(rig_counter(&rig->companions[0], "moves_up") > 1 && rig_counter(&rig->companions[0], "moves_down") > 1);
  free(past);
  rig_free(rig);
}

static void agrees_with_a_model(void **state) {
  (void)state;
  agrees_with(true);
  agrees_with(false);
}

// Table V: 166 bits for one program, 40 for each more; eight counters of 20 bits where energy decides; each tile its share.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice keep = rig_choose(WEIR_POLICY_BYPASS, "helm", "tie=keep");
  struct weir_policy_choice full = rig_choose(WEIR_POLICY_BYPASS, "helm", "gpu_lines_first=on");
  struct weir_geometry g = {.sets = 1024, .ways = 32, .line_bytes = 64, .requesters = 2, .knobs = keep.knobs};
  assert_int_equal(weir_policy_cost_bits(keep.policy, &g), 166);
  g.requesters = 3;
  assert_int_equal(weir_policy_cost_bits(keep.policy, &g), 166 + 40);
  g.requesters = 1;
  assert_int_equal(weir_policy_cost_bits(keep.policy, &g), 166);
  g.instances = 4;
  assert_int_equal(weir_policy_cost_bits(keep.policy, &g), 42);
  g.knobs = full.knobs;
  assert_int_equal(weir_policy_cost_bits(full.policy, &g), 82 + 32768);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(precedence),
    cmocka_unit_test(who_and_what),
    cmocka_unit_test(ways_without_a_line),
    cmocka_unit_test(any_program_decides),
    cmocka_unit_test(what_counts_as_a_miss),
    cmocka_unit_test(one_requester),
    cmocka_unit_test(a_tie_is_decided_by_energy),
    cmocka_unit_test(idle_cores_say_nothing),
    cmocka_unit_test(what_moves_them),
    cmocka_unit_test(figure_9),
    cmocka_unit_test(mean_parallelism),
    cmocka_unit_test(gpu_lines_first),
    cmocka_unit_test(tiles_decide_as_one),
    cmocka_unit_test(agrees_with_a_model),
    cmocka_unit_test(costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
