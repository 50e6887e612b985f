// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/hint_forms.h"

#include "base/arena.h"
#include "ptx/arrays.h"

#include <stdlib.h>
#include <string.h>

enum group { NONE, OPERATOR, LEVEL1, LEVEL2 };

struct form {
  const char *spelling;
  enum group group;
  uint8_t value; // enum weir_cache_op or weir_evict
  bool loads, stores;
  uint16_t version, target; // PTX ISA and sm_ from which it is there
};

static const struct form forms[] = {
  {"none", NONE, 0, true, true, 0, 0},
  {"ca", OPERATOR, WEIR_CACHE_CA, true, false, 20, 20},
  {"cg", OPERATOR, WEIR_CACHE_CG, true, true, 20, 20},
  {"cs", OPERATOR, WEIR_CACHE_CS, true, true, 20, 20},
  {"lu", OPERATOR, WEIR_CACHE_LU, true, false, 20, 20},
  {"cv", OPERATOR, WEIR_CACHE_CV, true, false, 20, 20},
  {"wb", OPERATOR, WEIR_CACHE_WB, false, true, 20, 20},
  {"wt", OPERATOR, WEIR_CACHE_WT, false, true, 20, 20},
  {"L1::evict_normal", LEVEL1, WEIR_EVICT_NORMAL, true, true, 74, 70},
  {"L1::evict_unchanged", LEVEL1, WEIR_EVICT_UNCHANGED, true, true, 74, 70},
  {"L1::evict_first", LEVEL1, WEIR_EVICT_FIRST, true, true, 74, 70},
  {"L1::evict_last", LEVEL1, WEIR_EVICT_LAST, true, true, 74, 70},
  {"L1::no_allocate", LEVEL1, WEIR_EVICT_NO_ALLOCATE, true, true, 74, 70},
  {"L2::evict_normal", LEVEL2, WEIR_EVICT_NORMAL, true, true, 88, 100},
  {"L2::evict_first", LEVEL2, WEIR_EVICT_FIRST, true, true, 88, 100},
  {"L2::evict_last", LEVEL2, WEIR_EVICT_LAST, true, true, 88, 100},
};
enum { FORMS = sizeof forms / sizeof *forms, WIDE_BYTES = 32, COPY_CG_BYTES = 16 };

static const struct form *find(const char *spelling) {
  for (unsigned i = 0; i < FORMS; i++)
    if (!strcmp(forms[i].spelling, spelling)) return &forms[i];
  return NULL;
}

bool weir_hint_form_find(const char *spelling) {
  return find(spelling);
}

bool weir_hint_form_unknown(const char *spelling, struct weir_place place, struct weir_sink *sink) {
  const char *names[FORMS];
  char all[400] = "";
  for (unsigned i = 0; i < FORMS; i++) {
    names[i] = forms[i].spelling;
    strcat(strcat(all, i ? ", " : ""), names[i]);
  }
  const char *near = weir_nearest(spelling, names, FORMS);
  if (near) return weir_fail(sink, place, "there is no hint '%s'; did you mean '%s'?", spelling, near);
  return weir_fail(sink, place, "there is no hint '%s'; there are %s", spelling, all);
}

// cp.async has one of the two, always.
static bool is_of_copies(const struct form *f) {
  return f->group == OPERATOR && (f->value == WEIR_CACHE_CA || f->value == WEIR_CACHE_CG);
}

bool weir_hint_form_fits(const char *spelling, const struct weir_instruction *i) {
  const struct form *f = find(spelling);
  if (weir_is_async_load(i)) return is_of_copies(f);
  return i->opcode == WEIR_OP_LD ? f->loads : f->stores;
}

const char *weir_hint_form_name(unsigned n) {
  return n < FORMS ? forms[n].spelling : NULL;
}

// ---- what it says to caches ------------------------------------------------------------------------------------------------

// What is said to one level by name, or to all by the cache operator. Instructions that name L2 alone say nothing to L1, and the
// other way round.
uint8_t weir_hint_of_form(const struct weir_form *f, unsigned evict) {
  static const uint8_t operator_hint[] = {
    [WEIR_CACHE_NONE] = WEIR_HINT_NONE, [WEIR_CACHE_CA] = WEIR_HINT_CA, [WEIR_CACHE_CG] = WEIR_HINT_CG,
    [WEIR_CACHE_CS] = WEIR_HINT_CS,     [WEIR_CACHE_LU] = WEIR_HINT_LU, [WEIR_CACHE_CV] = WEIR_HINT_CV,
    [WEIR_CACHE_WB] = WEIR_HINT_WB,     [WEIR_CACHE_WT] = WEIR_HINT_WT};
  static const uint8_t evict_hint[] = {[WEIR_EVICT_NONE] = WEIR_HINT_NONE,
                                       [WEIR_EVICT_NORMAL] = WEIR_HINT_EVICT_NORMAL,
                                       [WEIR_EVICT_UNCHANGED] = WEIR_HINT_EVICT_UNCHANGED,
                                       [WEIR_EVICT_FIRST] = WEIR_HINT_EVICT_FIRST,
                                       [WEIR_EVICT_LAST] = WEIR_HINT_EVICT_LAST,
                                       [WEIR_EVICT_NO_ALLOCATE] = WEIR_HINT_NO_ALLOCATE};
  return evict_hint[evict] ? evict_hint[evict] : operator_hint[f->cache];
}

void weir_hint_form_levels(const char *spelling, uint8_t *l1, uint8_t *l2) {
  const struct form *f = find(spelling);
  const struct weir_form form = {.cache = f->group == OPERATOR ? f->value : WEIR_CACHE_NONE};
  *l1 = weir_hint_of_form(&form, f->group == LEVEL1 ? f->value : WEIR_EVICT_NONE);
  *l2 = weir_hint_of_form(&form, f->group == LEVEL2 ? f->value : WEIR_EVICT_NONE);
}

// ---- what keeps it off ---------------------------------------------------------------------------------------------------

static unsigned target_of(const struct weir_module *m) {
  const char *sm = m->target ? strstr(m->target, "sm_") : NULL;
  return sm ? (unsigned)strtoul(sm + 3, NULL, 10) : 0;
}

// Without a sink nobody asks why.
static bool fail(const struct weir_module *m, const struct weir_instruction *i, const char *spelling,
                 struct weir_place place, struct weir_sink *sink, const char *why) {
  if (!sink) return false;
  return weir_fail(sink, place, "'%s' cannot stand at '%s' in line %u of %s: %s", spelling, weir_opcode_name(i->opcode),
                   i->line, m->path, why);
}

// The size is a constant of 4, 8 or 16 (PTX ISA, "cp.async").
static bool is_possible_copy(const struct weir_module *m, const struct weir_instruction *i, const struct form *f,
                             struct weir_place place, struct weir_sink *sink) {
  if (!is_of_copies(f)) return fail(m, i, f->spelling, place, sink, "cp.async has .ca and .cg alone");
  if (f->value == WEIR_CACHE_CG && i->operands[2].bits != COPY_CG_BYTES)
    return fail(m, i, f->spelling, place, sink, "cp.async.cg copies 16 bytes");
  return true;
}

static bool is_possible(const struct weir_module *m, const struct weir_instruction *i, const struct form *f,
                        struct weir_place place, struct weir_sink *sink) {
  const struct weir_form *is = &i->form;
  if (weir_is_async_load(i)) return is_possible_copy(m, i, f, place, sink);
  if (!(i->opcode == WEIR_OP_LD ? f->loads : f->stores))
    return fail(m, i, f->spelling, place, sink, f->loads ? "it is for loads" : "it is for stores");
  if (f->group == OPERATOR && is->order != WEIR_ORDER_WEAK)
    return fail(m, i, f->spelling, place, sink, "the access is volatile or ordered, and takes no cache operator");
  if (is->order == WEIR_ORDER_VOLATILE && f->group != NONE)
    return fail(m, i, f->spelling, place, sink, "the access is volatile");
  if (is->non_coherent && (f->value == WEIR_CACHE_LU || f->value == WEIR_CACHE_CV) && f->group == OPERATOR)
    return fail(m, i, f->spelling, place, sink, "ld.nc has .ca, .cg and .cs alone");
  if (m->version_number < f->version || target_of(m) < f->target) {
    char why[160] = "";
    if (sink)
      snprintf(why, sizeof why, "it needs PTX %u.%u and sm_%u; the file has %s and %s", f->version / 10u,
               f->version % 10u, f->target, m->version, m->target);
    return fail(m, i, f->spelling, place, sink, why);
  }
  if (f->group == LEVEL2 && weir_type_bytes((enum weir_type)is->type) * is->vector != WIDE_BYTES)
    return fail(m, i, f->spelling, place, sink, "only accesses of 32 bytes a thread (.v8.b32, .v4.b64) have it");
  return true;
}

bool weir_hint_form_possible(const struct weir_module *m, const struct weir_instruction *i, const char *spelling) {
  return is_possible(m, i, find(spelling), (struct weir_place){0}, NULL);
}

// ---- writing it ------------------------------------------------------------------------------------------------------------

static enum group group_of(const char *modifier) {
  const struct form *f = find(modifier);
  return f ? f->group : NONE;
}

// An operator and priorities exclude each other; `none` takes all of them away.
static bool excludes(const struct form *f, enum group other) {
  if (other == NONE) return false;
  return f->group == NONE || f->group == OPERATOR || other == OPERATOR || other == f->group;
}

// What comes before it: ld{.weak}{.space}{.cop}{.nc}{.L1::…}{.L2::…}… (PTX ISA, "ld", "ld.global.nc", "st").
static bool precedes(const char *modifier, const struct form *f) {
  static const char *const orders[] = {"weak",    "relaxed", "acquire", "release", "cta",
                                       "cluster", "gpu",     "sys",     "global",  "async"};
  for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
    if (!strcmp(modifier, orders[i])) return true;
  if (f->group == OPERATOR) return false;
  return !strcmp(modifier, "nc") || (f->group == LEVEL2 && group_of(modifier) == LEVEL1);
}

static void write_modifiers(struct weir_arena *arena, struct weir_instruction *i, const struct form *f) {
  const char **modifiers = weir_arena_array(arena, const char *, i->modifier_count + 1);
  uint8_t count = 0;
  bool written = f->group == NONE;
  for (uint8_t k = 0; k < i->modifier_count; k++) {
    const char *modifier = i->modifiers[k];
    if (excludes(f, group_of(modifier))) continue;
    if (!written && !precedes(modifier, f)) modifiers[count++] = f->spelling, written = true;
    modifiers[count++] = modifier;
  }
  i->modifiers = modifiers;
  i->modifier_count = count;
}

bool weir_hint_form_set(struct weir_module *m, struct weir_instruction *i, const char *spelling,
                        struct weir_place place, struct weir_sink *sink) {
  const struct form *f = find(spelling);
  if (!is_possible(m, i, f, place, sink)) return false;
  write_modifiers(&m->arena, i, f);
  if (excludes(f, OPERATOR)) i->form.cache = WEIR_CACHE_NONE;
  if (excludes(f, LEVEL1)) i->form.l1_evict = WEIR_EVICT_NONE;
  if (excludes(f, LEVEL2)) i->form.l2_evict = WEIR_EVICT_NONE;
  if (f->group == OPERATOR) i->form.cache = f->value;
  if (f->group == LEVEL1) i->form.l1_evict = f->value;
  if (f->group == LEVEL2) i->form.l2_evict = f->value;
  return true;
}
