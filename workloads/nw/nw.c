// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "nw/nw.h"

#include "base/alloc.h"
#include "base/rng.h"

enum { TILE = 16 };

static const int32_t penalty = 10; // Rodinia's

static int32_t max_of(int32_t a, int32_t b) {
  return a > b ? a : b;
}

void weir_nw_reference(int32_t *score, const int32_t *similarity, uint32_t rows, uint32_t columns, int32_t gap) {
  size_t pitch = columns + 1;
  for (uint32_t j = 0; j <= columns; j++) score[j] = -(int32_t)j * gap;
  for (uint32_t i = 1; i <= rows; i++) {
    int32_t *row = score + i * pitch, *above = row - pitch;
    row[0] = -(int32_t)i * gap;
    for (uint32_t j = 1; j <= columns; j++)
      row[j] = max_of(above[j - 1] + similarity[i * pitch + j], max_of(row[j - 1], above[j]) - gap);
  }
}

// Similarities of a random protein (rows) and of a copy of it in which one residue in four has changed (columns).
static void make_similarity(int32_t *similarity, uint32_t n, struct weir_rng *rng) {
  uint8_t *first = weir_alloc(n), *second = weir_alloc(n);
  for (uint32_t i = 0; i < n; i++) {
    first[i] = (uint8_t)weir_rng_below(rng, WEIR_AMINO_ACIDS);
    second[i] = weir_rng_below(rng, 4) ? first[i] : (uint8_t)weir_rng_below(rng, WEIR_AMINO_ACIDS);
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) similarity[(i + 1) * (n + 1) + j + 1] = weir_blosum62[first[i]][second[j]];
  weir_free(first);
  weir_free(second);
}

bool weir_nw_prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct weir_nw *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->n = size == WEIR_SIZE_SMALL ? 384 : 512;
  uint64_t count = (uint64_t)(s->n + 1) * (s->n + 1), bytes = count * sizeof(int32_t);
  s->similarity = weir_host_alloc(h, "similarity", bytes);
  s->score = weir_host_alloc(h, "score", bytes);
  weir_host_result(h, "score", s->score, bytes);
  int32_t *similarity = weir_host_bytes(h, s->similarity, bytes), *score = weir_host_bytes(h, s->score, bytes);
  make_similarity(similarity, s->n, &rng);
  weir_host_wrote(h, s->similarity, bytes);
  for (uint32_t i = 1; i <= s->n; i++) score[i] = score[i * (s->n + 1)] = -(int32_t)i * penalty;
  weir_host_wrote(h, s->score, bytes);

  s->want = weir_new_array(int32_t, count);
  weir_nw_reference(s->want, similarity, s->n, s->n, penalty);
  return true;
}

bool weir_nw_run(struct weir_host *h, void *state) {
  struct weir_nw *s = state;
  const uint32_t pitch = s->n + 1, across = s->n / TILE;
  const struct weir_dim group = {TILE, 1, 1};
  for (uint32_t tiles = 1; tiles <= across; tiles++)
    if (!weir_launch_args(h, "upper_left", ((struct weir_dim){tiles, 1, 1}), group, WEIR_ARG(s->similarity),
                          WEIR_ARG(s->score), WEIR_ARG(pitch), WEIR_ARG(penalty), WEIR_ARG(tiles)))
      return false;
  for (uint32_t tiles = across - 1; tiles >= 1; tiles--)
    if (!weir_launch_args(h, "lower_right", ((struct weir_dim){tiles, 1, 1}), group, WEIR_ARG(s->similarity),
                          WEIR_ARG(s->score), WEIR_ARG(pitch), WEIR_ARG(penalty), WEIR_ARG(tiles), WEIR_ARG(across)))
      return false;
  return true;
}

bool weir_nw_check(struct weir_host *h, void *state) {
  struct weir_nw *s = state;
  uint64_t count = (uint64_t)(s->n + 1) * (s->n + 1);
  return weir_check_u32(h, "score", weir_host_bytes(h, s->score, count * sizeof(int32_t)), (const uint32_t *)s->want,
                        count);
}

void weir_nw_release(void *state) {
  weir_free(((struct weir_nw *)state)->want);
}

const struct weir_workload weir_workload_nw = {
  .name = "nw",
  .summary = "Needleman-Wunsch sequence alignment in 16 × 16 tiles through local memory",
  .citation = "Rodinia nw (Che et al., IISWC 2009); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "384 × 384 residues",
  .paper_text = "512 × 512 residues",
  .state_bytes = sizeof(struct weir_nw),
  .prepare = weir_nw_prepare,
  .run = weir_nw_run,
  .check = weir_nw_check,
  .release = weir_nw_release,
};
