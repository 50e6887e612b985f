// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Results files as text.
#include "report/results.h"

#include "base/alloc.h"
#include "base/file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The columns before the counters.
enum { PROGRAM, SCHEME, CHIP, SIZE, SEED, COUNTS, FINGERPRINT, FIXED };
static const char *const fixed_names[FIXED] = {"program", "scheme", "chip", "size", "seed", "counts", "fingerprint"};

void weir_results_free(struct weir_results *r) {
  for (unsigned i = 0; i < r->count; i++) json_decref(r->rows[i].counters);
  weir_free(r->rows);
  weir_free(r->study);
  weir_free(r->figures);
  weir_arena_free(&r->texts);
  *r = (struct weir_results){0};
}

static bool same_counts(const struct weir_mix_counts *a, const struct weir_mix_counts *b) {
  return a->cpu == b->cpu && a->gpu == b->gpu && a->warmup == b->warmup;
}

const struct weir_results_row *weir_results_find(const struct weir_results *r, const struct weir_experiment *e) {
  for (unsigned i = 0; i < r->count; i++) {
    const struct weir_experiment *o = &r->rows[i].experiment;
    if (!strcmp(o->program, e->program) && !strcmp(o->scheme, e->scheme) && !strcmp(o->chip, e->chip) &&
        o->size == e->size && o->seed == e->seed && same_counts(&o->counts, &e->counts))
      return &r->rows[i];
  }
  return NULL;
}

static const char *keep(struct weir_results *r, const char *text) {
  return weir_arena_text(&r->texts, text, strlen(text));
}

void weir_results_add(struct weir_results *r, const struct weir_experiment *e, const char *fingerprint,
                      json_t *counters) {
  struct weir_results_row row = {.experiment = *e, .counters = counters};
  row.experiment.program = keep(r, e->program);
  row.experiment.scheme = keep(r, e->scheme);
  row.experiment.chip = keep(r, e->chip);
  snprintf(row.fingerprint, sizeof row.fingerprint, "%s", fingerprint);
  *weir_push(r->rows, r->count, r->capacity) = row;
}

// ---- writing ---------------------------------------------------------------------------------------------------------

static void put_cell(FILE *to, const char *text, const char *before) {
  fputs(before, to);
  if (!text[strcspn(text, ",\"\n")]) {
    fputs(text, to);
    return;
  }
  fputc('"', to);
  for (; *text; text++) fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
  fputc('"', to);
}

static void put_counts(char *out, size_t size, const struct weir_mix_counts *c) {
  *out = '\0';
  if (c->cpu || c->gpu || c->warmup) snprintf(out, size, "%" PRIu64 "/%" PRIu64 "/%" PRIu64, c->cpu, c->gpu, c->warmup);
}

static void put_row(FILE *to, const struct weir_results_row *row, json_t *names) {
  const struct weir_experiment *e = &row->experiment;
  char seed[32], counts[96];
  snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
  put_counts(counts, sizeof counts, &e->counts);
  const char *fixed[FIXED] = {[PROGRAM] = e->program,
                              [SCHEME] = e->scheme,
                              [CHIP] = e->chip,
                              [SIZE] = weir_size_names[e->size],
                              [SEED] = seed,
                              [COUNTS] = counts,
                              [FINGERPRINT] = row->fingerprint};
  for (unsigned i = 0; i < FIXED; i++) put_cell(to, fixed[i], i ? "," : "");
  const char *name;
  json_t *unused;
  json_object_foreach(names, name, unused) {
    const json_t *value = json_object_get(row->counters, name);
    char *text = value ? weir_json_text(value, false) : NULL;
    put_cell(to, text ? text : "", ",");
    free(text);
  }
  fputc('\n', to);
}

bool weir_results_write(const struct weir_results *r, const char *path, struct weir_sink *sink) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) abort();
  fprintf(to, "# %s size=%s seed=%" PRIu64 " mixes=%u counts=%" PRIu64 "/%" PRIu64 "/%" PRIu64 "%s%s\n", r->study,
          weir_size_names[r->size], r->seed, r->mixes, r->counts.cpu, r->counts.gpu, r->counts.warmup,
          r->figures ? " figures=" : "", r->figures ? r->figures : "");
  json_t *names = json_object(); // of all rows' counters, in the order in which they first come
  for (unsigned i = 0; i < r->count; i++) json_object_update_missing(names, r->rows[i].counters);
  for (unsigned i = 0; i < FIXED; i++) put_cell(to, fixed_names[i], i ? "," : "");
  const char *name;
  json_t *unused;
  json_object_foreach(names, name, unused) put_cell(to, name, ",");
  fputc('\n', to);
  for (unsigned i = 0; i < r->count; i++) put_row(to, &r->rows[i], names);
  json_decref(names);
  fclose(to);
  const bool ok = weir_file_write(path, text, size, sink);
  free(text);
  return ok;
}

// ---- reading ---------------------------------------------------------------------------------------------------------

struct reader {
  struct weir_results *results;
  const char *path;
  char *at; // rest of the text
  unsigned line, name_count;
  char **names, **cells; // capacity
  unsigned capacity, cell_count, cell_capacity;
  struct weir_sink *sink;
};

static bool fail(const struct reader *r, const char *what) {
  return weir_fail(r->sink, (struct weir_place){r->path, NULL, r->line, 0}, "%s", what);
}

// One cell, unquoted in place; leaves `at` behind the comma or line end that follows. *last: that was a line end.
static char *read_cell(struct reader *r, bool *last) {
  char *from = r->at, *to = r->at;
  bool quoted = *r->at == '"';
  if (quoted) r->at++;
  for (; *r->at; r->at++) {
    if (quoted && *r->at == '"' && r->at[1] != '"') {
      quoted = false;
      continue;
    }
    if (!quoted && (*r->at == ',' || *r->at == '\n')) break;
    if (quoted && *r->at == '"') r->at++;
    *to++ = *r->at;
  }
  *last = *r->at != ',';
  if (*r->at) r->at++;
  *to = '\0';
  return from;
}

// False at the end of the text.
static bool read_line(struct reader *r) {
  if (!*r->at) return false;
  r->line++;
  r->cell_count = 0;
  for (bool last = false; !last;) {
    char *cell = read_cell(r, &last);
    *weir_push(r->cells, r->cell_count, r->cell_capacity) = cell;
  }
  return true;
}

static bool read_counts(const char *text, struct weir_mix_counts *c) {
  char rest;
  return !*text || sscanf(text, "%" SCNu64 "/%" SCNu64 "/%" SCNu64 "%c", &c->cpu, &c->gpu, &c->warmup, &rest) == 3;
}

static bool read_head(struct reader *r) {
  struct weir_results *o = r->results;
  char study[64], size[16], counts[96], figures[1024];
  r->line = 1;
  const size_t length = strcspn(r->at, "\n");
  char *line = weir_text_format("%.*s", (int)length, r->at);
  const int read = sscanf(line, "# %63s size=%15s seed=%" SCNu64 " mixes=%u counts=%95s figures=%1023s", study, size,
                          &o->seed, &o->mixes, counts, figures);
  weir_free(line);
  if (read < 5 || !weir_size_of(size, &o->size) || !read_counts(counts, &o->counts))
    return fail(r, "is no results file of a study: its first line should be '# NAME size=… seed=… …'");
  o->study = weir_text_copy(study);
  if (read > 5) o->figures = weir_text_copy(figures);
  r->at += length;
  r->at += *r->at == '\n';
  return true;
}

static bool read_names(struct reader *r) {
  bool ok = read_line(r) && r->cell_count > FIXED;
  for (unsigned i = 0; ok && i < FIXED; i++) ok = !strcmp(r->cells[i], fixed_names[i]);
  if (!ok) return fail(r, "should be 'program,scheme,chip,size,seed,counts,fingerprint,' and the counters' names");
  r->name_count = r->cell_count;
  for (unsigned i = 0, count = 0; i < r->cell_count; i++) *weir_push(r->names, count, r->capacity) = r->cells[i];
  return true;
}

static bool read_row(struct reader *r) {
  if (r->cell_count != r->name_count) return fail(r, "has more or fewer cells than the heading");
  char **c = r->cells, *end;
  struct weir_experiment e = {.program = c[PROGRAM], .scheme = c[SCHEME], .chip = c[CHIP]};
  e.seed = strtoull(c[SEED], &end, 10);
  if (*end || end == c[SEED]) return fail(r, "its seed is no number");
  if (!weir_size_of(c[SIZE], &e.size)) return fail(r, "its size is neither small nor paper");
  if (!read_counts(c[COUNTS], &e.counts)) return fail(r, "its counts are not three numbers");
  if (strlen(c[FINGERPRINT]) != WEIR_HASH_TEXT - 1) return fail(r, "its fingerprint is not one");
  if (weir_results_find(r->results, &e)) return fail(r, "has the experiment of a row before");
  json_t *counters = json_object();
  bool ok = true;
  for (unsigned i = FIXED; ok && i < r->name_count; i++) {
    if (!*c[i]) continue;
    json_t *value = json_loads(c[i], JSON_DECODE_ANY, NULL);
    ok = value || fail(r, "has a counter that is no number");
    if (value) json_object_set_new(counters, r->names[i], value);
  }
  weir_results_add(r->results, &e, c[FINGERPRINT], counters);
  return ok;
}

bool weir_results_read(struct weir_results *results, const char *path, struct weir_sink *sink) {
  *results = (struct weir_results){0};
  struct reader r = {.results = results, .path = path, .sink = sink};
  size_t size;
  char *text = r.at = weir_file_read(path, 0, &size, sink);
  bool ok = text && read_head(&r) && read_names(&r);
  while (ok && read_line(&r)) ok = read_row(&r);
  weir_free(text);
  weir_free(r.names);
  weir_free(r.cells);
  if (!ok) weir_results_free(results);
  return ok;
}
