// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "footprint.h"
#include "matrixmul/matrixmul.h"
#include "stream/stream.h"

struct matmul {
  struct weir_matrixmul matrices; // first: its hooks are this program's too
  uint32_t blocks, block;
};

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct matmul *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 44);
  weir_stream_threads(h, size, &s->blocks, &s->block);
  struct weir_matrixmul *m = &s->matrices;
  const uint32_t kib = weir_host_shape(h).footprint_kib;
  const uint32_t side = kib ? weir_square_side(h, "matmul", kib, 3, 16) : size == WEIR_SIZE_SMALL ? 128 : 384;
  if (!side) return false;
  m->rows = m->inner = m->columns = side;
  weir_matrixmul_prepare(h, m, &rng);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct matmul *s = state;
  const struct weir_matrixmul *m = &s->matrices;
  return weir_stream_launch(s, h, "matmul", WEIR_ARG(m->a), WEIR_ARG(m->b), WEIR_ARG(m->c), WEIR_ARG(m->columns));
}

const struct weir_workload weir_workload_matmul = {
  .name = "matmul",
  .summary = "naive matrix multiplication, each thread a contiguous chunk of the product",
  .citation = "Matrix Multiply; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "128 × 128 matrices, 1920 threads",
  .paper_text = "384 × 384 matrices, 30720 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct matmul),
  .prepare = prepare,
  .run = run,
  .check = weir_matrixmul_check,
  .release = weir_matrixmul_release,
};
