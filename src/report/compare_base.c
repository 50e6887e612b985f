// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What there is to say beside the table: what schemes run on, the replacement of their caches; hints that the chip ignores.
#include "base/alloc.h"
#include "report/compare_private.h"
#include "run/mix.h"
#include "run/numbers.h"
#include "run/object.h"

#include <math.h>
#include <string.h>

char *weir_compare_replacement(const json_t *run) {
  const char *only = NULL;
  char *all = weir_text_copy("");
  bool differ = false;
  size_t i;
  json_t *policy;
  json_array_foreach(weir_run_member(run, "policy"), i, policy) {
    const struct weir_policy_numbers is = weir_policy_of(policy);
    if (strcmp(is.kind, "replace") != 0) continue;
    differ |= only && strcmp(only, is.name) != 0;
    only = is.name;
    char *more = weir_text_format("%s%s%s %s", all, *all ? ", " : "", is.level, is.name);
    weir_free(all);
    all = more;
  }
  if (differ || !only) return all;
  weir_free(all);
  return weir_text_copy(only);
}

static bool has_companions(const json_t *run) {
  size_t i;
  json_t *policy;
  json_array_foreach(weir_run_member(run, "policy"), i,
                     policy) if (strcmp(weir_policy_of(policy).kind, "replace") != 0) return true;
  return false;
}

static void tell_base(const struct weir_batch_item *item, const struct weir_batch_item *first, struct weir_sink *sink) {
  char *own = weir_compare_replacement(item->run), *other = weir_compare_replacement(first->run);
  if (has_companions(item->run) && strcmp(own, other) != 0)
    weir_report(
      sink, WEIR_NOTE, (struct weir_place){0},
      "'%s' runs on the replacement %s, and '%s', which it is measured against, on %s: the difference is of both; "
      "scheme 'none' is the chip's own replacement alone",
      item->experiment.scheme, own, first->experiment.scheme, other);
  weir_free(own);
  weir_free(other);
}

void weir_compare_tell_bases(const struct weir_batch *b, unsigned schemes, struct weir_sink *sink) {
  for (unsigned s = 1; s < schemes; s++)
    if (b->items[s].run && b->items[0].run && !weir_mix_is(b->items[s].experiment.program))
      tell_base(&b->items[s], &b->items[0], sink);
}

// Was the same told of an item before this one?
static bool is_told(const struct weir_batch *b, unsigned i, const char *hints) {
  for (unsigned k = 0; k < i; k++)
    if (b->items[k].run && !strcmp(b->items[k].experiment.program, b->items[i].experiment.program) &&
        !strcmp(weir_run_text(b->items[k].run, "ignored_hints"), hints))
      return true;
  return false;
}

void weir_compare_tell_ignored(const struct weir_batch *b, struct weir_sink *sink) {
  for (unsigned i = 0; i < b->count; i++) {
    const char *hints = weir_run_text(b->items[i].run, "ignored_hints");
    if (*hints && !is_told(b, i, hints))
      weir_report(sink, WEIR_NOTE, (struct weir_place){0}, "%s: cache hints without effect on %s: %s",
                  b->items[i].experiment.program, weir_run_text(b->items[i].run, "chip"), hints);
  }
}

// A program's selection takes the same launches under all schemes.
static void tell_selection(const struct weir_batch_item *item, const json_t *s, struct weir_sink *sink) {
  weir_report(sink, WEIR_NOTE, (struct weir_place){0},
              "%s: %.0f of %.0f launches were timed, and its numbers are of them", item->experiment.program,
              weir_run_number(s, "selected"), weir_run_number(s, "launched"));
}

static void tell_sampling(const struct weir_batch_item *item, const json_t *s, struct weir_sink *sink) {
  const double error = weir_run_number(s, "cycles_error");
  char bound[96] = "no bound of their error is known";
  if (!isnan(error))
    snprintf(bound, sizeof bound, "cycles within %.1f %%, as launches spread (no guarantee: docs/SAMPLING.md)",
             100 * error);
  weir_report(sink, WEIR_NOTE, (struct weir_place){0},
              "%s under %s: %.0f of %.0f launches were timed, and its numbers are estimates: %s",
              item->experiment.program, item->experiment.scheme, weir_run_number(s, "timed"),
              weir_run_number(s, "launched"), bound);
}

void weir_compare_tell_selections(const struct weir_batch *b, unsigned schemes, struct weir_sink *sink) {
  for (unsigned i = 0; i < b->count; i++) {
    const json_t *run = b->items[i].run;
    const json_t *s = run ? weir_run_member(run, "selection") : NULL,
                 *e = run ? weir_run_member(run, "sampling") : NULL;
    if (s && i % schemes == 0) tell_selection(&b->items[i], s, sink);
    if (e) tell_sampling(&b->items[i], e, sink);
  }
}
