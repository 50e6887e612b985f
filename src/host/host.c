// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/host_private.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKSUM_GROUP = 8 }; // words

struct weir_host *weir_host_create(const struct weir_program *program, struct weir_memory *memory,
                                   struct weir_sink *sink) {
  struct weir_host *h = weir_new(struct weir_host);
  h->program = program;
  h->memory = memory;
  h->sink = sink;
  return h;
}

void weir_host_free(struct weir_host *h) {
  if (!h) return;
  for (unsigned i = 0; i < h->result_count; i++) weir_free((char *)h->results[i].name);
  weir_free(h->results);
  weir_free(h->copies);
  weir_free(h);
}

void weir_host_attach(struct weir_host *h, struct weir_backend backend) {
  h->backend = backend;
  if (backend.copied_in)
    for (size_t i = 0; i < h->copy_count; i++)
      backend.copied_in(backend.context, h->copies[i].address, h->copies[i].bytes);
  weir_free(h->copies);
  h->copies = NULL;
  h->copy_count = h->copy_capacity = 0;
}

void weir_host_set_step_limit(struct weir_host *h, uint64_t warp_instructions) {
  h->step_limit = warp_instructions;
}

struct weir_program_options weir_program_defaults(void) {
  return (struct weir_program_options){.sl1_options = weir_sl1_defaults()};
}

static bool same_sl1(const struct weir_sl1_options *a, const struct weir_sl1_options *b) {
  char *x = weir_param_changes(&weir_sl1_table, a), *y = weir_param_changes(&weir_sl1_table, b);
  bool same = !strcmp(x, y);
  weir_free(x);
  weir_free(y);
  return same;
}

static bool same_hints(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

bool weir_program_options_same(const struct weir_program_options *a, const struct weir_program_options *b) {
  const struct weir_shape *x = &a->shape, *y = &b->shape;
  return x->blocks == y->blocks && x->block == y->block && x->footprint_kib == y->footprint_kib &&
    x->stride == y->stride && x->interleave == y->interleave && x->gather == y->gather &&
    same_hints(a->hints, b->hints) && a->sl1 == b->sl1 && (!a->sl1 || same_sl1(&a->sl1_options, &b->sl1_options));
}

void weir_host_set_shape(struct weir_host *h, struct weir_shape shape) {
  h->shape = shape;
}

struct weir_shape weir_host_shape(const struct weir_host *h) {
  return h->shape;
}

uint64_t weir_host_alloc(struct weir_host *h, const char *name, uint64_t bytes) {
  const uint64_t left = weir_memory_left(h->memory), address = weir_memory_alloc(h->memory, name, bytes);
  h->bytes += bytes;
  if (address) return address;
  if (!h->over)
    weir_fail_plain(h->sink, "'%s' has %" PRIu64 " bytes; %" PRIu64 " of the device's memory are left", name, bytes,
                    left);
  h->over = true;
  weir_memory_set_limit(h->memory, UINT64_MAX); // what fills it goes on, and is refused with it
  return weir_memory_alloc(h->memory, name, bytes);
}

struct weir_memory *weir_host_memory(const struct weir_host *h) {
  return h->memory;
}

uint64_t weir_host_left(const struct weir_host *h) {
  return weir_memory_left(h->memory);
}

bool weir_host_is_over(const struct weir_host *h) {
  return h->over;
}

void *weir_host_bytes(struct weir_host *h, uint64_t address, uint64_t bytes) {
  void *p = weir_memory_at(h->memory, address, bytes);
  if (!p && bytes) { // a program of ours that misses its own buffers: nothing a user can repair
    fprintf(stderr, "weir: a program touches %" PRIu64 " bytes at 0x%" PRIx64 " outside its buffers\n", bytes, address);
    abort();
  }
  return p;
}

void weir_host_wrote(struct weir_host *h, uint64_t address, uint64_t bytes) {
  if (!h->backend.launch)
    *weir_push(h->copies, h->copy_count, h->copy_capacity) = (struct weir_host_copy){address, bytes};
  else if (h->backend.copied_in)
    h->backend.copied_in(h->backend.context, address, bytes);
}

void weir_host_write(struct weir_host *h, uint64_t to, const void *from, uint64_t bytes) {
  if (!bytes) return;
  memcpy(weir_host_bytes(h, to, bytes), from, bytes);
  weir_host_wrote(h, to, bytes);
}

uint64_t weir_host_upload(struct weir_host *h, const char *name, const void *from, uint64_t bytes) {
  uint64_t address = weir_host_alloc(h, name, bytes);
  weir_host_write(h, address, from, bytes);
  return address;
}

void weir_host_fill(struct weir_host *h, uint64_t to, int byte, uint64_t bytes) {
  if (bytes) memset(weir_host_bytes(h, to, bytes), byte, bytes);
}

void weir_host_read(struct weir_host *h, void *to, uint64_t from, uint64_t bytes) {
  if (bytes) memcpy(to, weir_host_bytes(h, from, bytes), bytes);
}

struct weir_sink *weir_host_sink(struct weir_host *h) {
  return h->sink;
}

uint64_t weir_host_buffer_bytes(const struct weir_host *h) {
  return h->bytes;
}

void weir_host_result(struct weir_host *h, const char *name, uint64_t address, uint64_t bytes) {
  *weir_push(h->results, h->result_count, h->result_capacity) =
    (struct weir_result){weir_text_copy(name), address, bytes};
}

const struct weir_result *weir_host_results(const struct weir_host *h, unsigned *count) {
  *count = h->result_count;
  return h->results;
}

// h = h × 31 + word over whole groups of words: each place of a group is folded by itself, by 31 to the group's length, since
// the products of one chain would wait for one another.
static uint64_t fold_groups(const uint8_t *bytes, uint64_t groups) {
  uint64_t places[CHECKSUM_GROUP] = {0}, step = 1, sum = 0;
  for (unsigned i = 0; i < CHECKSUM_GROUP; i++) step *= 31;
  for (uint64_t g = 0; g < groups; g++) {
    uint32_t words[CHECKSUM_GROUP];
    memcpy(words, bytes + g * sizeof words, sizeof words);
    for (unsigned i = 0; i < CHECKSUM_GROUP; i++) places[i] = places[i] * step + words[i];
  }
  for (unsigned i = 0; i < CHECKSUM_GROUP; i++) sum = sum * 31 + places[i];
  return sum;
}

// A last word that the buffer's end cuts short counts as if zeros followed.
uint64_t weir_host_checksum(struct weir_host *h, const struct weir_result *r) {
  const uint8_t *bytes = weir_host_bytes(h, r->address, r->bytes);
  const uint64_t groups = r->bytes / (4 * CHECKSUM_GROUP);
  uint64_t sum = fold_groups(bytes, groups);
  for (uint64_t i = groups * 4 * CHECKSUM_GROUP; i < r->bytes; i += 4) {
    uint32_t word = 0;
    memcpy(&word, bytes + i, r->bytes - i < 4 ? (size_t)(r->bytes - i) : 4);
    sum = sum * 31 + word;
  }
  return sum;
}

void *weir_host_variable(struct weir_host *h, const char *name) {
  uint64_t bytes;
  const uint64_t address = weir_program_variable(h->program, name, &bytes);
  return address ? weir_memory_at(h->memory, address, bytes) : NULL;
}
