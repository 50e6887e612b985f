// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Matrix Market coordinate files (Boisvert, Pozo, Remington, NISTIR 5935, 1996).
#include "base/alloc.h"
#include "host/graph_private.h"

#include <inttypes.h>
#include <string.h>

struct header {
  bool pattern;
  int mirror; // 0: general; 1: symmetric; -1: skew-symmetric
  uint32_t rows, columns, entries;
};

// Reads one word that must be among `allowed` (ends in NULL); its index, or -1 and a diagnostic.
static int choose(struct weir_scan *s, const char *what, const char *const *allowed) {
  char word[32];
  weir_scan_blank(s);
  struct weir_place place = weir_scan_place(s);
  if (!weir_scan_word(s, what, word, sizeof word)) return -1;
  for (int i = 0; allowed[i]; i++)
    if (!strcmp(allowed[i], word)) return i;
  char *all = weir_text_copy(allowed[0]);
  for (int i = 1; allowed[i]; i++) {
    char *longer = weir_text_format("%s, %s", all, allowed[i]);
    weir_free(all);
    all = longer;
  }
  weir_fail(s->sink, place, "%s must be %s%s, not '%s'", what, allowed[1] ? "one of " : "", all, word);
  weir_free(all);
  return -1;
}

static bool read_banner(struct weir_scan *s, struct header *h) {
  static const char *const objects[] = {"matrix", NULL}, *const formats[] = {"coordinate", NULL},
                           *const fields[] = {"real", "integer", "pattern", "double", NULL},
                           *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
  char banner[32];
  if (!weir_scan_line(s) || !weir_scan_word(s, "the banner", banner, sizeof banner)) return false;
  if (choose(s, "the object", objects) < 0 || choose(s, "the format", formats) < 0) return false;
  int field = choose(s, "the field", fields);
  int symmetry = choose(s, "the symmetry", symmetries);
  h->pattern = field == 2;
  h->mirror = symmetry == 2 ? -1 : symmetry;
  return field >= 0 && symmetry >= 0 && weir_scan_done(s);
}

static bool is_comment(struct weir_scan *s) {
  return weir_scan_blank(s) || *s->at == '%';
}

static bool read_size(struct weir_scan *s, struct header *h) {
  do {
    if (!weir_scan_line(s)) return weir_fail(s->sink, weir_scan_place(s), "the line of sizes is missing");
  } while (is_comment(s));
  if (!weir_scan_u32(s, "the number of rows", 0, weir_most_nodes(s), &h->rows) ||
      !weir_scan_u32(s, "the number of columns", 0, weir_most_nodes(s), &h->columns))
    return false;
  if (h->mirror && h->rows != h->columns)
    return weir_fail(s->sink, weir_scan_place(s),
                     "a symmetric matrix is square, but this one is %" PRIu32 " × %" PRIu32, h->rows, h->columns);
  return weir_scan_u32(s, "the number of entries", 0, WEIR_MOST_ENTRIES, &h->entries) && weir_scan_done(s);
}

static bool read_entry(struct weir_scan *s, const struct header *h, struct weir_entries *e) {
  uint32_t row, column;
  float value = 1;
  if (!weir_scan_u32(s, "the row", 1, h->rows, &row) || !weir_scan_u32(s, "the column", 1, h->columns, &column) ||
      (!h->pattern && !weir_scan_f32(s, "the value", &value)) || !weir_scan_done(s))
    return false;
  if (h->mirror && column > row)
    return weir_fail(s->sink, weir_scan_place(s), "a symmetric matrix stores no entry above its diagonal");
  if (h->pattern)
    weir_entries_add(e, row - 1, column - 1);
  else
    weir_entries_add_value(e, row - 1, column - 1, value);
  if (!h->mirror || row == column) return true;
  if (h->pattern)
    weir_entries_add(e, column - 1, row - 1);
  else
    weir_entries_add_value(e, column - 1, row - 1, h->mirror < 0 ? -value : value);
  return true;
}

bool weir_read_matrix_market(struct weir_scan *s, struct weir_entries *e) {
  struct header h = {0};
  if (!read_banner(s, &h) || !read_size(s, &h)) return false;
  e->rows = h.rows;
  e->columns = h.columns;
  bool ok = true;
  uint32_t seen = 0;
  while (weir_scan_line(s)) {
    if (is_comment(s)) continue;
    if (seen++ == h.entries)
      return weir_fail(s->sink, weir_scan_place(s), "more entries than the %" PRIu32 " announced", h.entries);
    ok &= read_entry(s, &h, e);
  }
  return (seen == h.entries ||
          weir_fail(s->sink, weir_scan_place(s), "the file ends after %" PRIu32 " of %" PRIu32 " entries", seen,
                    h.entries)) &&
    ok;
}
