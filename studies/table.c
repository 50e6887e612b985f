// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/study.h"

#include <string.h>

#define STUDY(name) extern const struct weir_study weir_study_##name;
#include "table.def"
#undef STUDY

static const struct weir_study *const table[] = {
#define STUDY(name) &weir_study_##name,
#include "table.def"
#undef STUDY
  NULL,
};

const struct weir_study *const *weir_studies(unsigned *count) {
  *count = sizeof table / sizeof table[0] - 1;
  return table;
}

const struct weir_study *weir_study_find(const char *name) {
  unsigned count;
  const struct weir_study *const *studies = weir_studies(&count);
  for (unsigned i = 0; i < count; i++)
    if (!strcmp(studies[i]->name, name)) return studies[i];
  return NULL;
}
