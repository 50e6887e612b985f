// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// ptf's filter on the CPU where its answers are known without it.
#include "ptf/ptf.h"

#include "base/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Gauss's circle problem, without the points at the radius itself.
static void disks_have_the_points_within_the_circle(void **state) {
  (void)state;
  static const uint32_t points[] = {0, 1, 9, 25, 45, 69};
  int32_t disk[8 * 5 * 5];
  for (uint32_t radius = 1; radius <= 5; radius++) assert_int_equal(weir_ptf_disk(radius, disk), points[radius]);
}

struct moments {
  double mean, deviation;
};

static struct moments moments_of_moves(const float *from, const float *to, unsigned count) {
  double sum = 0, squares = 0;
  for (unsigned i = 0; i < count; i++) {
    double move = (double)to[i] - (double)from[i];
    sum += move / count;
    squares += move * move / count;
  }
  return (struct moments){sum, sqrt(squares - sum * sum)};
}

// Where every pixel is alike all particles weigh alike. Of N of them, N a power of two, each has the share 1 / N
// exactly, and the i-th number (start + i) / N lies behind the first i shares and within the next one: all survive.
// What is left is their move, by 1 ± 5 rows and -2 ± 2 columns; 4096 of them measure these means to 5 / 64 and 2 / 64
// and the deviations to one part in 90, of which five are allowed.
static void all_survive_where_there_is_nothing_to_see(void **state) {
  (void)state;
  enum { PARTICLES = 4096, FRAMES = 4 };
  struct weir_rng rng = weir_rng_seed(1, 1);
  struct weir_ptf_video v = weir_ptf_film(128, FRAMES, 5, &rng);
  struct weir_ptf_swarm s = weir_ptf_swarm(PARTICLES, &v, &rng);
  int32_t disk[8 * 5 * 5];
  uint32_t points = weir_ptf_disk(5, disk);
  float x[PARTICLES], y[PARTICLES];
  memset(v.pixel, 164, (size_t)128 * 128 * FRAMES); // as unlike the object as the background: weights of e^0
  for (uint32_t frame = 1; frame < FRAMES; frame++) {
    memcpy(x, s.from_x, sizeof x);
    memcpy(y, s.from_y, sizeof y);
    weir_ptf_reference(&s, &v, frame, disk, points);
    assert_memory_equal(s.from_x, s.x, sizeof x);
    assert_memory_equal(s.from_y, s.y, sizeof y);
    for (unsigned i = 0; i < PARTICLES; i++) assert_true(s.cumulative[i] == (float)(i + 1) / (float)PARTICLES);
    struct moments down = moments_of_moves(x, s.x, PARTICLES), right = moments_of_moves(y, s.y, PARTICLES);
    assert_true(fabs(down.mean - 1) < 0.4 && fabs(down.deviation / 5 - 1) < 0.056);
    assert_true(fabs(right.mean + 2) < 0.16 && fabs(right.deviation / 2 - 1) < 0.056);
  }
  weir_ptf_swarm_free(&s);
  weir_free(v.pixel);
}

// The weights' ratio is that of the exponential function of the pixels: 228 all around a particle is e^10 and 100 is
// e^-10.
static void weights_are_exponential_in_the_likeness(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(1, 1);
  struct weir_ptf_video v = weir_ptf_film(128, 2, 5, &rng);
  struct weir_ptf_swarm s = weir_ptf_swarm(2, &v, &rng);
  int32_t disk[8 * 5 * 5];
  uint32_t points = weir_ptf_disk(5, disk);
  memset(v.pixel, WEIR_PTF_BACKGROUND, (size_t)128 * 128 * 2);
  memset(v.pixel + (size_t)64 * 128 * 2, WEIR_PTF_OBJECT, (size_t)64 * 128 * 2); // rows 64 to 127
  s.from_x[0] = 32;
  s.from_x[1] = 96;
  weir_ptf_reference(&s, &v, 1, disk, points);
  assert_true(fabs((double)(s.weight[0] / s.weight[1]) * exp(20) - 1) < 1e-5);
  weir_ptf_swarm_free(&s);
  weir_free(v.pixel);
}

// Noise of deviation 5 and 2 on the particles, which a mean over the weights brings down to a fraction of a pixel.
static void the_object_is_followed(void **state) {
  (void)state;
  enum { PARTICLES = 2000, FRAMES = 12, RADIUS = 7 };
  struct weir_rng rng = weir_rng_seed(1, 1);
  struct weir_ptf_video v = weir_ptf_film(128, FRAMES, RADIUS, &rng);
  struct weir_ptf_swarm s = weir_ptf_swarm(PARTICLES, &v, &rng);
  int32_t disk[8 * RADIUS * RADIUS];
  uint32_t points = weir_ptf_disk(RADIUS, disk);
  for (uint32_t frame = 1; frame < FRAMES; frame++) {
    double x = 0, y = 0;
    weir_ptf_reference(&s, &v, frame, disk, points);
    for (unsigned i = 0; i < PARTICLES; i++) {
      x += (double)s.x[i] * (double)s.weight[i];
      y += (double)s.y[i] * (double)s.weight[i];
    }
    assert_true(fabs(x - (64 + frame)) < 1);
    assert_true(fabs(y - (64 - 2.0 * frame)) < 1);
  }
  weir_ptf_swarm_free(&s);
  weir_free(v.pixel);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(disks_have_the_points_within_the_circle),
    cmocka_unit_test(all_survive_where_there_is_nothing_to_see),
    cmocka_unit_test(weights_are_exponential_in_the_likeness),
    cmocka_unit_test(the_object_is_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
