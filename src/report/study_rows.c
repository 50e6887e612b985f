// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/study_rows.h"

#include "report/results.h"

#include <string.h>

static const char *const of_all[] = {
#include "row_counters.def"
  NULL};

bool weir_study_fingerprint(const struct weir_study *s, const struct weir_experiment *e,
                            char text[static WEIR_HASH_TEXT], struct weir_sink *sink) {
  weir_hash h = weir_hash_start();
  char contents[WEIR_HASH_TEXT];
  if (!weir_experiment_fingerprint(e, contents, sink)) return false;
  h = weir_hash_text(h, contents);
  for (const char *const *counter = s->counters; *counter; counter++) h = weir_hash_text(h, *counter);
  weir_hash_print(h, text);
  return true;
}

// A pattern without the chip that it is for; NULL if the run is of another.
static const char *pattern_for(const char *pattern, const char *chip) {
  const size_t length = strcspn(pattern, ":");
  if (!pattern[length]) return pattern;
  return strlen(chip) == length && !strncmp(pattern, chip, length) ? pattern + length + 1 : NULL;
}

json_t *weir_study_counters(const struct weir_study *s, const json_t *run, const char *chip) {
  json_t *counters = weir_results_counters(run, of_all);
  for (const char *const *counter = s->counters; *counter; counter++) {
    const char *const patterns[] = {pattern_for(*counter, chip), NULL};
    json_t *own = weir_results_counters(run, patterns);
    json_object_update_missing(counters, own);
    json_decref(own);
  }
  return counters;
}
