// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptf/ptf.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "host/workload.h"

enum { BLOCK = WEIR_PTF_BLOCK, SIZE = 128 };

struct ptf {
  uint32_t particles, points, columns, frames, groups;
  int32_t pixels;
  uint64_t from_x, from_y, x, y, seed, disk, index, video, weight, partial, before, start, cumulative, u;
  struct weir_ptf_swarm want;
};

static uint64_t alloc_numbers(struct weir_host *h, const char *name, uint64_t count) {
  return weir_host_alloc(h, name, count * sizeof(float));
}

static void upload(struct weir_host *h, struct ptf *s, const struct weir_ptf_video *v, const int32_t *disk) {
  uint64_t bytes = s->particles * sizeof(float);
  s->from_x = weir_host_upload(h, "from_x", s->want.from_x, bytes);
  s->from_y = weir_host_upload(h, "from_y", s->want.from_y, bytes);
  s->seed = weir_host_upload(h, "seed", s->want.seed, bytes);
  s->disk = weir_host_upload(h, "disk", disk, 2 * s->points * sizeof *disk);
  s->video = weir_host_upload(h, "video", v->pixel, (uint64_t)s->pixels);
  s->index = alloc_numbers(h, "index", (uint64_t)s->particles * s->points);
  s->x = alloc_numbers(h, "x", s->particles);
  s->y = alloc_numbers(h, "y", s->particles);
  s->weight = alloc_numbers(h, "weight", s->particles);
  s->partial = alloc_numbers(h, "partial", s->groups);
  s->before = alloc_numbers(h, "before", s->groups + 1);
  s->start = alloc_numbers(h, "start", 1);
  s->cumulative = alloc_numbers(h, "cumulative", s->particles);
  s->u = alloc_numbers(h, "u", s->particles);
  weir_host_result(h, "from_x", s->from_x, bytes);
  weir_host_result(h, "from_y", s->from_y, bytes);
  weir_host_result(h, "cumulative", s->cumulative, bytes);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct ptf *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 10);
  bool small = size == WEIR_SIZE_SMALL;
  struct weir_ptf_video v = small ? weir_ptf_film(SIZE, 2, 6, &rng) : weir_ptf_film(SIZE, 3, 9, &rng);
  int32_t *disk = weir_new_array(int32_t, 8 * v.radius * v.radius);
  s->want = weir_ptf_swarm(small ? 1920 : 3840, &v, &rng);
  s->particles = s->want.particles;
  s->groups = (uint32_t)weir_div_up(s->particles, BLOCK);
  s->points = weir_ptf_disk(v.radius, disk);
  s->columns = v.columns;
  s->frames = v.frames;
  s->pixels = (int32_t)(v.rows * v.columns * v.frames);
  upload(h, s, &v, disk);
  for (uint32_t frame = 1; frame < v.frames; frame++) weir_ptf_reference(&s->want, &v, frame, disk, s->points);
  weir_free(disk);
  weir_free(v.pixel);
  return true;
}

static bool run_frame(struct weir_host *h, struct ptf *s, uint32_t frame) {
  const struct weir_dim grid = {s->groups, 1, 1}, block = {BLOCK, 1, 1}, one = {1, 1, 1};
  const float scale = weir_ptf_scale(s->points), share = 1 / (float)s->particles;
  return weir_launch_args(h, "likelihood", grid, block, WEIR_ARG(s->from_x), WEIR_ARG(s->from_y), WEIR_ARG(s->x),
                          WEIR_ARG(s->y), WEIR_ARG(s->seed), WEIR_ARG(s->disk), WEIR_ARG(s->index), WEIR_ARG(s->video),
                          WEIR_ARG(s->weight), WEIR_ARG(s->partial), WEIR_ARG(s->particles), WEIR_ARG(s->points),
                          WEIR_ARG(s->columns), WEIR_ARG(s->frames), WEIR_ARG(frame), WEIR_ARG(s->pixels),
                          WEIR_ARG(scale)) &&
    weir_launch_args(h, "sum_weights", one, block, WEIR_ARG(s->partial), WEIR_ARG(s->before), WEIR_ARG(s->groups),
                     WEIR_ARG(s->seed), WEIR_ARG(s->start)) &&
    weir_launch_args(h, "normalize_weights", grid, block, WEIR_ARG(s->weight), WEIR_ARG(s->before),
                     WEIR_ARG(s->cumulative), WEIR_ARG(s->start), WEIR_ARG(s->u), WEIR_ARG(s->particles),
                     WEIR_ARG(s->groups), WEIR_ARG(share)) &&
    weir_launch_args(h, "find_index", grid, block, WEIR_ARG(s->x), WEIR_ARG(s->y), WEIR_ARG(s->cumulative),
                     WEIR_ARG(s->u), WEIR_ARG(s->from_x), WEIR_ARG(s->from_y), WEIR_ARG(s->particles));
}

static bool run(struct weir_host *h, void *state) {
  struct ptf *s = state;
  for (uint32_t frame = 1; frame < s->frames; frame++)
    if (!run_frame(h, s, frame)) return false;
  return true;
}

static bool check_exactly(struct weir_host *h, const char *what, uint64_t address, const float *want, uint32_t count) {
  return weir_check_f32(h, what, weir_host_bytes(h, address, count * sizeof *want), want, count, 0, 0);
}

static bool check(struct weir_host *h, void *state) {
  struct ptf *s = state;
  bool cumulative = check_exactly(h, "cumulative", s->cumulative, s->want.cumulative, s->particles);
  bool x = check_exactly(h, "from_x", s->from_x, s->want.from_x, s->particles);
  return check_exactly(h, "from_y", s->from_y, s->want.from_y, s->particles) && x && cumulative;
}

static void release(void *state) {
  weir_ptf_swarm_free(&((struct ptf *)state)->want);
}

const struct weir_workload weir_workload_ptf = {
  .name = "ptf",
  .summary = "particle filter that follows an object through a video, one particle per work-item",
  .citation = "Rodinia particlefilter (Che et al., IISWC 2009); Zhao et al., Table I",
  .small_text = "1920 particles, disk of 109 pixels, 2 frames of 128 × 128",
  .paper_text = "3840 particles, disk of 249 pixels, 3 frames of 128 × 128",
  .state_bytes = sizeof(struct ptf),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
