// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
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
  m->rows = m->inner = m->columns = size == WEIR_SIZE_SMALL ? 128 : 384;
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
  .takes = WEIR_TAKES_THREADS,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct matmul),
  .prepare = prepare,
  .run = run,
  .check = weir_matrixmul_check,
  .release = weir_matrixmul_release,
};
