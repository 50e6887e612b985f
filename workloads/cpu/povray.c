// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// povray [SPHERES] [WIDTH] [PICTURES]: PICTURES pictures (80) of WIDTH × WIDTH points (24) of SPHERES stretched
// spheres (20000), from places along a line, with shadows and reflections, by a tree of boxes around them. Prints the
// sum of the points' brightness.
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAF = 2, DEPTH = 3, MOST_PENDING = 64 };

struct vector {
  double at[3];
};

struct sphere { // of radius 1 where `turn` brings it
  struct vector centre, turn[3];
  double radius, colour, shine; // the longest one
};

struct node { // a leaf has spheres, others two children, of which the first is the next node
  float low[3], high[3];
  int second, first_sphere, spheres, axis;
};

static struct sphere *spheres;
static struct node *nodes;
static int node_count;

static double dot(struct vector a, struct vector b) {
  return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static struct vector along(struct vector from, double far, struct vector way) {
  for (int d = 0; d < 3; d++) from.at[d] += far * way.at[d];
  return from;
}

static int by_axis;

static int compare(const void *a, const void *b) {
  const double x = ((const struct sphere *)a)->centre.at[by_axis], y = ((const struct sphere *)b)->centre.at[by_axis];
  return (x > y) - (x < y);
}

static int build(int first, int count) {
  const int at = node_count++;
  struct node n = {.first_sphere = first, .spheres = count};
  int widest = 0;
  for (int d = 0; d < 3; d++) {
    n.low[d] = INFINITY, n.high[d] = -INFINITY;
    for (int i = first; i < first + count; i++) {
      n.low[d] = fminf(n.low[d], (float)(spheres[i].centre.at[d] - spheres[i].radius));
      n.high[d] = fmaxf(n.high[d], (float)(spheres[i].centre.at[d] + spheres[i].radius));
    }
    if (n.high[d] - n.low[d] > n.high[widest] - n.low[widest]) widest = d;
  }
  if (count > LEAF) {
    n.spheres = 0;
    by_axis = n.axis = widest;
    qsort(spheres + first, (size_t)count, sizeof *spheres, compare);
    build(first, count / 2);
    n.second = build(first + count / 2, count - count / 2);
  }
  nodes[at] = n;
  return at;
}

static int enters(const struct node *n, struct vector from, struct vector inverse, double far) {
  double near = 0;
  for (int d = 0; d < 3; d++) {
    const double a = (n->low[d] - from.at[d]) * inverse.at[d], b = (n->high[d] - from.at[d]) * inverse.at[d];
    const double in = a < b ? a : b, out = a < b ? b : a;
    near = in > near ? in : near;
    far = out < far ? out : far;
  }
  return near <= far;
}

static struct vector turned(const struct sphere *s, struct vector v) {
  return (struct vector){{dot(s->turn[0], v), dot(s->turn[1], v), dot(s->turn[2], v)}};
}

static double distance(const struct sphere *s, struct vector from, struct vector way) {
  const struct vector to = turned(s, along(s->centre, -1, from)), there = turned(s, way);
  const double length = dot(there, there), middle = dot(to, there);
  const double square = middle * middle - length * (dot(to, to) - 1);
  return square < 0 ? -1 : (middle - sqrt(square)) / length;
}

// The nearest sphere that the ray meets before *far; any at all will do for a shadow.
static const struct sphere *meet(struct vector from, struct vector way, double *far, int any) {
  const struct sphere *best = NULL;
  int pending[MOST_PENDING], count = 0;
  const struct vector inverse = {{1 / way.at[0], 1 / way.at[1], 1 / way.at[2]}};
  pending[count++] = 0;
  while (count && !(any && best)) {
    const int at = pending[--count];
    const struct node *n = &nodes[at];
    if (!enters(n, from, inverse, *far)) continue;
    for (int i = n->first_sphere; i < n->first_sphere + n->spheres; i++) {
      const double here = distance(&spheres[i], from, way);
      if (here > 1e-6 && here < *far) *far = here, best = &spheres[i];
    }
    if (n->spheres) continue;
    const int second_first = way.at[n->axis] < 0; // the nearer half
    pending[count++] = second_first ? at + 1 : n->second;
    pending[count++] = second_first ? n->second : at + 1;
  }
  return best;
}

static double brightness(struct vector from, struct vector way, int depth) {
  static const struct vector light = {{0.48, 0.8, -0.36}};
  double far = 1e9, nothing = 1e9;
  const struct sphere *s = meet(from, way, &far, 0);
  if (!s) return 0.3 + 0.2 * way.at[1];
  const struct vector at = along(from, far, way);
  const struct vector inside = turned(s, along(at, -1, s->centre));
  struct vector normal = {{0}};
  for (int d = 0; d < 3; d++) normal = along(normal, inside.at[d], s->turn[d]);
  const double length = sqrt(dot(normal, normal));
  for (int d = 0; d < 3; d++) normal.at[d] /= length;
  double result = 0.1 * s->colour;
  const double falls = dot(normal, light);
  if (falls > 0 && !meet(at, light, &nothing, 1)) result += s->colour * falls + pow(falls, 20);
  if (depth > 1) result += s->shine * brightness(at, along(way, -2 * dot(way, normal), normal), depth - 1);
  return result;
}

int main(int count, char **arguments) {
  const int sphere_count = count > 1 ? atoi(arguments[1]) : 20000, width = count > 2 ? atoi(arguments[2]) : 24;
  const int pictures = count > 3 ? atoi(arguments[3]) : 80;
  if (sphere_count < 1) return 1;
  spheres = calloc((size_t)sphere_count, sizeof *spheres);
  nodes = calloc((size_t)sphere_count * 2, sizeof *nodes);
  if (!spheres || !nodes) return 1;
  for (int i = 0; i < sphere_count; i++) {
    struct sphere *s = &spheres[i];
    for (int d = 0; d < 3; d++) s->centre.at[d] = 20.0 * random_below(100000) / 100000 - 10;
    s->radius = 0.06 + 0.12 * random_below(1000) / 1000;
    for (int d = 0; d < 3; d++) s->turn[d].at[(d + i) % 3] = (1 + 0.5 * d) / s->radius;
    s->colour = 0.2 + 0.8 * random_below(1000) / 1000;
    s->shine = 0.5 * random_below(1000) / 1000;
  }
  build(0, sphere_count);
  double sum = 0;
  for (int place = 0; place < pictures * width * width; place++) {
    const int x = place % width, y = place / width % width;
    struct vector way = {{(x + 0.5) / width - 0.5, 0.5 - (y + 0.5) / width, 0.8}};
    const double length = sqrt(dot(way, way));
    for (int d = 0; d < 3; d++) way.at[d] /= length;
    sum += brightness((struct vector){{0.1 * (place / width / width), 0, -22}}, way, DEPTH);
  }
  printf("%.6f\n", sum);
  return 0;
}
