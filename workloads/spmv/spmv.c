// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/rng.h"
#include "host/graph.h"
#include "host/workload.h"

#include <math.h>

// The paper's table says 256×256 of a program that runs one work-item per row. A matrix of 256 rows would be four
// wavefronts; we read it as 256 × 256 work-items.
enum { BLOCK = 256, PAPER_ROWS = 256 * 256 };

struct spmv {
  uint32_t rows;
  uint64_t start, column, value, x, y; // device addresses
  float *want;
};

// Row lengths bell-shaped around 16 (the sum of four dice), columns uniform: as OpenDwarfs' generator of random
// matrices.
static struct weir_graph *random_matrix(uint32_t n, struct weir_rng *rng) {
  enum { DICE = 4, SIDES = 9, LONGEST = DICE * (SIDES - 1) };
  struct weir_graph *g = weir_new(struct weir_graph);
  g->rows = g->columns = n;
  g->start = weir_new_array(uint32_t, n + 1);
  g->column = weir_new_array(uint32_t, (size_t)n * LONGEST);
  g->value = weir_new_array(float, (size_t)n *LONGEST);
  for (uint32_t r = 0; r < n; r++) {
    uint64_t length = 0;
    for (int die = 0; die < DICE; die++) length += weir_rng_below(rng, SIDES);
    for (; length; length--) {
      g->column[g->entries] = (uint32_t)weir_rng_below(rng, n);
      g->value[g->entries++] = (float)(2 * weir_rng_unit(rng) - 1);
    }
    g->start[r + 1] = g->entries;
  }
  return g;
}

// A pattern's entries are ones.
static void give_values(struct weir_graph *g) {
  if (g->value) return;
  g->value = weir_new_array(float, g->entries);
  for (uint32_t i = 0; i < g->entries; i++) g->value[i] = 1;
}

static struct weir_graph *matrix(struct weir_host *h, enum weir_size size, const char *input, struct weir_rng *rng) {
  if (!input && size == WEIR_SIZE_PAPER) return random_matrix(PAPER_ROWS, rng);
  char *bundled = input ? NULL : weir_data_path("workloads/data/debian12-depends.mtx.gz");
  if (!input && !bundled) {
    weir_fail_plain(weir_host_sink(h), "workloads/data/debian12-depends.mtx.gz is missing");
    return NULL;
  }
  struct weir_graph *g = weir_graph_read(input ? input : bundled, weir_host_sink(h));
  weir_free(bundled);
  if (g) give_values(g);
  return g;
}

// Fused multiply-adds in the kernel's order: rounding is defined, so results are equal to the last bit.
static float *multiply(const struct weir_graph *g, const float *x) {
  float *y = weir_new_array(float, g->rows);
  for (uint32_t r = 0; r < g->rows; r++)
    for (uint32_t i = g->start[r]; i < g->start[r + 1]; i++) y[r] = fmaf(g->value[i], x[g->column[i]], y[r]);
  return y;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct spmv *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 2);
  struct weir_graph *g = matrix(h, size, input, &rng);
  if (!g) return false;
  float *x = weir_new_array(float, g->columns);
  for (uint32_t i = 0; i < g->columns; i++) x[i] = (float)weir_rng_unit(&rng);
  s->rows = g->rows;
  s->start = weir_host_upload(h, "start", g->start, ((uint64_t)g->rows + 1) * sizeof(uint32_t));
  s->column = weir_host_upload(h, "column", g->column, (uint64_t)g->entries * sizeof(uint32_t));
  s->value = weir_host_upload(h, "value", g->value, (uint64_t)g->entries * sizeof(float));
  s->x = weir_host_upload(h, "x", x, (uint64_t)g->columns * sizeof(float));
  s->y = weir_host_alloc(h, "y", (uint64_t)g->rows * sizeof(float));
  weir_host_result(h, "y", s->y, (uint64_t)g->rows * sizeof(float));
  s->want = multiply(g, x);
  weir_free(x);
  weir_graph_free(g);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct spmv *s = state;
  return weir_launch_args(h, "spmv", ((struct weir_dim){(uint32_t)weir_div_up(s->rows, BLOCK), 1, 1}),
                          ((struct weir_dim){BLOCK, 1, 1}), WEIR_ARG(s->start), WEIR_ARG(s->column), WEIR_ARG(s->value),
                          WEIR_ARG(s->x), WEIR_ARG(s->y), WEIR_ARG(s->rows));
}

static bool check(struct weir_host *h, void *state) {
  struct spmv *s = state;
  return weir_check_f32(h, "y", weir_host_bytes(h, s->y, (uint64_t)s->rows * sizeof(float)), s->want, s->rows, 0, 0);
}

static void release(void *state) {
  weir_free(((struct spmv *)state)->want);
}

const struct weir_workload weir_workload_spmv = {
  .name = "spmv",
  .summary = "sparse matrix-vector multiplication, compressed rows, one row per work-item",
  .citation = "OpenDwarfs spmv (scalar CSR: Bell and Garland, SC 2009); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "Debian 12's dependency graph, 63436 rows, 244503 entries",
  .paper_text = "65536 (256 × 256) rows of 16 random entries on average",
  .input_help = "a sparse matrix: Matrix Market, DIMACS .gr or SNAP edge list, plain or gzipped",
  .state_bytes = sizeof(struct spmv),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
