// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Operands against their instruction (PTX ISA, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type
// Size"): how many, of what kind, and registers of a fitting type.
#include "ptx/matrix.h"
#include "ptx/mnemonic.h"

#include <stdio.h>
#include <string.h>

struct check {
  struct weir_parser *p;
  const struct weir_instruction *i;
  const struct weir_operand *o;
  unsigned number; // of the operand, from 1
};

static bool fail(const struct check *c, const char *expected) {
  struct weir_token at = {.line = c->o->line, .column = c->o->column};
  return weir_parse_error(c->p, &at, "operand %u of '%s': expected %s", c->number, weir_opcode_name(c->i->opcode),
                          expected);
}

static bool fail_type(const struct check *c, enum weir_type have, enum weir_type want) {
  struct weir_token at = {.line = c->o->line, .column = c->o->column};
  return weir_parse_error(c->p, &at, "operand %u of '%s': a register of type .%s where .%s is needed", c->number,
                          weir_opcode_name(c->i->opcode), weir_type_name(have), weir_type_name(want));
}

static bool is_register(const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_REGISTER;
}

// Types agree if they are the same, if either is bits, or if both are integers.
static bool agrees(enum weir_type have_type, enum weir_type want_type) {
  char have = weir_type_class(have_type), want = weir_type_class(want_type);
  if (have_type == want_type) return true;
  if (have == 'p' || want == 'p' || have == 'o' || want == 'o') return false;
  return have == 'b' || want == 'b' || (have != 'f' && want != 'f');
}

static bool fits(enum weir_type have, enum weir_type want, bool wider) {
  unsigned have_bytes = weir_type_bytes(have), want_bytes = weir_type_bytes(want);
  bool grows = wider && have_bytes > want_bytes && weir_type_class(have) != 'f';
  return agrees(have, want) && (have_bytes == want_bytes || grows);
}

static bool check_register(const struct check *c, enum weir_type want, bool wider) {
  const struct weir_symbol *s = c->o->symbol;
  if (c->o->component > 4) return fail(c, "a whole register");
  if (s->vector > 1 && !c->o->component) return fail(c, "one component of a vector register");
  return fits(s->type, want, wider) || fail_type(c, s->type, want);
}

static bool destination(const struct check *c, enum weir_type want, bool wider) {
  if (c->o->kind == WEIR_OPERAND_SINK) return true;
  if (!is_register(c->o) || c->o->negated) return fail(c, "a register to write");
  return check_register(c, want, wider);
}

static bool check_constant(const struct check *c, enum weir_type want) {
  char class = weir_type_class(want);
  if (c->o->kind == WEIR_OPERAND_INTEGER) return class != 'f' || fail(c, "a floating-point constant (0f… or 0d…)");
  if (class == 'b' && weir_type_bytes(want) >= 4) return true;
  bool wide = want == WEIR_T_F32 || want == WEIR_T_F64 || want == WEIR_T_F32X2;
  return wide || fail(c, class == 'f' ? "a register: half precision has no constants" : "an integer");
}

static bool is_value_symbol(const struct weir_symbol *s) {
  return s && (s->kind == WEIR_SYM_VARIABLE || s->kind == WEIR_SYM_PARAM || s->kind == WEIR_SYM_FUNCTION);
}

static bool source(const struct check *c, enum weir_type want, bool wider) {
  char class = weir_type_class(want);
  switch (c->o->kind) {
  case WEIR_OPERAND_REGISTER:
    if (c->o->negated && want != WEIR_T_PRED) return fail(c, "a register without a sign");
    return check_register(c, want, wider);
  case WEIR_OPERAND_INTEGER:
  case WEIR_OPERAND_FLOAT: return check_constant(c, want);
  case WEIR_OPERAND_SPECIAL:
    if (class == 'f' || (class == 'p') != (c->o->special == WEIR_SR_IS_EXPLICIT_CLUSTER))
      return fail(c, "a value of the instruction's type");
    return c->i->opcode == WEIR_OP_MOV || c->i->opcode == WEIR_OP_CVT || c->o->special == WEIR_SR_WARP_SZ ||
      fail(c, "a register; special registers are read by mov and cvt alone");
  case WEIR_OPERAND_SYMBOL:
    if (class != 'f' && weir_type_bytes(want) >= 4 && is_value_symbol(c->o->symbol)) return true;
    return fail(c, "a value");
  default: return fail(c, "a register or a constant");
  }
}

static bool predicate(const struct check *c) {
  bool ok = is_register(c->o) && c->o->symbol->type == WEIR_T_PRED;
  return ok || c->o->kind == WEIR_OPERAND_SINK || fail(c, "a predicate register");
}

static bool source_predicate(const struct check *c) {
  if (c->o->kind == WEIR_OPERAND_INTEGER) return true;
  return (is_register(c->o) && c->o->symbol->type == WEIR_T_PRED) || fail(c, "a predicate register");
}

static struct check part(const struct check *c, unsigned i) {
  return (struct check){c->p, c->i, &c->o->parts[i], c->number};
}

// A destination, or one beside a predicate.
static bool pair(const struct check *c, enum weir_type want) {
  if (c->o->kind != WEIR_OPERAND_PAIR) return want == WEIR_T_PRED ? predicate(c) : destination(c, want, false);
  struct check first = part(c, 0), second = part(c, 1);
  return (want == WEIR_T_PRED ? predicate(&first) : destination(&first, want, false)) && predicate(&second);
}

static bool address(const struct check *c) {
  if (c->o->kind != WEIR_OPERAND_ADDRESS || c->o->part_count) return fail(c, "an address in brackets");
  if (!c->o->base_is_register)
    return !c->o->symbol || is_value_symbol(c->o->symbol) || fail(c, "the address of a variable");
  enum weir_type type = c->o->symbol->type;
  bool integer = strchr("usb", weir_type_class(type)) && weir_type_bytes(type) >= 4 && c->o->symbol->vector == 1;
  return integer || fail(c, "an address in a 32- or 64-bit integer register");
}

// ld and st: as many registers as the vector has elements.
static bool vector(const struct check *c, bool writes) {
  enum weir_type type = c->i->form.type;
  unsigned elements = c->i->form.vector;
  unsigned bytes = elements * weir_type_bytes(type);
  if (bytes > 32 || (bytes > 16 && weir_type_bytes(type) < 4)) return fail(c, "a vector of at most 32 bytes");
  if (elements == 1) return writes ? destination(c, type, true) : source(c, type, true);
  if (is_register(c->o) && c->o->symbol->vector == elements && !c->o->component)
    return fits(c->o->symbol->type, type, true) || fail_type(c, c->o->symbol->type, type);
  if (c->o->kind != WEIR_OPERAND_VECTOR || c->o->part_count != elements)
    return fail(c, elements == 2 ? "{a, b}" : elements == 4 ? "{a, b, c, d}" : "eight registers in braces");
  for (unsigned k = 0; k < elements; k++) {
    struct check element = part(c, k);
    if (!(writes ? destination(&element, type, true) : source(&element, type, true))) return false;
  }
  return true;
}

// mov packs and unpacks: the parts' sizes are equal and their sum is the type's.
static bool pack(const struct check *c) {
  unsigned bytes = weir_type_bytes(c->i->form.type), each = c->o->part_count ? bytes / c->o->part_count : 0;
  if (weir_type_class(c->i->form.type) != 'b' || !each || each * c->o->part_count != bytes)
    return fail(c, "parts that fill a .b type evenly");
  for (unsigned k = 0; k < c->o->part_count; k++) {
    const struct weir_operand *o = &c->o->parts[k];
    bool ok = is_register(o) ? weir_type_bytes(o->symbol->type) == each && o->symbol->type != WEIR_T_PRED && !o->negated
                             : o->kind == WEIR_OPERAND_SINK || o->kind == WEIR_OPERAND_INTEGER;
    if (!ok) return fail(c, "parts of one size that fill the type");
  }
  return true;
}

static bool move(const struct check *c) {
  if (c->o->kind == WEIR_OPERAND_VECTOR) return pack(c);
  return c->number == 1 ? destination(c, c->i->form.type, false) : source(c, c->i->form.type, false);
}

// ---- images ----

// What an image instruction reads or writes: as many registers in braces as the vector has elements, even one.
static bool elements(const struct check *c, bool writes) {
  const enum weir_type type = c->i->form.type;
  const bool texture = c->i->opcode == WEIR_OP_TEX || c->i->opcode == WEIR_OP_TLD4;
  const unsigned count = c->i->form.vector;
  if (count * weir_type_bytes(type) > 16) return fail(c, "an element of at most 16 bytes");
  if (c->o->kind == WEIR_OPERAND_PAIR) {
    c->p->obstacle = "sparse textures";
    return true;
  }
  if (c->o->kind != WEIR_OPERAND_VECTOR && count == 1)
    return writes ? destination(c, type, true) : source(c, type, true);
  if (c->o->kind != WEIR_OPERAND_VECTOR || c->o->part_count != count)
    return fail(c, count == 1 ? "{a}" : count == 2 ? "{a, b}" : "{a, b, c, d}");
  for (unsigned k = 0; k < count; k++) {
    const struct check element = part(c, k);
    if (!(writes ? destination(&element, type, !texture) : source(&element, type, true))) return false;
  }
  return true;
}

static bool is_reference(const struct weir_symbol *s, enum weir_type type) {
  return s && (s->kind == WEIR_SYM_VARIABLE || s->kind == WEIR_SYM_PARAM) && s->type == type && !s->dimensions;
}

// The image that an address names: a reference, or a handle in a register.
static bool image(const struct check *c) {
  const struct weir_operand *o = c->o;
  const unsigned op = c->i->opcode;
  if (o->kind != WEIR_OPERAND_ADDRESS || o->text) return fail(c, "an image in brackets");
  if (o->base_is_register) {
    const bool handle = strchr("usb", weir_type_class(o->symbol->type)) && weir_type_bytes(o->symbol->type) == 8;
    return (handle && o->symbol->vector == 1) || fail(c, "a handle in a 64-bit integer register");
  }
  if (op == WEIR_OP_SULD || op == WEIR_OP_SUST || op == WEIR_OP_SUQ)
    return is_reference(o->symbol, WEIR_T_SURFREF) || fail(c, "a .surfref or a handle in a register");
  if (op == WEIR_OP_TXQ && is_reference(o->symbol, WEIR_T_SAMPLERREF)) return true;
  return is_reference(o->symbol, WEIR_T_TEXREF) || fail(c, "a .texref or a handle in a register");
}

static bool sampler(const struct check *c) {
  if (c->o->kind == WEIR_OPERAND_SYMBOL && !c->o->text)
    return is_reference(c->o->symbol, WEIR_T_SAMPLERREF) || fail(c, "a .samplerref or a handle in a register");
  return is_register(c->o) ? source(c, WEIR_T_U64, false) : fail(c, "a .samplerref or a handle in a register");
}

// A layer is an unsigned integer whatever the coordinates are, and the fourth of four coordinates means nothing.
static bool coordinates(const struct check *c) {
  static const uint8_t count[] = {[WEIR_GEOMETRY_1D] = 1,
                                  [WEIR_GEOMETRY_2D] = 2,
                                  [WEIR_GEOMETRY_3D] = 4,
                                  [WEIR_GEOMETRY_A1D] = 2,
                                  [WEIR_GEOMETRY_A2D] = 4};
  const struct weir_form *f = &c->i->form;
  const enum weir_type type = f->source_type ? f->source_type : WEIR_T_S32;
  const bool layered = f->geometry == WEIR_GEOMETRY_A1D || f->geometry == WEIR_GEOMETRY_A2D;
  const unsigned n = count[f->geometry];
  if (n == 1 && c->o->kind != WEIR_OPERAND_VECTOR) return source(c, type, false);
  if (c->o->kind != WEIR_OPERAND_VECTOR || c->o->part_count != n)
    return fail(c, n == 1 ? "coordinates {x}" : n == 2 ? "two coordinates in braces" : "four coordinates in braces");
  for (unsigned k = 0; k < n; k++) {
    const struct check element = part(c, k);
    if (!source(&element, k == 3 ? WEIR_T_B32 : layered && k == 0 ? WEIR_T_U32 : type, false)) return false;
  }
  return true;
}

// [image, {x, y}] or, of a texture, [image, sampler, {x, y}]
static bool image_at(const struct check *c) {
  const bool texture = c->i->opcode == WEIR_OP_TEX || c->i->opcode == WEIR_OP_TLD4;
  if (!image(c)) return false;
  if (c->o->part_count != 1 && !(texture && c->o->part_count == 2)) return fail(c, "[image, coordinates]");
  const struct check at = part(c, c->o->part_count - 1), first = part(c, 0);
  return (c->o->part_count == 1 || sampler(&first)) && coordinates(&at);
}

// [map, {x, y}], a coordinate for each of the tensor's dimensions.
static bool tensor_at(const struct check *c) {
  const struct weir_operand *o = c->o;
  if (o->kind != WEIR_OPERAND_ADDRESS || o->part_count != 1) return fail(c, "[tensor map, {coordinates}]");
  const struct check at = part(c, 0);
  const unsigned count = at.o->kind == WEIR_OPERAND_VECTOR ? at.o->part_count : 1;
  char dimensions[8];
  snprintf(dimensions, sizeof dimensions, "%ud", count < 6 ? count : 0);
  if (!weir_has_modifier(c->i, dimensions)) return fail(&at, "a coordinate for each dimension");
  for (unsigned k = 0; k < count; k++) {
    const struct check element = at.o->kind == WEIR_OPERAND_VECTOR ? part(&at, k) : at;
    if (!source(&element, WEIR_T_S32, false)) return false;
  }
  return true;
}

static bool numbers(const struct check *c) {
  if (c->o->kind != WEIR_OPERAND_VECTOR) return source(c, WEIR_T_B32, false);
  for (unsigned k = 0; k < c->o->part_count; k++) {
    const struct check element = part(c, k);
    if (!source(&element, WEIR_T_B32, false)) return false;
  }
  return true;
}

static bool texture_extra(const struct check *c) {
  c->p->obstacle = c->o->kind == WEIR_OPERAND_VECTOR ? "offsets of texels" : "comparison with a depth texture";
  return numbers(c);
}

static enum weir_type twice(enum weir_type t) {
  switch (t) {
  case WEIR_T_U16: return WEIR_T_U32;
  case WEIR_T_S16: return WEIR_T_S32;
  case WEIR_T_U32: return WEIR_T_U64;
  default: return WEIR_T_S64;
  }
}

static bool target_list(const struct check *c) {
  bool ok = c->o->kind == WEIR_OPERAND_SYMBOL && (!c->o->symbol || c->o->symbol->kind == WEIR_SYM_TARGETS);
  return ok || fail(c, "the name of a .branchtargets list");
}

// cp.async's last operand: bytes to read, or a predicate that leaves the source out.
static bool size_or_predicate(const struct check *c) {
  if (is_register(c->o) && c->o->symbol->type == WEIR_T_PRED) return true;
  return source(c, WEIR_T_U32, false);
}

// A matrix's part of a thread: as many registers in braces as its shape has elements for, even one.
static bool matrix(const struct check *c, bool writes) {
  enum weir_type type;
  const unsigned count = weir_matrix_registers(c->i, c->number - 1, &type);
  char expected[48];
  snprintf(expected, sizeof expected, "%u register%s in braces", count, count == 1 ? "" : "s");
  if (c->o->kind != WEIR_OPERAND_VECTOR || c->o->part_count != count) return fail(c, expected);
  for (unsigned k = 0; k < count; k++) {
    const struct check element = part(c, k);
    if (!(writes ? destination(&element, type, false) : source(&element, type, false))) return false;
  }
  return true;
}

static unsigned register_bytes(const struct weir_operand *o) {
  return is_register(o) ? weir_type_bytes(o->symbol->type) : 0;
}

static bool check_one(const struct check *c, char letter) {
  enum weir_type type = c->i->form.type, from = c->i->form.source_type;
  switch (letter) {
  case 'd': return type == WEIR_T_PRED ? predicate(c) : destination(c, type, false);
  case 's': return source(c, type, false);
  case 'D': return destination(c, twice(type), false);
  case 'W': return source(c, twice(type), false);
  case 'S': return source(c, from, false);
  case 'c': return destination(c, type, true);
  case 'C': return source(c, from, true);
  case 'v': return vector(c, true);
  case 'w': return vector(c, false);
  case 'm': return move(c);
  case 'U': return destination(c, WEIR_T_U32, false);
  case 'u': return source(c, WEIR_T_U32, false);
  case 'H': return destination(c, WEIR_T_B64, false);
  case 'A': return source(c, register_bytes(c->o) == 4 ? WEIR_T_U32 : WEIR_T_U64, false);
  case 'j': return source(c, WEIR_T_U16, false);
  case 'k':
  case 'h': return source(c, WEIR_T_U64, false);
  case 'x': return pair(c, type);
  case 'X': return pair(c, WEIR_T_U32);
  case 'p': return predicate(c);
  case 'P': return pair(c, WEIR_T_PRED);
  case 'T': return c->o->kind == WEIR_OPERAND_PAIR ? pair(c, WEIR_T_PRED) : fail(c, "a pair of predicates p|q");
  case 'q': return source_predicate(c);
  case 'a': return address(c);
  case 'i': return c->o->kind == WEIR_OPERAND_INTEGER || fail(c, "an integer constant");
  case 'f': return source(c, WEIR_T_F32, false);
  case 'z': return size_or_predicate(c);
  case 'e': return elements(c, true);
  case 'E': return elements(c, false);
  case 'g': return image_at(c);
  case 'y': return tensor_at(c);
  case 'G': return image(c) && (!c->o->part_count || fail(c, "an image alone in brackets"));
  case 'n': return numbers(c);
  case 'o': return texture_extra(c);
  case 'R': return matrix(c, true);
  case 'r': return matrix(c, false);
  case 'B': return c->o->kind == WEIR_OPERAND_VECTOR ? matrix(c, false) : source(c, WEIR_T_U64, false);
  case 'l': return c->o->kind == WEIR_OPERAND_SYMBOL || fail(c, "a label");
  case '_': return c->o->kind == WEIR_OPERAND_SINK || fail(c, "_: another block's state is not for this one");
  default: return target_list(c);
  }
}

// ---- constants whose range is the instruction's ----

static bool is_constant(const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_INTEGER;
}

// Barriers are 0 to 15, and the threads that they wait for whole warps. One that is reduced is behind the result.
static bool check_barrier(struct check *c) {
  const bool reduces = c->i->form.type != WEIR_T_NONE;
  const struct weir_operand *end = c->i->operands + c->i->operand_count - reduces;
  c->o = c->i->operands + reduces;
  c->number = 1 + reduces;
  if (c->i->form.sub == WEIR_SUB_WARP_SYNC || c->i->form.scope == WEIR_SCOPE_CLUSTER) return true;
  if (is_constant(c->o) && c->o->bits > 15) return fail(c, "a barrier, 0 to 15");
  c->o++, c->number++;
  return c->o >= end || !is_constant(c->o) || (c->o->bits % 32 == 0 && c->o->bits <= UINT32_MAX) ||
    fail(c, "a number of threads, a multiple of the warp size");
}

static bool check_table(struct check *c) {
  c->number = 5;
  c->o = &c->i->operands[c->number - 1];
  return c->o->bits <= 255 || fail(c, "a table of three inputs, 0 to 255");
}

static bool check_bulk(struct check *c) {
  if (weir_has_modifier(c->i, "tensor")) return true;
  c->number = c->i->operands[1].kind == WEIR_OPERAND_ADDRESS ? 3 : 2;
  c->o = &c->i->operands[c->number - 1];
  return c->o->kind != WEIR_OPERAND_INTEGER || c->o->bits % 16 == 0 || fail(c, "a multiple of 16 bytes");
}

// cp.async.cg copies 16 bytes, .ca 4 or 8 too.
static bool check_copy(struct check *c) {
  if (c->i->operand_count < 2 || (c->i->operand_count == 2 && c->i->operands[1].kind == WEIR_OPERAND_ADDRESS))
    return true;
  if (weir_has_modifier(c->i, "bulk")) return check_bulk(c);
  c->number = 3;
  c->o = &c->i->operands[c->number - 1];
  const bool small = c->i->form.cache == WEIR_CACHE_CA && (c->o->bits == 4 || c->o->bits == 8);
  return c->o->bits == 16 || small || fail(c, c->i->form.cache == WEIR_CACHE_CA ? "4, 8 or 16 bytes" : "16 bytes");
}

// Of mma's shapes all but the first, m8n8k4 of half precision, have one layout, in this order.
static bool check_layout(struct check *c) {
  const struct weir_matrix a = weir_matrix_of(c->i, WEIR_MATRIX_A), b = weir_matrix_of(c->i, WEIR_MATRIX_B);
  if (weir_matrix_is_quad(&a, c->i) || (!a.by_columns && b.by_columns)) return true;
  struct weir_token at = {.line = c->i->line, .column = c->i->column};
  return weir_parse_error(c->p, &at, "'mma' of this shape takes '.row.col'");
}

// Of an operand, the only values that it may have.
static bool is_one_of(struct check *c, unsigned index, uint64_t first, uint64_t second, const char *expected) {
  c->number = index + 1;
  c->o = &c->i->operands[index];
  return !is_constant(c->o) || c->o->bits == first || c->o->bits == second || fail(c, expected);
}

// wgmma: whether D is read, signs of A and B, and which of these lie in memory the other way.
static bool check_warpgroup(struct check *c) {
  enum { SCALE = 3, SIGNS = 4, TRANSPOSES = 6 };
  if (c->i->form.type == WEIR_T_NONE) {
    c->number = 1;
    c->o = c->i->operands;
    return !c->i->operand_count || c->o->bits <= INT64_MAX || fail(c, "a number of groups");
  }
  if (!is_one_of(c, SCALE, 0, 1, "a predicate, 0 or 1")) return false;
  for (unsigned k = SIGNS; k < c->i->operand_count && k < TRANSPOSES; k++)
    if (!is_one_of(c, k, 1, UINT64_MAX, "1 or -1")) return false;
  for (unsigned k = TRANSPOSES; k < c->i->operand_count; k++)
    if (!is_one_of(c, k, 0, 1, "0 or 1")) return false;
  return true;
}

static bool check_registers(struct check *c) {
  c->number = 1;
  c->o = c->i->operands;
  return (c->o->bits >= 24 && c->o->bits <= 256 && c->o->bits % 8 == 0) ||
    fail(c, "a number of registers, 24 to 256, a multiple of 8");
}

static bool check_ranges(struct check *c) {
  switch (c->i->opcode) {
  case WEIR_OP_MMA: return check_layout(c);
  case WEIR_OP_CP: return check_copy(c);
  case WEIR_OP_BAR:
  case WEIR_OP_BARRIER: return check_barrier(c);
  case WEIR_OP_LOP3: return check_table(c);
  case WEIR_OP_WGMMA: return check_warpgroup(c);
  case WEIR_OP_SETMAXNREG: return check_registers(c);
  default: return true;
  }
}

// Letters of the first alternative of `patterns` that stand for operands of this form: k only with a cache policy.
static size_t letters(const char *patterns, const struct weir_form *form, size_t *length) {
  *length = strcspn(patterns, "/");
  if (*patterns == '-') return 0;
  return *length - (*length && patterns[*length - 1] == 'k' && !form->cache_hint);
}

// The alternative with as many operands as there are; NULL if none has.
static const char *choose(const char *patterns, const struct weir_instruction *i) {
  for (size_t length;; patterns += length + 1) {
    if (letters(patterns, &i->form, &length) == i->operand_count) return patterns;
    if (!patterns[length]) return NULL;
  }
}

static bool wrong_count(struct weir_parser *p, const struct weir_mnemonic *n, const struct weir_instruction *i) {
  struct weir_token at = {.line = i->line, .column = i->column};
  size_t least = SIZE_MAX, most = 0, length;
  for (const char *pattern = n->operands;; pattern += length + 1) {
    size_t count = letters(pattern, &i->form, &length);
    if (count < least) least = count;
    if (count > most) most = count;
    if (!pattern[length]) break;
  }
  const char *name = weir_opcode_name(i->opcode);
  if (least == most)
    return weir_parse_error(p, &at, "'%s': expected %zu operand%s, got %u", name, least, least == 1 ? "" : "s",
                            i->operand_count);
  return weir_parse_error(p, &at, "'%s': expected %zu to %zu operands, got %u", name, least, most, i->operand_count);
}

bool weir_check_operands(struct weir_parser *p, const struct weir_mnemonic *n, const struct weir_instruction *i) {
  if (*n->operands == '*') return true;
  const char *pattern = choose(n->operands, i);
  if (!pattern) return wrong_count(p, n, i);
  struct check c = {p, i, i->operands, 1};
  for (unsigned k = 0; k < i->operand_count; k++, c.o++, c.number++)
    if (!check_one(&c, pattern[k])) return false;
  return check_ranges(&c);
}
