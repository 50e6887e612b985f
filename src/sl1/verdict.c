// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which structures may be cached, and why the others may not (sections 3.1 and 3.4).
#include "base/alloc.h"
#include "sl1/kernel.h"

const char *weir_sl1_verdict_name(enum weir_sl1_verdict v) {
  static const char *const names[] = {
    [WEIR_SL1_CANDIDATE] = "candidate", [WEIR_SL1_ATOMIC] = "atomic",     [WEIR_SL1_VOLATILE] = "volatile",
    [WEIR_SL1_ESCAPES] = "escapes",     [WEIR_SL1_NO_REUSE] = "no reuse", [WEIR_SL1_NO_LOOP] = "no loop",
    [WEIR_SL1_TOO_MANY] = "too many",
  };
  return names[v];
}

static bool is_atomic(const struct weir_instruction *in) {
  return weir_opcode_effect(in->opcode) == WEIR_EFFECT_ATOMIC;
}

static void decide(struct weir_sl1_structure *s, enum weir_sl1_verdict v, uint32_t line) {
  if (s->verdict != WEIR_SL1_CANDIDATE && s->verdict <= v) return; // the graver one stays
  s->verdict = v;
  s->line = line;
}

static uint64_t all_structures(const struct weir_sl1_analysis *a) {
  return a->structure_count >= 64 ? UINT64_MAX : (UINT64_C(1) << a->structure_count) - 1;
}

static void note(struct weir_sl1_analysis *a, uint32_t i, uint64_t *coherent) {
  const struct weir_instruction *in = a->cfg.instructions[i];
  const struct weir_sl1_access *x = &a->access[i];
  const bool stores = x->effect == WEIR_SL1_STORE || is_atomic(in) ||
    (x->effect == WEIR_SL1_ORDERED && weir_opcode_effect(in->opcode) == WEIR_EFFECT_STORE);
  uint64_t set = x->set & all_structures(a);
  if (stores && !x->set) set = all_structures(a);
  if (!in->form.non_coherent) *coherent |= set;
  for (; set; set &= set - 1) {
    struct weir_sl1_structure *s = &a->structures[__builtin_ctzll(set)];
    s->written |= stores;
    if (!x->set) continue;
    if (is_atomic(in))
      decide(s, WEIR_SL1_ATOMIC, in->line);
    else if (x->effect == WEIR_SL1_ORDERED)
      decide(s, WEIR_SL1_VOLATILE, in->line);
  }
}

// The only structure that an access in a main loop can be to, or -1.
static int single(const struct weir_sl1_analysis *a, uint32_t i) {
  const struct weir_sl1_access *x = &a->access[i];
  const uint32_t main = a->main_of[a->cfg.block_of[i]];
  if (main == WEIR_NO_LOOP || a->mains[main].left_alone) return -1;
  if (x->effect != WEIR_SL1_LOAD && x->effect != WEIR_SL1_STORE) return -1;
  if (!x->set || x->set & (x->set - 1) || x->set >> WEIR_SL1_OTHERS) return -1;
  return __builtin_ctzll(x->set);
}

static void count_accesses(struct weir_sl1_analysis *a, uint32_t *only) {
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const int s = single(a, i);
    if (s < 0) continue;
    struct weir_sl1_structure *structure = &a->structures[s];
    if (!(structure->loads + structure->stores) && structure->verdict == WEIR_SL1_CANDIDATE)
      structure->line = a->cfg.instructions[i]->line;
    if (a->access[i].effect == WEIR_SL1_LOAD)
      structure->loads++;
    else
      structure->stores++;
    only[s] = i;
  }
}

// One access in all, that never comes back to its line.
static bool gains_nothing(const struct weir_sl1_analysis *a, const struct weir_sl1_structure *s, uint32_t access) {
  const struct weir_sl1_main *main = &a->mains[a->main_of[a->cfg.block_of[access]]];
  return a->o->static_proof && s->loads + s->stores == 1 && weir_sl1_strides(a, main, access);
}

static void finish(struct weir_sl1_analysis *a, const uint32_t *only) {
  for (uint32_t k = 0; k < a->structure_count; k++) {
    struct weir_sl1_structure *s = &a->structures[k];
    if (s->verdict != WEIR_SL1_CANDIDATE) continue;
    if (!(s->loads + s->stores))
      s->verdict = WEIR_SL1_NO_LOOP;
    else if (gains_nothing(a, s, only[k]))
      s->verdict = WEIR_SL1_NO_REUSE;
  }
}

// An access may have to look at all lines, so that with ever more of them the text would grow out of proportion.
static void make_candidates(struct weir_sl1_analysis *a, uint64_t coherent, int8_t *candidate_of) {
  a->candidates = weir_arena_array(&a->arena, struct weir_sl1_candidate, a->structure_count + 1);
  for (uint32_t k = 0; k < a->structure_count; k++) {
    struct weir_sl1_structure *s = &a->structures[k];
    candidate_of[k] = -1;
    if (s->verdict == WEIR_SL1_CANDIDATE && a->candidate_count == WEIR_SL1_MOST_CANDIDATES)
      s->verdict = WEIR_SL1_TOO_MANY;
    if (s->verdict != WEIR_SL1_CANDIDATE) continue;
    candidate_of[k] = (int8_t)a->candidate_count;
    a->candidates[a->candidate_count++] = (struct weir_sl1_candidate){
      .structure = k, .written = s->written, .dirty = s->stores > 0, .non_coherent = !(coherent >> k & 1)};
  }
}

static void assign(struct weir_sl1_analysis *a, const int8_t *candidate_of) {
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const uint32_t main = a->main_of[a->cfg.block_of[i]];
    const int s = single(a, i);
    struct weir_sl1_access *x = &a->access[i];
    if (main != WEIR_NO_LOOP && s < 0 && (x->effect == WEIR_SL1_LOAD || x->effect == WEIR_SL1_STORE)) a->untraced++;
    if (s < 0 || candidate_of[s] < 0) continue;
    x->candidate = candidate_of[s];
    a->mains[main].accesses++;
    a->mains[main].used |= UINT64_C(1) << x->candidate;
    if (x->effect == WEIR_SL1_STORE) a->mains[main].dirty |= UINT64_C(1) << x->candidate;
  }
  for (uint32_t k = 0; k < a->main_count; k++)
    if (!a->mains[k].left_alone && !a->mains[k].accesses)
      a->mains[k].left_alone = "it has no access that may be cached";
}

void weir_sl1_judge(struct weir_sl1_analysis *a) {
  uint64_t coherent = 0;
  uint32_t only[WEIR_SL1_MOST_STRUCTURES] = {0};
  int8_t candidate_of[WEIR_SL1_MOST_STRUCTURES];
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) note(a, i, &coherent);
  count_accesses(a, only);
  finish(a, only);
  make_candidates(a, coherent, candidate_of);
  assign(a, candidate_of);
}
