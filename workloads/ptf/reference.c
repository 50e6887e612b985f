// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptf/ptf.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = WEIR_PTF_BLOCK };

uint32_t weir_ptf_disk(uint32_t radius, int32_t *disk) {
  uint32_t points = 0;
  int32_t r = (int32_t)radius;
  for (int32_t row = 1 - r; row < r; row++)
    for (int32_t column = 1 - r; column < r; column++)
      if (row * row + column * column < r * r) {
        disk[2 * points] = column;
        disk[2 * points++ + 1] = row;
      }
  return points;
}

static uint8_t shade(bool object, struct weir_rng *rng) {
  double spread = weir_rng_unit(rng) + weir_rng_unit(rng) + weir_rng_unit(rng) - 1.5; // deviation 1/2
  return (uint8_t)((object ? WEIR_PTF_OBJECT : WEIR_PTF_BACKGROUND) + (int)(10 * spread));
}

struct weir_ptf_video weir_ptf_film(uint32_t size, uint32_t frames, uint32_t radius, struct weir_rng *rng) {
  struct weir_ptf_video v = {size, size, frames, radius, weir_alloc((size_t)size * size * frames)};
  int32_t middle = (int32_t)size / 2, r = (int32_t)radius;
  uint8_t *pixel = v.pixel;
  for (int32_t row = 0; row < (int32_t)size; row++)
    for (int32_t column = 0; column < (int32_t)size; column++)
      for (int32_t frame = 0; frame < (int32_t)frames; frame++) {
        int32_t down = row - (middle + frame), right = column - (middle - 2 * frame);
        *pixel++ = shade(down * down + right * right < r * r, rng);
      }
  return v;
}

struct weir_ptf_swarm weir_ptf_swarm(uint32_t particles, const struct weir_ptf_video *v, struct weir_rng *rng) {
  struct weir_ptf_swarm s = {.particles = particles};
  float **const all[] = {&s.from_x, &s.from_y, &s.x, &s.y, &s.weight, &s.cumulative, &s.u};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) *all[i] = weir_new_array(float, particles);
  s.seed = weir_new_array(uint32_t, particles);
  for (uint32_t i = 0; i < particles; i++) {
    s.from_x[i] = (float)(v->rows / 2);
    s.from_y[i] = (float)(v->columns / 2);
    s.seed[i] = (uint32_t)weir_rng_below(rng, UINT64_C(1) << 31);
  }
  return s;
}

void weir_ptf_swarm_free(struct weir_ptf_swarm *s) {
  float *const all[] = {s->from_x, s->from_y, s->x, s->y, s->weight, s->cumulative, s->u};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) weir_free(all[i]);
  weir_free(s->seed);
}

float weir_ptf_scale(uint32_t points) {
  enum { RANGE = (WEIR_PTF_OBJECT - WEIR_PTF_BACKGROUND) * (WEIR_PTF_OBJECT - WEIR_PTF_BACKGROUND) };
  return 10 / (float)(points * RANGE);
}

static uint32_t draw(uint32_t *seed) {
  *seed = (*seed * UINT32_C(1103515245) + 12345) & 0x7FFFFFFF;
  return *seed >> 7;
}

static float noise(uint32_t *seed) {
  int32_t sum = -(1 << 25);
  for (int i = 0; i < 4; i++) sum += (int32_t)draw(seed);
  return (float)sum * 1.0323827e-7f;
}

static float exponential(float v) {
  static const float term[] = {1.38888889e-3f, 8.33333333e-3f, 4.16666667e-2f, 0.166666667f, 0.5f, 1, 1};
  float n = rintf(v * 1.44269504f), r = fmaf(n, -0.693147181f, v), sum = 1.98412698e-4f;
  for (size_t i = 0; i < sizeof term / sizeof term[0]; i++) sum = fmaf(r, sum, term[i]);
  return ldexpf(sum, (int)n);
}

// Pixels outside the video count as its first one, but only at the end: Rodinia takes the magnitude of the index.
static float weigh(float x, float y, const struct weir_ptf_video *v, uint32_t frame, const int32_t *disk,
                   uint32_t points) {
  int32_t frames = (int32_t)v->frames, columns = (int32_t)v->columns, all = (int32_t)v->rows * columns * frames;
  int32_t likeness = 0;
  for (uint32_t p = 0; p < points; p++) {
    int32_t row = (int32_t)rintf(x) + disk[2 * p + 1], column = (int32_t)rintf(y) + disk[2 * p];
    int32_t at = abs(row * columns * frames + column * frames + (int32_t)frame);
    int32_t pixel = v->pixel[at < all ? at : 0], background = pixel - WEIR_PTF_BACKGROUND;
    int32_t object = pixel - WEIR_PTF_OBJECT;
    likeness += background * background - object * object;
  }
  return exponential((float)likeness * weir_ptf_scale(points));
}

static void move_and_weigh(struct weir_ptf_swarm *s, const struct weir_ptf_video *v, uint32_t frame,
                           const int32_t *disk, uint32_t points) {
  for (uint32_t i = 0; i < s->particles; i++) {
    s->x[i] = fmaf(5, noise(&s->seed[i]), s->from_x[i] + 1);
    s->y[i] = fmaf(2, noise(&s->seed[i]), s->from_y[i] - 2);
    s->weight[i] = weigh(s->x[i], s->y[i], v, frame, disk, points);
  }
}

// What a work-group weighs, added up as a tree.
static float weight_of(const struct weir_ptf_swarm *s, uint32_t first) {
  float sum[BLOCK] = {0};
  uint32_t count = s->particles - first < BLOCK ? s->particles - first : BLOCK;
  memcpy(sum, s->weight + first, count * sizeof *sum);
  for (unsigned step = BLOCK / 2; step; step /= 2)
    for (unsigned i = 0; i < step; i++) sum[i] += sum[i + step];
  return sum[0];
}

static void distribute(struct weir_ptf_swarm *s) {
  uint32_t groups = (uint32_t)weir_div_up(s->particles, BLOCK);
  float *before = weir_new_array(float, groups + 1);
  for (uint32_t g = 0; g < groups; g++) before[g + 1] = before[g] + weight_of(s, g * BLOCK);
  float total = 0, start = (float)draw(&s->seed[0]) * 0x1p-24f, share = 1 / (float)s->particles;
  for (uint32_t i = 0; i < s->particles; i++) {
    s->weight[i] /= before[groups];
    if (i % BLOCK == 0) total = before[i / BLOCK] / before[groups];
    s->cumulative[i] = total += s->weight[i];
    s->u[i] = (start + (float)i) * share;
  }
  weir_free(before);
}

void weir_ptf_reference(struct weir_ptf_swarm *s, const struct weir_ptf_video *v, uint32_t frame, const int32_t *disk,
                        uint32_t points) {
  move_and_weigh(s, v, frame, disk, points);
  distribute(s);
  for (uint32_t i = 0; i < s->particles; i++) {
    uint32_t found = 0;
    while (found < s->particles - 1 && s->cumulative[found] < s->u[i]) found++;
    s->from_x[i] = s->x[found];
    s->from_y[i] = s->y[found];
  }
}
