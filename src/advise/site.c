// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/site.h"

#include "advise/effects.h"
#include "base/alloc.h"
#include "base/file.h"
#include "run/numbers.h"
#include "run/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- from the rows of a run object ------------------------------------------------------------------------------------------

// The file as a request names it: the source's, or the PTX's own.
static char *place_of(const json_t *row) {
  const char *source = weir_run_text(row, "source_file");
  if (*source) return weir_text_format("%s:%.0f", weir_path_name(source), weir_run_number(row, "source_line"));
  return weir_text_format("%s:%.0f", weir_run_text(row, "file"), weir_run_number(row, "line"));
}

static bool has_number(const struct weir_site *s, unsigned number) {
  for (unsigned i = 0; i < s->number_count; i++)
    if (s->numbers[i] == number) return true;
  return false;
}

static void add_number(struct weir_site *s, unsigned number) {
  if (!has_number(s, number) && s->number_count < WEIR_SITE_NUMBERS) s->numbers[s->number_count++] = number;
}

static bool takes(const json_t *row, const char *hint) {
  size_t i;
  json_t *text;
  json_array_foreach(json_object_get(row, "takes"), i, text) if (!strcmp(json_string_value(text), hint)) return true;
  return false;
}

// Of the first access all that it takes, of others what they take, too.
static void keep_hints(struct weir_site *s, const json_t *row) {
  size_t k;
  json_t *text;
  unsigned left = 0;
  if (s->accesses == 1) {
    json_array_foreach(json_object_get(row, "takes"), k, text) if (s->hint_count < WEIR_SITE_HINTS)
      s->hints[s->hint_count++] = json_string_value(text);
    return;
  }
  for (unsigned i = 0; i < s->hint_count; i++)
    if (takes(row, s->hints[i])) s->hints[left++] = s->hints[i];
  s->hint_count = left;
}

// The site that the row counts to. Takes the place.
static struct weir_site *site_of(struct weir_sites *s, const json_t *row, bool store, char *place) {
  const char *array = weir_run_text(row, "array"), *l1 = weir_run_text(row, "l1_hint"), *shown = weir_run_array(row);
  for (unsigned i = 0; i < s->count; i++) {
    struct weir_site *is = &s->all[i];
    if (is->store != store || strcmp(is->place, place) || strcmp(is->shown, shown) || strcmp(is->l1_hint, l1)) continue;
    weir_free(place);
    return is;
  }
  struct weir_site *is = weir_push(s->all, s->count, s->capacity);
  const bool source = *weir_run_text(row, "source_file");
  *is = (struct weir_site){.place = place,
                           .source_file = weir_run_text(row, "source_file"),
                           .function = weir_run_text(row, "function"),
                           .line = (unsigned)weir_run_number(row, source ? "source_line" : "line"),
                           .array = array,
                           .shown = shown,
                           .store = store,
                           .l1_hint = l1,
                           .l2_hint = weir_run_text(row, "l2_hint")};
  return is;
}

static double of_row(const json_t *row, const char *name) {
  const json_t *value = json_object_get(row, name);
  return json_is_number(value) ? json_number_value(value) : 0;
}

static double unkept_of(const json_t *bound, double pc) {
  size_t i;
  json_t *o;
  json_array_foreach(json_object_get(bound, "instructions"), i,
                     o) if (of_row(o, "pc") == pc) return of_row(o, "unkept_fills");
  return 0;
}

static void add_rows(struct weir_sites *s, const json_t *rows, const json_t *bound, bool store) {
  size_t i;
  json_t *row;
  json_array_foreach((json_t *)rows, i, row) {
    const double number = of_row(row, "number");
    if (number < 1) continue; // thread-local memory: no hint is for it
    struct weir_site *is = site_of(s, row, store, place_of(row));
    is->accesses++;
    add_number(is, (unsigned)number);
    keep_hints(is, row);
    is->unkept_fills += unkept_of(bound, of_row(row, "pc"));
    if (of_row(row, "bytes") > is->bytes) is->bytes = (unsigned)of_row(row, "bytes");
#define X(name) is->name += of_row(row, #name);
    WEIR_SITE_FIELDS(X)
#undef X
  }
}

// ---- what matters --------------------------------------------------------------------------------------------------------

// Its mean share of what the first level's caches do: lines brought in, lines brought in for nothing, cycles that loads wait for
// what is not there, and accesses; and, of a program with a bound, of the lines that the best of decisions would not have kept.
static void weigh(struct weir_sites *s) {
  double dead = 0, waits = 0, unkept = 0;
  for (unsigned i = 0; i < s->count; i++) {
    s->fills += s->all[i].fills;
    s->transactions += s->all[i].transactions;
    dead += s->all[i].zero_reuse_fills;
    waits += s->all[i].missed_latency_cycles;
    unkept += s->all[i].unkept_fills;
  }
  for (unsigned i = 0; i < s->count; i++) {
    struct weir_site *is = &s->all[i];
    is->weight = (weir_part_of(is->fills, s->fills) + weir_part_of(is->zero_reuse_fills, dead) +
                  weir_part_of(is->missed_latency_cycles, waits) + weir_part_of(is->transactions, s->transactions) +
                  weir_part_of(is->unkept_fills, unkept)) /
      (unkept > 0 ? 5 : 4);
  }
}

static int by_weight(const void *a, const void *b) {
  const struct weir_site *x = a, *y = b;
  if (x->weight != y->weight) return (x->weight < y->weight) - (x->weight > y->weight);
  const int places = strcmp(x->place, y->place);
  return places ? places : strcmp(x->shown, y->shown);
}

// An array that is both loaded and stored on a line, or of which some accesses have a hint, is named by numbers.
static bool is_alone(const struct weir_sites *s, const struct weir_site *is) {
  for (unsigned i = 0; i < s->count; i++) {
    const struct weir_site *other = &s->all[i];
    if (other != is && !strcmp(other->place, is->place) && !strcmp(other->array, is->array)) return false;
  }
  return true;
}

void weir_sites_read(struct weir_sites *s, const json_t *run, const json_t *bound,
                     const struct weir_chip_config *chip) {
  *s = (struct weir_sites){0};
  add_rows(s, weir_run_member(run, "loads"), bound, false);
  add_rows(s, weir_run_member(run, "stores"), bound, true);
  weigh(s);
  for (unsigned i = 0; i < s->count; i++) {
    struct weir_site *is = &s->all[i];
    is->named = *is->array && is_alone(s, is);
    is->hint_count = weir_effects_select(is, chip, is->hints, is->hint_count);
  }
  if (s->count) qsort(s->all, s->count, sizeof *s->all, by_weight);
}

void weir_sites_free(struct weir_sites *s) {
  for (unsigned i = 0; i < s->count; i++) weir_free(s->all[i].place);
  weir_free(s->all);
}

// ---- in words --------------------------------------------------------------------------------------------------------------

char *weir_site_requests(const struct weir_site *s, const char *hint, const char *before) {
  if (s->named) return weir_text_format("%s%s[%s]=%s\n", before, s->place, s->array, hint);
  char *all = weir_text_copy("");
  for (unsigned i = 0; i < s->number_count; i++) {
    char *more = weir_text_format("%s%s%s#%u=%s\n", all, before, s->place, s->numbers[i], hint);
    weir_free(all);
    all = more;
  }
  return all;
}

char *weir_site_name(const struct weir_site *s) {
  return weir_text_format("%s %s%s", s->place, *s->shown ? s->shown : "(array unknown)", s->store ? " store" : "");
}

double weir_site_scatter(const struct weir_site *s) {
  return weir_part_of(s->transactions, s->executions);
}

double weir_site_best_scatter(const struct weir_site *s, const struct weir_chip_config *chip) {
  const double bytes = (double)s->bytes * chip->core.warp_lanes, segments = bytes / chip->core.coalesce_bytes;
  return segments > 1 ? segments : 1;
}
