// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/sass.h"

#include <stdio.h>
#include <string.h>

struct row {
  const char *opcode;
  uint8_t class, space;
};

static const struct row rows[] = {
#define SASS(opcode, class) {opcode, WEIR_CLASS_##class, WEIR_MEM_NONE},
#define ACCESS(opcode, class, space) {opcode, WEIR_CLASS_##class, WEIR_MEM_##space},
#include "warptrace/sass.def"
};

// ---- an opcode's parts --------------------------------------------------------------------------------------------------

// Do these characters stand in the opcode as a whole part behind a dot?
static bool has_part(const char *opcode, const char *part) {
  const size_t length = strlen(part);
  for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
    if (!strncmp(dot + 1, part, length) && (!dot[1 + length] || dot[1 + length] == '.')) return true;
  return false;
}

static const struct row *find(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strlen(rows[i].opcode) == length && !strncmp(rows[i].opcode, name, length)) return &rows[i];
  return NULL;
}

// VOTEU and the uniform datapath's (UIADD3) are as those without the U; accesses are not.
static const struct row *find_uniform(const char *name, size_t length) {
  const struct row *r = length > 1 && *name == 'U' ? find(name + 1, length - 1)
    : length > 1 && name[length - 1] == 'U'        ? find(name, length - 1)
                                                   : NULL;
  return r && r->space == WEIR_MEM_NONE ? r : NULL;
}

static uint8_t class_of(const char *opcode, const struct row *r) {
  const bool twice = has_part(opcode, "F64") || has_part(opcode, "RCP64H") || has_part(opcode, "RSQ64H");
  if (twice && r->class == WEIR_CLASS_SFU) return WEIR_CLASS_F64_SFU;
  return twice && r->class == WEIR_CLASS_F32_CONVERT ? WEIR_CLASS_F64_CONVERT : r->class;
}

static uint8_t width_of(const char *opcode) {
  static const struct {
    const char *part;
    uint8_t bytes;
  } widths[] = {{"U8", 1},  {"S8", 1},  {"U16", 2},  {"S16", 2}, {"64", 8},   {"U64", 8},
                {"S64", 8}, {"F64", 8}, {"128", 16}, {"M88", 4}, {"256", 32}, {"ENL2", 32}};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (has_part(opcode, widths[i].part)) return widths[i].bytes;
  return 4;
}

// As PTX's ld and st say it (docs/HINTS.md). A strong access beyond the block goes past the first-level cache, as volatile ones do.
static void fill_access(const char *opcode, struct weir_static *s) {
  s->access_bytes = width_of(opcode);
  s->element_bytes = s->access_bytes < 4 ? s->access_bytes : 4;
  s->is_volatile = has_part(opcode, "STRONG") && !has_part(opcode, "CTA") && !has_part(opcode, "SM");
  s->non_coherent = has_part(opcode, "CONSTANT");
  if (has_part(opcode, "EF")) s->l1_hint = s->l2_hint = WEIR_HINT_EVICT_FIRST;
  if (has_part(opcode, "EL")) s->l1_hint = s->l2_hint = WEIR_HINT_EVICT_LAST;
  if (has_part(opcode, "EU")) s->l1_hint = s->l2_hint = WEIR_HINT_EVICT_UNCHANGED;
  if (has_part(opcode, "LU")) s->l1_hint = s->l2_hint = WEIR_HINT_LU;
  if (has_part(opcode, "NA")) s->l1_hint = WEIR_HINT_NO_ALLOCATE;
  s->l2_hint = weir_hint_behind(s->l1_hint, s->l2_hint);
  s->l2_prefetch = has_part(opcode, "LTC256B") ? WEIR_PREFETCH_256B
    : has_part(opcode, "LTC128B")              ? WEIR_PREFETCH_128B
    : has_part(opcode, "LTC64B")               ? WEIR_PREFETCH_64B
                                               : WEIR_PREFETCH_NONE;
}

// ---- matrix units -------------------------------------------------------------------------------------------------------

static unsigned element_bits(const char *opcode) {
  switch (*opcode) {
  case 'B': return 1;
  case 'D': return 64;
  case 'Q': return 8;
  case 'I': return has_part(opcode, "S4") || has_part(opcode, "U4") ? 4 : 8;
  default: return has_part(opcode, "TF32") ? 32 : 16;
  }
}

// HMMA.16816 is 16 × 8 × 16. Volta's HMMA.884 comes in parts, up to four: what PTX does in one mma.m8n8k4, of which the first takes the step.
static void fill_matrix(const char *opcode, struct weir_static *s) {
  unsigned m = 0, k = 0;
  const char *shape = strchr(opcode, '.');
  if (s->op_class < WEIR_CLASS_INT_MATRIX || s->op_class > WEIR_CLASS_F64_MATRIX || !shape) return;
  if (has_part(opcode, "STEP1") || has_part(opcode, "STEP2") || has_part(opcode, "STEP3"))
    s->op_class = WEIR_CLASS_DEFAULT;
  else if (sscanf(shape, ".168%u", &k) == 1)
    m = 16;
  else if (sscanf(shape, ".88%u", &k) == 1)
    m = 8;
  if (m) s->steps = weir_matrix_steps(m * 8 * k, element_bits(opcode));
}

// Copies of LDGSTS, closed by LDGDEPBAR, whom DEPBAR waits for: of how many groups it does not, stands behind its trace's line.
static uint8_t copy_role_of(const char *opcode, size_t length) {
  static const struct {
    const char *opcode;
    uint8_t role;
  } roles[] = {{"LDGSTS", WEIR_COPY_BEGIN}, {"LDGDEPBAR", WEIR_COPY_COMMIT}, {"DEPBAR", WEIR_COPY_WAIT}};
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (strlen(roles[i].opcode) == length && !strncmp(roles[i].opcode, opcode, length)) return roles[i].role;
  return WEIR_COPY_NONE;
}

bool weir_sass_describe(const char *opcode, struct weir_static *s) {
  const size_t length = strcspn(opcode, ".");
  const struct row *r = find(opcode, length);
  if (!r) r = find_uniform(opcode, length);
  if (!r) return false;
  s->op_class = class_of(opcode, r);
  s->space = r->space;
  if (r->space != WEIR_MEM_NONE) fill_access(opcode, s);
  fill_matrix(opcode, s);
  s->copy_role = copy_role_of(opcode, length);
  s->is_exit = length == 4 && !strncmp(opcode, "EXIT", 4);
  s->is_barrier = length == 3 && !strncmp(opcode, "BAR", 3);
  return true;
}

// ---- where it stands ----------------------------------------------------------------------------------------------------

// From Volta on an instruction has 16 bytes. Before, it has 8, and the first 8 of each 32 (Maxwell, Pascal) or 64 (Kepler) tell how those behind
// them are scheduled.
uint32_t weir_sass_index(uint64_t offset, unsigned version) {
  const uint64_t bytes = version >= 70 ? 16 : 8, group = version >= 70 ? 0 : version >= 50 ? 4 : 8;
  const uint64_t word = offset / bytes;
  if (offset % bytes || word >= 1 << 24) return UINT32_MAX;
  if (!group) return (uint32_t)word;
  return word % group ? (uint32_t)(word / group * (group - 1) + word % group - 1) : UINT32_MAX;
}
