// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/trace.h"

const char *const weir_trace_kind_names[WEIR_TRACE_KINDS] = {
  [WEIR_TRACE_UNKNOWN] = "unknown",
  [WEIR_TRACE_INTEGER] = "integer",
  [WEIR_TRACE_MULTIPLY] = "multiply",
  [WEIR_TRACE_DIVIDE] = "divide",
  [WEIR_TRACE_FLOAT_ADD] = "float_add",
  [WEIR_TRACE_FLOAT_MULTIPLY] = "float_multiply",
  [WEIR_TRACE_FLOAT_DIVIDE] = "float_divide",
  [WEIR_TRACE_VECTOR] = "vector",
  [WEIR_TRACE_SYSTEM] = "system",
};

const char *const weir_trace_branch_names[WEIR_TRACE_BRANCHES] = {
  [WEIR_TRACE_NO_BRANCH] = "none",    [WEIR_TRACE_JUMP] = "jump",
  [WEIR_TRACE_INDIRECT] = "indirect", [WEIR_TRACE_CONDITIONAL] = "conditional",
  [WEIR_TRACE_CALL] = "call",         [WEIR_TRACE_INDIRECT_CALL] = "indirect_call",
  [WEIR_TRACE_RETURN] = "return",     [WEIR_TRACE_OTHER_BRANCH] = "other",
};

void weir_trace_count(struct weir_trace_totals *t, const struct weir_trace_static *s, uint64_t times) {
  t->instructions += times;
  t->kinds[s->kind] += times;
  t->branches[s->branch] += times;
  if (s->taken) t->taken += times;
  for (unsigned k = 0; k < s->access_count; k++) *(s->accesses[k].store ? &t->stores : &t->loads) += times;
}
