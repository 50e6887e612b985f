// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "stream/words.h"

#include <string.h>

enum { LINES, WORDS, TOTALS };

struct wc {
  struct weir_stream stream;
  uint64_t totals; // device address
  uint32_t want[TOTALS];
};

// By leaping from word to word and from line to line.
static void reference(const struct weir_text *t, uint32_t *want) {
  static const char space[] = " \t\n\v\f\r";
  const char *end = t->at + t->bytes;
  for (const char *c = t->at; (c = memchr(c, '\n', (size_t)(end - c))); c++) want[LINES]++;
  for (const char *c = t->at; c < end;) {
    while (c < end && *c && strchr(space, *c)) c++;
    want[WORDS] += c < end;
    while (c < end && !(*c && strchr(space, *c))) c++;
  }
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct wc *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 42);
  struct weir_words *words = weir_new(struct weir_words);
  weir_words_make(words, &rng);
  const uint32_t chunk = size == WEIR_SIZE_SMALL ? 512 : 1024;
  bool ok = weir_stream_open(&s->stream, size, input, chunk, weir_words_paragraph, &rng, words, h);
  weir_free(words);
  if (!ok) return false;
  weir_stream_cut(&s->stream, NULL);
  weir_stream_upload(&s->stream, h);
  s->totals = weir_host_alloc(h, "totals", sizeof s->want);
  weir_host_result(h, "totals", s->totals, sizeof s->want);
  reference(&s->stream.text, s->want);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct wc *s = state;
  return weir_stream_launch(&s->stream, h, "wc", WEIR_ARG(s->stream.text_at), WEIR_ARG(s->stream.starts_at),
                            WEIR_ARG(s->totals));
}

static bool check(struct weir_host *h, void *state) {
  struct wc *s = state;
  return weir_check_u32(h, "totals", weir_host_bytes(h, s->totals, sizeof s->want), s->want, TOTALS);
}

static void release(void *state) {
  weir_stream_free(&((struct wc *)state)->stream);
}

const struct weir_workload weir_workload_wc = {
  .name = "wc",
  .summary = "lines and words of a text, each thread counting in a chunk of it",
  .citation = "WC; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "960 KiB of words, 1920 threads",
  .paper_text = "30 MiB of words, 30720 threads",
  .input_help = "any file, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct wc),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
