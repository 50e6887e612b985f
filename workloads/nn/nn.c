// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"
#include "host/points.h"
#include "host/workload.h"

#include <math.h>

enum { BLOCK = 256, RECORDS = 342080, NEAREST = 10 };

struct record {
  float latitude, longitude;
};

struct nn {
  uint32_t count, nearest_count;
  struct record target;
  uint64_t records, distance; // device addresses
  float nearest[NEAREST];     // what the host found, ascending
  float *want;
};

// Positions of storms, to a tenth of a degree: what Rodinia's records hold.
static void random_records(struct record *records, uint32_t n, struct weir_rng *rng) {
  for (uint32_t i = 0; i < n; i++) {
    records[i].latitude = (float)(7 + (double)weir_rng_below(rng, 630) / 10);
    records[i].longitude = (float)((double)weir_rng_below(rng, 3600) / 10);
  }
}

static struct record *read_records(const char *input, uint32_t *count, struct weir_sink *sink) {
  struct weir_points *p = weir_points_read(input, sink);
  if (!p) return NULL;
  struct record *records = weir_new_array(struct record, p->count);
  *count = p->count;
  for (uint32_t i = 0; i < p->count; i++) records[i] = (struct record){p->x[i], p->y[i]};
  weir_points_free(p);
  return records;
}

// The first few of the ascending order, by insertion.
static uint32_t find_nearest(const float *distance, uint32_t n, float *nearest) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (found == NEAREST && !(distance[i] < nearest[found - 1])) continue;
    uint32_t at = found < NEAREST ? found++ : found - 1;
    for (; at > 0 && nearest[at - 1] > distance[i]; at--) nearest[at] = nearest[at - 1];
    nearest[at] = distance[i];
  }
  return found;
}

static float *distances(const struct record *records, uint32_t n, struct record target) {
  float *d = weir_new_array(float, n);
  for (uint32_t i = 0; i < n; i++) {
    const double north = (double)(target.latitude - records[i].latitude);
    const double east = (double)(target.longitude - records[i].longitude);
    d[i] = (float)sqrt(north * north + east * east); // of floats: no square overflows
  }
  return d;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)size; // the paper's input is small enough
  struct nn *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 4);
  s->count = RECORDS;
  s->target = (struct record){30, 90};
  struct record *records =
    input ? read_records(input, &s->count, weir_host_sink(h)) : weir_new_array(struct record, RECORDS);
  if (!records) return false;
  if (input)
    s->target = records[s->count / 2]; // somewhere among the points
  else
    random_records(records, s->count, &rng);
  s->records = weir_host_upload(h, "records", records, s->count * sizeof *records);
  s->distance = weir_host_alloc(h, "distance", s->count * sizeof(float));
  weir_host_result(h, "distance", s->distance, s->count * sizeof(float));
  s->want = distances(records, s->count, s->target);
  weir_free(records);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct nn *s = state;
  if (!weir_launch_args(h, "nn_distance", ((struct weir_dim){(uint32_t)weir_div_up(s->count, BLOCK), 1, 1}),
                        ((struct weir_dim){BLOCK, 1, 1}), WEIR_ARG(s->records), WEIR_ARG(s->distance),
                        WEIR_ARG(s->count), WEIR_ARG(s->target.latitude), WEIR_ARG(s->target.longitude)))
    return false;
  s->nearest_count = find_nearest(weir_host_bytes(h, s->distance, s->count * sizeof(float)), s->count, s->nearest);
  return true;
}

// The differences are rounded alike on both sides. Then two squares, a sum (one rounding fewer if fused) and the square
// root, whose error OpenCL 1.2 (§7.4) bounds by 3 ulp: relative (1 + 1) / 2 × 2⁻²⁴ + 3 × 2⁻²³ and the reference's own
// 2⁻²⁴, together below 4 × 2⁻²³.
static bool check(struct weir_host *h, void *state) {
  struct nn *s = state;
  const double relative = 4 * 0x1p-23;
  float want[NEAREST];
  uint32_t found = find_nearest(s->want, s->count, want);
  bool ok = weir_check_f32(h, "distance", weir_host_bytes(h, s->distance, s->count * sizeof(float)), s->want, s->count,
                           relative, 0);
  if (found != s->nearest_count)
    return weir_fail_plain(weir_host_sink(h), "check failed: %u nearest records instead of %u", s->nearest_count,
                           found);
  return ok & weir_check_f32(h, "nearest", s->nearest, want, found, relative, 0);
}

static void release(void *state) {
  weir_free(((struct nn *)state)->want);
}

const struct weir_workload weir_workload_nn = {
  .name = "nn",
  .summary = "k nearest neighbours: distances on the device, selection on the host",
  .citation = "Rodinia nn (Che et al., IISWC 2009); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "342080 random records",
  .paper_text = "342080 random records",
  .input_help = "points: Matrix Market of two columns, DIMACS .co, or lines of two numbers, plain or gzipped",
  .state_bytes = sizeof(struct nn),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
