// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/accelsim.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/map.h"
#include "warptrace/accelsim_program.h"
#include "warptrace/writer.h"

#include <inttypes.h>
#include <string.h>

enum { LANES = 32, MOST_THREADS = 1024, MOST_SHARED = 1 << 20, WINDOW = 16 << 20, PAGE_BITS = 21, ADDRESS_BITS = 40 };

struct import {
  struct weir_traced_program program;
  struct weir_warptrace_writer *to;
  struct weir_sink *sink;
  struct weir_map pages; // page within the addresses of weir's device → page in the trace, counted from 1
};

// What a .traceg file says of its kernel before the first thread block.
struct header {
  char *name;
  uint32_t grid[3], block[3];
  uint64_t shared, registers, version, tracer, line_numbers, shared_base, local_base;
  bool has_grid, has_block, has_registers, has_version;
};

struct reading {
  struct import *of;
  struct weir_text *text;
  struct header head;
  struct weir_traced_kernel *kernel;
  uint64_t blocks;
  uint8_t *done; // per block
};

// ---- addresses ------------------------------------------------------------------------------------------------------------

// CUDA's addresses have 47 bits and more, weir's devices 40: the upper ones are left out, unless that puts two pages into one place.
static bool fold(struct import *m, const struct weir_text *t, uint64_t address, uint64_t *folded) {
  *folded = address & weir_mask(ADDRESS_BITS);
  uint64_t *page = weir_map_add(&m->pages, *folded >> PAGE_BITS, NULL);
  if (!*page) *page = (address >> PAGE_BITS) + 1;
  return *page == (address >> PAGE_BITS) + 1 ||
    weir_text_fail(t,
                   "the address %" PRIx64 " and one of the page %" PRIx64
                   " lie a multiple of 2^40 bytes apart: weir's devices "
                   "have no more",
                   address, (*page - 1) << PAGE_BITS);
}

static bool lies_in(uint64_t address, uint64_t base) {
  return base && address - base < WINDOW;
}

// Where a generic access goes is where its first lane's address lies.
static uint8_t space_of(const struct header *h, const struct weir_winstr *w) {
  const uint64_t address = w->address[weir_lowest(w->active)];
  if (w->what->space != WEIR_MEM_GLOBAL) return w->what->space;
  return lies_in(address, h->shared_base) ? WEIR_MEM_SHARED
    : lies_in(address, h->local_base)     ? WEIR_MEM_LOCAL
                                          : WEIR_MEM_GLOBAL;
}

static bool place_addresses(struct reading *r, struct weir_winstr *w) {
  w->space = space_of(&r->head, w);
  const uint64_t base = w->space == WEIR_MEM_SHARED ? r->head.shared_base : r->head.local_base;
  for (uint64_t left = w->active; left; left &= left - 1) {
    uint64_t *a = &w->address[weir_lowest(left)];
    if (w->space == WEIR_MEM_GLOBAL) {
      if (!fold(r->of, r->text, *a, a)) return false;
      continue;
    }
    if (lies_in(*a, base)) *a -= base;
    if (*a >= WINDOW)
      return weir_text_fail(r->text, "%" PRIx64 " is no address of %s memory", *a,
                            w->space == WEIR_MEM_SHARED ? "shared" : "local");
  }
  return true;
}

// ---- one line -------------------------------------------------------------------------------------------------------------

static bool read_registers(struct reading *r, char **at, const char *what, unsigned most, uint8_t *count,
                           uint8_t *registers) {
  uint64_t n, number;
  const char *word = weir_word(at);
  if (!weir_word_number(word, 10, most, &n))
    return weir_text_fail(r->text, "expected the number of %s registers, at most %u, not '%s'", what, most,
                          word ? word : "");
  *count = (uint8_t)n;
  for (unsigned i = 0; i < n; i++) {
    word = weir_word(at);
    if (!word || *word != 'R' || !weir_word_number(word + 1, 10, WEIR_SASS_ZERO, &number))
      return weir_text_fail(r->text, "expected a %s register, R0 to R255, not '%s'", what, word ? word : "");
    registers[i] = (uint8_t)number;
  }
  return true;
}

enum { LIST = 0, STRIDE = 1, DIFFERENCES = 2 }; // how addresses are written

static bool read_differences(char **at, struct weir_winstr *w, uint64_t address) {
  for (uint64_t left = w->active & (w->active - 1); left; left &= left - 1) {
    int64_t difference;
    if (!weir_word_difference(weir_word(at), &difference)) return false;
    w->address[weir_lowest(left)] = address += (uint64_t)difference;
  }
  return true;
}

static bool read_stride(char **at, struct weir_winstr *w, uint64_t address) {
  int64_t stride;
  if (!weir_word_difference(weir_word(at), &stride)) return false;
  for (uint64_t left = w->active; left; left &= left - 1, address += (uint64_t)stride)
    w->address[weir_lowest(left)] = address;
  return true;
}

static bool read_list(char **at, struct weir_winstr *w) {
  for (uint64_t left = w->active; left; left &= left - 1)
    if (!weir_word_number(weir_word(at), 16, UINT64_MAX, &w->address[weir_lowest(left)])) return false;
  return true;
}

static bool read_addresses(char **at, struct weir_winstr *w) {
  uint64_t how, first;
  if (!weir_word_number(weir_word(at), 10, DIFFERENCES, &how)) return false;
  if (how == LIST) return read_list(at, w);
  if (!weir_word_number(weir_word(at), 16, UINT64_MAX, &first)) return false;
  if (w->active) w->address[weir_lowest(w->active)] = first;
  return how == STRIDE ? read_stride(at, w, first) : read_differences(at, w, first);
}

// Behind the registers: bytes of each lane (0: no access), how addresses are written, addresses; from version 4 on an immediate, which may lack.
static bool read_access(struct reading *r, char *at, struct weir_winstr *w, int64_t *immediate) {
  uint64_t width;
  const char *word = weir_word(&at);
  if (!weir_word_number(word, 10, UINT32_MAX, &width))
    return weir_text_fail(r->text, "expected the bytes of an access, or 0, not '%s'", word ? word : "");
  const bool accesses = w->what->space != WEIR_MEM_NONE;
  if (accesses && !width && w->active) return weir_text_fail(r->text, "an access without addresses");
  if (!accesses && width) return true; // nothing is known of it, nor of what follows
  if (width && !read_addresses(&at, w)) return weir_text_fail(r->text, "the access's addresses cannot be read");
  word = weir_word(&at);
  if (word && !weir_word_difference(word, immediate))
    return weir_text_fail(r->text, "'%s' behind an instruction", word);
  if (weir_word(&at)) return weir_text_fail(r->text, "more behind an instruction than belongs to it");
  return !accesses || !w->active || place_addresses(r, w);
}

static bool read_place(struct reading *r, char **at, struct weir_traced_line *l, struct weir_winstr *w) {
  uint64_t number = 0;
  if (r->head.tracer < 3)
    for (unsigned i = 0; i < 4; i++) weir_word(at); // its thread block and warp again
  if (r->head.line_numbers && !weir_word_number(weir_word(at), 10, UINT32_MAX, &number))
    return weir_text_fail(r->text, "expected a source line, as 'enable lineinfo' says");
  l->source_line = (uint32_t)number;
  l->version = (unsigned)r->head.version;
  if (!weir_word_number(weir_word(at), 16, UINT64_MAX, &l->offset))
    return weir_text_fail(r->text, "expected an instruction: its offset, hexadecimal, is missing");
  if (!weir_word_number(weir_word(at), 16, UINT32_MAX, &w->active))
    return weir_text_fail(r->text, "expected the mask of active lanes, 32 bits, hexadecimal");
  return true;
}

// One instruction of a warp.
static bool read_instruction(struct reading *r, char *at, struct weir_winstr *w, uint32_t *index) {
  struct weir_traced_line l = {0};
  w->barrier_threads = 0;
  w->barrier = 0;
  w->arrives = false;
  if (!read_place(r, &at, &l, w)) return false;
  if (!read_registers(r, &at, "destination", WEIR_STATIC_MAX_DST, &l.destinations, l.destination)) return false;
  l.opcode = weir_word(&at);
  if (!l.opcode) return weir_text_fail(r->text, "expected an opcode");
  if (!read_registers(r, &at, "source", WEIR_STATIC_MAX_SRC, &l.sources, l.source)) return false;
  if (!weir_traced_find(r->kernel, &l, r->text, index)) return false;
  w->what = &r->kernel->statics[*index];
  w->space = w->what->space;
  w->arrives = w->what->is_barrier && strstr(l.opcode, ".ARV");
  int64_t immediate = 0;
  if (!read_access(r, at, w, &immediate)) return false;
  if (w->what->copy_role == WEIR_COPY_WAIT)
    r->kernel->statics[*index].copy_groups = (uint8_t)(immediate > 0 && immediate < UINT8_MAX ? immediate : 0);
  return true;
}

// ---- a kernel's file ------------------------------------------------------------------------------------------------------

static bool read_three(const char *value, uint32_t most, uint32_t three[3], bool *has) {
  char closed, more;
  *has =
    sscanf(value, "(%" SCNu32 ",%" SCNu32 ",%" SCNu32 "%c%c", &three[0], &three[1], &three[2], &closed, &more) == 4 &&
    closed == ')';
  for (unsigned i = 0; i < 3; i++) *has = *has && three[i] && three[i] <= most;
  return *has;
}

// "-NAME = VALUE".
static bool read_fact(struct reading *r, char *line) {
  struct header *h = &r->head;
  char *equals = strstr(line, " = ");
  if (!equals) return weir_text_fail(r->text, "expected '-NAME = VALUE'");
  char *value = equals + 3;
  *equals = 0;
  for (size_t n = strlen(value); n && strchr(" \t\r", value[n - 1]); n--) value[n - 1] = 0;
  const struct {
    const char *name;
    uint64_t *to, most;
    bool *has;
    int base;
  } numbers[] = {
    {"shmem", &h->shared, MOST_SHARED, NULL, 10},
    {"nregs", &h->registers, UINT16_MAX, &h->has_registers, 10},
    {"binary version", &h->version, 1000, &h->has_version, 10},
    {"accelsim tracer version", &h->tracer, 1000, NULL, 10},
    {"enable lineinfo", &h->line_numbers, 1, NULL, 10},
    {"shmem base_addr", &h->shared_base, UINT64_MAX, NULL, 16},
    {"local mem base_addr", &h->local_base, UINT64_MAX, NULL, 16},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(numbers[i].name, line + 1) != 0) continue;
    if (!weir_word_number(value, numbers[i].base, numbers[i].most, numbers[i].to))
      return weir_text_fail(r->text, "'%s' is no value of '%s'", value, line + 1);
    if (numbers[i].has) *numbers[i].has = true;
    return true;
  }
  if (!strcmp(line, "-grid dim"))
    return read_three(value, INT32_MAX, h->grid, &h->has_grid) || weir_text_fail(r->text, "'%s' is no grid", value);
  if (!strcmp(line, "-block dim"))
    return read_three(value, MOST_THREADS, h->block, &h->has_block) ||
      weir_text_fail(r->text, "'%s' is no block", value);
  if (!strcmp(line, "-kernel name")) {
    weir_free(h->name);
    h->name = weir_text_copy(value);
    return true;
  }
  if (!strcmp(line, "-kernel id") || !strcmp(line, "-cuda stream id") || !strcmp(line, "-nvbit version")) return true;
  return weir_text_fail(r->text, "weir does not know what '%s' says of a kernel", line + 1);
}

static bool is_whole(struct reading *r) {
  const struct header *h = &r->head;
  const char *missing = !h->name ? "kernel name"
    : !h->has_grid               ? "grid dim"
    : !h->has_block              ? "block dim"
    : !h->has_registers          ? "nregs"
    : !h->has_version            ? "binary version"
                                 : NULL;
  if (missing) return weir_text_fail(r->text, "the trace does not say '%s' of its kernel", missing);
  if ((uint64_t)h->block[0] * h->block[1] * h->block[2] > MOST_THREADS)
    return weir_text_fail(r->text, "a block has %d threads at most", MOST_THREADS);
  r->blocks = (uint64_t)h->grid[0] * h->grid[1];
  r->blocks = r->blocks > INT32_MAX ? r->blocks : r->blocks * h->grid[2];
  return r->blocks <= INT32_MAX || weir_text_fail(r->text, "a grid of more than 2^31 blocks");
}

// Up to the first thread block.
static bool read_header(struct reading *r) {
  char *line;
  r->head = (struct header){.tracer = 3};
  while ((line = weir_text_line(r->text))) {
    if (!strncmp(line, "#BEGIN_TB", 9)) return is_whole(r);
    if (*line == '#') continue;
    if (*line != '-') return weir_text_fail(r->text, "expected '-NAME = VALUE' or #BEGIN_TB");
    if (!read_fact(r, line)) return false;
  }
  return weir_text_fail(r->text, "the trace has no thread block");
}

static bool read_warp(struct reading *r, uint64_t block, uint32_t warp) {
  char *line = weir_text_line(r->text);
  uint32_t count;
  char more;
  if (!line || sscanf(line, "insts = %" SCNu32 " %c", &count, &more) != 1 || !count)
    return weir_text_fail(r->text, "expected 'insts = N', N from 1 on, behind 'warp = %u'", warp);
  for (uint32_t i = 0; i < count; i++) {
    struct weir_winstr w;
    uint32_t index;
    line = weir_text_line(r->text);
    if (!line) return weir_text_fail(r->text, "the trace ends after %u of warp %u's %u instructions", i, warp, count);
    if (!read_instruction(r, line, &w, &index)) return false;
    if (i + 1 == count && !w.what->is_exit)
      return weir_text_fail(r->text, "warp %u ends with %s, not with EXIT", warp,
                            r->kernel->instructions[index].opcode);
    weir_warptrace_step(r->of->to, block, warp, index, &w, i + 1 == count);
  }
  return true;
}

static bool read_block(struct reading *r) {
  const struct header *h = &r->head;
  char *line = weir_text_line(r->text), more;
  uint32_t x, y, z, warp;
  if (!line || sscanf(line, "thread block = %" SCNu32 ",%" SCNu32 ",%" SCNu32 " %c", &x, &y, &z, &more) != 3 ||
      x >= h->grid[0] || y >= h->grid[1] || z >= h->grid[2])
    return weir_text_fail(r->text, "expected 'thread block = X,Y,Z' of the grid behind #BEGIN_TB");
  const uint64_t block = ((uint64_t)z * h->grid[1] + y) * h->grid[0] + x;
  if (r->done[block]) return weir_text_fail(r->text, "thread block %u,%u,%u a second time", x, y, z);
  r->done[block] = 1;
  const uint32_t warps = (uint32_t)weir_div_up((uint64_t)h->block[0] * h->block[1] * h->block[2], LANES);
  uint32_t seen = 0;
  while ((line = weir_text_line(r->text)) && strncmp(line, "#END_TB", 7) != 0) {
    if (sscanf(line, "warp = %" SCNu32 " %c", &warp, &more) != 1 || warp >= warps)
      return weir_text_fail(r->text, "expected 'warp = W', W below %u, or #END_TB", warps);
    if (warp != seen) return weir_text_fail(r->text, "expected warp %u, not %u", seen, warp);
    if (!read_warp(r, block, warp)) return false;
    seen++;
  }
  if (!line) return weir_text_fail(r->text, "the trace ends within a thread block");
  return seen == warps || weir_text_fail(r->text, "the thread block has %u warps, and %u are here", warps, seen);
}

static bool read_blocks(struct reading *r) {
  const struct header *h = &r->head;
  struct import *m = r->of;
  r->kernel = weir_traced_kernel(&m->program, h->name, (uint32_t)h->registers);
  r->done = weir_alloc(r->blocks);
  struct weir_warptrace_call call = {
    .kernel = r->kernel->number, .dynamic_shared_bytes = (uint32_t)h->shared, .registers = (uint32_t)h->registers};
  memcpy(call.grid, h->grid, sizeof call.grid);
  memcpy(call.block, h->block, sizeof call.block);
  weir_warptrace_launch(m->to, &call, 0);
  uint64_t seen = 0;
  bool ok = true;
  const char *line = "";
  while (ok && line) {
    ok = read_block(r);
    seen += ok;
    line = ok ? weir_text_line(r->text) : NULL;
    if (line && strncmp(line, "#BEGIN_TB", 9) != 0) ok = weir_text_fail(r->text, "expected #BEGIN_TB");
  }
  weir_free(r->done);
  if (!ok || seen == r->blocks) return ok;
  return weir_text_fail(r->text, "the grid has %" PRIu64 " thread blocks, and %" PRIu64 " are here", r->blocks, seen);
}

static bool read_kernel(struct import *m, const char *path) {
  struct reading r = {.of = m, .text = weir_text_open(path, m->sink)};
  if (!r.text) return false;
  const bool ok = read_header(&r) && read_blocks(&r);
  weir_free(r.head.name);
  return weir_text_close(r.text) && ok;
}

// ---- the list -------------------------------------------------------------------------------------------------------------

struct listed {
  bool (*kernel)(void *context, const char *path);
  bool (*copy)(void *context, const struct weir_text *t, uint64_t address, uint64_t bytes); // NULL: nobody is told
  void *context;
};

// "MemcpyHtoD,0xADDRESS,BYTES".
static bool read_copy(const struct listed *l, struct weir_text *t, char *line) {
  char *comma = strchr(line, ','), *second = comma ? strchr(comma + 1, ',') : NULL;
  uint64_t address, bytes;
  if (second) *second++ = 0;
  char *at = second;
  if (!second || !weir_word_number(comma + 1, 16, UINT64_MAX, &address) ||
      !weir_word_number(weir_word(&at), 10, weir_mask(ADDRESS_BITS), &bytes))
    return weir_text_fail(t, "expected 'MemcpyHtoD,0xADDRESS,BYTES'");
  return !l->copy || l->copy(l->context, t, address, bytes);
}

static bool read_commands(const char *list, const struct listed *l, struct weir_sink *sink) {
  struct weir_text *t = weir_text_open(list, sink);
  bool ok = t;
  char *line;
  while (ok && (line = weir_text_line(t))) {
    if (!strncmp(line, "MemcpyHtoD", 10)) {
      ok = read_copy(l, t, line);
    } else if (!strncmp(line, "kernel", 6)) {
      char *path = weir_path_beside(list, weir_word(&line));
      ok = l->kernel(l->context, path);
      weir_free(path);
    } else {
      ok = weir_text_fail(t, "expected MemcpyHtoD or the file of a kernel, not '%.60s'", line);
    }
  }
  return t && weir_text_close(t) && ok;
}

static bool add_kernel(void *context, const char *path) {
  return read_kernel(context, path);
}

static bool add_copy(void *context, const struct weir_text *t, uint64_t address, uint64_t bytes) {
  struct import *m = context;
  uint64_t folded;
  if (!fold(m, t, address, &folded)) return false;
  if (bytes > weir_mask(ADDRESS_BITS) - folded) return weir_text_fail(t, "a copy beyond the end of memory");
  if (bytes) weir_warptrace_copy(m->to, folded, bytes);
  return true;
}

bool weir_accelsim_files(const char *list, bool (*each)(void *context, const char *path), void *context,
                         struct weir_sink *sink) {
  const struct listed l = {.kernel = each, .context = context};
  return read_commands(list, &l, sink);
}

bool weir_accelsim_convert(const char *path, bool is_list, const char *to, struct weir_sink *sink) {
  json_t *about = json_pack("{s:i}", "warp_lanes", LANES);
  struct import m = {.to = weir_warptrace_create(to, about, LANES, sink), .sink = sink};
  json_decref(about);
  if (!m.to) return false;
  const struct listed l = {add_kernel, add_copy, &m};
  const bool ok = is_list ? read_commands(path, &l, sink) : read_kernel(&m, path);
  struct weir_streamed_program s = weir_traced_program(&m.program, path);
  const bool written = weir_warptrace_close(m.to, ok ? &s : NULL, sink);
  if (ok) weir_traced_tell(&m.program, path, sink);
  weir_traced_close(&s);
  weir_traced_free(&m.program);
  weir_map_free(&m.pages);
  return ok && written;
}
