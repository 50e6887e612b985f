// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The video of ptf and its particle filter on the CPU, equal to the kernels to the last bit: the same operations in
// single precision in the same order, fused where the kernels fuse.
#ifndef WEIR_WORKLOADS_PTF_H
#define WEIR_WORKLOADS_PTF_H

#include "base/rng.h"

#include <stdint.h>

enum { WEIR_PTF_BLOCK = 64, WEIR_PTF_BACKGROUND = 100, WEIR_PTF_OBJECT = 228 };

struct weir_ptf_video {
  uint32_t rows, columns, frames, radius;
  uint8_t *pixel; // [row][column][frame], as Rodinia has it
};

// A disk that starts in the middle and moves down by one row and left by two columns each frame, and noise of
// deviation 5 everywhere.
struct weir_ptf_video weir_ptf_film(uint32_t size, uint32_t frames, uint32_t radius, struct weir_rng *rng);

// The points nearer to the middle than the radius: pairs of column and row into disk[2 × (2 × radius)²]. Their number.
uint32_t weir_ptf_disk(uint32_t radius, int32_t *disk);

struct weir_ptf_swarm { // one number per particle each
  uint32_t particles;
  float *from_x, *from_y; // before the frame: where the object was thought to be
  float *x, *y;           // moved
  float *weight, *cumulative, *u;
  uint32_t *seed;
};

// All particles at the middle of the video.
struct weir_ptf_swarm weir_ptf_swarm(uint32_t particles, const struct weir_ptf_video *v, struct weir_rng *rng);
void weir_ptf_swarm_free(struct weir_ptf_swarm *s);

// What a pixel's likeness is multiplied by: the object weighs e^10, the background e^-10.
float weir_ptf_scale(uint32_t points);

// One frame: moves, weighs, resamples.
void weir_ptf_reference(struct weir_ptf_swarm *s, const struct weir_ptf_video *v, uint32_t frame, const int32_t *disk,
                        uint32_t points);

#endif
