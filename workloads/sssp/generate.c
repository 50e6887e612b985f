// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sssp/sssp.h"

#include "base/alloc.h"

enum { JUNCTIONS = 8, COUNTY = 64, CROSSINGS = COUNTY * COUNTY };

struct edges {
  struct edge {
    uint32_t from, to;
    float weight;
  } * item;
  size_t count, capacity;
};

static void add(struct edges *e, uint32_t from, uint32_t to, float weight) {
  *weir_push(e->item, e->count, e->capacity) = (struct edge){from, to, weight};
}

// Rows in order; within a row the edges stay in the order in which they were made.
static struct weir_graph *graph_of(struct edges *e, uint32_t rows) {
  struct weir_graph *g = weir_new(struct weir_graph);
  g->rows = g->columns = rows;
  g->entries = (uint32_t)e->count;
  g->start = weir_new_array(uint32_t, (size_t)rows + 1);
  g->column = weir_new_array(uint32_t, e->count);
  g->value = weir_new_array(float, e->count);
  uint32_t *next = weir_new_array(uint32_t, (size_t)rows + 1);
  for (size_t i = 0; i < e->count; i++) g->start[e->item[i].from + 1]++;
  for (uint32_t r = 0; r < rows; r++) next[r + 1] = g->start[r + 1] += g->start[r];
  for (size_t i = 0; i < e->count; i++) {
    uint32_t at = next[e->item[i].from]++;
    g->column[at] = e->item[i].to;
    g->value[at] = e->item[i].weight;
  }
  weir_free(next);
  weir_free(e->item);
  return g;
}

struct map {
  uint32_t width, height;
  uint32_t *number; // of the crossing y × width + x
  struct weir_rng *rng;
  struct edges roads;
};

// Two by two, as the ends of a road come one after the other in TIGER/Line.
static uint32_t number_county(struct map *m, uint32_t left, uint32_t top, uint32_t first) {
  uint32_t width = m->width - left < COUNTY ? m->width - left : COUNTY;
  uint32_t height = m->height - top < COUNTY ? m->height - top : COUNTY;
  uint32_t order[CROSSINGS / 2], pairs = width * height / 2;
  for (uint32_t i = 0; i < pairs; i++) {
    uint64_t j = weir_rng_below(m->rng, i + 1);
    order[i] = order[j];
    order[j] = first + 2 * i;
  }
  for (uint32_t i = 0; i < width * height; i++)
    m->number[(top + i / width) * m->width + left + i % width] = order[i / 2] + i % 2;
  return first + width * height;
}

// In per cent.
static bool chance(struct map *m, uint64_t odds) {
  return weir_rng_below(m->rng, 100) < odds;
}

static void build(struct map *m, uint32_t a, uint32_t b, uint64_t distance) {
  float length = (float)(distance * (700 + weir_rng_below(m->rng, 601)) / 1000);
  add(&m->roads, m->number[a], m->number[b], length);
  add(&m->roads, m->number[b], m->number[a], length);
}

// The roads to the right, down, and down to either side; diagonals are longer by the root of two.
static void build_from(struct map *m, uint32_t x, uint32_t y) {
  enum { KEPT = 70, DIAGONAL = 5, STRAIGHT = 1000, SLANTING = 1414 };
  uint32_t here = y * m->width + x;
  bool right = x + 1 < m->width, down = y + 1 < m->height;
  if (right && chance(m, KEPT)) build(m, here, here + 1, STRAIGHT);
  if (down && chance(m, KEPT)) build(m, here, here + m->width, STRAIGHT);
  if (down && right && chance(m, DIAGONAL)) build(m, here, here + m->width + 1, SLANTING);
  if (down && x && chance(m, DIAGONAL)) build(m, here, here + m->width - 1, SLANTING);
}

// In one direction, the junction nearest to a crossing.
static uint32_t at_junction(uint32_t x) {
  return x / JUNCTIONS * JUNCTIONS + JUNCTIONS / 2;
}

// From this junction to the next ones to the right and below.
static void build_motorways(struct map *m, uint32_t x, uint32_t y) {
  enum { LENGTH = 350 * JUNCTIONS };
  uint32_t here = y * m->width + x;
  if (x + JUNCTIONS < m->width) build(m, here, here + JUNCTIONS, LENGTH);
  if (y + JUNCTIONS < m->height) build(m, here, here + JUNCTIONS * m->width, LENGTH);
}

struct weir_graph *weir_sssp_road(uint32_t width, uint32_t height, struct weir_rng *rng, uint32_t *centre) {
  struct map m = {.width = width, .height = height, .rng = rng};
  m.number = weir_new_array(uint32_t, (size_t)width * height);
  uint32_t first = 0;
  for (uint32_t top = 0; top < height; top += COUNTY)
    for (uint32_t left = 0; left < width; left += COUNTY) first = number_county(&m, left, top, first);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      build_from(&m, x, y);
      if (x == at_junction(x) && y == at_junction(y)) build_motorways(&m, x, y);
    }
  *centre = m.number[at_junction(height / 2) * width + at_junction(width / 2)];
  weir_free(m.number);
  return graph_of(&m.roads, width * height);
}

struct weir_graph *weir_sssp_rmat(unsigned scale, uint32_t entries, struct weir_rng *rng) {
  struct edges e = {0};
  for (uint32_t i = 0; i < entries; i++) {
    uint32_t from = 0, to = 0;
    for (unsigned level = 0; level < scale; level++) {
      uint64_t draw = weir_rng_below(rng, 100);
      from = from * 2 + (draw >= 57 + 19);
      to = to * 2 + ((draw >= 57 && draw < 57 + 19) || draw >= 57 + 19 + 19);
    }
    add(&e, from, to, (float)(1 + weir_rng_below(rng, 255)));
  }
  return graph_of(&e, UINT32_C(1) << scale);
}
