// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Samples over time: when each period ends, what belongs to which, and that joining periods loses nothing. Samples number
// the cycles of both launches of a kernel, without what lies between them.
#include "gpu_test.h"

enum { KEPT = WEIR_MAX_SAMPLES };

struct samples {
  unsigned count, slices;
  weir_cycle period;
  struct weir_sample of[KEPT];
  double utilisation[KEPT]; // of all slices together
  double taken;             // places in the slices' queues × cycles, over the whole run
  struct weir_run_stats total;
};

static void keep(struct weir_chip *chip, void *seen) {
  struct samples *s = seen;
  *s = (struct samples){.total = *weir_chip_total(chip), .slices = weir_chip_slices(chip)};
  s->count = weir_chip_samples(chip, &s->period);
  assert_true(s->count <= KEPT);
  for (unsigned i = 0; i < s->count; i++) {
    s->of[i] = weir_chip_sample(chip, i);
    for (unsigned k = 0; k < s->slices; k++) s->utilisation[i] += weir_chip_sample_utilisation(chip, i, k);
    s->taken += s->utilisation[i] * (double)s->of[i].cycles * chip->config->caches[1].input_queue;
  }
}

// Two launches, with samples.
static void sample_run(struct rig *rig, const struct run *run, weir_cycle period, weir_cycle start, struct samples *s,
                       struct sight *sight) {
  rig_set(rig, "sample_cycles=%llu", (unsigned long long)period);
  rig->look = keep;
  rig->seen = s;
  observe(rig, run, start, sight);
}

static void sample(struct rig *rig, const char *body, uint32_t blocks, weir_cycle period, weir_cycle start,
                   struct samples *s) {
  struct sight sight;
  sample_run(rig, &(struct run){.body = body, .blocks = blocks, .threads = 128}, period, start, s, &sight);
}

static void assert_whole(const struct samples *s) {
  struct weir_sample sum = {0};
  for (unsigned i = 0; i < s->count; i++) {
    sum.cycles += s->of[i].cycles;
    sum.instructions += s->of[i].instructions;
#define X(name, unit, meaning) sum.loads.name += s->of[i].loads.name;
    WEIR_ACCESS_FIELDS(X)
#undef X
    if (i + 1 < s->count) assert_int_equal(s->of[i].cycles, s->period);
  }
  const struct weir_access_counts *l1 = &s->total.levels[0].loads;
  assert_in_range(s->of[s->count - 1].cycles, 1, s->period);
  assert_int_equal(sum.cycles, s->total.cycles);
  assert_int_equal(sum.instructions, s->total.warp_instructions);
#define X(name, unit, meaning) assert_int_equal(sum.loads.name, l1->name);
  WEIR_ACCESS_FIELDS(X)
#undef X
}

#define THREAD                                                                                                         \
  "ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r4, %r2, 128, %r1; mov.u32 %r9, 0;"
#define LOOP(count, body) "again: " body " add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, " #count "; @%p1 bra again; "

// Loads of scattered lines, some past the first level, and stores, from many warps.
static const char *const busy =
  THREAD LOOP(12,
              "mad.lo.u32 %r5, %r9, 77, %r4; and.b32 %r5, %r5, 511; mul.wide.u32 %d2, %r5, 128; add.u64 %d3, %d1, %d2;"
              "ld.global.u32 %r6, [%d3]; ld.global.u32 %r8, [%d3+4]; ld.global.cg.u32 %r7, [%d3+32];"
              "st.global.u32 [%d3+64], %r6;");

// ⌈cycles / period⌉ samples, each as long as the period but the last, which together are the run. A period may end with the
// run, in the cycle that its last instructions issue in.
static void samples_are_the_run(void **state) {
  (void)state;
  static struct samples s;
  for (int late = 0; late < 2; late++) {
    struct rig *rig = rig_new();
    weir_cycle start = late ? UINT64_C(0xFFFFFFF0) : 0;
    sample(rig, busy, 3, UINT32_MAX, start, &s);
    assert_int_equal(s.count, 1);
    weir_cycle all = s.total.cycles, periods[] = {1000, 64, 37, all - 1, all, all + 1};
    assert_in_range(all, 2000, 37 * KEPT);
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
      sample(rig, busy, 3, periods[i], start, &s);
      assert_true(s.total.levels[0].loads.hits_on_miss && s.total.levels[0].loads.bypasses);
      assert_int_equal(s.period, periods[i]);
      assert_int_equal(s.count, (all + periods[i] - 1) / periods[i]);
      assert_whole(&s);
    }
    rig_free(rig);
  }
}

// Not sampled, there are no samples; and sampling changes nothing that is measured otherwise, also not under a policy that
// is asked whenever a load is refused.
static void sampling_only_measures(void **state) {
  (void)state;
  static struct samples none, some;
  static const char *const schemes[] = {"lru", "mrpb"};
  for (int i = 0; i < 2; i++) {
    struct rig *rig = rig_new();
    weir_scheme_free(rig->scheme);
    rig->scheme = weir_scheme_read(schemes[i], rig->config, &rig->sink);
    assert_non_null(rig->scheme);
    rig_set(rig, "l1.mshrs=2");
    sample(rig, busy, 3, 0, 0, &none);
    assert_int_equal(none.count, 0);
    assert_int_equal(none.period, 0);
    for (weir_cycle period = 1; period < 200; period += 66) {
      sample(rig, busy, 3, period, 0, &some);
      assert_memory_equal(&some.total, &none.total, sizeof none.total);
    }
    rig_free(rig);
  }
}

// More samples than there is room for: the period doubles. Then samples are those that the longer period takes by itself, to
// the last bit, queues included.
static void joined_periods_are_longer_periods(void **state) {
  (void)state;
  static struct samples joined, longer;
  struct rig *rig = rig_new();
  for (weir_cycle period = 1; period <= 2; period++) {
    sample(rig, busy, 40, period, 0, &joined);
    assert_true(joined.total.cycles > 2 * KEPT * period); // doubled twice at least
    weir_cycle doubled = joined.period / period;
    assert_true(doubled >= 4 && !(doubled & (doubled - 1)));
    assert_true(joined.count > KEPT / 2); // no oftener than need be
    assert_whole(&joined);
    sample(rig, busy, 40, joined.period, 0, &longer);
    assert_int_equal(longer.period, joined.period);
    assert_memory_equal(&joined, &longer, sizeof joined);
  }
  rig_free(rig);
}

// The sample of one cycle in which the second launch's cycle `clock` (as %clock64 reads) lies.
static const struct weir_sample *at(const struct samples *s, const struct sight *sight, uint64_t clock) {
  uint64_t i = sight->cold.cycles + clock - sight->begin;
  assert_int_equal(s->period, 1);
  assert_true(i < s->count);
  return &s->of[i];
}

// An instruction belongs to the cycle that it reads from the clock, and a hit to the cycle in which its data is there; while
// the warp waits for data nothing issues.
static void events_fall_into_their_cycles(void **state) {
  (void)state;
  static struct samples s;
  struct sight sight;
  for (int late = 0; late < 2; late++) {
    struct rig *rig = rig_new();
    char body[2048] = RECORD_PLACE "mov.u64 %d20, %d91; ld.global.u64 %d21, [%d20]; add.u64 %d22, %d21, %d21;" READ(
      0) "ld.global.u64 %d23, [%d20]; add.u64 %d24, %d23, %d23;" READ(1);
    record(body, 2);
    struct run run = {.body = body, .threads = 32};
    sample_run(rig, &run, 1, late ? UINT64_C(0xFFFFFFF0) : 0, &s, &sight);
    uint64_t from = sight.words[0][0], to = sight.words[0][1], hits = 0, waited = 0;
    assert_int_equal(at(&s, &sight, from)->instructions, 1);
    assert_int_equal(at(&s, &sight, to)->instructions, 1);
    for (uint64_t c = from; c <= to; c++) {
      hits += at(&s, &sight, c)->loads.hits;
      if (!hits) waited += !at(&s, &sight, c)->instructions;
      if (at(&s, &sight, c)->loads.hits)
        assert_int_equal(at(&s, &sight, c)->instructions, 1); // what needs it issues at once
    }
    assert_int_equal(hits, 1);
    const struct weir_cache_config *l1 = &rig->config->caches[0];
    assert_true(waited >= rig->config->core.operand_cycles + l1->input_delay_cycles + l1->hit_latency_cycles - 2);
    assert_whole(&s);
    rig_free(rig);
  }
}

// One request after the other: each is in the queue before the second level for one cycle. So the queues' places that were
// taken, summed over cycles, are the requests.
static void one_request_takes_one_place_for_a_cycle(void **state) {
  (void)state;
  static struct samples s;
  for (weir_cycle period = 1; period <= 200; period += 33) {
    struct rig *rig = rig_new();
    rig_set(rig, "clocks.cache_mhz=700"); // the cores' and the slices' cycles are the same
    rig_set(rig, "clocks.core_mhz=700");
    char body[1024] = "ld.param.u64 %d1, [a];";
    for (int i = 0; i < 12; i++) strcat(body, "ld.global.cg.u64 %d1, [%d1];");
    struct run run = {.body = body, .threads = 32};
    struct sight sight;
    sample_run(rig, &run, period, period & 2 ? UINT64_C(0xFFFFFFF0) : 0, &s, &sight);
    const struct weir_level_stats *l2 = &s.total.levels[1];
    double requests = (double)(l2->loads.accesses + l2->stores.accesses);
    assert_true(requests >= 24);
    assert_true(s.taken > requests - 1e-6 && s.taken < requests + 1e-6);
    rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(samples_are_the_run),
    cmocka_unit_test(sampling_only_measures),
    cmocka_unit_test(joined_periods_are_longer_periods),
    cmocka_unit_test(events_fall_into_their_cycles),
    cmocka_unit_test(one_request_takes_one_place_for_a_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
