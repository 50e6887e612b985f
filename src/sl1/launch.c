// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/launch.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <string.h>

enum { OWN_ALIGN = 16, MOST_SHARED = 1 << 20 }; // the generic window (exec/memory.h)
enum word { LINE_BYTES, STRUCTURES, OWN, GIVEN, WORDS };

// The bytes of a module variable, or NULL: there is none of that name, or it is smaller.
static void *variable(const struct weir_program *p, struct weir_memory *m, const char *kernel, const char *suffix,
                      uint64_t least, uint64_t *address, uint64_t *bytes) {
  char *name = weir_text_format("%s%s", kernel, suffix);
  *bytes = 0;
  *address = weir_program_variable(p, name, bytes);
  weir_free(name);
  return *address && *bytes >= least ? weir_memory_at(m, *address, *bytes) : NULL;
}

bool weir_sl1_need(const struct weir_program *p, const char *kernel, struct weir_memory *m,
                   struct weir_sl1_need *need) {
  uint32_t words[WORDS];
  uint64_t bytes;
  const void *at = variable(p, m, kernel, "__sl1", sizeof words, &need->variable, &bytes);
  if (!at) return false;
  memcpy(words, at, sizeof words);
  need->line_bytes = words[LINE_BYTES];
  need->structures = words[STRUCTURES];
  return need->line_bytes && need->structures;
}

// A block's lines begin at a multiple of 16 behind all else that is the block's.
uint32_t weir_sl1_lines(const struct weir_sl1_need *need, uint64_t core_shared_bytes, uint32_t resident_blocks,
                        uint32_t block_threads, uint64_t block_shared_bytes) {
  uint64_t used = resident_blocks * weir_align_up(block_shared_bytes, OWN_ALIGN);
  uint64_t threads = (uint64_t)resident_blocks * block_threads;
  if (!threads || used >= core_shared_bytes) return 0;
  uint64_t lines = (core_shared_bytes - used) / threads / need->line_bytes;
  return lines < need->structures ? (uint32_t)lines : need->structures;
}

uint32_t weir_sl1_extend(const struct weir_sl1_need *need, struct weir_memory *m, uint32_t block_threads,
                         uint32_t dynamic_shared_bytes, uint32_t lines) {
  uint32_t own = (uint32_t)weir_align_up(dynamic_shared_bytes, OWN_ALIGN), unknown = (uint32_t)WEIR_SL1_OWN_UNKNOWN;
  uint32_t *words = weir_memory_at(m, need->variable, WORDS * sizeof *words);
  memcpy(&words[OWN], lines ? &own : &unknown, sizeof own);
  memcpy(&words[GIVEN], &lines, sizeof lines);
  return lines ? own + lines * block_threads * need->line_bytes : dynamic_shared_bytes;
}

void weir_sl1_give(struct weir_launch *launch, uint64_t core_shared_bytes, uint32_t resident_blocks) {
  const struct weir_kernel *k = launch->kernel;
  struct weir_sl1_need need;
  if (!weir_sl1_need(launch->program, k->name, launch->memory, &need)) return;
  uint64_t fixed = weir_dynamic_shared_base(k);
  uint32_t threads = (uint32_t)weir_block_threads(launch);
  uint64_t most = (uint64_t)resident_blocks * MOST_SHARED;
  uint32_t lines = weir_sl1_lines(&need, core_shared_bytes < most ? core_shared_bytes : most, resident_blocks, threads,
                                  fixed + launch->dynamic_shared_bytes);
  launch->dynamic_shared_bytes = weir_sl1_extend(&need, launch->memory, threads, launch->dynamic_shared_bytes, lines);
  if (lines) launch->shared_preference = 0; // what the program preferred was meant for blocks without lines
}

uint32_t weir_sl1_given(const struct weir_sl1_need *need, const struct weir_memory *m) {
  uint32_t words[WORDS];
  memcpy(words, weir_memory_at(m, need->variable, sizeof words), sizeof words);
  return words[GIVEN];
}

const uint64_t *weir_sl1_counts(const struct weir_program *p, const char *kernel, struct weir_memory *m,
                                uint32_t *structures) {
  uint64_t address, bytes;
  const void *at = variable(p, m, kernel, "__sl1_counts", sizeof(uint64_t), &address, &bytes);
  *structures = (uint32_t)(bytes / (WEIR_SL1_COUNTERS * sizeof(uint64_t)));
  return at;
}
