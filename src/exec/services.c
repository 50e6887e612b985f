// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The functions that device code calls and the platform provides: printf, malloc, free, the end of a failed assert, and conditions
// of CUDA's graphs.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/access.h"
#include "exec/format.h"
#include "exec/heap.h"
#include "ptx/builtin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t DEFAULT_HEAP = UINT64_C(8) << 20; // CUDA's cudaLimitMallocHeapSize

struct lane {
  struct weir_warp *warp;
  unsigned number;
};

static uint8_t *caller_local(const struct weir_warp *w, unsigned lane) {
  return w->local + (size_t)lane * w->block->local_bytes + w->frames[w->frame_count - 1].local;
}

static uint64_t argument(const struct weir_warp *w, const struct weir_call *call, unsigned lane, unsigned k) {
  uint64_t value = 0;
  const struct weir_argument_copy *c = &call->arguments[k];
  if (c->in_vector)
    memcpy(&value, (const uint8_t *)weir_at(w, c->bank, c->from) + (size_t)lane * c->width, c->bytes);
  else
    memcpy(&value, caller_local(w, lane) + c->from, c->bytes < 8 ? c->bytes : 8);
  return value;
}

static void answer(const struct weir_warp *w, const struct weir_call *call, unsigned lane, uint64_t value) {
  if (!call->result_count) return;
  const struct weir_argument_copy *c = &call->results[0];
  if (c->in_vector)
    memcpy((uint8_t *)weir_at(w, c->bank, c->to) + (size_t)lane * c->width, &value, c->width);
  else
    memcpy(caller_local(w, lane) + c->to, &value, c->bytes < 8 ? c->bytes : 8);
}

static bool read_device(void *context, uint64_t address, void *to, unsigned bytes) {
  const struct lane *l = context;
  const void *host = weir_locate_generic(l->warp, l->number, address, bytes);
  if (host) memcpy(to, host, bytes);
  return host != NULL;
}

static void print(const struct weir_warp *w, struct weir_text *text) {
  const struct weir_services *s = w->block->launch->services;
  if (s && s->print)
    s->print(s->context, text->bytes, text->count);
  else
    fwrite(text->bytes, 1, text->count, stderr);
  text->count = 0;
}

static bool serve_print(struct weir_warp *w, const struct weir_call *call, unsigned builtin, uint64_t mask) {
  struct weir_text text = {0};
  bool good = true;
  for (; mask && good; mask &= mask - 1) {
    struct lane lane = {w, weir_lowest(mask)};
    const struct weir_format_source source = {&lane, read_device};
    const uint64_t format = argument(w, call, lane.number, 0);
    unsigned taken = 0;
    good = !format || weir_format(&source, format, argument(w, call, lane.number, 1), &text, &taken);
    if (!good) break;
    if (text.count) print(w, &text);
    answer(w, call, lane.number, !format ? UINT64_MAX : builtin == WEIR_BUILTIN_VPRINTF ? taken : 0);
  }
  weir_free(text.bytes);
  return good;
}

static bool serve_malloc(struct weir_warp *w, const struct weir_call *call, uint64_t mask) {
  const struct weir_services *s = w->block->launch->services;
  const uint64_t limit = s && s->heap_bytes ? s->heap_bytes : DEFAULT_HEAP;
  struct weir_heap *heap = weir_memory_heap(w->block->launch->memory);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    answer(w, call, l, weir_heap_take(heap, argument(w, call, l, 0), limit));
  }
  return true;
}

static bool serve_free(struct weir_warp *w, const struct weir_call *call, uint64_t mask) {
  struct weir_heap *heap = weir_memory_heap(w->block->launch->memory);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    const uint64_t address = argument(w, call, l, 0);
    if (!address) continue;
    const enum weir_heap_answer a = weir_heap_give(heap, address);
    if (a != WEIR_HEAP_FREED)
      return weir_raise_kind(w, WEIR_FAULT_ACCESS, l, "free of 0x%" PRIx64 ", which %s", address,
                             a == WEIR_HEAP_NO_BLOCK ? "malloc has not returned" : "is free already");
  }
  return true;
}

// ---- conditions of graphs ---------------------------------------------------------------------------------------------

// Of several lanes the last one's stands.
static bool serve_condition(struct weir_warp *w, const struct weir_call *call, uint64_t mask) {
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    const uint64_t handle = argument(w, call, l, 0);
    const uint32_t value = (uint32_t)argument(w, call, l, 1);
    void *host = weir_memory_at(w->block->launch->memory, handle, sizeof value);
    if (!host)
      return weir_raise_kind(w, WEIR_FAULT_ACCESS, l, "cudaGraphSetConditional of 0x%" PRIx64 ", which is no handle",
                             handle);
    memcpy(host, &value, sizeof value);
  }
  return true;
}

// ---- assert ---------------------------------------------------------------------------------------------------------

enum { MESSAGE, FILE_NAME, FUNCTION, STRINGS };

// The three strings, each ended by a NUL; NULL stands for an unknown one.
static bool read_strings(struct weir_warp *w, const struct weir_call *call, unsigned l, struct weir_text *strings) {
  static const uint8_t position[STRINGS] = {[MESSAGE] = 0, [FILE_NAME] = 1, [FUNCTION] = 3};
  struct lane lane = {w, l};
  const struct weir_format_source source = {&lane, read_device};
  const uint64_t size = argument(w, call, l, 4);
  const unsigned width = size == 2 || size == 4 ? (unsigned)size : 1;
  for (unsigned k = 0; k < STRINGS; k++) {
    const uint64_t address = argument(w, call, l, position[k]);
    strings[k].count = 0;
    if (!address)
      weir_text_append(&strings[k], "?", 1);
    else if (!weir_format_string(&source, address, UINT64_MAX, width, &strings[k]))
      return false;
    weir_text_append(&strings[k], "", 1);
  }
  return true;
}

// As the CUDA C++ Programming Guide shows it ("Assertion").
static void print_assertion(struct weir_warp *w, const struct weir_call *call, unsigned l,
                            const struct weir_text *strings) {
  const struct weir_block_state *b = w->block;
  const uint32_t *size = b->launch->block, thread = w->index * b->lanes + l;
  char *line = weir_text_format("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                                strings[FILE_NAME].bytes, (unsigned)argument(w, call, l, 2), strings[FUNCTION].bytes,
                                b->index[0], b->index[1], b->index[2], thread % size[0], thread / size[0] % size[1],
                                thread / size[0] / size[1], strings[MESSAGE].bytes);
  struct weir_text text = {line, strlen(line), 0};
  print(w, &text);
  weir_free(line);
}

static bool serve_assert(struct weir_warp *w, const struct weir_call *call, uint64_t mask) {
  struct weir_text strings[STRINGS] = {{0}};
  const unsigned first = weir_lowest(mask);
  bool good = true;
  for (uint64_t rest = mask; rest && good; rest &= rest - 1) {
    good = read_strings(w, call, weir_lowest(rest), strings);
    if (good) print_assertion(w, call, weir_lowest(rest), strings);
  }
  if (good && read_strings(w, call, first, strings))
    weir_raise_kind(w, WEIR_FAULT_ASSERT, first, "assertion '%s' failed at %s:%u", strings[MESSAGE].bytes,
                    strings[FILE_NAME].bytes, (unsigned)argument(w, call, first, 2));
  for (unsigned k = 0; k < STRINGS; k++) weir_free(strings[k].bytes);
  return false;
}

// ---- all ------------------------------------------------------------------------------------------------------------

// Through a pointer any prototype may come here.
static bool has_arguments(const struct weir_call *call, unsigned builtin) {
  static const uint8_t count[] = {
    [WEIR_BUILTIN_VPRINTF] = 2, [WEIR_BUILTIN_PRINTF] = 2, [WEIR_BUILTIN_ASSERTFAIL] = 5,
    [WEIR_BUILTIN_MALLOC] = 1,  [WEIR_BUILTIN_FREE] = 1,   [WEIR_BUILTIN_GRAPH_CONDITION] = 2};
  return call->argument_count == count[builtin];
}

bool weir_serve(struct weir_warp *w, const struct weir_call *call, unsigned builtin, uint64_t mask) {
  if (!has_arguments(call, builtin))
    return weir_raise(w, weir_lowest(mask), "a call with %u arguments of a function with another number",
                      call->argument_count);
  switch ((enum weir_builtin)builtin) {
  case WEIR_BUILTIN_MALLOC: return serve_malloc(w, call, mask);
  case WEIR_BUILTIN_FREE: return serve_free(w, call, mask);
  case WEIR_BUILTIN_GRAPH_CONDITION: return serve_condition(w, call, mask);
  case WEIR_BUILTIN_ASSERTFAIL: return serve_assert(w, call, mask);
  default: return serve_print(w, call, builtin, mask);
  }
}
