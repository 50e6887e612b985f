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

// What a schedule by hand says, to be held against the items when they have their times.
struct expected {
  struct weir_item *item;
  weir_time began, ended;
};
static struct expected expected[160];
static unsigned expected_count;

static struct weir_item *expect(struct weir_item *item, weir_time began, weir_time ended) {
  expected[expected_count++] = (struct expected){weir_item_hold(item), began, ended};
  return item;
}

static struct weir_item *expect_placed(struct weir_timeline *t, struct weir_stream *s, unsigned engine,
                                       weir_time duration, weir_time began) {
  return expect(weir_timeline_place(t, s, (enum weir_engine)engine, duration), began, began + duration);
}

static struct weir_item *expect_run(struct weir_timeline *t, struct weir_stream *s, struct weir_grid_use g,
                                    weir_time duration, weir_time began, weir_time ended) {
  return expect(weir_timeline_run(t, s, &g, duration), began, ended);
}

static void close_streams(struct weir_stream *const *streams) {
  for (; *streams; streams++) weir_stream_close(*streams);
}

// Everything ends, and is as expected. The streams are given nothing more.
#define SETTLE(t, ...) settle(t, (struct weir_stream *const[]){__VA_ARGS__, NULL})
static void settle(struct weir_timeline *t, struct weir_stream *const *streams) {
  weir_timeline_drain(t);
  close_streams(streams);
  for (unsigned i = 0; i < expected_count; i++) {
    const struct weir_span span = weir_item_span(expected[i].item);
    weir_item_release(expected[i].item);
    assert_int_equal(span.began - LATE, expected[i].began);
    assert_int_equal(span.ended - LATE, expected[i].ended);
  }
  expected_count = 0;
}

// A copy of 70 in one stream beside a kernel of 100 in another: 100, not 170. In one stream: 170.
static void two_streams_take_the_longer(void **state) {
  (void)state;
  struct weir_timeline t = line(2), u = line(2);
  struct weir_stream a = {0}, b = {0}, c = {0};
  expect_placed(&t, &a, IN, 70, 0);
  expect_placed(&t, &b, KERNEL, 100, 0);
  SETTLE(&t, &a, &b);
  assert_int_equal(t.host - LATE, 100);
  expect_placed(&u, &c, IN, 70, 0);
  expect_placed(&u, &c, KERNEL, 100, 70);
  SETTLE(&u, &c);
  assert_int_equal(u.host - LATE, 170);
}

// Copy in 30, kernel 50, copy out 20, in each of two streams, given stream by stream:
//   in    a 0-30   b 30-60
//   kernel         a 30-80   b 80-130
//   out                      a 80-100   b 130-150
static void six_items_in_two_streams(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0};
  expect_placed(&t, &a, IN, 30, 0);
  expect_placed(&t, &a, KERNEL, 50, 30);
  expect_placed(&t, &a, OUT, 20, 80);
  expect_placed(&t, &b, IN, 30, 30);
  expect_placed(&t, &b, KERNEL, 50, 80);
  expect_placed(&t, &b, OUT, 20, 130);
  SETTLE(&t, &a, &b);
  assert_int_equal(t.host - LATE, 150);
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
  SETTLE(&t, &a, &b);
  assert_int_equal(t.usage.copies, 100);
  assert_int_equal(t.usage.device, 100);
  assert_int_equal(t.usage.overlap, 50);
  assert_int_equal(t.usage.idle, 20);
}

// The same with one copy engine, which a third stream's copy in has from 60 on. It foresees nothing: a copy of 21 goes first
// as one of 20 does, though a's copy out, which is ready at 80, was given before.
static void one_copy_engine(void **state) {
  (void)state;
  for (unsigned longer = 0; longer < 2; longer++) {
    struct weir_timeline t = line(1);
    struct weir_stream a = {0}, b = {0}, c = {0};
    expect_placed(&t, &a, IN, 30, 0);
    expect_placed(&t, &a, KERNEL, 50, 30);
    expect_placed(&t, &a, OUT, 20, 80 + longer);
    expect_placed(&t, &b, IN, 30, 30);
    expect_placed(&t, &c, IN, 20 + longer, 60);
    expect_placed(&t, &b, KERNEL, 50, 80);
    expect_placed(&t, &b, OUT, 20, 130);
    SETTLE(&t, &a, &b, &c);
  }
}

// Blocking streams a and b, the legacy default stream, and n, which does not block: the legacy kernel follows both copies, and b's next
// copy follows it; n's begins at once, but for its engine.
static void the_legacy_default_stream(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0}, n = {.kind = WEIR_STREAM_NON_BLOCKING}, legacy = {.kind = WEIR_STREAM_LEGACY};
  expect_placed(&t, &a, IN, 10, 0);
  expect_placed(&t, &b, OUT, 25, 0);
  expect_placed(&t, &n, IN, 90, 10);
  expect_placed(&t, &legacy, KERNEL, 40, 25);
  expect_placed(&t, &b, OUT, 5, 65);
  expect_placed(&t, &n, OUT, 5, 100);
  expect_placed(&t, &legacy, EVENT, 0, 70);
  assert_ptr_equal(weir_timeline_open(&t, &legacy), legacy.last);
  SETTLE(&t, &a, &b, &n, &legacy);
}

// The legacy stream is not done while a blocking stream has something that was given before; the others ask for their own alone.
static void what_is_open(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0}, n = {.kind = WEIR_STREAM_NON_BLOCKING}, legacy = {.kind = WEIR_STREAM_LEGACY};
  weir_timeline_place(&t, &n, WEIR_ENGINE_TO_HOST, 10);
  assert_null(weir_timeline_open(&t, &legacy));
  weir_timeline_place(&t, &a, WEIR_ENGINE_TO_DEVICE, 10);
  assert_ptr_equal(weir_timeline_open(&t, &legacy), a.last);
  assert_null(weir_timeline_open(&t, &b));
  weir_timeline_host_waits(&t, LATE + 9);
  assert_ptr_equal(weir_timeline_open(&t, &a), a.last);
  weir_timeline_host_waits(&t, LATE + 10);
  assert_null(weir_timeline_open(&t, &a));
  assert_null(weir_timeline_open(&t, &legacy));
  SETTLE(&t, &a, &b, &n, &legacy);
}

// b waits for a's event, recorded behind its kernel at 60; an item before the wait does not. A wait for what has passed is none.
static void events(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0};
  expect_placed(&t, &a, KERNEL, 60, 0);
  expect_placed(&t, &b, IN, 10, 0);
  struct weir_item *event = expect_placed(&t, &a, EVENT, 0, 60), *first = expected[1].item;
  expect_placed(&t, &a, KERNEL, 60, 60);
  weir_timeline_wait(&t, &b, event);
  expect_placed(&t, &b, OUT, 10, 60);
  weir_timeline_wait(&t, &b, first);
  weir_timeline_wait(&t, &b, NULL);
  expect_placed(&t, &b, OUT, 10, 70);
  SETTLE(&t, &a, &b);
}

// What the host gives after it has waited for a begins then, though its stream and its engine were free before.
static void the_host_waits(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0};
  expect_placed(&t, &a, KERNEL, 60, 0);
  expect_placed(&t, &b, IN, 10, 0);
  weir_timeline_host_waits_for(&t, a.last);
  expect_placed(&t, &b, IN, 10, 60);
  weir_timeline_host_waits(&t, LATE); // has passed
  expect_placed(&t, &b, OUT, 10, 70);
  weir_timeline_host_waits_for_all(&t);
  assert_int_equal(t.host - LATE, 80);
  expect_placed(&t, &a, KERNEL, 60, 80);
  SETTLE(&t, &a, &b);
}

// A host that waits from end to end: of b's copy at 10, of a's kernel at 60, whose second wave begins at 30, of a's copy at 75, and of
// nothing more.
static void the_host_waits_a_little(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0};
  expect_run(&t, &a, (struct weir_grid_use){2, 1, false}, 60, 0, 60);
  expect_placed(&t, &a, OUT, 15, 60);
  expect_placed(&t, &b, IN, 10, 0);
  expect_placed(&t, &b, EVENT, 0, 10);
  const weir_time ends[] = {10, 60, 75};
  for (unsigned i = 0; i < 3; i++) {
    assert_true(weir_timeline_host_waits_a_little(&t));
    assert_int_equal(t.host - LATE, ends[i]);
  }
  assert_false(weir_timeline_host_waits_a_little(&t));
  SETTLE(&t, &a, &b);
}

// ---- kernels ----------------------------------------------------------------------------------------------------------

// Two kernels that fill half of the chip each run at once, the third when the first has ended. In one stream they follow one another.
static void halves(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0}, c = {0};
  expect_run(&t, &a, (struct weir_grid_use){2, 4, false}, 60, 0, 60);
  expect_run(&t, &b, (struct weir_grid_use){5, 10, false}, 100, 0, 100);
  expect_run(&t, &c, (struct weir_grid_use){1, 2, false}, 10, 60, 70);
  expect_run(&t, &c, (struct weir_grid_use){1, 2, false}, 10, 70, 80);
  SETTLE(&t, &a, &b, &c);
}

// Alone, wave after wave is the whole to the cycle: 34, 33 and 33 of 100. A time line's usage counts it once.
static void alone(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0};
  expect_run(&t, &a, (struct weir_grid_use){10, 4, false}, 100, 0, 100);
  expect_run(&t, &a, (struct weir_grid_use){1000, 3, false}, 7, 100, 107); // shorter than its 334 waves
  expect_run(&t, &a, (struct weir_grid_use){1, 1, false}, 0, 107, 107);
  SETTLE(&t, &a);
  assert_int_equal(t.usage.device, 107);
  assert_int_equal(t.usage.idle, LATE);
}

// A fills the chip (4 blocks of it) until 50 and half of it until 100; B has 2 blocks of 4 and takes 30, from 50. C, 4 blocks of 4 that take
// 40: two of them begin when B ends at 80, two when A does at 100. Launched cooperatively, it waits until the first two could have
// ended and there is room for all: at 100.
static void the_last_wave_leaves_room(void **state) {
  (void)state;
  for (unsigned together = 0; together < 2; together++) {
    struct weir_timeline t = line(2);
    struct weir_stream a = {0}, b = {0}, c = {0};
    expect_run(&t, &a, (struct weir_grid_use){6, 4, false}, 100, 0, 100);
    expect_run(&t, &b, (struct weir_grid_use){2, 4, false}, 30, 50, 80);
    expect_run(&t, &c, (struct weir_grid_use){4, 4, together}, 40, together ? 100 : 80, 140);
    SETTLE(&t, &a, &b, &c);
  }
}

// Copies within the device and fills have the chip alone. One that waits for a kernel's end is first in line, so that a kernel that comes
// later follows it, though there would be room.
static void fills_are_alone(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0}, c = {0};
  expect_run(&t, &a, (struct weir_grid_use){1, 4, false}, 60, 0, 60);
  expect_placed(&t, &b, KERNEL, 10, 60);
  expect_placed(&t, &c, IN, 20, 0);
  expect_run(&t, &c, (struct weir_grid_use){3, 4, false}, 40, 70, 110);
  expect_run(&t, &a, (struct weir_grid_use){1, 4, false}, 5, 70, 75);
  SETTLE(&t, &a, &b, &c);
}

// A kernel's blocks begin in front of those of a kernel of lower priority that have not begun, but stop none that have: low has 8 blocks
// of 4, 50 each; high is ready at 20, and its 6 blocks of 4 take 30 each. 4 of low's until 50, 4 of high's until 80, the other 2 and two of
// low's until 110 and 130, and the last 2 of low's from 110 to 160. Copies have no priority.
static void priorities(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream low = {0}, middle = {.priority = -1}, high = {.priority = -2};
  expect_placed(&t, &low, IN, 20, 0);
  expect_placed(&t, &high, IN, 5, 20);
  expect_placed(&t, &low, OUT, 20, 20);
  expect_placed(&t, &high, OUT, 5, 40);
  SETTLE(&t, &low, &high);
  struct weir_timeline u = line(2);
  expect_run(&u, &low, (struct weir_grid_use){8, 4, false}, 100, 0, 160);
  expect_placed(&u, &high, IN, 20, 0);
  expect_run(&u, &high, (struct weir_grid_use){6, 4, false}, 60, 50, 110);
  expect_run(&u, &middle, (struct weir_grid_use){1, 1, false}, 0, 0, 0);
  SETTLE(&u, &low, &high, &middle);
}

// Three of one block that fills the chip, given while the chip is full until 10: they go by priority, and then in the order in which they
// were ready, not in that in which they were given.
static void lines_of_kernels(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream a = {0}, b = {0}, c = {0}, d = {.priority = -1};
  const struct weir_grid_use all = {1, 1, false};
  expect_run(&t, &a, all, 10, 0, 10);
  expect_placed(&t, &b, IN, 5, 0);
  expect_run(&t, &b, all, 10, 30, 40);
  expect_run(&t, &c, all, 10, 20, 30);
  expect_run(&t, &d, all, 10, 10, 20);
  SETTLE(&t, &a, &b, &c, &d);
}

// 128 grids are on a device at a time (CUDA C++ Programming Guide, compute capability 7.0 and newer), here of one small block each.
static void grids_at_a_time(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  struct weir_stream streams[129] = {{0}};
  for (unsigned i = 0; i < 129; i++)
    expect_run(&t, &streams[i], (struct weir_grid_use){1, 4000, false}, 10, i < 128 ? 0 : 10, i < 128 ? 10 : 20);
  for (unsigned i = 1; i < 129; i++) weir_stream_close(&streams[i]);
  SETTLE(&t, &streams[0]);
}

enum { KERNELS = 60, OF_KERNELS = 6 };

// Kernels of one wave each, all blocks at once, so that their spans tell what is on the chip, in streams of two priorities. Whenever one
// begins, the chip has room for it; and none waits but for its stream, for room, or for one that is in line before it: when it is ready
// or another ends, and it does not begin, one that precedes it has not begun either, or there is no room.
static void kernels_keep_their_line(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(20, 3);
  for (unsigned n = 0; n < 100; n++) {
    struct weir_timeline t = line(2);
    struct weir_stream streams[OF_KERNELS] = {{0}};
    struct weir_item *placed[KERNELS];
    struct weir_span spans[KERNELS];
    weir_time ready[KERNELS];
    unsigned blocks[KERNELS], stream[KERNELS]; // blocks of 16 that fit
    for (unsigned i = 0; i < OF_KERNELS; i++) streams[i].priority = -(int)(i % 2);
    for (unsigned i = 0; i < KERNELS; i++) {
      stream[i] = (unsigned)weir_rng_below(&r, OF_KERNELS);
      blocks[i] = 1 + (unsigned)weir_rng_below(&r, 16);
      placed[i] = weir_item_hold(weir_timeline_run(
        &t, &streams[stream[i]], &(struct weir_grid_use){blocks[i], 16, true}, 1 + weir_rng_below(&r, 50)));
    }
    weir_timeline_drain(&t);
    for (unsigned i = 0; i < KERNELS; i++) {
      spans[i] = weir_item_span(placed[i]);
      weir_item_release(placed[i]);
      ready[i] = LATE;
      for (unsigned k = 0; k < i; k++)
        if (stream[k] == stream[i]) ready[i] = spans[k].ended;
    }
    for (unsigned i = 0; i < OF_KERNELS; i++) weir_stream_close(&streams[i]);
    for (unsigned i = 0; i < KERNELS; i++) {
      unsigned used = 0;
      for (unsigned k = 0; k < KERNELS; k++)
        if (spans[k].began <= spans[i].began && spans[i].began < spans[k].ended) used += blocks[k];
      assert_true(used <= 16);
      assert_true(spans[i].began >= ready[i]);
      if (spans[i].began == ready[i]) continue;
      used = 0; // just before it began
      bool behind = false;
      for (unsigned k = 0; k < KERNELS; k++) {
        if (spans[k].began < spans[i].began && spans[k].ended >= spans[i].began) used += blocks[k];
        const int mine = streams[stream[i]].priority, other = streams[stream[k]].priority;
        behind |=
          k != i && spans[k].began == spans[i].began && (other < mine || (other == mine && ready[k] <= ready[i]));
      }
      assert_true(used + blocks[i] > 16 || behind);
    }
  }
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
      if ((engine || order) && a->span.ended == b->span.began) held = true;
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
  const struct weir_timeline_usage used = t->usage;
  weir_time times[2 * ITEMS + 2] = {0, t->host}, device = 0, copies = 0, overlap = 0;
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
  assert_int_equal(used.device + used.copies - used.overlap + used.idle, t->host);
}

static void laws(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(20, 2);
  for (unsigned n = 0; n < 300; n++) {
    const unsigned engines = 1 + n % 2;
    struct weir_timeline t = line(engines);
    struct weir_stream streams[STREAMS] = {{.kind = WEIR_STREAM_LEGACY}, {.kind = WEIR_STREAM_NON_BLOCKING}};
    struct item items[ITEMS];
    struct weir_item *placed[ITEMS];
    weir_time host[ITEMS];
    for (unsigned i = 0; i < ITEMS; i++) {
      items[i].stream = (unsigned)weir_rng_below(&r, STREAMS);
      if (!items[i].stream && weir_rng_below(&r, 3)) items[i].stream = 1; // the legacy stream is rare
      items[i].engine = (unsigned)weir_rng_below(&r, EVENT + 1);
      host[i] = t.host;
      placed[i] = weir_item_hold(weir_timeline_place(&t, &streams[items[i].stream], (enum weir_engine)items[i].engine,
                                                     items[i].engine == EVENT ? 0 : 1 + weir_rng_below(&r, 100)));
      if (!weir_rng_below(&r, 20)) weir_timeline_host_waits_for(&t, streams[items[i].stream].last);
    }
    weir_timeline_drain(&t);
    for (unsigned i = 0; i < ITEMS; i++) {
      items[i].span = weir_item_span(placed[i]);
      weir_item_release(placed[i]);
    }
    for (unsigned i = 0; i < STREAMS; i++) weir_stream_close(&streams[i]);
    check_pairs(items, streams, engines, host);
    check_usage(items, &t);
  }
}

// ---- copies take DRAM from kernels --------------------------------------------------------------------------------------

// The DRAM moves a byte per ns.
enum { NS = 1000, US = 1000 * NS };

static struct weir_item *copy_evenly(struct weir_timeline *t, struct weir_stream *s, weir_time us, uint64_t bytes) {
  return expect(weir_timeline_move(t, s, WEIR_ENGINE_TO_DEVICE, us * US, bytes), t->host - LATE,
                t->host - LATE + us * US);
}

static struct weir_item *run_evenly(struct weir_timeline *t, struct weir_stream *s, uint64_t blocks, uint64_t resident,
                                    uint64_t bytes, weir_time ended) {
  const struct weir_grid_use g = {.blocks = blocks, .resident = resident};
  return expect(weir_timeline_run_moving(t, s, &g, 8 * US, bytes), 0, ended);
}

// A kernel that moves 8000 bytes in 8 us has three quarters of the DRAM while a copy moves 1000 in 4 us: 9000 bytes at a byte per ns. One that
// moves half as many has enough. A fill of 1000 bytes behind the copy takes its 1 us.
static void copies_slow_kernels(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  t.dram_mb_per_s = 1000;
  struct weir_stream a = {.kind = WEIR_STREAM_NON_BLOCKING}, b = a, c = a;
  copy_evenly(&t, &a, 4, 1000);
  run_evenly(&t, &b, 1, 2, 8000, 9 * US);
  run_evenly(&t, &c, 1, 2, 4000, 8 * US);
  expect(weir_timeline_move(&t, &b, WEIR_ENGINE_DEVICE, US, 1000), 9 * US, 10 * US);
  SETTLE(&t, &a, &b, &c);
}

// Copies in both directions leave half. The second begins when the first is half over, 2 us after the kernel: of its 8 us, 1.5 are done then,
// after 2 us more 1, after 2 more, when the first has ended, 1.5, and 4 alone: 10 us. In all the bytes of the three, 8000 + 1000 + 1000.
static void copies_come_and_go(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  t.dram_mb_per_s = 1000;
  struct weir_stream a = {.kind = WEIR_STREAM_NON_BLOCKING}, b = a, c = a;
  copy_evenly(&t, &a, 4, 1000);
  run_evenly(&t, &b, 1, 1, 8000, 10 * US);
  weir_timeline_host_waits(&t, LATE + 2 * US);
  expect(weir_timeline_move(&t, &c, WEIR_ENGINE_TO_HOST, 4 * US, 1000), 2 * US, 6 * US);
  SETTLE(&t, &a, &b, &c);
}

// Three blocks of 2000 bytes, two at a time: the first two want all of the DRAM and take 4 us / 0.75, the last wants half and takes 4 us.
static void waves_want_what_their_blocks_do(void **state) {
  (void)state;
  struct weir_timeline t = line(2);
  t.dram_mb_per_s = 1000;
  struct weir_stream a = {.kind = WEIR_STREAM_NON_BLOCKING}, b = a;
  copy_evenly(&t, &a, 16, 4000);
  run_evenly(&t, &b, 3, 2, 6000, 5333334 + 4 * US);
  SETTLE(&t, &a, &b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_streams_take_the_longer),
    cmocka_unit_test(six_items_in_two_streams),
    cmocka_unit_test(usage),
    cmocka_unit_test(one_copy_engine),
    cmocka_unit_test(the_legacy_default_stream),
    cmocka_unit_test(what_is_open),
    cmocka_unit_test(events),
    cmocka_unit_test(the_host_waits),
    cmocka_unit_test(the_host_waits_a_little),
    cmocka_unit_test(halves),
    cmocka_unit_test(alone),
    cmocka_unit_test(the_last_wave_leaves_room),
    cmocka_unit_test(fills_are_alone),
    cmocka_unit_test(priorities),
    cmocka_unit_test(lines_of_kernels),
    cmocka_unit_test(grids_at_a_time),
    cmocka_unit_test(kernels_keep_their_line),
    cmocka_unit_test(copies_slow_kernels),
    cmocka_unit_test(copies_come_and_go),
    cmocka_unit_test(waves_want_what_their_blocks_do),
    cmocka_unit_test(laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
