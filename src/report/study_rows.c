// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/study_rows.h"

#include "report/results.h"

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

json_t *weir_study_counters(const struct weir_study *s, const json_t *run) {
  json_t *counters = weir_results_counters(run, of_all), *own = weir_results_counters(run, s->counters);
  json_object_update_missing(counters, own);
  json_decref(own);
  return counters;
}
