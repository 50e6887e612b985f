// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "stream/stream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 15, STEP = 40, JITTER = 20, SHORTEST = 80, LINE = 60, FRAGMENT = 128 };

struct fragment {
  const char *bases; // in lower case
  uint32_t length, number;
};

struct dna {
  struct weir_stream stream;
  uint32_t fragments, slots;
  uint64_t record, seeds, firsts, next; // device addresses
  uint32_t *want;                       // next: 1 + the fragment that continues this one, and the bases they share
};

// A base of the genome, which is never written down as a whole.
static char base_at(uint64_t position) {
  struct weir_rng rng = weir_rng_seed(position, 48);
  return "ACGT"[weir_rng_below(&rng, 4)];
}

// All fragments of a genome in a random order: one every STEP bases or so, each of which overlaps the next by at least
// STEP / 2.
static void make_fragments(struct weir_text *t, struct weir_rng *rng, void *context) {
  const uint32_t count = *(const uint32_t *)context;
  const uint64_t genome = weir_rng_next(rng) >> 8;
  uint32_t *order = weir_new_array(uint32_t, count);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t other = weir_rng_below(rng, i + 1);
    order[i] = order[other];
    order[other] = i;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint64_t from = genome + (uint64_t)order[i] * STEP + weir_rng_below(rng, JITTER);
    uint64_t length = SHORTEST + weir_rng_below(rng, STEP);
    weir_text_add(t, ">fragment%u\n", i);
    for (uint64_t at = 0; at < length; at++)
      weir_text_add(t, at % LINE == LINE - 1 ? "%c\n" : "%c", base_at(from + at));
    weir_text_add(t, "\n");
  }
  weir_free(order);
}

static bool check_line(const struct weir_stream *s, const char *line, const char *end, struct weir_sink *sink) {
  for (const char *c = line; c < end && *line != '>'; c++)
    if (!isalpha((unsigned char)*c) && (!*c || !strchr("*- \t\r", *c)))
      return weir_fail(sink, weir_stream_place(s, (size_t)(c - s->text.at)),
                       "a letter that stands for a base was expected here");
  return true;
}

// Where each record begins, and after the last one where the text ends.
static uint32_t *read_records(struct dna *s, struct weir_sink *sink) {
  const struct weir_text *t = &s->stream.text;
  uint32_t *record = NULL, count = 0;
  size_t capacity = 0;
  bool ok = *t->at == '>' ||
    weir_fail(sink, weir_stream_place(&s->stream, 0), "a FASTA file begins with '>' and the name of a sequence");
  for (const char *line = t->at, *end = line, *stop = t->at + t->bytes; ok && line < stop; line = end + 1) {
    end = memchr(line, '\n', (size_t)(stop - line));
    if (!end) end = stop;
    ok = check_line(&s->stream, line, end, sink);
    if (*line == '>') *weir_push(record, count, capacity) = (uint32_t)(line - t->at);
  }
  s->fragments = count;
  if (ok) *weir_push(record, count, capacity) = (uint32_t)t->bytes;
  if (ok) return record;
  weir_free(record);
  return NULL;
}

// The bases alone of every record, one behind the other in `all`.
static struct fragment *bare_fragments(const struct dna *s, const uint32_t *record, char *all) {
  const char *text = s->stream.text.at;
  struct fragment *f = weir_new_array(struct fragment, s->fragments);
  for (uint32_t r = 0; r < s->fragments; r++) {
    f[r] = (struct fragment){all, 0, r};
    const char *at = memchr(text + record[r], '\n', record[r + 1] - record[r]);
    for (; at && at < text + record[r + 1]; at++)
      if ((unsigned char)*at > ' ') *all++ = (char)(*at | 32), f[r].length++;
  }
  return f;
}

static bool has_seed(const struct fragment *f) {
  if (f->length < SEED) return false;
  for (int i = 0; i < SEED; i++)
    if (!strchr("acgt", f->bases[i])) return false;
  return true;
}

static int compare_seeds(const void *a, const void *b) {
  return memcmp(((const struct fragment *)a)->bases, ((const struct fragment *)b)->bases, SEED);
}

static int compare_fragments(const void *a, const void *b) {
  int order = compare_seeds(a, b);
  uint32_t x = ((const struct fragment *)a)->number, y = ((const struct fragment *)b)->number;
  return order ? order : (x > y) - (x < y);
}

// Those that have a seed, sorted by it; the first of each.
static struct fragment *different_seeds(const struct dna *s, const struct fragment *f, uint32_t *count) {
  struct fragment *sorted = weir_new_array(struct fragment, s->fragments);
  uint32_t seeds = 0;
  *count = 0;
  for (uint32_t r = 0; r < s->fragments; r++)
    if (has_seed(&f[r])) sorted[seeds++] = f[r];
  qsort(sorted, seeds, sizeof *sorted, compare_fragments);
  for (uint32_t i = 0; i < seeds; i++)
    if (!*count || compare_seeds(&sorted[*count - 1], &sorted[i])) sorted[(*count)++] = sorted[i];
  return sorted;
}

static void merge(const struct fragment *f, const struct fragment *seeds, uint32_t count, uint32_t *next) {
  for (uint32_t from = 1; from + SEED <= f->length; from++) {
    const struct fragment rest = {f->bases + from, f->length - from, f->number};
    const struct fragment *other = bsearch(&rest, seeds, count, sizeof rest, compare_seeds);
    if (!other || other->number == f->number || other->length <= rest.length) continue;
    if (memcmp(rest.bases, other->bases, rest.length)) continue;
    next[0] = other->number + 1;
    next[1] = rest.length;
    return;
  }
}

// By sorted seeds in place of a hash table, on bases without lines.
static uint32_t *reference(struct dna *s, const uint32_t *record) {
  uint32_t *want = weir_new_array(uint32_t, (size_t)s->fragments * 2), count;
  char *all = weir_alloc(s->stream.text.bytes + 1);
  struct fragment *f = bare_fragments(s, record, all), *seeds = different_seeds(s, f, &count);
  for (uint32_t r = 0; r < s->fragments; r++) merge(&f[r], seeds, count, want + (size_t)r * 2);
  for (s->slots = 64; s->slots < 2 * count;) s->slots *= 2;
  weir_free(seeds);
  weir_free(f);
  weir_free(all);
  return want;
}

static uint64_t next_bytes(const struct dna *s) {
  return (uint64_t)s->fragments * 2 * sizeof(uint32_t);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct dna *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 49);
  const uint32_t kib = weir_host_shape(h).footprint_kib;
  uint32_t count = size == WEIR_SIZE_SMALL ? 5760 : 92160; // three for each thread
  if (kib) count = kib * (1024 / FRAGMENT);
  if (!weir_stream_open(&s->stream, size, input, 0, make_fragments, &rng, &count, h)) return false;
  uint32_t *record = read_records(s, weir_host_sink(h));
  if (!record) return false;
  s->want = reference(s, record);
  weir_stream_upload(&s->stream, h);
  s->record = weir_host_upload(h, "record", record, (s->fragments + 1) * sizeof *record);
  s->seeds = weir_host_alloc(h, "seeds", s->slots * sizeof(uint32_t));
  s->firsts = weir_host_alloc(h, "firsts", s->slots * sizeof(uint32_t));
  s->next = weir_host_alloc(h, "next", next_bytes(s));
  weir_host_result(h, "next", s->next, next_bytes(s));
  weir_free(record);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct dna *s = state;
  uint32_t mask = s->slots - 1;
  weir_host_fill(h, s->firsts, 0xFF, s->slots * sizeof(uint32_t));
  return weir_stream_launch(&s->stream, h, "dna_enter", WEIR_ARG(s->stream.text_at), WEIR_ARG(s->record),
                            WEIR_ARG(s->fragments), WEIR_ARG(s->seeds), WEIR_ARG(s->firsts), WEIR_ARG(mask)) &&
    weir_stream_launch(&s->stream, h, "dna_merge", WEIR_ARG(s->stream.text_at), WEIR_ARG(s->record),
                       WEIR_ARG(s->fragments), WEIR_ARG(s->seeds), WEIR_ARG(s->firsts), WEIR_ARG(mask),
                       WEIR_ARG(s->next));
}

static bool check(struct weir_host *h, void *state) {
  struct dna *s = state;
  return weir_check_u32(h, "next", weir_host_bytes(h, s->next, next_bytes(s)), s->want, (uint64_t)s->fragments * 2);
}

static void release(void *state) {
  struct dna *s = state;
  weir_stream_free(&s->stream);
  weir_free(s->want);
}

const struct weir_workload weir_workload_dna = {
  .name = "dna",
  .summary = "merging DNA fragments: which continues which, by their first 15 bases in a hash table",
  .citation = "DNA Assembly; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "5760 fragments of 80 to 119 bases, 1920 threads",
  .paper_text = "92160 fragments of 80 to 119 bases, 30720 threads",
  .input_help = "fragments in FASTA format, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct dna),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
