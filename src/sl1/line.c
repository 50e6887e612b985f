// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is done with a line: is it there, where is it, fill it, write it back. Lines of 8, 16 and 32 bytes begin at their
// multiples; those of 24 divide each 256 bytes that begin at a multiple of 256, and the last has 16, so that no line begins
// before the memory that it is of.
#include "sl1/write.h"

#include "ptx/print.h"

static bool is_interleaved(const struct weir_sl1_writer *w) {
  return w->a->o->layout == WEIR_SL1_INTERLEAVED;
}

static uint32_t line_bytes(const struct weir_sl1_writer *w) {
  return w->a->o->line_bytes;
}

void weir_sl1_put_split(struct weir_sl1_writer *w, const char *address) {
  weir_sl1_put(w, "\tmov.b64 \t{~lo, ~hi}, %s;\n", address);
  if (line_bytes(w) != 24) weir_sl1_put(w, "\tand.b32 \t~key, ~lo, -%u;\n", line_bytes(w));
}

void weir_sl1_put_window(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\tsetp.eq.u32 \t~in, ~hi, ~high;\n");
}

void weir_sl1_put_test(struct weir_sl1_writer *w, uint32_t i, bool windowed) {
  const char *and = windowed ? ".and" : "", *in = windowed ? ", ~in" : "";
  if (line_bytes(w) != 24) {
    weir_sl1_put(w, "\tsetp.eq%s.u32 \t~p, ~key, ~tag%u%s;\n", and, i, in);
    return;
  }
  weir_sl1_put(w, "\tsub.u32 \t~d, ~lo, ~tag%u;\n\tsetp.lt%s.u32 \t~p, ~d, ~limit%u%s;\n", i, and, i, in);
}

static void put_place_of(struct weir_sl1_writer *w, const char *offset, uint32_t i, uint32_t bytes) {
  if (!is_interleaved(w)) {
    weir_sl1_put(w, "\tadd.u32 \t~s, ~line%u, %s;\n", i, offset);
    return;
  }
  weir_sl1_put(w, "\tshr.u32 \t~w0, %s, 2;\n\tmad.lo.u32 \t~s, ~w0, ~stride, ~line%u;\n", offset, i);
  if (bytes < 4) weir_sl1_put(w, "\tand.b32 \t~w0, %s, 3;\n\tadd.u32 \t~s, ~s, ~w0;\n", offset);
}

// Lines of 8 and 16 bytes in one piece begin at multiples of these in shared memory, too (sl1/launch.h).
void weir_sl1_put_place(struct weir_sl1_writer *w, uint32_t i, uint32_t bytes) {
  const uint32_t line = line_bytes(w);
  if (!is_interleaved(w) && (line == 8 || line == 16)) {
    weir_sl1_put(w, "\tbfi.b32 \t~s, ~lo, ~line%u, 0, %u;\n", i, line == 8 ? 3 : 4);
    return;
  }
  weir_sl1_put(w, "\tsub.u32 \t~d, ~lo, ~tag%u;\n", i);
  put_place_of(w, "~d", i, bytes);
}

void weir_sl1_put_tag(struct weir_sl1_writer *w, uint32_t i) {
  if (line_bytes(w) != 24) {
    weir_sl1_put(w, "\tmov.u32 \t~tag%u, ~key;\n", i);
    return;
  }
  weir_sl1_put(w, "\tand.b32 \t~w0, ~lo, 255;\n");
  weir_sl1_put(w, "\tmul.lo.u32 \t~w1, ~w0, 2731;\n\tshr.u32 \t~w1, ~w1, 16;\n"); // 2731 / 65536: a 24th
  weir_sl1_put(w, "\tmul.lo.u32 \t~w1, ~w1, 24;\n\tsub.u32 \t~w0, ~w0, ~w1;\n\tsub.u32 \t~tag%u, ~lo, ~w0;\n", i);
  weir_sl1_put(w, "\tsetp.eq.u32 \t~q, ~w1, 240;\n\tselp.b32 \t~limit%u, 16, 24, ~q;\n", i);
}

void weir_sl1_put_empty(struct weir_sl1_writer *w, uint32_t i) {
  if (line_bytes(w) == 24)
    weir_sl1_put(w, "\tmov.u32 \t~tag%u, 0;\n\tmov.u32 \t~limit%u, 0;\n", i, i);
  else
    weir_sl1_put(w, "\tmov.u32 \t~tag%u, 1;\n", i);
}

// Where the line is in memory, in x.
static void put_memory(struct weir_sl1_writer *w, uint32_t i) {
  weir_sl1_put(w, "\tmov.b64 \t~x, {~tag%u, ~high};\n", i);
}

// ---- whole lines ----------------------------------------------------------------------------------------------------

// The load of a fill keeps of the program's how caches are to treat it.
static void put_load(struct weir_sl1_writer *w, const struct weir_instruction *in, const char *type) {
  weir_sl1_put(w, "ld.global");
  for (unsigned m = 0; in && m < in->modifier_count; m++) {
    static const char *const kept[] = {"ca",
                                       "cg",
                                       "cs",
                                       "nc",
                                       "L1::evict_normal",
                                       "L1::evict_unchanged",
                                       "L1::evict_first",
                                       "L1::evict_last",
                                       "L1::no_allocate"};
    for (unsigned k = 0; k < sizeof kept / sizeof *kept; k++)
      if (!__builtin_strcmp(in->modifiers[m], kept[k])) fprintf(w->to, ".%s", kept[k]);
  }
  fprintf(w->to, ".%s \t", type);
}

// One part of a line, of 16 or 8 bytes, between memory and the registers v0 to v3.
static const char *part_type(uint32_t bytes) {
  return bytes == 16 ? "v4.u32" : "v2.u32";
}

static const char *part_data(uint32_t bytes) {
  return bytes == 16 ? "{~v0, ~v1, ~v2, ~v3}" : "{~v0, ~v1}";
}

static void put_words(struct weir_sl1_writer *w, const char *guard, const char *operation, uint32_t i, uint32_t at,
                      uint32_t bytes) {
  const bool loads = operation[0] == 'l';
  if (!is_interleaved(w)) {
    weir_sl1_put(w, "\t%s%s.shared.%s \t", guard, operation, part_type(bytes));
    if (loads)
      weir_sl1_put(w, "%s, [~line%u+%u];\n", part_data(bytes), i, at);
    else
      weir_sl1_put(w, "[~line%u+%u], %s;\n", i, at, part_data(bytes));
    return;
  }
  for (uint32_t k = 0; k < bytes / 4; k++) {
    if (at + k)
      weir_sl1_put(w, "\tadd.u32 \t~s, ~s, ~stride;\n");
    else
      weir_sl1_put(w, "\tmov.u32 \t~s, ~line%u;\n", i);
    if (loads)
      weir_sl1_put(w, "\t%sld.shared.u32 \t~v%u, [~s];\n", guard, k);
    else
      weir_sl1_put(w, "\t%sst.shared.u32 \t[~s], ~v%u;\n", guard, k);
  }
}

// Of a line of 24 bytes the last third is not always there.
static const char *part_guard(struct weir_sl1_writer *w, uint32_t i, uint32_t at) {
  if (line_bytes(w) != 24 || at != 16) return "";
  weir_sl1_put(w, "\tsetp.gt.u32 \t~q, ~limit%u, 16;\n", i);
  return "@~q ";
}

static uint32_t part_bytes(const struct weir_sl1_writer *w) {
  return line_bytes(w) % 16 ? 8 : 16;
}

void weir_sl1_put_fill(struct weir_sl1_writer *w, uint32_t i, const struct weir_instruction *in) {
  const uint32_t bytes = part_bytes(w);
  put_memory(w, i);
  for (uint32_t at = 0; at < line_bytes(w); at += bytes) {
    const char *guard = part_guard(w, i, at);
    weir_sl1_put(w, "\t%s", guard);
    put_load(w, in, part_type(bytes));
    weir_sl1_put(w, "%s, [~x+%u];\n", part_data(bytes), at);
    put_words(w, guard, "st", i, at, bytes);
  }
}

static void put_whole_line(struct weir_sl1_writer *w, uint32_t i) {
  const uint32_t bytes = part_bytes(w);
  for (uint32_t at = 0; at < line_bytes(w); at += bytes) {
    put_words(w, "", "ld", i, at, bytes);
    weir_sl1_put(w, "\tst.global.%s \t[~x+%u], %s;\n", part_type(bytes), at, part_data(bytes));
  }
}

// Words all of whose bytes are dirty.
static void put_dirty_words(struct weir_sl1_writer *w, uint32_t i) {
  const uint32_t bytes = part_bytes(w);
  for (uint32_t at = 0; at < line_bytes(w); at += bytes) {
    put_words(w, "", "ld", i, at, bytes);
    for (uint32_t k = 0; k < bytes / 4; k++) {
      const uint32_t all = UINT32_C(15) << (at + 4 * k);
      weir_sl1_put(w, "\tand.b32 \t~w1, ~dirty%u, 0x%x;\n\tsetp.eq.u32 \t~q, ~w1, 0x%x;\n", i, all, all);
      weir_sl1_put(w, "\t@~q st.global.u32 \t[~x+%u], ~v%u;\n", at + 4 * k, k);
      weir_sl1_put(w, "\t@~q xor.b32 \t~dirty%u, ~dirty%u, ~w1;\n", i, i);
    }
  }
}

static void put_lowest_dirty_byte(struct weir_sl1_writer *w, uint32_t i) {
  weir_sl1_put(w, "\tbrev.b32 \t~w1, ~dirty%u;\n\tclz.b32 \t~w1, ~w1;\n", i);
  put_place_of(w, "~w1", i, 1);
  weir_sl1_put(
    w,
    "\tadd.u32 \t~w1, ~tag%u, ~w1;\n\tmov.b64 \t~x, {~w1, ~high};\n\tld.shared.u8 \t~w2, [~s];\n\tst.global.u8 \t[~x], ~w2;\n",
    i);
  weir_sl1_put(w, "\tadd.u32 \t~w1, ~dirty%u, -1;\n\tand.b32 \t~dirty%u, ~dirty%u, ~w1;\n", i, i, i);
}

void weir_sl1_put_write_back(struct weir_sl1_writer *w, uint32_t i) {
  const uint32_t n = w->fresh++, full = line_bytes(w) == 32 ? UINT32_MAX : (UINT32_C(1) << line_bytes(w)) - 1;
  weir_sl1_put(w, "\tsetp.eq.u32 \t~q, ~dirty%u, 0;\n\t@~q bra \t^a%u_clean;\n", i, n);
  if (w->a->o->counters) weir_sl1_put(w, "\tpopc.b32 \t~w0, ~dirty%u;\n\tadd.u32 \t~back%u, ~back%u, ~w0;\n", i, i, i);
  weir_sl1_put(w, "\tsetp.ne.u32 \t~q, ~dirty%u, 0x%x;\n\t@~q bra \t^a%u_part;\n", i, full, n);
  put_memory(w, i);
  put_whole_line(w, i);
  weir_sl1_put(w, "\tmov.u32 \t~dirty%u, 0;\n\tbra \t^a%u_clean;\n^a%u_part:\n", i, n, n);
  put_memory(w, i);
  put_dirty_words(w, i);
  weir_sl1_put(w, "\tsetp.eq.u32 \t~q, ~dirty%u, 0;\n\t@~q bra \t^a%u_clean;\n^a%u_byte:\n", i, n, n);
  put_lowest_dirty_byte(w, i);
  weir_sl1_put(w, "\tsetp.ne.u32 \t~q, ~dirty%u, 0;\n\t@~q bra \t^a%u_byte;\n^a%u_clean:\n", i, n, n);
}

void weir_sl1_put_evict(struct weir_sl1_writer *w, uint64_t set, uint64_t dirty, uint32_t bytes) {
  const uint32_t less = line_bytes(w) - 1;
  for (; set; set &= set - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(set), n = w->fresh++;
    weir_sl1_put(w, "\tsub.u32 \t~d, ~tag%u, ~lo;\n\tadd.u32 \t~d, ~d, %u;\n", i, less);
    weir_sl1_put(w, "\tsetp.lt.and.u32 \t~p, ~d, %u, ~in;\n\t@!~p bra \t^a%u_other;\n", bytes + less, n);
    if (dirty >> i & 1) weir_sl1_put_write_back(w, i);
    weir_sl1_put_empty(w, i);
    weir_sl1_put(w, "^a%u_other:\n", n);
  }
}

void weir_sl1_put_flush(struct weir_sl1_writer *w, uint64_t used, uint64_t dirty, bool empties) {
  for (; used; used &= used - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(used);
    if (dirty >> i & 1) weir_sl1_put_write_back(w, i);
    if (empties) weir_sl1_put_empty(w, i);
  }
}

// ---- one access -----------------------------------------------------------------------------------------------------

static void put_operands(struct weir_sl1_writer *w, const struct weir_instruction *in, const char *type) {
  const struct weir_operand *data = &in->operands[in->opcode == WEIR_OP_ST];
  weir_sl1_put(w, "\t%s.shared%s \t", in->opcode == WEIR_OP_ST ? "st" : "ld", type);
  if (in->opcode == WEIR_OP_LD) weir_ptx_print_operand(data, w->to);
  weir_sl1_put(w, in->opcode == WEIR_OP_ST ? "[~s], " : ", [~s];\n");
  if (in->opcode == WEIR_OP_ST) weir_ptx_print_operand(data, w->to), fputs(";\n", w->to);
}

// 64 bits in two words.
static void put_halves(struct weir_sl1_writer *w, const struct weir_instruction *in,
                       const struct weir_operand *element) {
  if (in->opcode == WEIR_OP_ST) {
    weir_sl1_put(w, "\tmov.b64 \t~t, ");
    weir_ptx_print_operand(element, w->to);
    weir_sl1_put(w, ";\n\tmov.b64 \t{~v0, ~v1}, ~t;\n\tst.shared.u32 \t[~s], ~v0;\n");
    weir_sl1_put(w, "\tadd.u32 \t~s, ~s, ~stride;\n\tst.shared.u32 \t[~s], ~v1;\n");
    return;
  }
  weir_sl1_put(w, "\tld.shared.u32 \t~v0, [~s];\n\tadd.u32 \t~s, ~s, ~stride;\n\tld.shared.u32 \t~v1, [~s];\n");
  if (element->kind == WEIR_OPERAND_SINK) return;
  weir_sl1_put(w, "\tmov.b64 \t");
  weir_ptx_print_operand(element, w->to);
  weir_sl1_put(w, ", {~v0, ~v1};\n");
}

// `count` elements, which fill one word.
static void put_word(struct weir_sl1_writer *w, const struct weir_instruction *in, const struct weir_operand *elements,
                     uint32_t count, const char *type) {
  weir_sl1_put(w, "\t%s.shared.%s%s \t%s", in->opcode == WEIR_OP_ST ? "st" : "ld", count == 2 ? "v2." : "", type,
               in->opcode == WEIR_OP_ST ? "[~s], " : "");
  if (count == 2) fputc('{', w->to);
  for (uint32_t k = 0; k < count; k++) {
    if (k) fputs(", ", w->to);
    weir_ptx_print_operand(&elements[k], w->to);
  }
  if (count == 2) fputc('}', w->to);
  weir_sl1_put(w, in->opcode == WEIR_OP_ST ? ";\n" : ", [~s];\n");
}

// Interleaved lines: word by word.
static void put_by_word(struct weir_sl1_writer *w, const struct weir_instruction *in) {
  const struct weir_operand *data = &in->operands[in->opcode == WEIR_OP_ST];
  const struct weir_operand *elements = data->part_count ? data->parts : data;
  const uint32_t count = data->part_count ? data->part_count : 1, bytes = weir_type_bytes(in->form.type);
  const uint32_t together = bytes == 2 ? 2 : 1;
  for (uint32_t k = 0; k < count; k += together) {
    if (k) weir_sl1_put(w, "\tadd.u32 \t~s, ~s, ~stride;\n");
    if (bytes == 8)
      put_halves(w, in, &elements[k]);
    else
      put_word(w, in, &elements[k], together, weir_type_name(in->form.type));
  }
}

void weir_sl1_put_shared(struct weir_sl1_writer *w, const struct weir_instruction *in) {
  const uint32_t elements = in->form.vector ? in->form.vector : 1, bytes = weir_type_bytes(in->form.type) * elements;
  if (is_interleaved(w) && bytes > 4) {
    put_by_word(w, in);
    return;
  }
  char type[WEIR_SL1_NAME];
  if (elements > 1)
    snprintf(type, sizeof type, ".v%u.%s", elements, weir_type_name(in->form.type));
  else
    snprintf(type, sizeof type, ".%s", weir_type_name(in->form.type));
  put_operands(w, in, type);
}
