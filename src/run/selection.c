// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/selection.h"

#include "base/alloc.h"
#include "chip/foresight.h"
#include "config/config.h"
#include "run/object.h"
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct weir_selection {
  bool by_kernel;
  regex_t kernels;
  uint64_t first, last;
  uint64_t most;
  bool warm;
};

// ---- reading ------------------------------------------------------------------------------------------------------------

static bool is_given(const struct weir_select *s) {
  return s->kernels || s->launches || s->most;
}

static bool read_kernels(struct weir_selection *s, const char *text, struct weir_sink *sink) {
  if (!text) return true;
  const int wrong = regcomp(&s->kernels, text, REG_EXTENDED | REG_NOSUB);
  s->by_kernel = !wrong;
  if (!wrong) return true;
  char why[200];
  regerror(wrong, &s->kernels, why, sizeof why);
  return weir_fail_plain(sink, "--kernels takes a POSIX extended regular expression, and '%s' is none: %s", text, why);
}

static bool read_number(const char **at, uint64_t *n) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  errno = 0;
  *n = strtoull(*at, &end, 10);
  *at = end;
  return !errno;
}

static bool read_launches(struct weir_selection *s, const char *text, struct weir_sink *sink) {
  const char *at = text;
  s->last = UINT64_MAX;
  if (!text) return true;
  bool ok = read_number(&at, &s->first);
  if (ok && !*at)
    s->last = s->first;
  else if (ok && !strncmp(at, "..", 2))
    at += 2, ok = !*at || (read_number(&at, &s->last) && !*at);
  else
    ok = false;
  if (!ok) return weir_fail_plain(sink, "--launches takes A..B, A.. or A, launches counted from 0, not '%s'", text);
  return s->first <= s->last ||
    weir_fail_plain(sink, "--launches '%s' runs backwards: %" PRIu64 " comes after %" PRIu64, text, s->first, s->last);
}

static bool has_meaning(const struct weir_experiment *e, const struct weir_chip_config *chip, struct weir_sink *sink) {
  if (!e->scheme)
    return weir_fail_plain(sink, "a selection or sample of launches says which are timed: a functional run times none");
  return !weir_chip_cpu_cores(chip) ||
    weir_fail_plain(sink,
                    "a selection or sample of launches has no meaning on '%s': on a chip with CPU cores programs are "
                    "counted in instructions (--gpu-instructions)",
                    weir_chip_name(chip));
}

bool weir_selection_sampled(const struct weir_experiment *e, const struct weir_setup *setup, struct weir_sink *sink) {
  const struct weir_select *what = &e->select;
  if (!what->sample) return true;
  if (strcmp(what->sample, "auto") != 0) return weir_fail_plain(sink, "--sample takes auto, not '%s'", what->sample);
  if (is_given(what) || what->warm)
    return weir_fail_plain(
      sink, "--sample chooses launches itself: it excludes --kernels, --launches, --max-launches and --warm");
  if (e->scheme && weir_chip_foresees(setup->chip, setup->scheme))
    return weir_fail_plain(sink, "'%s' foresees each access: it cannot be sampled (--sample)", e->scheme);
  return has_meaning(e, setup->chip, sink);
}

bool weir_selection_read(struct weir_selection **to, const struct weir_experiment *e,
                         const struct weir_chip_config *chip, struct weir_sink *sink) {
  const struct weir_select *what = &e->select;
  *to = NULL;
  if (!is_given(what))
    return !what->warm ||
      weir_fail_plain(sink, "--warm says what launches that are not selected leave in the caches; all are");
  if (!has_meaning(e, chip, sink)) return false;
  struct weir_selection *s = *to = weir_new(struct weir_selection);
  s->most = what->most ? what->most : UINT64_MAX;
  s->warm = what->warm;
  const bool ok = read_kernels(s, what->kernels, sink);
  return read_launches(s, what->launches, sink) && ok;
}

void weir_selection_free(struct weir_selection *s) {
  if (s && s->by_kernel) regfree(&s->kernels);
  weir_free(s);
}

// ---- running ------------------------------------------------------------------------------------------------------------

static void note_skipped(struct weir_selecting *s, const char *kernel) {
  for (unsigned i = 0; i < s->skipped_count; i++)
    if (!strcmp(s->skipped[i], kernel)) return;
  *weir_push(s->skipped, s->skipped_count, s->skipped_capacity) = weir_text_copy(kernel);
}

static bool selects(const struct weir_selecting *s, const char *kernel, uint64_t number) {
  const struct weir_selection *by = s->by;
  return number >= by->first && number <= by->last && s->selected < by->most &&
    (!by->by_kernel || !regexec(&by->kernels, kernel, 0, NULL, 0));
}

static bool launch(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  struct weir_selecting *s = context;
  const struct weir_backend chip = weir_chip_backend(s->chip);
  if (selects(s, l->kernel->name, s->launched++)) {
    s->selected++;
    return chip.launch(chip.context, l, fault);
  }
  const uint64_t before = *l->steps;
  note_skipped(s, l->kernel->name);
  const bool ok = weir_chip_skip(s->chip, l, s->by->warm, fault);
  s->skipped_instructions += *l->steps - before;
  return ok;
}

static void copied_in(void *context, uint64_t address, uint64_t bytes) {
  const struct weir_selecting *s = context;
  const struct weir_backend chip = weir_chip_backend(s->chip);
  chip.copied_in(chip.context, address, bytes);
}

struct weir_backend weir_selection_backend(struct weir_selecting *s) {
  return (struct weir_backend){.context = s, .copied_in = copied_in, .launch = launch};
}

void weir_selecting_free(struct weir_selecting *s) {
  for (unsigned i = 0; i < s->skipped_count; i++) weir_free(s->skipped[i]);
  weir_free(s->skipped);
}

// ---- the run object -----------------------------------------------------------------------------------------------------

static const struct weir_member skipped_members[] = {{"<text>", WEIR_TEXT, "", "a kernel's name", NULL}, WEIR_END_ROW};

static json_t *names_json(const struct weir_selecting *s) {
  json_t *list = json_array();
  for (unsigned i = 0; i < s->skipped_count; i++) json_array_append_new(list, json_string(s->skipped[i]));
  return list;
}

static json_t *text_or_null(const char *text) {
  return text ? json_string(text) : json_null();
}

static json_t *integer(uint64_t value) {
  return json_integer((json_int_t)value);
}

// clang-format off
#define SELECTION_MEMBERS(X)                                                                                           \
  X(kernels, TEXT, "", "of --kernels; null: of any name", NULL, text_or_null(e->select.kernels))                       \
  X(launches, TEXT, "", "of --launches; null: any", NULL, text_or_null(e->select.launches))                            \
  X(max_launches, INTEGER, "launches", "of --max-launches; 0: all", NULL, integer(e->select.most))                     \
  X(warm, BOOLEAN, "", "of --warm", NULL, json_boolean(e->select.warm))                                                \
  X(launched, INTEGER, "launches", "of the program", NULL, integer(s->launched))                                       \
  X(selected, INTEGER, "launches", "of these, those that were timed: all counts are of them", NULL, integer(s->selected)) \
  X(skipped_warp_instructions, INTEGER, "instructions", "of the others, which ran for their results alone", NULL,      \
    integer(s->skipped_instructions))                                                                                  \
  X(skipped_kernels, LIST, "", "kernels with launches that were not timed", skipped_members, names_json(s))
// clang-format on

const struct weir_member weir_selection_members[] = {SELECTION_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_selection_json(const struct weir_selecting *s, const struct weir_experiment *e) {
  if (!s) return NULL;
  json_t *o = json_object();
  SELECTION_MEMBERS(WEIR_WRITE)
  return o;
}

// What was asked for, as it was given; freed by weir_free.
static char *asked(const json_t *selection) {
  const char *kernels = weir_run_text(selection, "kernels"), *launches = weir_run_text(selection, "launches");
  char *text = weir_text_format("%s%s%s%s%s", *kernels ? " --kernels '" : "", kernels, *kernels ? "'" : "",
                                *launches ? " --launches " : "", launches);
  return text;
}

bool weir_selection_met(const json_t *run, struct weir_sink *sink) {
  const json_t *selection = weir_run_member(run, "selection");
  if (!selection || weir_run_number(selection, "selected") > 0) return true;
  char *kernels = weir_run_joined(weir_run_member(selection, "skipped_kernels"), ", "), *what = asked(selection);
  weir_fail_plain(sink, "nothing was selected by%s: the program has %.0f launches%s%s", what,
                  weir_run_number(selection, "launched"), *kernels ? ", of kernels " : "", kernels);
  weir_free(what);
  weir_free(kernels);
  return false;
}
