// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/apply.h"

#include "base/alloc.h"
#include "ptx/parse.h"

#include <string.h>

struct weir_module *weir_sl1_apply(const struct weir_module *m, const struct weir_sl1_options *o,
                                   bool restrict_pointers, struct weir_sl1_report *report, struct weir_sink *sink) {
  struct weir_sl1_options resolved = *o;
  if (o->alias == WEIR_SL1_ALIAS_AUTO) resolved.alias = restrict_pointers ? WEIR_SL1_ALIAS_NONE : WEIR_SL1_ALIAS_SEARCH;
  char *text = weir_sl1_transform(m, &resolved, report), *path = weir_text_format("%s (S-L1)", m->path);
  struct weir_module *transformed = weir_ptx_parse(path, text, strlen(text), sink);
  if (!transformed) {
    weir_fail_plain(sink, "%s: what S-L1 made of it cannot be read back: a mistake of weir's", m->path);
    weir_sl1_report_free(report);
    *report = (struct weir_sl1_report){0};
  }
  weir_free(path);
  weir_free(text);
  return transformed;
}
