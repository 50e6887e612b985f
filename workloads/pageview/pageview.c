// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "stream/fields.h"
#include "stream/words.h"

#include <string.h>

struct pageview {
  struct weir_stream stream;
  struct weir_report report;
  uint64_t slots, firsts, hits; // device addresses
  uint32_t table_size;
};

static void make_line(struct weir_text *t, struct weir_rng *rng, void *context) {
  static const char *const folders[] = {"", "img/", "docs/", "blog/2014/", "shop/items/"};
  const struct weir_words *w = context;
  uint64_t line = weir_rng_below(rng, 1000000);
  const char *page = weir_words_pick(w, rng); // a page's folder is its own
  weir_text_add(t, "10.%u.%u.%u - - [%02u/Oct/2014:%02u:%02u:%02u +0000] ", (unsigned)weir_rng_below(rng, 4),
                (unsigned)weir_rng_below(rng, 256), (unsigned)weir_rng_below(rng, 256), (unsigned)(line % 28 + 1),
                (unsigned)(line / 28 % 24), (unsigned)(line / 672 % 60), (unsigned)weir_rng_below(rng, 60));
  weir_text_add(t, "\"%s /%s%s.html HTTP/1.1\" %s %u\n", weir_rng_below(rng, 10) ? "GET" : "POST",
                folders[strlen(page) % 5], page, weir_rng_below(rng, 20) ? "200" : "404",
                (unsigned)weir_rng_below(rng, 50000));
}

static bool ends_url(char c) {
  return (unsigned char)c <= ' ' || c == '"';
}

// Every line's URL, line by line; a request without one ("-") hits nothing.
static bool reference(const struct weir_stream *s, struct weir_fields *urls, struct weir_sink *sink) {
  const struct weir_text *t = &s->text;
  bool ok = true;
  for (const char *line = t->at, *end, *stop = t->at + t->bytes; line < stop; line = end + 1) {
    end = memchr(line, '\n', (size_t)(stop - line));
    if (!end) end = stop;
    const char *quote = memchr(line, '"', (size_t)(end - line)), *url;
    if (!quote && end > line + (end[-1] == '\r'))
      ok = weir_fail(sink, weir_stream_place(s, (size_t)(line - t->at)),
                     "no request in quotes; a line of a web log has one, as in \"GET /page HTTP/1.1\"");
    if (!quote || !(url = memchr(quote, ' ', (size_t)(end - quote)))) continue;
    const char *close = memchr(quote + 1, '"', (size_t)(end - quote - 1)), *to = ++url;
    if (close && close < url) continue;
    while (to < end && !ends_url(*to)) to++;
    if (to > url) weir_fields_add(urls, (struct weir_field){url, (uint32_t)(to - url), 0, 1});
  }
  return ok;
}

static void expect(struct weir_host *h, struct pageview *s, struct weir_fields *urls) {
  weir_fields_sort(urls);
  s->table_size = weir_table_size(weir_fields_different(urls));
  s->slots = weir_host_alloc(h, "slots", s->table_size * sizeof(uint64_t));
  s->firsts = weir_host_alloc(h, "firsts", s->table_size * sizeof(uint32_t));
  s->hits = weir_host_alloc(h, "hits", s->table_size * sizeof(uint32_t));
  weir_report_expect(h, &s->report, urls);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct pageview *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 45);
  struct weir_words *words = weir_new(struct weir_words);
  struct weir_fields urls = {0};
  weir_words_make(words, &rng);
  const uint32_t chunk = size == WEIR_SIZE_SMALL ? 512 : 768;
  bool ok = weir_stream_open(&s->stream, size, input, chunk, make_line, &rng, words, h) &&
    reference(&s->stream, &urls, weir_host_sink(h));
  if (ok) {
    weir_stream_cut(&s->stream, weir_line_begins);
    weir_stream_upload(&s->stream, h);
    expect(h, s, &urls);
  }
  weir_fields_free(&urls);
  weir_free(words);
  return ok;
}

static void report_hits(struct weir_host *h, const struct pageview *s) {
  const uint32_t *firsts = weir_host_bytes(h, s->firsts, s->table_size * sizeof *firsts); // 1 + where it begins, or 0
  const uint32_t *hits = weir_host_bytes(h, s->hits, s->table_size * sizeof *hits);
  const char *text = s->stream.text.at;
  struct weir_fields urls = {0};
  for (uint32_t i = 0; i < s->table_size; i++) {
    if (!firsts[i]) continue;
    const char *url = text + firsts[i] - 1, *to = url;
    while (!ends_url(*to)) to++;
    weir_fields_add(&urls, (struct weir_field){url, (uint32_t)(to - url), 0, hits[i]});
  }
  weir_fields_sort(&urls);
  weir_report_give(h, &s->report, &urls);
  weir_fields_free(&urls);
}

static bool run(struct weir_host *h, void *state) {
  struct pageview *s = state;
  uint32_t mask = s->table_size - 1;
  if (!weir_stream_launch(&s->stream, h, "pageview", WEIR_ARG(s->stream.text_at), WEIR_ARG(s->stream.starts_at),
                          WEIR_ARG(s->slots), WEIR_ARG(mask), WEIR_ARG(s->firsts), WEIR_ARG(s->hits)))
    return false;
  report_hits(h, s);
  return true;
}

static bool check(struct weir_host *h, void *state) {
  return weir_report_check(h, &((struct pageview *)state)->report);
}

static void release(void *state) {
  struct pageview *s = state;
  weir_stream_free(&s->stream);
  weir_report_free(&s->report);
}

const struct weir_workload weir_workload_pageview = {
  .name = "pageview",
  .summary = "hits of each URL in a web log, counted in a hash table",
  .citation = "Page View Count; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "960 KiB of log, 1920 threads",
  .paper_text = "23 MiB of log, 30720 threads",
  .input_help = "a web log in Common Log Format, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct pageview),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
