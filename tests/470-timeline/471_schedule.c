// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Schedules by hand, each by CUDA's rules, and laws that any schedule keeps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "timeline/schedule.h"

#define LATE ((weir_time)UINT32_MAX - 40) // so that times pass 2^32

enum { KERNEL = WEIR_ENGINE_DEVICE, IN = WEIR_ENGINE_TO_DEVICE, OUT = WEIR_ENGINE_TO_HOST, EVENT = WEIR_ENGINE_NONE };

static struct weir_timeline line(unsigned engines) {
  struct weir_timeline t = {.copy_engines = engines};
  weir_timeline_host_waits(&t, LATE);
  return t;
}

static void assert_placed(struct weir_timeline *t, struct weir_stream *s, unsigned engine, weir_time duration,
                          weir_time began) {
  const struct weir_span span = weir_timeline_place(t, s, (enum weir_engine)engine, duration);
  assert_int_equal(span.began - LATE, began);
  assert_int_equal(span.ended - LATE, began + duration);
}

// A copy of 70 in one stream beside a kernel of 100 in another: 100, not 170. In one stream: 170.
static void two_streams_take_the_longer(void **state) {
  (void)state;
  struct weir_timeline t = line(2), u = line(2);
  struct weir_stream a = {0}, b = {0}, c = {0};
  assert_placed(&t, &a, IN, 70, 0);
  assert_placed(&t, &b, KERNEL, 100, 0);
  assert_int_equal(t.end - LATE, 100);
  assert_placed(&u, &c, IN, 70, 0);
  assert_placed(&u, &c, KERNEL, 100, 70);
  assert_int_equal(u.end - LATE, 170);
  weir_timeline_drain(&t), weir_timeline_drain(&u);
}

// Copy in 30, kernel 50, copy out 20, in each of two streams, given stream by stream:
//   in    a 0-30   b 30-60
//   kernel         a 30-80   b 80-130
//   out                      a 80-100   b 130-150
static void six_items_in_two_streams(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0};
  assert_placed(&t, &a, IN, 30, 0);
  assert_placed(&t, &a, KERNEL, 50, 30);
  assert_placed(&t, &a, OUT, 20, 80);
  assert_placed(&t, &b, IN, 30, 30);
  assert_placed(&t, &b, KERNEL, 50, 80);
  assert_placed(&t, &b, OUT, 20, 130);
  assert_int_equal(t.end - LATE, 150);
  weir_timeline_drain(&t);
}

// Of that schedule, by hand: copies 0-60, 80-100 and 130-150 are 100, kernels 30-130 are 100, both at once 30-60 and 80-100 are 50.
// A host that looks at 45 has seen copies 45, kernels 15, both 15. Then it waits for 170: 20 more in which nothing is done.
static void usage(void **state) {
  (void)state;
  struct weir_timeline t = {.copy_engines = 2};
  struct weir_stream a = {0}, b = {0};
  for (unsigned i = 0; i < 2; i++) {
    weir_timeline_place(&t, i ? &b : &a, WEIR_ENGINE_TO_DEVICE, 30);
    weir_timeline_place(&t, i ? &b : &a, WEIR_ENGINE_DEVICE, 50);
    weir_timeline_place(&t, i ? &b : &a, WEIR_ENGINE_TO_HOST, 20);
  }
  weir_timeline_host_waits(&t, 45);
  assert_int_equal(t.usage.copies, 45);
  assert_int_equal(t.usage.device, 15);
  assert_int_equal(t.usage.overlap, 15);
  weir_timeline_host_waits(&t, 170);
  weir_timeline_drain(&t);
  assert_int_equal(t.usage.copies, 100);
  assert_int_equal(t.usage.device, 100);
  assert_int_equal(t.usage.overlap, 50);
  assert_int_equal(t.usage.idle, 20);
}

// The same with one copy engine: b's copy in has it from 30 to 60, a's copy out from 80. A third stream's copy in of 20 fits between
// them to the cycle, one of 21 does not, and follows a's copy out.
static void one_copy_engine_has_gaps(void **state) {
  (void)state;
  for (unsigned longer = 0; longer < 2; longer++) {
    struct weir_timeline t = line(1);
    struct weir_stream a = {0}, b = {0}, c = {0};
    assert_placed(&t, &a, IN, 30, 0);
    assert_placed(&t, &a, KERNEL, 50, 30);
    assert_placed(&t, &a, OUT, 20, 80);
    assert_placed(&t, &b, IN, 30, 30);
    assert_placed(&t, &c, IN, 20 + longer, longer ? 100 : 60);
    assert_placed(&t, &b, KERNEL, 50, 80);
    assert_placed(&t, &b, OUT, 20, 130);
    weir_timeline_drain(&t);
  }
}

// Blocking streams a and b, the legacy default stream, and n, which does not block: the legacy kernel follows both copies, and b's next
// copy follows it; n's begins at once, but for its engine.
static void the_legacy_default_stream(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0}, n = {.kind = WEIR_STREAM_NON_BLOCKING}, legacy = {.kind = WEIR_STREAM_LEGACY};
  assert_placed(&t, &a, IN, 10, 0);
  assert_placed(&t, &b, OUT, 25, 0);
  assert_placed(&t, &n, IN, 90, 10);
  assert_placed(&t, &legacy, KERNEL, 40, 25);
  assert_placed(&t, &b, OUT, 5, 65);
  assert_placed(&t, &n, OUT, 5, 100);
  assert_placed(&t, &legacy, EVENT, 0, 70);
  weir_timeline_drain(&t);
}

// b waits for a's event, recorded behind its kernel at 60; an item before the wait does not. A wait for what has passed is none.
static void events(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0};
  assert_placed(&t, &a, KERNEL, 60, 0);
  assert_placed(&t, &b, IN, 10, 0);
  const weir_time event = weir_timeline_place(&t, &a, WEIR_ENGINE_NONE, 0).ended;
  assert_int_equal(event - LATE, 60);
  assert_placed(&t, &a, KERNEL, 60, 60);
  weir_timeline_wait(&t, &b, event);
  assert_placed(&t, &b, OUT, 10, 60);
  weir_timeline_wait(&t, &b, event - 50);
  assert_placed(&t, &b, OUT, 10, 70);
  weir_timeline_drain(&t);
}

// What the host gives after it has waited for a begins then, though its stream and its engine were free before.
static void the_host_waits(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0};
  assert_placed(&t, &a, KERNEL, 60, 0);
  assert_placed(&t, &b, IN, 10, 0);
  weir_timeline_host_waits(&t, a.end);
  assert_placed(&t, &b, IN, 10, 60);
  weir_timeline_host_waits(&t, LATE); // has passed
  assert_placed(&t, &b, OUT, 10, 70);
  weir_timeline_drain(&t);
  assert_int_equal(t.host - LATE, 80);
  assert_placed(&t, &a, KERNEL, 60, 80);
  weir_timeline_drain(&t);
}

// ---- any schedule -----------------------------------------------------------------------------------------------------

enum { ITEMS = 120, STREAMS = 5 };

struct item {
  struct weir_span span;
  unsigned stream, engine;
};

static bool shares_engine(const struct item *a, const struct item *b, unsigned engines) {
  if (a->engine == EVENT || b->engine == EVENT) return false;
  return a->engine == b->engine || (engines == 1 && a->engine != KERNEL && b->engine != KERNEL);
}

static bool follows(const struct item *a, const struct item *b, const struct weir_stream *s) { // b was given later
  if (a->stream == b->stream) return true;
  const enum weir_stream_kind p = s[a->stream].kind, q = s[b->stream].kind;
  if (p == WEIR_STREAM_NON_BLOCKING || q == WEIR_STREAM_NON_BLOCKING) return false;
  return p == WEIR_STREAM_LEGACY || q == WEIR_STREAM_LEGACY;
}

// Each pair: no engine is shared at a time, what follows follows. And none but the host, a stream or an engine holds an item back: it
// begins when one of them lets it.
static void check_pairs(const struct item *items, const struct weir_stream *streams, unsigned engines,
                        const weir_time *host) {
  for (unsigned j = 0; j < ITEMS; j++) {
    bool held = items[j].span.began == host[j];
    assert_true(items[j].span.began >= host[j]);
    for (unsigned i = 0; i < ITEMS; i++) {
      if (i == j) continue;
      const struct item *a = &items[i], *b = &items[j];
      const bool engine = shares_engine(a, b, engines), order = i < j && follows(a, b, streams);
      if (engine) assert_true(a->span.ended <= b->span.began || b->span.ended <= a->span.began);
      if (order) assert_true(a->span.ended <= b->span.began);
      if (((engine && i < j) || order) && a->span.ended == b->span.began) held = true;
    }
    assert_true(held);
  }
}

// Copies in either direction; the items that a time line counts as `what`.
static bool counts_as(const struct item *i, unsigned what) {
  return i->engine != EVENT && (i->engine == KERNEL ? what == KERNEL : what != KERNEL);
}

static bool under_way(const struct item *items, unsigned what, weir_time at) {
  for (unsigned i = 0; i < ITEMS; i++)
    if (counts_as(&items[i], what) && items[i].span.began <= at && at < items[i].span.ended) return true;
  return false;
}

static int by_time(const void *a, const void *b) {
  const weir_time x = *(const weir_time *)a, y = *(const weir_time *)b;
  return (x > y) - (x < y);
}

// The sums, from the items alone: between two times at which one begins or ends nothing changes. All the time is device + copies
// - overlap + idle.
static void check_usage(const struct item *items, const struct weir_timeline *t) {
  const struct weir_timeline_usage used = weir_timeline_used(t);
  weir_time times[2 * ITEMS + 2] = {0, t->end}, device = 0, copies = 0, overlap = 0;
  for (unsigned i = 0; i < ITEMS; i++) times[2 * i + 2] = items[i].span.began, times[2 * i + 3] = items[i].span.ended;
  qsort(times, 2 * ITEMS + 2, sizeof *times, by_time);
  for (unsigned i = 0; i <= 2 * ITEMS; i++) {
    const weir_time span = times[i + 1] - times[i];
    const bool kernel = under_way(items, KERNEL, times[i]), copy = under_way(items, IN, times[i]);
    device += kernel ? span : 0;
    copies += copy ? span : 0;
    overlap += kernel && copy ? span : 0;
  }
  assert_int_equal(used.device, device);
  assert_int_equal(used.copies, copies);
  assert_int_equal(used.overlap, overlap);
  assert_int_equal(used.device + used.copies - used.overlap + used.idle, t->end);
}

static void laws(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(20, 2);
  for (unsigned n = 0; n < 300; n++) {
    const unsigned engines = 1 + n % 2;
    struct weir_timeline t = line(engines);
    struct weir_stream streams[STREAMS] = {{.kind = WEIR_STREAM_LEGACY}, {.kind = WEIR_STREAM_NON_BLOCKING}};
    struct item items[ITEMS];
    weir_time host[ITEMS];
    for (unsigned i = 0; i < ITEMS; i++) {
      items[i].stream = (unsigned)weir_rng_below(&r, STREAMS);
      if (!items[i].stream && weir_rng_below(&r, 3)) items[i].stream = 1; // the legacy stream is rare
      items[i].engine = (unsigned)weir_rng_below(&r, EVENT + 1);
      host[i] = t.host;
      items[i].span = weir_timeline_place(&t, &streams[items[i].stream], (enum weir_engine)items[i].engine,
                                          items[i].engine == EVENT ? 0 : 1 + weir_rng_below(&r, 100));
      if (!weir_rng_below(&r, 20)) weir_timeline_host_waits(&t, streams[items[i].stream].end);
    }
    check_pairs(items, streams, engines, host);
    check_usage(items, &t);
    weir_timeline_drain(&t);
    check_usage(items, &t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_streams_take_the_longer),
    cmocka_unit_test(six_items_in_two_streams),
    cmocka_unit_test(usage),
    cmocka_unit_test(one_copy_engine_has_gaps),
    cmocka_unit_test(the_legacy_default_stream),
    cmocka_unit_test(events),
    cmocka_unit_test(the_host_waits),
    cmocka_unit_test(laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
