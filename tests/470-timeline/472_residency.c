// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels that are on the chip at once: by hand, and laws.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "timeline/schedule.h"

#define LATE ((weir_time)UINT32_MAX - 40) // so that times pass 2^32

static struct weir_timeline line(void) {
  struct weir_timeline t = {.copy_engines = 2};
  weir_timeline_host_waits(&t, LATE);
  return t;
}

static void assert_run(struct weir_timeline *t, struct weir_stream *s, struct weir_grid_use g, weir_time duration,
                       weir_time began, weir_time ended) {
  const struct weir_span span = weir_timeline_run(t, s, &g, duration);
  assert_int_equal(span.began - LATE, began);
  assert_int_equal(span.ended - LATE, ended);
}

// Two kernels that fill half of the chip each run at once, the third when the first has ended. In one stream they follow one another.
static void halves(void **state) {
  (void)state;
  struct weir_timeline t = line();
  struct weir_stream a = {0}, b = {0}, c = {0};
  assert_run(&t, &a, (struct weir_grid_use){2, 4, false}, 60, 0, 60);
  assert_run(&t, &b, (struct weir_grid_use){5, 10, false}, 100, 0, 100);
  assert_run(&t, &c, (struct weir_grid_use){1, 2, false}, 10, 60, 70);
  assert_run(&t, &c, (struct weir_grid_use){1, 2, false}, 10, 70, 80);
  weir_timeline_drain(&t);
}

// Alone, wave after wave is the whole to the cycle: 34, 33 and 33 of 100. A time line's usage counts it once.
static void alone(void **state) {
  (void)state;
  struct weir_timeline t = line();
  struct weir_stream a = {0};
  assert_run(&t, &a, (struct weir_grid_use){10, 4, false}, 100, 0, 100);
  assert_run(&t, &a, (struct weir_grid_use){1000, 3, false}, 7, 100, 107); // shorter than its 334 waves
  assert_run(&t, &a, (struct weir_grid_use){1, 1, false}, 0, 107, 107);
  weir_timeline_drain(&t);
  assert_int_equal(t.usage.device, 107);
  assert_int_equal(t.usage.idle, LATE);
}

// A fills the chip (4 blocks of it) until 50 and half of it until 100; B has 2 blocks of 4 and takes 30, from 50. C, 4 blocks of 4 that take
// 40: two of them begin when B ends at 80, two when A does at 100. Launched cooperatively, it waits until the first two could have
// ended and there is room for all: at 100.
static void the_last_wave_leaves_room(void **state) {
  (void)state;
  for (unsigned together = 0; together < 2; together++) {
    struct weir_timeline t = line();
    struct weir_stream a = {0}, b = {0}, c = {0};
    assert_run(&t, &a, (struct weir_grid_use){6, 4, false}, 100, 0, 100);
    assert_run(&t, &b, (struct weir_grid_use){2, 4, false}, 30, 50, 80);
    assert_run(&t, &c, (struct weir_grid_use){4, 4, together}, 40, together ? 100 : 80, 140);
    weir_timeline_drain(&t);
  }
}

// Copies within the device and fills have the chip alone; one that is ready before them fits in front of a later kernel.
static void fills_are_alone(void **state) {
  (void)state;
  struct weir_timeline t = line();
  struct weir_stream a = {0}, b = {0}, c = {0};
  assert_run(&t, &a, (struct weir_grid_use){1, 4, false}, 60, 0, 60);
  assert_int_equal(weir_timeline_place(&t, &b, WEIR_ENGINE_DEVICE, 10).began - LATE, 60);
  weir_timeline_place(&t, &c, WEIR_ENGINE_TO_DEVICE, 20);
  assert_run(&t, &c, (struct weir_grid_use){3, 4, false}, 40, 20, 60);
  assert_run(&t, &c, (struct weir_grid_use){1, 4, false}, 5, 70, 75);
  weir_timeline_drain(&t);
}

// 128 grids are on a device at a time (CUDA C++ Programming Guide, compute capability 7.0 and newer), here of one small block each.
static void grids_at_a_time(void **state) {
  (void)state;
  struct weir_timeline t = line();
  struct weir_stream streams[129] = {{0}};
  for (unsigned i = 0; i < 129; i++)
    assert_run(&t, &streams[i], (struct weir_grid_use){1, 4000, false}, 10, i < 128 ? 0 : 10, i < 128 ? 10 : 20);
  weir_timeline_drain(&t);
}

enum { KERNELS = 60, STREAMS = 6 };

// Kernels of one wave each, all blocks at once, so that their spans tell what is on the chip. Whenever one begins, the chip has room for it;
// and none waits for anything but its stream or room: just before it begins there was too little, or its stream was not there yet.
static void laws(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(20, 3);
  for (unsigned n = 0; n < 100; n++) {
    struct weir_timeline t = line();
    struct weir_stream streams[STREAMS] = {{0}};
    struct weir_span spans[KERNELS];
    unsigned blocks[KERNELS]; // of 16 that fit
    for (unsigned i = 0; i < KERNELS; i++) {
      struct weir_stream *s = &streams[weir_rng_below(&r, STREAMS)];
      const weir_time ready = weir_later(t.host, s->end);
      blocks[i] = 1 + (unsigned)weir_rng_below(&r, 16);
      spans[i] = weir_timeline_run(&t, s, &(struct weir_grid_use){blocks[i], 16, true}, 1 + weir_rng_below(&r, 50));
      assert_true(spans[i].began >= ready && s->end == spans[i].ended);
      unsigned before = 0;
      for (unsigned k = 0; k < i; k++)
        if (spans[k].began < spans[i].ended && spans[k].ended >= spans[i].began) before += blocks[k];
      assert_true(spans[i].began == ready || before + blocks[i] > 16);
    }
    for (unsigned i = 0; i < KERNELS; i++) {
      unsigned used = 0;
      for (unsigned k = 0; k < KERNELS; k++)
        if (spans[k].began <= spans[i].began && spans[i].began < spans[k].ended) used += blocks[k];
      assert_true(used <= 16);
    }
    weir_timeline_drain(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(halves),          cmocka_unit_test(alone),           cmocka_unit_test(the_last_wave_leaves_room),
    cmocka_unit_test(fills_are_alone), cmocka_unit_test(grids_at_a_time), cmocka_unit_test(laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
