// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "stream/words.h"

struct upper {
  struct weir_stream stream;
  uint64_t out; // device address
  uint64_t words;
  uint32_t *want;
};

// As the C library's toupper in the C locale.
static uint32_t *reference(const struct weir_text *t, uint64_t words) {
  uint32_t *want = weir_new_array(uint32_t, words);
  char *c = (char *)want;
  for (size_t i = 0; i < t->bytes; i++) c[i] = t->at[i] >= 'a' && t->at[i] <= 'z' ? (char)(t->at[i] ^ 32) : t->at[i];
  return want;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct upper *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 41);
  struct weir_words *words = weir_new(struct weir_words);
  weir_words_make(words, &rng);
  const uint32_t chunk = size == WEIR_SIZE_SMALL ? 384 : 1024;
  bool ok = weir_stream_open(&s->stream, size, input, chunk, weir_words_paragraph, &rng, words, h);
  weir_free(words);
  if (!ok) return false;
  weir_stream_cut(&s->stream, NULL);
  weir_stream_upload(&s->stream, h);
  s->words = weir_div_up(s->stream.text.bytes, sizeof(uint32_t));
  s->out = weir_host_alloc(h, "out", s->words * sizeof(uint32_t));
  weir_host_result(h, "out", s->out, s->words * sizeof(uint32_t));
  s->want = reference(&s->stream.text, s->words);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct upper *s = state;
  return weir_stream_launch(&s->stream, h, "upper", WEIR_ARG(s->stream.text_at), WEIR_ARG(s->out),
                            WEIR_ARG(s->stream.starts_at));
}

static bool check(struct weir_host *h, void *state) {
  struct upper *s = state;
  return weir_check_u32(h, "out", weir_host_bytes(h, s->out, s->words * sizeof(uint32_t)), s->want, s->words);
}

static void release(void *state) {
  struct upper *s = state;
  weir_stream_free(&s->stream);
  weir_free(s->want);
}

const struct weir_workload weir_workload_upper = {
  .name = "upper",
  .summary = "a text from lower to upper case, each thread a chunk of it",
  .citation = "Upper; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "720 KiB of words, 1920 threads",
  .paper_text = "30 MiB of words, 30720 threads",
  .input_help = "any file, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct upper),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
