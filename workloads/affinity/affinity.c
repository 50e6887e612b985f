// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "stream/fields.h"

#include <stdlib.h>
#include <string.h>

enum { CARDS = 20000, MERCHANTS = 1000 };

struct affinity {
  struct weir_stream stream;
  struct weir_report report;
  uint32_t card, merchant;                       // columns
  uint64_t target;                               // the hash of the target merchant's name
  uint64_t customers, merchants, firsts, visits; // device addresses
  uint32_t customer_slots, merchant_slots;
};

static const char header[] = "date,card,merchant,amount\n";

// Each card has a neighbourhood of merchants that it goes to most of the time.
static void make_line(struct weir_text *t, struct weir_rng *rng, void *context) {
  (void)context;
  if (!t->bytes) weir_text_add(t, header);
  unsigned card = (unsigned)weir_rng_below(rng, CARDS), merchant = (unsigned)weir_rng_below(rng, MERCHANTS);
  if (weir_rng_below(rng, 4)) merchant = (card * 17 + (unsigned)weir_rng_below(rng, 8)) % MERCHANTS;
  weir_text_add(t, "2014-%02u-%02u,5%015llu,M%06u,%u.%02u\n", (unsigned)weir_rng_below(rng, 12) + 1,
                (unsigned)weir_rng_below(rng, 28) + 1, card * 7919llu * 104729llu, merchant * 37,
                (unsigned)weir_rng_below(rng, 500), (unsigned)weir_rng_below(rng, 100));
}

struct row {
  struct weir_field card, merchant;
};

struct rows {
  struct row *row;
  size_t count, capacity;
};

// The length of the field at `at`, and of the line.
static uint32_t field_length(const char *at) {
  return (uint32_t)strcspn(at, ",\n\r");
}

static const char *column_of(const char *line, uint32_t column) {
  for (; column > 0; column--) line += field_length(line) + 1;
  return line;
}

static uint32_t columns_in(const char *line) {
  uint32_t columns = 1;
  for (; *(line += field_length(line)) == ','; line++) columns++;
  return columns;
}

static bool read_header(struct affinity *s, struct weir_sink *sink) {
  const char *at = s->stream.text.at;
  const uint32_t none = UINT32_MAX;
  s->card = s->merchant = none;
  for (uint32_t i = 0, columns = columns_in(at); i < columns; i++) {
    const char *name = column_of(at, i);
    uint32_t length = field_length(name);
    if (length == 4 && !memcmp(name, "card", 4)) s->card = i;
    if (length == 8 && !memcmp(name, "merchant", 8)) s->merchant = i;
  }
  if (s->card != none && s->merchant != none) return true;
  return weir_fail(sink, weir_stream_place(&s->stream, 0),
                   "no column '%s'; the first line names the columns, 'card' and 'merchant' among them",
                   s->card == none ? "card" : "merchant");
}

static bool check_line(const struct affinity *s, const char *line, uint32_t columns, struct weir_sink *sink) {
  const struct weir_text *t = &s->stream.text;
  size_t length = strcspn(line, "\n");
  const char *quote = memchr(line, '"', length);
  if (quote) return weir_fail(sink, weir_stream_place(&s->stream, (size_t)(quote - t->at)), "fields may not be quoted");
  if (columns_in(line) == columns) return true;
  return weir_fail(sink, weir_stream_place(&s->stream, (size_t)(line - t->at)), "%u fields instead of %u",
                   columns_in(line), columns);
}

// All transactions but those without a card or merchant, and where the first begins.
static bool read_rows(const struct affinity *s, struct rows *r, size_t *first, struct weir_sink *sink) {
  const struct weir_text *t = &s->stream.text;
  const uint32_t columns = columns_in(t->at);
  bool ok = true;
  const char *line = t->at + strcspn(t->at, "\n");
  *first = (size_t)(line - t->at) + (*line != 0);
  for (line = t->at + *first; *line; line += strcspn(line, "\n"), line += *line != 0) {
    if (*line == '\n' || *line == '\r') continue;
    if (!check_line(s, line, columns, sink)) {
      ok = false;
      continue;
    }
    const char *card = column_of(line, s->card), *merchant = column_of(line, s->merchant);
    struct row row = {{card, field_length(card), 0, 1}, {merchant, field_length(merchant), 0, 1}};
    if (row.card.length && row.merchant.length) *weir_push(r->row, r->count, r->capacity) = row;
  }
  size_t text_length = strlen(t->at);
  if (text_length < t->bytes)
    return weir_fail(sink, weir_stream_place(&s->stream, text_length), "a zero byte in a text");
  if (ok && !r->count) return weir_fail(sink, weir_stream_place(&s->stream, 0), "the file has no transaction");
  return ok;
}

// FNV-1a, as the kernels have it.
static uint64_t hash_of(const struct weir_field *f) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (uint32_t i = 0; i < f->length; i++) hash = (hash ^ (unsigned char)f->at[i]) * UINT64_C(0x100000001B3);
  return hash;
}

// The target is the first transaction's merchant. Customers by binary search.
static void expect(struct weir_host *h, struct affinity *s, const struct rows *r) {
  struct weir_fields customers = {0}, visited = {0};
  s->target = hash_of(&r->row[0].merchant);
  for (size_t i = 0; i < r->count; i++)
    if (!weir_field_compare(&r->row[i].merchant, &r->row[0].merchant)) weir_fields_add(&customers, r->row[i].card);
  weir_fields_sort(&customers);
  for (size_t i = 0; i < r->count; i++)
    if (bsearch(&r->row[i].card, customers.field, customers.size, sizeof *customers.field, weir_field_compare))
      weir_fields_add(&visited, r->row[i].merchant);
  weir_fields_sort(&visited);
  s->customer_slots = weir_table_size(weir_fields_different(&customers));
  s->merchant_slots = weir_table_size(weir_fields_different(&visited));
  s->customers = weir_host_alloc(h, "customers", s->customer_slots * sizeof(uint64_t));
  s->merchants = weir_host_alloc(h, "merchants", s->merchant_slots * sizeof(uint64_t));
  s->firsts = weir_host_alloc(h, "firsts", s->merchant_slots * sizeof(uint32_t));
  s->visits = weir_host_alloc(h, "visits", s->merchant_slots * sizeof(uint32_t));
  weir_report_expect(h, &s->report, &visited);
  weir_fields_free(&customers);
  weir_fields_free(&visited);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  struct affinity *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 46);
  struct weir_sink *sink = weir_host_sink(h);
  struct rows rows = {0};
  size_t first;
  const uint32_t chunk = size == WEIR_SIZE_SMALL ? 384 : 768;
  bool ok = weir_stream_open(&s->stream, size, input, chunk, make_line, &rng, NULL, h) && read_header(s, sink) &&
    read_rows(s, &rows, &first, sink);
  if (ok) {
    weir_stream_cut(&s->stream, weir_line_begins);
    for (uint32_t t = 0; t <= s->stream.threads && s->stream.start[t] < first; t++)
      s->stream.start[t] = (uint32_t)first;
    weir_stream_upload(&s->stream, h);
    expect(h, s, &rows);
  }
  weir_free(rows.row);
  return ok;
}

static void report_visits(struct weir_host *h, const struct affinity *s) {
  const uint32_t *firsts = weir_host_bytes(h, s->firsts, s->merchant_slots * sizeof *firsts); // 1 + place, or 0
  const uint32_t *visits = weir_host_bytes(h, s->visits, s->merchant_slots * sizeof *visits);
  struct weir_fields found = {0};
  for (uint32_t i = 0; i < s->merchant_slots; i++) {
    if (!firsts[i]) continue;
    const char *name = s->stream.text.at + firsts[i] - 1;
    weir_fields_add(&found, (struct weir_field){name, field_length(name), 0, visits[i]});
  }
  weir_fields_sort(&found);
  weir_report_give(h, &s->report, &found);
  weir_fields_free(&found);
}

static bool run(struct weir_host *h, void *state) {
  struct affinity *s = state;
  const struct weir_stream *in = &s->stream;
  uint32_t customer_mask = s->customer_slots - 1, merchant_mask = s->merchant_slots - 1;
  if (!weir_stream_launch(in, h, "affinity_customers", WEIR_ARG(in->text_at), WEIR_ARG(in->starts_at),
                          WEIR_ARG(s->customers), WEIR_ARG(customer_mask), WEIR_ARG(s->card), WEIR_ARG(s->merchant),
                          WEIR_ARG(s->target)) ||
      !weir_stream_launch(in, h, "affinity_visits", WEIR_ARG(in->text_at), WEIR_ARG(in->starts_at),
                          WEIR_ARG(s->customers), WEIR_ARG(customer_mask), WEIR_ARG(s->merchants),
                          WEIR_ARG(merchant_mask), WEIR_ARG(s->firsts), WEIR_ARG(s->visits), WEIR_ARG(s->card),
                          WEIR_ARG(s->merchant)))
    return false;
  report_visits(h, s);
  return true;
}

static bool check(struct weir_host *h, void *state) {
  return weir_report_check(h, &((struct affinity *)state)->report);
}

static void release(void *state) {
  struct affinity *s = state;
  weir_stream_free(&s->stream);
  weir_report_free(&s->report);
}

const struct weir_workload weir_workload_affinity = {
  .name = "affinity",
  .summary = "merchants that the customers of the first transaction's merchant visit, and how often",
  .citation = "MasterCard Affinity; Mokhtari and Stumm, MEMSYS 2015, Table 1",
  .small_text = "720 KiB of transactions of 20000 cards at 1000 merchants, 1920 threads",
  .paper_text = "23 MiB of transactions of 20000 cards at 1000 merchants, 30720 threads",
  .input_help = "comma-separated values with columns card and merchant, plain or gzipped",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .restrict_pointers = true,
  .state_bytes = sizeof(struct affinity),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
