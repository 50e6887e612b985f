// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a study's results file keeps of one run. Private to study*.c.
#ifndef WEIR_REPORT_STUDY_ROWS_H
#define WEIR_REPORT_STUDY_ROWS_H

#include "report/study.h"

// Of the experiment's contents, the model's version and the counters that the study keeps.
bool weir_study_fingerprint(const struct weir_study *s, const struct weir_experiment *e,
                            char text[static WEIR_HASH_TEXT], struct weir_sink *sink);

// What the study keeps of a run object on that chip, by path; and what every study keeps.
json_t *weir_study_counters(const struct weir_study *s, const json_t *run, const char *chip);

#endif
