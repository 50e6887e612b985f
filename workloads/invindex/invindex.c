// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "stream/fields.h"
#include "stream/words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct invindex {
  struct weir_stream stream;
  struct weir_report report;
  uint32_t table_size, links;
  uint64_t first_file, slots, firsts, lists, postings, used; // device addresses
};

static void make_file(struct weir_text *t, struct weir_rng *rng, void *context) {
  const struct weir_words *w = context;
  weir_text_add(t, "<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body>\n", weir_words_pick(w, rng));
  for (uint64_t links = weir_rng_below(rng, 8); links > 0; links--) {
    weir_text_add(t, "<p class=\"%s\">", links % 2 ? "left" : "right");
    for (uint64_t words = weir_rng_below(rng, 12); words > 0; words--) weir_text_add(t, "%s ", weir_words_pick(w, rng));
    const char *site = weir_words_pick(w, rng), *page = weir_words_pick(w, rng);
    weir_text_add(t, weir_rng_below(rng, 4) ? "<a href=\"" : "<a class=\"ext\" HREF=\"");
    weir_text_add(t, "http://%s.org/%.2s\">%s</a>.</p>\n", site, page, page);
  }
  weir_text_add(t, "</body></html>\n");
}

static bool file_begins(const struct weir_text *t, size_t at) {
  return t->at[at] == '<' && !strncasecmp(t->at + at, "<!doctype", 9);
}

static bool is_space(char c) {
  return isspace((unsigned char)c);
}

static bool is_quote(char c) {
  return c == '"' || c == '\'';
}

// The links of a tag whose name ends before `at`. Returns where the tag ends.
static const char *read_tag(const char *at, const char *end, uint32_t file, struct weir_fields *links) {
  while (at < end && *at != '>') {
    bool link = is_space(at[-1]) && end - at > 5 && !strncasecmp(at, "href=", 5);
    if (link) at += 5;
    if (link && is_quote(*at)) {
      const char *to = at + 1;
      while (to < end && *to && !is_quote(*to)) to++;
      if (to == end) return end;
      if (to > at + 1) weir_fields_add(links, (struct weir_field){at + 1, (uint32_t)(to - at - 1), file, 1});
      at = to;
    } else if (link && *at == '>') {
      continue;
    } else if (!link && is_quote(*at)) {
      at = memchr(at + 1, *at, (size_t)(end - at - 1));
      if (!at) return end;
    }
    at++;
  }
  return at;
}

static void read_file(const char *at, const char *end, uint32_t file, struct weir_fields *links) {
  while ((at = memchr(at, '<', (size_t)(end - at)))) {
    at++;
    if (end - at >= 2 && (*at == 'a' || *at == 'A') && is_space(at[1])) at = read_tag(at + 2, end, file, links);
  }
}

static void reference(const struct weir_text *t, struct weir_fields *links) {
  uint32_t file = 0;
  for (size_t from = 0, to; from < t->bytes; from = to, file++) {
    for (to = from + 1; to < t->bytes && !file_begins(t, to);) to++;
    read_file(t->at + from, t->at + to, file, links);
  }
}

static void upload_first_files(struct weir_host *h, struct invindex *s) {
  const struct weir_stream *in = &s->stream;
  uint32_t *first = weir_new_array(uint32_t, in->threads), file = 0;
  for (uint32_t t = 0; t < in->threads; t++) {
    first[t] = file;
    for (size_t at = in->start[t] + 1; at <= in->start[t + 1] && at < in->text.bytes; at++)
      file += file_begins(&in->text, at);
  }
  s->first_file = weir_host_upload(h, "first_file", first, in->threads * sizeof *first);
  weir_free(first);
}

static void expect(struct weir_host *h, struct invindex *s, struct weir_fields *links) {
  s->links = (uint32_t)links->size;
  weir_fields_sort(links);
  s->table_size = weir_table_size(weir_fields_different(links));
  s->slots = weir_host_alloc(h, "slots", s->table_size * sizeof(uint64_t));
  s->firsts = weir_host_alloc(h, "firsts", s->table_size * sizeof(uint32_t));
  s->lists = weir_host_alloc(h, "lists", s->table_size * sizeof(uint32_t));
  s->postings = weir_host_alloc(h, "postings", (s->links + 1) * 2 * sizeof(uint32_t));
  s->used = weir_host_alloc(h, "used", sizeof(uint32_t));
  weir_report_expect(h, &s->report, links);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct invindex *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 47);
  struct weir_words *words = weir_new(struct weir_words);
  struct weir_fields links = {0};
  weir_words_make(words, &rng);
  const uint32_t chunk = size == WEIR_SIZE_SMALL ? 512 : 768;
  bool ok = weir_stream_open(&s->stream, size, input, chunk, make_file, &rng, words, h);
  weir_free(words);
  if (!ok) return false;
  weir_stream_cut(&s->stream, file_begins);
  weir_stream_upload(&s->stream, h);
  upload_first_files(h, s);
  reference(&s->stream.text, &links);
  expect(h, s, &links);
  weir_fields_free(&links);
  return true;
}

static void report_index(struct weir_host *h, const struct invindex *s) {
  const uint32_t *firsts = weir_host_bytes(h, s->firsts, s->table_size * sizeof *firsts); // 1 + where it begins, or 0
  const uint32_t *lists = weir_host_bytes(h, s->lists, s->table_size * sizeof *lists);
  const uint32_t *postings = weir_host_bytes(h, s->postings, s->links * 2 * sizeof *postings);
  struct weir_fields found = {0};
  for (uint32_t i = 0; i < s->table_size; i++) {
    if (!firsts[i]) continue;
    const char *link = s->stream.text.at + firsts[i] - 1;
    for (uint32_t next = lists[i]; next; next = postings[2 * (next - 1) + 1])
      weir_fields_add(&found, (struct weir_field){link, (uint32_t)strcspn(link, "\"'"), postings[2 * (next - 1)], 1});
  }
  weir_fields_sort(&found);
  weir_report_give(h, &s->report, &found);
  weir_fields_free(&found);
}

static bool run(struct weir_host *h, void *state) {
  struct invindex *s = state;
  const struct weir_stream *in = &s->stream;
  uint32_t mask = s->table_size - 1;
  if (!weir_stream_launch(in, h, "invindex", WEIR_ARG(in->text_at), WEIR_ARG(in->starts_at), WEIR_ARG(s->first_file),
                          WEIR_ARG(s->slots), WEIR_ARG(mask), WEIR_ARG(s->firsts), WEIR_ARG(s->lists),
                          WEIR_ARG(s->postings), WEIR_ARG(s->used)))
    return false;
  report_index(h, s);
  return true;
}

static bool check(struct weir_host *h, void *state) {
  return weir_report_check(h, &((struct invindex *)state)->report);
}

static void release(void *state) {
  struct invindex *s = state;
  weir_stream_free(&s->stream);
  weir_report_free(&s->report);
}

const struct weir_workload weir_workload_invindex = {
  .name = "invindex",
  .summary = "index of which HTML files link to each URL",
  .citation = "Inverted Index; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "960 KiB of HTML files, 1920 threads",
  .paper_text = "23 MiB of HTML files, 30720 threads",
  .input_help = "HTML files one after another, each beginning with <!DOCTYPE, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct invindex),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
