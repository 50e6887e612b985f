// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Opcodes whose row says `body` have one for every type of every form, plain and with each modifier that a form allows.
#include "harness.h"

struct form {
  const char *opcode, *decoder, *forms; // a line each: types|modifiers|operands
};

static const struct form rows[] = {
#define FORM(types, modifiers, operands) types "|" modifiers "|" operands "\n"
#define UNABLE(types, modifiers, operands, reason)
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms) {spelling, #decoder, "" forms},
#include "ptx/opcodes.def"
#undef OPCODE
};

// A register of the type that a letter stands for: those of the form's type are declared as %t.
static const char *operand(char letter) {
  switch (letter) {
  case 'd':
  case 's': return "%t";
  case 'U':
  case 'u': return "%u";
  default: fail_msg("a body takes no operand '%c'", letter); return NULL;
  }
}

static void build(const char *opcode, const char *modifiers, const char *type, const char *operands) {
  char text[1024];
  int n = snprintf(text, sizeof text, PTX_HEADER ".visible .entry k() { .reg .%s %%t; .reg .u32 %%u;\n %s%s.%s", type,
                   opcode, modifiers, type);
  for (; *operands != '\n'; operands++)
    n += snprintf(text + n, sizeof text - (size_t)n, " %s%s", operand(*operands), operands[1] == '\n' ? "" : ",");
  snprintf(text + n, sizeof text - (size_t)n, "; ret; }\n");
  struct bench b;
  bench_open(&b, text, 32); // fails if it does not parse, or has no body
  bench_close(&b);
}

static void check_form(const struct form *row, const char *form) {
  char types[256], groups[256], needed[64] = "", all[128] = "", *rest;
  const char *bar = strchr(form, '|'), *second = strchr(bar + 1, '|'), *operands = second + 1;
  snprintf(types, sizeof types, "%.*s", (int)(bar - form), form);
  snprintf(groups, sizeof groups, "%.*s", (int)(second - bar - 1), bar + 1);
  for (char *g = strtok_r(groups, " ", &rest); g; g = strtok_r(NULL, " ", &rest)) {
    const char *name = g + (*g == '!');
    if (strcmp(name, "ftz") != 0 && strcmp(name, "approx") != 0)
      fail_msg("'%s' means something to '%s' that a body does not know", name, row->opcode);
    if (*g == '!') snprintf(needed + strlen(needed), sizeof needed - strlen(needed), ".%s", name);
    snprintf(all + strlen(all), sizeof all - strlen(all), ".%s", name);
  }
  for (char *t = strtok_r(types, " ", &rest); t; t = strtok_r(NULL, " ", &rest)) {
    build(row->opcode, needed, t, operands);
    if (strcmp(all, needed) != 0) build(row->opcode, all, t, operands);
  }
}

static void test_bodies(void **state) {
  (void)state;
  unsigned found = 0;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    if (strcmp(rows[k].decoder, "body") != 0) continue;
    for (const char *form = rows[k].forms; *form; form = strchr(form, '\n') + 1) check_form(&rows[k], form);
    found++;
  }
  assert_true(found > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
