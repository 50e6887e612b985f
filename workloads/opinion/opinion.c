// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "stream/words.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>

enum { SLOTS = 256, OPINIONS = 3 };

static const char *const subject[] = {"phone", "battery", "screen", "camera", "charger"};

static const struct {
  const char *word;
  int weight;
} lexicon[] = {{"good", 1},  {"great", 2},     {"love", 2},      {"like", 1},     {"happy", 1},    {"best", 2},
               {"nice", 1},  {"excellent", 2}, {"amazing", 2},   {"fine", 1},     {"fast", 1},     {"thanks", 1},
               {"bad", -1},  {"awful", -2},    {"hate", -2},     {"slow", -1},    {"broken", -2},  {"worst", -2},
               {"poor", -1}, {"sad", -1},      {"terrible", -2}, {"useless", -2}, {"cracked", -1}, {"annoying", -1}};

enum { KEYWORDS = sizeof subject / sizeof subject[0], LEXICON = sizeof lexicon / sizeof lexicon[0] };

struct opinion {
  struct weir_stream stream;
  uint32_t lines;
  uint64_t first_line, keywords, lexicon, weights, opinions, totals; // device addresses
  uint32_t *want, want_totals[OPINIONS];                             // want: a byte per line
};

static void make_tweet(struct weir_text *t, struct weir_rng *rng, void *context) {
  const struct weir_words *w = context;
  weir_text_add(t, "{\"id\": %u, \"user\": {\"name\": \"%s\", \"text\": \"great phone\"}, \"text\": \"",
                (unsigned)weir_rng_below(rng, 1000000000), weir_words_pick(w, rng));
  for (uint64_t words = 4 + weir_rng_below(rng, 12); words > 0; words--) {
    uint64_t kind = weir_rng_below(rng, 16);
    const char *word = kind == 0 ? subject[weir_rng_below(rng, KEYWORDS)]
      : kind < 3                 ? lexicon[weir_rng_below(rng, LEXICON)].word
                                 : weir_words_pick(w, rng);
    weir_text_add(t, "%s%s", word, kind == 4 ? "\\u2026 " : kind == 5 ? "\\n" : kind == 6 ? "! " : " ");
  }
  weir_text_add(t, "\", \"lang\": \"en\"}\n");
}

static uint64_t hash(const char *word) {
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (; *word; word++) h = (h ^ (unsigned char)*word) * UINT64_C(0x00000100000001B3);
  return h;
}

static uint32_t enter(uint64_t *table, const char *word) {
  uint32_t slot = (uint32_t)hash(word) % SLOTS;
  while (table[slot]) slot = (slot + 1) % SLOTS;
  table[slot] = hash(word);
  return slot;
}

static void upload_words(struct weir_host *h, struct opinion *s) {
  uint64_t keywords[SLOTS] = {0}, words[SLOTS] = {0};
  int32_t weights[SLOTS] = {0};
  for (int i = 0; i < KEYWORDS; i++) enter(keywords, subject[i]);
  for (int i = 0; i < LEXICON; i++) weights[enter(words, lexicon[i].word)] = lexicon[i].weight;
  s->keywords = weir_host_upload(h, "keywords", keywords, sizeof keywords);
  s->lexicon = weir_host_upload(h, "lexicon", words, sizeof words);
  s->weights = weir_host_upload(h, "weights", weights, sizeof weights);
}

static bool is_word(char c) {
  return (c & 0x80) || isalnum((unsigned char)c) || c == '_';
}

static bool is(const char *word, size_t length, const char *other) {
  return strlen(other) == length && !strncasecmp(word, other, length);
}

// 0, or the tweet's opinion as the kernel numbers them.
static unsigned char judge(const char *text) {
  bool related = false;
  int sum = 0;
  for (size_t length; *text; text += length ? length : 1) {
    for (length = 0; is_word(text[length]);) length++;
    for (int i = 0; i < KEYWORDS && length; i++) related |= is(text, length, subject[i]);
    for (int i = 0; i < LEXICON && length; i++) sum += is(text, length, lexicon[i].word) ? lexicon[i].weight : 0;
  }
  return !related ? 0 : sum < 0 ? 1 : sum > 0 ? 3 : 2;
}

static bool read_tweet(const struct weir_stream *s, const char *line, size_t length, unsigned char *opinion,
                       struct weir_sink *sink) {
  json_error_t error;
  if (strspn(line, " \t\r") >= length) return true;
  json_t *tweet = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
  size_t at = (size_t)(line - s->text.at);
  if (!tweet) {
    size_t position = error.position < 0 ? 0 : (size_t)error.position;
    return weir_fail(sink, weir_stream_place(s, at + (position < length ? position : length)), "%s", error.text);
  }
  bool object = json_is_object(tweet);
  const char *text = json_string_value(json_object_get(tweet, "text"));
  if (text) *opinion = judge(text);
  json_decref(tweet);
  return object || weir_fail(sink, weir_stream_place(s, at), "a line with a JSON object was expected");
}

// By another parser, and without hashes.
static bool reference(struct opinion *s, struct weir_sink *sink) {
  const struct weir_text *t = &s->stream.text;
  unsigned char *opinion = (unsigned char *)s->want;
  bool ok = true;
  for (size_t from = 0, to; from < t->bytes && ok; from = to + 1, opinion++) {
    const char *newline = memchr(t->at + from, '\n', t->bytes - from);
    to = newline ? (size_t)(newline - t->at) : t->bytes;
    ok = read_tweet(&s->stream, t->at + from, to - from, opinion, sink);
    if (*opinion) s->want_totals[*opinion - 1]++;
  }
  return ok;
}

static uint64_t opinion_words(const struct opinion *s) {
  return weir_div_up(s->lines, sizeof(uint32_t));
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct opinion *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 51);
  struct weir_words *words = weir_new(struct weir_words);
  weir_words_make(words, &rng);
  const uint32_t chunk = size == WEIR_SIZE_SMALL ? 512 : 768;
  bool ok = weir_stream_open(&s->stream, size, input, chunk, make_tweet, &rng, words, h);
  weir_free(words);
  if (!ok) return false;
  s->lines = weir_stream_lines(&s->stream, 0, s->stream.text.bytes);
  s->want = weir_new_array(uint32_t, opinion_words(s));
  if (!reference(s, weir_host_sink(h))) return false;
  weir_stream_cut(&s->stream, weir_line_begins);
  weir_stream_upload(&s->stream, h);
  s->first_line = weir_stream_first_lines(&s->stream, h);
  upload_words(h, s);
  s->opinions = weir_host_alloc(h, "opinions", opinion_words(s) * sizeof(uint32_t));
  s->totals = weir_host_alloc(h, "totals", sizeof s->want_totals);
  weir_host_result(h, "opinions", s->opinions, opinion_words(s) * sizeof(uint32_t));
  weir_host_result(h, "totals", s->totals, sizeof s->want_totals);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct opinion *s = state;
  uint32_t mask = SLOTS - 1;
  uint64_t key = hash("text");
  return weir_stream_launch(&s->stream, h, "opinion", WEIR_ARG(s->stream.text_at), WEIR_ARG(s->stream.starts_at),
                            WEIR_ARG(s->first_line), WEIR_ARG(s->keywords), WEIR_ARG(s->lexicon), WEIR_ARG(s->weights),
                            WEIR_ARG(mask), WEIR_ARG(key), WEIR_ARG(s->opinions), WEIR_ARG(s->totals));
}

static bool check(struct weir_host *h, void *state) {
  struct opinion *s = state;
  uint64_t words = opinion_words(s);
  bool ok = weir_check_u32(h, "opinions", weir_host_bytes(h, s->opinions, words * sizeof(uint32_t)), s->want, words);
  return ok &
    weir_check_u32(h, "totals", weir_host_bytes(h, s->totals, sizeof s->want_totals), s->want_totals, OPINIONS);
}

static void release(void *state) {
  struct opinion *s = state;
  weir_stream_free(&s->stream);
  weir_free(s->want);
}

const struct weir_workload weir_workload_opinion = {
  .name = "opinion",
  .summary = "sentiments of the tweets about phones, by a lexicon",
  .citation = "Opinion Finder; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "960 KiB of tweets, 1920 threads",
  .paper_text = "23 MiB of tweets, 30720 threads",
  .input_help = "tweets, each a line with a JSON object that has a member text, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct opinion),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
