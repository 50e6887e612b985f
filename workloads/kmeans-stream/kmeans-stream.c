// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "stream/stream.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Shared memory has room for more means than there are: 8 KiB of each block, of which six leave nothing of a core's 48. Each
// thread of the size's own has its particles, with three loads and a store each.
enum { CLUSTERS = 32, ROOM = 512, PARTICLES = 96 };

struct particle {
  float x, y, z;
  uint32_t cluster;
};

struct mean {
  float x, y, z, unused;
};

struct kmeans_stream {
  uint32_t blocks, block, count, clusters;
  unsigned rounds;
  uint64_t particles, means; // device addresses
  struct particle *want;
};

static float coordinate(struct weir_rng *rng) {
  return (float)(weir_rng_unit(rng) + weir_rng_unit(rng));
}

// The first means are the first particles; then the mean of each cluster, in the order of the particles. An empty
// cluster keeps its mean.
static void move_means(const struct particle *p, uint32_t count, struct mean *means) {
  struct {
    double x, y, z;
    uint32_t particles;
  } sum[CLUSTERS] = {{0}};
  for (uint32_t i = 0; i < count; i++) {
    uint32_t c = p[i].cluster;
    sum[c].x += (double)p[i].x, sum[c].y += (double)p[i].y, sum[c].z += (double)p[i].z, sum[c].particles++;
  }
  for (uint32_t c = 0; c < CLUSTERS; c++)
    if (sum[c].particles)
      means[c] = (struct mean){(float)(sum[c].x / sum[c].particles), (float)(sum[c].y / sum[c].particles),
                               (float)(sum[c].z / sum[c].particles), 0};
}

static void first_means(const struct particle *p, struct mean *means) {
  for (uint32_t c = 0; c < CLUSTERS; c++) means[c] = (struct mean){p[c].x, p[c].y, p[c].z, 0};
}

static uint32_t nearest(const struct particle *p, const struct mean *means) {
  float least = FLT_MAX;
  uint32_t best = 0;
  for (uint32_t c = 0; c < CLUSTERS; c++) {
    float x = p->x - means[c].x, y = p->y - means[c].y, z = p->z - means[c].z;
    float d = fmaf(x, x, fmaf(y, y, z * z));
    if (d < least) least = d, best = c;
  }
  return best;
}

static void reference(struct kmeans_stream *s) {
  struct mean means[CLUSTERS];
  first_means(s->want, means);
  for (unsigned round = 0; round < s->rounds; round++) {
    if (round) move_means(s->want, s->count, means);
    for (uint32_t i = 0; i < s->count; i++) s->want[i].cluster = nearest(&s->want[i], means);
  }
}

static uint64_t particle_bytes(const struct kmeans_stream *s) {
  return s->count * sizeof(struct particle);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct kmeans_stream *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 50);
  const uint32_t kib = weir_host_shape(h).footprint_kib;
  const uint32_t threads = weir_stream_threads(h, size, &s->blocks, &s->block);
  s->count = kib ? kib * (1024 / (uint32_t)sizeof(struct particle)) : PARTICLES * threads;
  s->clusters = CLUSTERS;
  s->rounds = size == WEIR_SIZE_SMALL ? 1 : 2;
  s->want = weir_new_array(struct particle, s->count);
  for (uint32_t i = 0; i < s->count; i++)
    s->want[i] = (struct particle){coordinate(&rng), coordinate(&rng), coordinate(&rng), 0};
  s->particles = weir_host_upload(h, "particles", s->want, particle_bytes(s));
  s->means = weir_host_alloc(h, "means", sizeof(struct mean[CLUSTERS]));
  weir_host_result(h, "particles", s->particles, particle_bytes(s));
  reference(s);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct kmeans_stream *s = state;
  const struct particle *p = weir_host_bytes(h, s->particles, particle_bytes(s));
  struct mean means[CLUSTERS];
  first_means(p, means);
  for (unsigned round = 0; round < s->rounds; round++) {
    if (round) move_means(p, s->count, means);
    weir_host_write(h, s->means, means, sizeof means);
    if (!weir_stream_launch(s, h, "kmeans_stream", WEIR_ARG(s->particles), WEIR_ARG(s->count), WEIR_ARG(s->means),
                            WEIR_ARG(s->clusters), WEIR_ARG_LOCAL(sizeof(struct mean[ROOM]))))
      return false;
  }
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct kmeans_stream *s = state;
  return weir_check_u32(h, "particles", weir_host_bytes(h, s->particles, particle_bytes(s)), (const uint32_t *)s->want,
                        particle_bytes(s) / sizeof(uint32_t));
}

static void release(void *state) {
  weir_free(((struct kmeans_stream *)state)->want);
}

const struct weir_workload weir_workload_kmeans_stream = {
  .name = "kmeans-stream",
  .summary = "k-means clustering with the means in 8 KiB of shared memory per block",
  .citation = "Kmeans; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "184320 particles, 32 clusters, 1 round, 1920 threads",
  .paper_text = "2949120 particles, 32 clusters, 2 rounds, 30720 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct kmeans_stream),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
