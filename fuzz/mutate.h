// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Mutations that know PTX: numbers become those at an edge, offsets appear in addresses, vector sizes, state spaces and types
// change, statements are doubled, dropped and put in. Every third knows nothing of it: libFuzzer's own, or replay.c's. Included by the harnesses that read PTX.
#ifndef WEIR_FUZZ_MUTATE_H
#define WEIR_FUZZ_MUTATE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

struct weir_mutation {
  char *text;
  size_t size, most;
  uint64_t state; // of splitmix64
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static size_t draw(struct weir_mutation *m, size_t below) {
  uint64_t z = m->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return below ? (size_t)((z ^ (z >> 31)) % below) : 0;
}

// Puts `with` in the place of `length` bytes at `at`; nothing if there is no room.
static void put(struct weir_mutation *m, size_t at, size_t length, const char *with) {
  const size_t more = strlen(with);
  if (at + length > m->size || m->size - length + more > m->most) return;
  memmove(m->text + at + more, m->text + at + length, m->size - at - length);
  memcpy(m->text + at, with, more);
  m->size += more - length;
}

// The first place at or behind a drawn one, going round, that `is` there; m->size: nowhere.
static size_t seek(struct weir_mutation *m, bool (*is)(const struct weir_mutation *, size_t)) {
  const size_t from = draw(m, m->size);
  for (size_t k = 0; k < m->size; k++) {
    const size_t at = (from + k) % m->size;
    if (is(m, at)) return at;
  }
  return m->size;
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool number_begins(const struct weir_mutation *m, size_t at) {
  return isdigit((unsigned char)m->text[at]) && (!at || (!in_name(m->text[at - 1]) && m->text[at - 1] != '.'));
}

static bool address_ends(const struct weir_mutation *m, size_t at) {
  return m->text[at] == ']';
}

static bool word_begins(const struct weir_mutation *m, size_t at) {
  return m->text[at] == '.' && at + 1 < m->size && isalpha((unsigned char)m->text[at + 1]);
}

static bool statement_ends(const struct weir_mutation *m, size_t at) {
  return m->text[at] == ';';
}

static bool register_begins(const struct weir_mutation *m, size_t at) {
  return m->text[at] == '%';
}

static size_t word_length(const struct weir_mutation *m, size_t at) {
  size_t n = 1;
  while (at + n < m->size &&
         (isalnum((unsigned char)m->text[at + n]) || m->text[at + n] == ':' || m->text[at + n] == '_'))
    n++;
  return n;
}

static const char *const edges[] = {"0",
                                    "1",
                                    "2",
                                    "4",
                                    "7",
                                    "8",
                                    "15",
                                    "16",
                                    "31",
                                    "32",
                                    "33",
                                    "63",
                                    "64",
                                    "255",
                                    "256",
                                    "1023",
                                    "4096",
                                    "32764",
                                    "65535",
                                    "65536",
                                    "524288",
                                    "1048576",
                                    "2147483647",
                                    "2147483648",
                                    "4294967288",
                                    "4294967295",
                                    "4294967296",
                                    "1099511627776",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "18446744073709551608",
                                    "18446744073709551615"};

static void change_number(struct weir_mutation *m) {
  const size_t at = seek(m, number_begins);
  size_t n = 0;
  while (at + n < m->size && in_name(m->text[at + n])) n++;
  put(m, at, n, edges[draw(m, COUNT(edges))]);
}

static void change_offset(struct weir_mutation *m) {
  char text[40];
  snprintf(text, sizeof text, "%s%s", draw(m, 2) ? "+-" : "+", edges[draw(m, COUNT(edges))]);
  put(m, seek(m, address_ends), 0, text);
}

// A word of a list, such as a state space, becomes another of it, or goes.
static void change_word(struct weir_mutation *m) {
  static const char *const spaces[] = {".global", ".shared", ".local", ".const", ".param", ""},
                           *const vectors[] = {".v2", ".v4", ".v8", ""}, *const types[] = {".b8",   ".u8",  ".s8",
                                                                                           ".b16",  ".u16", ".s16",
                                                                                           ".b32",  ".u32", ".s32",
                                                                                           ".f32",  ".b64", ".u64",
                                                                                           ".s64",  ".f64", ".b128",
                                                                                           ".pred", ".f16", ".f16x2"};
  static const struct {
    const char *const *words;
    size_t count;
  } lists[] = {{spaces, COUNT(spaces)}, {vectors, COUNT(vectors)}, {types, COUNT(types)}};
  for (unsigned tries = 0; tries < 8; tries++) {
    const size_t at = seek(m, word_begins);
    const size_t n = at < m->size ? word_length(m, at) : 0;
    for (size_t l = 0; l < COUNT(lists); l++)
      for (size_t k = 0; k < lists[l].count; k++)
        if (n == strlen(lists[l].words[k]) && n && !memcmp(m->text + at, lists[l].words[k], n)) {
          put(m, at, n, lists[l].words[draw(m, lists[l].count)]);
          return;
        }
  }
}

static void change_register(struct weir_mutation *m) {
  char name[64] = "";
  const size_t from = seek(m, register_begins), to = seek(m, register_begins);
  size_t n = 1, length = 1;
  while (from + n < m->size && in_name(m->text[from + n]) && n + 1 < sizeof name) n++;
  while (to + length < m->size && in_name(m->text[to + length])) length++;
  if (from >= m->size || to >= m->size) return;
  memcpy(name, m->text + from, n);
  put(m, to, length, name);
}

static void move_statement(struct weir_mutation *m) {
  char text[512] = "";
  const size_t end = seek(m, statement_ends), to = seek(m, statement_ends);
  size_t begin = end;
  while (begin && !strchr(";{}", m->text[begin - 1])) begin--;
  if (end >= m->size || to >= m->size || end - begin + 2 > sizeof text) return;
  memcpy(text, m->text + begin, end - begin + 1);
  if (draw(m, 3))
    put(m, to + 1, 0, text);
  else
    put(m, begin, end - begin + 1, "");
}

static void add_statement(struct weir_mutation *m) {
  static const char *const statements[] = {"ld.param.u64 %rd1, [p];",
                                           "ld.param.v2.u32 {%r1, %r2}, [p+-8];",
                                           "st.shared.u32 [s], %r1;",
                                           "ld.local.u64 %rd2, [l];",
                                           "mov.u64 %rd3, l;",
                                           "mov.u64 %rd3, s;",
                                           "cvta.local.u64 %rd4, %rd3;",
                                           "cvta.to.shared.u64 %rd4, %rd4;",
                                           "ld.u32 %r2, [%rd4];",
                                           "st.v4.u32 [%rd4], {%r1, %r2, %r3, %r4};",
                                           "atom.global.add.u32 %r1, [%rd1], 1;",
                                           "red.shared.max.s32 [%rd3], %r1;",
                                           "cp.async.ca.shared.global [%rd3], [%rd1], 16;",
                                           "bar.sync 0;",
                                           "bar.sync %r1, %r2;",
                                           "call f, (%rd1);",
                                           "mov.u64 %rd5, f; call %rd5, (%rd1), q;",
                                           "prefetch.global.L2 [%rd1];",
                                           "@%p1 bra L;",
                                           "setp.lt.u32 %p1, %r1, %r2;",
                                           "shfl.sync.idx.b32 %r1|%p1, %r2, %r3, %r4, -1;",
                                           "{ .param .b64 x; st.param.b64 [x], %rd1; }",
                                           ".local .align 8 .b8 m[64];",
                                           ".shared .align 4 .b8 t[64];",
                                           "mov.u32 %r1, %tid.x;",
                                           "mul.wide.u32 %rd2, %r1, 8;",
                                           "add.u64 %rd1, %rd1, %rd2;",
                                           "isspacep.shared %p1, %rd1;",
                                           "brx.idx %r1, ls;",
                                           "ld.const.u32 %r3, [c+4];",
                                           "ld.global.nc.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r1}, [%rd1];",
                                           "vote.sync.ballot.b32 %r1, %p1, -1;",
                                           "trap;"};
  put(m, seek(m, statement_ends) + 1, 0, statements[draw(m, COUNT(statements))]);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  static void (*const edits[])(struct weir_mutation *) = {change_number,  change_offset, change_word, change_register,
                                                          move_statement, add_statement, change_word, change_offset};
  struct weir_mutation m = {(char *)data, size, most, seed};
  if (!size || !draw(&m, 3)) return LLVMFuzzerMutate(data, size, most);
  for (size_t k = draw(&m, 4) + 1; k && m.size; k--) edits[draw(&m, COUNT(edits))](&m);
  return m.size;
}

#endif
