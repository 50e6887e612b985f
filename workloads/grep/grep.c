// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "stream/words.h"

#include <assert.h>
#include <regex.h>
#include <string.h>

static const char pattern[] = "mode.*ti*on"; // at most 64 characters, 8 of them stars

struct grep {
  struct weir_stream stream;
  uint64_t first_line, pattern, selected; // device addresses
  uint64_t words;                         // of `selected`, a byte per line
  uint32_t *want;
};

// By the C library's regular expressions.
static uint32_t *reference(const struct weir_text *t, uint64_t words) {
  uint32_t *want = weir_new_array(uint32_t, words);
  unsigned char *selected = (unsigned char *)want;
  regex_t r;
  int failed = regcomp(&r, pattern, REG_NOSUB);
  assert(!failed);
  (void)failed;
  for (size_t from = 0; from < t->bytes; selected++) {
    const char *newline = memchr(t->at + from, '\n', t->bytes - from);
    size_t to = newline ? (size_t)(newline - t->at) : t->bytes;
    regmatch_t line = {.rm_so = 0, .rm_eo = (regoff_t)(to - from)};
    *selected = !regexec(&r, t->at + from, 1, &line, REG_STARTEND);
    from = to + 1;
  }
  regfree(&r);
  return want;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct grep *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 43);
  struct weir_words *words = weir_new(struct weir_words);
  weir_words_make(words, &rng);
  const uint32_t chunk = size == WEIR_SIZE_SMALL ? 256 : 512;
  bool ok = weir_stream_open(&s->stream, size, input, chunk, weir_words_paragraph, &rng, words, h);
  weir_free(words);
  if (!ok) return false;
  weir_stream_cut(&s->stream, weir_line_begins);
  weir_stream_upload(&s->stream, h);
  s->first_line = weir_stream_first_lines(&s->stream, h);
  s->words = weir_div_up(weir_stream_lines(&s->stream, 0, s->stream.text.bytes), sizeof(uint32_t));
  s->pattern = weir_host_upload(h, "pattern", pattern, sizeof pattern);
  s->selected = weir_host_alloc(h, "selected", s->words * sizeof(uint32_t));
  weir_host_result(h, "selected", s->selected, s->words * sizeof(uint32_t));
  s->want = reference(&s->stream.text, s->words);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct grep *s = state;
  uint32_t length = sizeof pattern - 1;
  return weir_stream_launch(&s->stream, h, "grep", WEIR_ARG(s->stream.text_at), WEIR_ARG(s->stream.starts_at),
                            WEIR_ARG(s->first_line), WEIR_ARG(s->pattern), WEIR_ARG(length), WEIR_ARG(s->selected));
}

static bool check(struct weir_host *h, void *state) {
  struct grep *s = state;
  return weir_check_u32(h, "selected", weir_host_bytes(h, s->selected, s->words * sizeof(uint32_t)), s->want, s->words);
}

static void release(void *state) {
  struct grep *s = state;
  weir_stream_free(&s->stream);
  weir_free(s->want);
}

const struct weir_workload weir_workload_grep = {
  .name = "grep",
  .summary = "lines of a text that \"mode.*ti*on\" matches, the pattern in shared memory",
  .citation = "Grep; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "480 KiB of words, 1920 threads",
  .paper_text = "15 MiB of words, 30720 threads",
  .input_help = "a text, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct grep),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
