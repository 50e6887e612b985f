// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From coordinates to texels (CUDA C++ Programming Guide, "Texture Fetching"; OpenCL 1.2 section 8.2).
#include "exec/image/image.h"
#include "exec/ops/types.h"

#include <math.h>
#include <string.h>

// Along one dimension: the texels on both sides of the point, how much of the second (in 256ths), and whether either
// lies past the border. `nearest` is the one under the point.
struct axis {
  uint32_t texel[2];
  bool outside[2];
  unsigned weight; // of texel[1]: 0 to 256
  unsigned nearest;
};

static int64_t whole(double x) {
  if (!(x > -1e9)) return x != x ? 0 : -1000000000; // far outside, or no number
  return x < 1e9 ? (int64_t)floor(x) : 1000000000;
}

static uint32_t clamped(int64_t i, uint32_t n) {
  return i < 0 ? 0 : i >= n ? n - 1 : (uint32_t)i;
}

// Texel i of n by the address mode; coordinates of wrap and mirror are within [0, n] already.
static void place(struct axis *a, unsigned k, int64_t i, uint32_t n, unsigned mode) {
  a->outside[k] = mode == WEIR_ADDRESS_BORDER && (i < 0 || i >= n);
  if (mode == WEIR_ADDRESS_WRAP) i = i < 0 ? i + n : i >= n ? i - n : i;
  a->texel[k] = clamped(i, n);
}

// The coordinate in texels. Products are in single precision, as the coordinates are.
static float scaled(float x, uint32_t n, unsigned mode, bool normalized) {
  if (!normalized) return x;
  if (mode == WEIR_ADDRESS_WRAP) x -= floorf(x);
  if (mode == WEIR_ADDRESS_MIRROR) x = fabsf(x - 2 * rintf(0.5f * x));
  return x * (float)n;
}

unsigned weir_sample_mode(const struct weir_view *v, unsigned dimension, bool integer) {
  const unsigned mode = v->sampler.address[dimension];
  if (v->image->linear_memory) return WEIR_ADDRESS_BORDER;
  if (mode == WEIR_ADDRESS_BORDER || (v->sampler.normalized && !integer)) return mode;
  return WEIR_ADDRESS_CLAMP;
}

static uint32_t extent(const struct weir_texture *t, unsigned dimension) {
  return dimension == 0 ? t->width : dimension == 1 ? t->height : t->depth;
}

static void point(const struct weir_view *v, const struct weir_coordinates *c, unsigned d, struct axis *a) {
  const uint32_t n = extent(v->image, d);
  const unsigned mode = weir_sample_mode(v, d, c->integer);
  a->weight = a->nearest = 0;
  if (c->integer)
    place(a, 0, (int32_t)c->bits[d], n, mode);
  else
    place(a, 0, whole(scaled(float32(c->bits[d]), n, mode, v->sampler.normalized)), n, mode);
}

static void linear(const struct weir_view *v, const struct weir_coordinates *c, unsigned d, struct axis *a) {
  const uint32_t n = extent(v->image, d);
  const unsigned mode = weir_sample_mode(v, d, false);
  const double x = (double)scaled(float32(c->bits[d]), n, mode, v->sampler.normalized) - 0.5;
  const int64_t i = whole(x);
  const double part = x - (double)i;
  // 9-bit fixed point with 8 bits of fraction, so that 1.0 is exact
  a->weight = part > 0 && part < 1 ? (unsigned)floor(part * 256 + 0.5) : 0;
  a->nearest = part >= 0.5;
  place(a, 0, i, n, mode);
  place(a, 1, i + 1, n, mode);
}

// Texel `corner` (a bit per dimension says which of the two) into `result`, or the border.
static bool read_corner(struct weir_view *v, const struct axis *a, unsigned dimensions, uint32_t layer, unsigned corner,
                        uint32_t result[4]) {
  const struct weir_texture *t = v->image;
  uint32_t texel[3] = {0, 0, t->layered ? layer : 0};
  for (unsigned d = 0; d < dimensions; d++) {
    const unsigned side = corner >> d & 1;
    texel[d] = a[d].texel[side];
    if (!a[d].outside[side]) continue;
    memcpy(result, t->border, sizeof t->border);
    if (t->border_one) result[3] = weir_texel_is_float(t) ? bits32(1) : 1;
    return true;
  }
  const uint8_t *at = weir_view_at(v, weir_view_address(v, texel), v->texel_bytes);
  if (at) weir_texel_read(t, at, result);
  return at != NULL;
}

static uint64_t nearest_address(const struct weir_view *v, const struct axis *a, unsigned dimensions, uint32_t layer) {
  uint32_t texel[3] = {0, 0, v->image->layered ? layer : 0};
  for (unsigned d = 0; d < dimensions; d++) {
    if (a[d].outside[a[d].nearest]) return 0;
    texel[d] = a[d].texel[a[d].nearest];
  }
  return weir_view_address(v, texel);
}

// The weighted sum of all corners, in double precision: products are exact, and the sum is rounded to single precision
// once. Weights are whole numbers until the end, 256 to the power of `dimensions` being one.
static bool blend(struct weir_view *v, const struct axis *a, unsigned dimensions, uint32_t layer, uint32_t result[4]) {
  double sum[4] = {0};
  for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
    uint32_t texel[4];
    uint32_t weight = 1;
    for (unsigned d = 0; d < dimensions; d++) weight *= corner >> d & 1 ? a[d].weight : 256 - a[d].weight;
    if (weight == 0) continue;
    if (!read_corner(v, a, dimensions, layer, corner, texel)) return false;
    for (unsigned k = 0; k < 4; k++) sum[k] += weight * (double)float32(texel[k]);
  }
  const double one = 1.0 / (double)(1u << 8 * dimensions);
  for (unsigned k = 0; k < 4; k++) result[k] = bits32((float)(sum[k] * one));
  return true;
}

bool weir_sample_filters(const struct weir_view *v, bool integer) {
  return v->sampler.filter == WEIR_FILTER_LINEAR && !integer && weir_texel_is_float(v->image);
}

bool weir_sample(struct weir_view *v, const struct weir_coordinates *c, uint32_t result[4], uint64_t *address) {
  const struct weir_texture *t = v->image;
  const bool filtered = weir_sample_filters(v, c->integer);
  const uint32_t layer = clamped((int64_t)c->layer, t->depth);
  struct axis a[3] = {0};
  for (unsigned d = 0; d < t->dimensions; d++) (filtered ? linear : point)(v, c, d, &a[d]);
  *address = nearest_address(v, a, t->dimensions, layer);
  return filtered ? blend(v, a, t->dimensions, layer, result) : read_corner(v, a, t->dimensions, layer, 0, result);
}

// Counter-clockwise from the lower left, y pointing up: (0, 1), (1, 1), (1, 0), (0, 0).
bool weir_gather(struct weir_view *v, const struct weir_coordinates *c, unsigned component, uint32_t result[4],
                 uint64_t *address) {
  static const unsigned corner[4] = {2, 3, 1, 0};
  const uint32_t layer = clamped((int64_t)c->layer, v->image->depth);
  struct axis a[3] = {0};
  for (unsigned d = 0; d < 2; d++) linear(v, c, d, &a[d]);
  *address = nearest_address(v, a, 2, layer);
  for (unsigned k = 0; k < 4; k++) {
    uint32_t texel[4];
    if (!read_corner(v, a, 2, layer, corner[k], texel)) return false;
    result[k] = texel[component];
  }
  return true;
}
