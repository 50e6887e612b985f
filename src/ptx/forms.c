// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Whether a mnemonic is one of the legal forms of ptx/opcodes.def. Runs once per distinct mnemonic of a module.
#include "ptx/mnemonic.h"

#include <string.h>

enum { MAX_GROUPS = 32, MAX_CANDIDATES = 256 };

struct row {
  const char *types, *modifiers, *operands, *reason;
};

// Each opcode's, so that one without a form does not compile.
#define FORM(types, modifiers, operands) {types, modifiers, operands, NULL},
#define UNABLE(types, modifiers, operands, reason) {types, modifiers, operands, reason},
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms)                                \
  static const struct row forms_##name[] = {forms};                                                                    \
  _Static_assert(sizeof forms_##name > 0, spelling " has no form");
#include "ptx/opcodes.def"
#undef OPCODE

static const struct {
  const struct row *rows;
  size_t count;
} forms[WEIR_OPCODE_COUNT] = {
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, text)                                 \
  [WEIR_OP_##name] = {forms_##name, sizeof forms_##name / sizeof *forms_##name},
#include "ptx/opcodes.def"
#undef OPCODE
};

// The next word of a list with separators such as " " or " |!"; its length, 0 at the end.
static size_t next_word(const char **list, const char *separators) {
  *list += strspn(*list, separators);
  return strcspn(*list, separators);
}

static bool lists(const char *list, const char *separators, const char *word) {
  size_t length = strlen(word);
  for (size_t n; (n = next_word(&list, separators)); list += n)
    if (n == length && memcmp(list, word, n) == 0) return true;
  return false;
}

static bool is_any(const char *types) {
  return types[strspn(types, " ")] == '*';
}

// Whether the list that `types` begins with, up to its end or '/', has the type.
static bool allows_type(const char *types, enum weir_type type) {
  const char *name = weir_type_name(type);
  const size_t length = strlen(name);
  types += strspn(types, " ");
  if (type == WEIR_T_NONE && (!*types || *types == '/')) return true;
  for (size_t n; (n = strcspn(types, " /")); types += n + strspn(types + n, " "))
    if (n == length && memcmp(types, name, n) == 0) return true;
  return false;
}

static bool fits_types(const struct row *r, const struct weir_mnemonic *n) {
  const char *types = r->types;
  for (unsigned k = 0; k < WEIR_FORM_TYPES; k++) {
    if (!is_any(types) && !allows_type(types, n->form.types[k])) return false;
    const char *next = strchr(types, '/');
    if (next)
      types = next + 1;
    else if (!is_any(types))
      types = "";
  }
  return true;
}

// The types are not among the modifiers; one more than there may be is, if only to be refused.
static bool is_type(const char *modifier, unsigned *types_seen) {
  if (*types_seen == WEIR_FORM_TYPES || weir_type_named(modifier, strlen(modifier)) == WEIR_T_NONE) return false;
  ++*types_seen;
  return true;
}

// The first group of `modifiers`, not in `used`, that has the modifier; -1 if none.
static int group_with(const char *modifiers, const char *modifier, uint32_t used) {
  char group[512];
  int index = 0;
  for (size_t n; (n = next_word(&modifiers, " ")); modifiers += n, index++) {
    if (used >> index & 1 || n >= sizeof group) continue;
    memcpy(group, modifiers, n);
    group[n] = 0;
    if (strcmp(group, "*") == 0 || lists(group, "|!", modifier)) return index;
  }
  return -1;
}

static bool is_open_group(const char *modifiers, int index) {
  for (size_t n; index && (n = next_word(&modifiers, " ")); modifiers += n) index--;
  return next_word(&modifiers, " ") == 1 && *modifiers == '*';
}

// The groups used by the mnemonic's modifiers, or false and the modifier that has no place.
static bool place_modifiers(const struct row *r, const struct weir_mnemonic *n, uint32_t *used,
                            const char **misplaced) {
  unsigned types_seen = 0;
  *used = 0;
  for (unsigned i = 0; i < n->modifier_count; i++) {
    if (is_type(n->modifiers[i], &types_seen)) continue;
    int group = group_with(r->modifiers, n->modifiers[i], *used);
    *misplaced = n->modifiers[i];
    if (group < 0) return false;
    if (!is_open_group(r->modifiers, group)) *used |= UINT32_C(1) << group;
  }
  return true;
}

// The first required group that is not used: its text and length, or 0.
static size_t missing_group(const struct row *r, uint32_t used, const char **group) {
  const char *at = r->modifiers;
  int index = 0;
  for (size_t n; (n = next_word(&at, " ")); at += n, index++)
    if (*at == '!' && !(used >> index & 1)) {
      *group = at + 1;
      return n - 1;
    }
  return 0;
}

static bool wrong_type(struct weir_parser *p, const struct weir_mnemonic *n, const struct weir_token *at) {
  const char *name = weir_opcode_name(n->opcode);
  const char *type = weir_type_name(n->form.type);
  char types[64] = "";
  for (unsigned k = 0; k < WEIR_FORM_TYPES && n->form.types[k]; k++) {
    strcat(types, ".");
    strcat(types, weir_type_name(n->form.types[k]));
  }
  if (!*type) return weir_parse_error(p, at, "'%s' needs a type", name);
  if (n->form.source_type) return weir_parse_error(p, at, "'%s' has no form with types %s", name, types);
  return weir_parse_error(p, at, "'%s' has no form with type .%s alone", name, type);
}

static size_t list_candidates(const struct weir_mnemonic *n, char (*text)[32], const char **candidates) {
  size_t count = 0;
  for (size_t r = 0; r < forms[n->opcode].count; r++) {
    const char *at = forms[n->opcode].rows[r].modifiers;
    for (size_t length; (length = next_word(&at, " |!*")) && count < MAX_CANDIDATES; at += length) {
      if (length >= sizeof *text) continue;
      memcpy(text[count], at, length);
      text[count][length] = 0;
      candidates[count] = text[count];
      count++;
    }
  }
  return count;
}

static bool unknown_modifier(struct weir_parser *p, const struct weir_mnemonic *n, const struct weir_token *at,
                             const char *modifier) {
  char text[MAX_CANDIDATES][32];
  const char *candidates[MAX_CANDIDATES];
  size_t count = list_candidates(n, text, candidates);
  const char *near = weir_parse_suggests(p) ? weir_nearest(modifier, candidates, count) : NULL;
  const char *name = weir_opcode_name(n->opcode), *dot = n->form.type ? "." : "", *type = weir_type_name(n->form.type);
  if (near && strcmp(near, modifier) != 0)
    return weir_parse_error(p, at, "'%s%s%s' has no modifier '.%.60s'; did you mean '.%s'?", name, dot, type, modifier,
                            near);
  return weir_parse_error(p, at, "'%s%s%s' does not take '.%.60s'%s", name, dot, type, modifier, near ? " here" : "");
}

static bool missing_modifier(struct weir_parser *p, const struct weir_mnemonic *n, const struct weir_token *at,
                             const char *group, size_t length) {
  return weir_parse_error(p, at, "'%s' needs one of these modifiers: %.*s", weir_opcode_name(n->opcode), (int)length,
                          group);
}

// A modifier that no form with these types has, if there is one.
static const char *find_unknown(const struct weir_mnemonic *n) {
  unsigned types_seen = 0;
  for (unsigned i = 0; i < n->modifier_count; i++) {
    bool known = is_type(n->modifiers[i], &types_seen);
    for (size_t r = 0; r < forms[n->opcode].count && !known; r++)
      known =
        fits_types(&forms[n->opcode].rows[r], n) && lists(forms[n->opcode].rows[r].modifiers, " |!", n->modifiers[i]);
    if (!known) return n->modifiers[i];
  }
  return NULL;
}

static bool report(struct weir_parser *p, const struct weir_mnemonic *n, const struct weir_token *at,
                   const struct row *nearest, const char *misplaced) {
  const char *unknown = find_unknown(n), *group = "";
  if (unknown) return unknown_modifier(p, n, at, unknown);
  if (!nearest) return unknown_modifier(p, n, at, misplaced);
  uint32_t used = 0;
  place_modifiers(nearest, n, &used, &misplaced);
  size_t length = missing_group(nearest, used, &group);
  return missing_modifier(p, n, at, group, length);
}

bool weir_find_form(struct weir_parser *p, struct weir_mnemonic *n, const struct weir_token *at) {
  const struct row *nearest = NULL; // lacks only a modifier
  const char *misplaced = NULL, *group;
  bool typed = false;
  for (size_t k = 0; k < forms[n->opcode].count; k++) {
    const struct row *r = &forms[n->opcode].rows[k];
    uint32_t used;
    if (!fits_types(r, n)) continue;
    typed |= *r->types != '*' || *r->modifiers == '*';
    if (!place_modifiers(r, n, &used, &misplaced)) continue;
    if (missing_group(r, used, &group)) {
      if (!nearest) nearest = r;
      continue;
    }
    n->operands = r->operands;
    n->reason = r->reason;
    return true;
  }
  return typed ? report(p, n, at, nearest, misplaced) : wrong_type(p, n, at);
}
