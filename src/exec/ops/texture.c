// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A texture that all lanes fetch from, side by side: what exec/image/sample.c does of one lane, to the same bits, as loops over lanes.
#include "base/bits.h"
#include "exec/image/image.h"
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"

#include <math.h>

// Of one group of 32 lanes.
struct axis {
  _Alignas(64) int32_t texel[2][32];
  int32_t outside[2][32]; // or 0
  int32_t weight[32];     // of texel[1], in 256ths
  int32_t nearest[32];    // 1: it is texel[1]
};

struct group {
  struct axis axis[3];
  _Alignas(64) uint64_t place[32]; // of a texel, from the first on
  int32_t outside[32];             // or 0: the border is read
  uint32_t texel[4][32];           // as read
  double sum[4][32];
};

static const void *coordinate(const struct weir_warp *w, struct weir_ref r, unsigned g) {
  return (const uint32_t *)weir_at(w, r.bank, r.offset) + 32 * (size_t)g;
}

static void scale(const struct weir_fetch *f, unsigned d, const float *from, float *x) {
  const float n = (float)f->extent[d];
  if (!f->normalized) {
    FOR_LANES x[l] = from[l];
  } else if (f->mode[d] == WEIR_ADDRESS_WRAP) {
    FOR_LANES x[l] = (from[l] - floorf(from[l])) * n;
  } else if (f->mode[d] == WEIR_ADDRESS_MIRROR) {
    FOR_LANES x[l] = fabsf(from[l] - 2 * rintf(0.5f * from[l])) * n;
  } else {
    FOR_LANES x[l] = from[l] * n;
  }
}

// What lies far outside, or is no number, is whole, too.
#define WHOLE(x, floor_of) ((x) > -1e9f ? (x) < 1e9f ? (int32_t)floor_of(x) : 1000000000 : (x) != (x) ? 0 : -1000000000)

static void place(const struct weir_fetch *f, unsigned d, int32_t *texel, int32_t *outside) {
  const int32_t n = f->extent[d];
  if (f->mode[d] == WEIR_ADDRESS_BORDER) {
    FOR_LANES outside[l] = (texel[l] < 0) | (texel[l] >= n);
  } else {
    FOR_LANES outside[l] = 0;
  }
  if (f->mode[d] == WEIR_ADDRESS_WRAP) FOR_LANES {
      const int32_t i = texel[l];
      texel[l] = i < 0 ? i + n : i >= n ? i - n : i;
    }
  FOR_LANES {
    const int32_t i = texel[l] < 0 ? 0 : texel[l];
    texel[l] = i < n ? i : n - 1;
  }
}

static void find_point(const struct weir_fetch *f, const struct weir_image_op *op, unsigned d, const void *from,
                       struct axis *a) {
  _Alignas(64) float x[32];
  if (op->integer) {
    memcpy(a->texel[0], from, sizeof a->texel[0]);
  } else {
    scale(f, d, from, x);
    FOR_LANES a->texel[0][l] = WHOLE(x[l], floorf);
  }
  place(f, d, a->texel[0], a->outside[0]);
}

static void find_pair(const struct weir_fetch *f, unsigned d, const void *from, struct axis *a) {
  _Alignas(64) float x[32];
  scale(f, d, from, x);
  FOR_LANES {
    const double at = (double)x[l] - 0.5;
    const int32_t i = WHOLE(at, floor);
    const double part = at - (double)i;
    a->weight[l] = part > 0 && part < 1 ? (int32_t)floor(part * 256 + 0.5) : 0;
    a->nearest[l] = part >= 0.5;
    a->texel[0][l] = i;
    a->texel[1][l] = i + 1;
  }
  place(f, d, a->texel[0], a->outside[0]);
  place(f, d, a->texel[1], a->outside[1]);
}

// The texels of a corner: a bit per dimension says which of the two; `nearest`: those under the points.
static void find_corner(const struct weir_fetch *f, const struct weir_image_op *op, struct group *g,
                        const uint32_t *layer, unsigned corner, bool nearest) {
  if (layer) {
    const uint32_t last = (uint32_t)f->extent[2] - 1;
    FOR_LANES g->place[l] = (uint64_t)(layer[l] < last ? layer[l] : last) * f->bytes[2];
  } else {
    FOR_LANES g->place[l] = 0;
  }
  FOR_LANES g->outside[l] = 0;
  for (unsigned d = 0; d < op->dimensions; d++) {
    const struct axis *a = &g->axis[d];
    const int32_t *zero = a->texel[corner >> d & 1], *out = a->outside[corner >> d & 1];
    const uint64_t bytes = f->bytes[d];
    if (nearest && f->filtered) {
      FOR_LANES g->place[l] += (uint64_t)(uint32_t)(a->nearest[l] ? a->texel[1][l] : a->texel[0][l]) * bytes;
      FOR_LANES g->outside[l] |= a->nearest[l] ? a->outside[1][l] : a->outside[0][l];
    } else {
      FOR_LANES g->place[l] += (uint64_t)(uint32_t)zero[l] * bytes;
      FOR_LANES g->outside[l] |= out[l];
    }
  }
}

static void read_words(const struct weir_fetch *f, struct group *g, unsigned from, uint32_t *to) {
  const uint8_t *texels = f->texels + 4 * (size_t)from;
  EACH_LANE memcpy(&to[l], texels + g->place[l], 4);
}

// The first `elements` results of each lane.
static void read_texels(const struct weir_fetch *f, struct group *g, unsigned elements) {
  const struct weir_texture *t = f->image;
  const uint32_t one = weir_texel_is_float(t) ? UINT32_C(0x3F800000) : 1;
  for (unsigned k = 0; k < elements && f->words; k++) {
    const unsigned from = t->swizzle[k];
    const uint32_t constant = from == WEIR_FROM_ONE ? one : 0;
    if (from < t->channels)
      read_words(f, g, from, g->texel[k]);
    else
      FOR_LANES g->texel[k][l] = constant;
  }
  for (unsigned l = 0; l < 32 && !f->words; l++) {
    uint32_t result[4];
    weir_texel_read(t, f->texels + g->place[l], result);
    for (unsigned k = 0; k < elements; k++) g->texel[k][l] = result[k];
  }
  for (unsigned k = 0; k < elements; k++) {
    const uint32_t border = k == 3 && t->border_one ? one : t->border[k];
    FOR_LANES g->texel[k][l] = g->outside[l] ? border : g->texel[k][l];
  }
}

// The weighted sum of all corners, as of one lane: a corner without weight, which may hold no number, is none.
static void blend(const struct weir_fetch *f, const struct weir_image_op *op, struct group *g, const uint32_t *layer) {
  const double one = 1.0 / (double)(1u << 8 * op->dimensions);
  memset(g->sum, 0, op->elements * sizeof *g->sum);
  for (unsigned corner = 0; corner < 1u << op->dimensions; corner++) {
    _Alignas(64) int32_t weight[32];
    FOR_LANES weight[l] = 1;
    for (unsigned d = 0; d < op->dimensions; d++) {
      const int32_t *second = g->axis[d].weight, flip = corner >> d & 1 ? 0 : 256, sign = corner >> d & 1 ? 1 : -1;
      FOR_LANES weight[l] *= flip + sign * second[l];
    }
    find_corner(f, op, g, layer, corner, false);
    read_texels(f, g, op->elements);
    for (unsigned k = 0; k < op->elements; k++) FOR_LANES {
        float texel;
        memcpy(&texel, &g->texel[k][l], sizeof texel);
        const double product = weight[l] * (double)texel;
        g->sum[k][l] += weight[l] ? product : 0;
      }
  }
  for (unsigned k = 0; k < op->elements; k++) FOR_LANES {
      const float sum = (float)(g->sum[k][l] * one);
      memcpy(&g->texel[k][l], &sum, sizeof sum);
    }
}

static void find_axes(const struct weir_warp *w, const struct weir_fetch *f, const struct weir_image_op *op,
                      unsigned at, struct group *g) {
  for (unsigned d = 0; d < op->dimensions; d++) {
    const void *from = coordinate(w, op->at[d], at);
    if (f->filtered)
      find_pair(f, d, from, &g->axis[d]);
    else
      find_point(f, op, d, from, &g->axis[d]);
  }
}

static void report(const struct weir_fetch *f, const struct group *g, uint32_t mask, unsigned first,
                   struct weir_winstr *out) {
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    weir_fetch_report(out, first + l, g->outside[l] ? 0 : f->image->base + g->place[l]);
  }
}

static bool memory_texture(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  const struct weir_image_op *op = i->image;
  struct weir_fetch f;
  struct group g[WEIR_MAX_LANES / 32];
  if (!weir_fetch_together(w, i, mask, &f)) return weir_fetch_apart(w, i, mask, out);
  for (unsigned k = 0; k < w->groups; k++) {
    if (!(uint32_t)(mask >> (32 * k))) continue;
    const uint32_t *layer = op->layered ? coordinate(w, op->layer, k) : NULL;
    find_axes(w, &f, op, k, &g[k]);
    if (out || !f.filtered) find_corner(&f, op, &g[k], layer, 0, true);
    if (out) report(&f, &g[k], (uint32_t)(mask >> (32 * k)), 32 * k, out);
  }
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_IMAGE_LOAD)) return true;
  for (unsigned k = 0; k < w->groups; k++, mask >>= 32) {
    const uint32_t m = (uint32_t)mask;
    if (!m) continue;
    if (f.filtered)
      blend(&f, op, &g[k], op->layered ? coordinate(w, op->layer, k) : NULL);
    else
      read_texels(&f, &g[k], op->elements);
    for (unsigned e = 0; e < op->elements; e++) {
      uint32_t *d = (uint32_t *)weir_at(w, WEIR_BANK_FRAME, op->data[e].offset) + 32 * (size_t)k;
      const uint32_t *texel = g[k].texel[e];
      FOR_LANES d[l] = m & lane_bit32[l] ? texel[l] : d[l];
    }
  }
  return true;
}

void WEIR_FILL(texture)(struct weir_ops *t) {
  t->memory[WEIR_M_texture] = memory_texture;
}
