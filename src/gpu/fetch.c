// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Instruction fetch: each cycle one warp whose buffer is empty, round robin, gets the next instructions of its line of the
// instruction cache, where machine code has it (exec/program.h).
#include "gpu/request.h"

#include "base/bits.h"

enum { NOBODY = UINT16_MAX };
#define PROGRAM_BASE UINT64_C(0xF0000000) // where GPGPU-Sim puts the program (PROGRAM_MEM_START)

static uint64_t address_of(const struct weir_sm *m, uint32_t place) {
  return PROGRAM_BASE + (uint64_t)place * m->shared->config->instruction_bytes;
}

static void deliver(struct weir_sm *m, uint32_t warp, uint32_t count, weir_cycle now) {
  weir_cycle done = now + m->shared->config->decode_cycles;
  if (count && done < m->stalled_until[warp]) done = m->stalled_until[warp];
  weir_wheel_add(&m->wheel, now, done, WEIR_EVENT_FETCHED, warp)->count = (uint8_t)count;
}

static struct weir_mreq *request(const struct weir_sm *m, uint64_t address, uint32_t warp) {
  struct weir_mreq *r = weir_mreq_new(m->shared->pool);
  r->kind = WEIR_MREQ_INSTRUCTION;
  r->address = r->place = address;
  r->bytes = (uint16_t)m->shared->config->instruction_bytes;
  r->core = (uint16_t)m->number;
  r->warp = (uint16_t)warp;
  r->pc = (uint32_t)(address - PROGRAM_BASE);
  return r;
}

// ---- a launch's code --------------------------------------------------------------------------------------------------------

// What describes a launch to NVIDIA's hardware has a field of 9 bits for how many 256 bytes of its code are prefetched, which public runtimes set to
// all of it (PROGRAM_PREFETCH_SIZE of the QMD). That this goes as far as the shared cache, and by one core's port, is inferred.
void weir_sm_fetch_launch(struct weir_sm *m) {
  const struct weir_core_config *k = m->shared->config;
  const struct weir_kernel *kernel = m->shared->launch->kernel;
  const uint64_t line = m->instruction_cache.params.line_bytes, first = address_of(m, kernel->place);
  uint64_t bytes = (uint64_t)kernel->places * k->instruction_bytes;
  if (bytes > k->launch_prefetch_bytes) bytes = k->launch_prefetch_bytes;
  m->launch_code.next = first & ~(line - 1);
  m->launch_code.end = weir_align_up(first + bytes, line);
}

static void fetch_launch_code(struct weir_sm *m) {
  struct weir_launch_code *l = &m->launch_code;
  if (l->next >= l->end) return;
  struct weir_mreq *r = request(m, l->next, NOBODY);
  r->bytes = (uint16_t)m->instruction_cache.params.line_bytes;
  const uint32_t pieces = weir_pieces_of_request(m, r);
  if (!weir_inject(m, r)) {
    weir_mreq_release(m->shared->pool, r);
    return;
  }
  l->next += m->instruction_cache.params.line_bytes;
  l->pieces += pieces;
  m->shared->stats->code_prefetches++;
}

void weir_sm_take_launch_code(struct weir_sm *m, struct weir_mreq *r) {
  m->launch_code.pieces--;
  weir_mreq_release(m->shared->pool, r);
}

// ---- the stream buffer ------------------------------------------------------------------------------------------------------

// Where the launch's program ends.
static uint64_t program_end(const struct weir_sm *m) {
  const struct weir_program *p = m->shared->launch->program;
  uint32_t count;
  weir_program_statics(p, &count);
  return address_of(m, weir_program_places(p)[count]);
}

// A warp wants a line. A miss that is not in the stream begins another behind it; a line in the stream moves it on (Jouppi, ISCA 1990; that
// NVIDIA's cores have one, of eight lines, is what Huerta et al. conclude, MICRO 2025, 5.2 and 7.3).
static void follow(struct weir_sm *m, uint64_t address, bool missed) {
  struct weir_stream_buffer *s = &m->stream;
  const uint64_t bytes = m->instruction_cache.params.line_bytes, line = address & ~(bytes - 1), end = program_end(m);
  if (line >= s->first && line < s->next) {
    s->first = line;
  } else if (missed) {
    s->first = line;
    s->next = line + bytes;
  } else {
    return;
  }
  s->end = line + (1 + m->shared->config->prefetch_lines) * bytes;
  if (s->end > end) s->end = end;
}

// Asks for the stream's next line, if the cache takes it. Nobody waits for it.
static void prefetch(struct weir_sm *m, weir_cycle now) {
  struct weir_stream_buffer *s = &m->stream;
  if (s->next >= s->end) return;
  struct weir_mreq *r = request(m, s->next, NOBODY);
  enum weir_stall why;
  const enum weir_outcome o = weir_cache_access(&m->instruction_cache, r, now, &why);
  m->stirred |= WEIR_STIRRED_INSTRUCTION;
  m->shared->stats->instruction_cache_misses += o == WEIR_OUTCOME_MISS;
  if (o != WEIR_OUTCOME_REFUSED) s->next += m->instruction_cache.params.line_bytes;
  if (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_REFUSED) weir_mreq_release(m->shared->pool, r);
}

// ---- warps ------------------------------------------------------------------------------------------------------------------

// The warp's line may be missing: it then waits for it.
static void look_up(struct weir_sm *m, uint32_t warp, weir_cycle now) {
  const uint64_t address = address_of(m, m->shared->places[m->warps[warp].pc]);
  if (weir_cache_hits_latest(&m->instruction_cache, address)) {
    m->can_fetch &= ~(UINT64_C(1) << warp);
    deliver(m, warp, m->shared->config->fetch_instructions, now);
    return;
  }
  struct weir_mreq *r = request(m, address, warp);
  enum weir_stall why;
  enum weir_outcome o = weir_cache_access(&m->instruction_cache, r, now, &why);
  m->stirred |= WEIR_STIRRED_INSTRUCTION;
  if (o != WEIR_OUTCOME_REFUSED) m->can_fetch &= ~(UINT64_C(1) << warp);
  m->shared->stats->instruction_cache_misses += o == WEIR_OUTCOME_MISS;
  if (m->shared->config->prefetch_lines && o != WEIR_OUTCOME_REFUSED) follow(m, address, o == WEIR_OUTCOME_MISS);
  if (o == WEIR_OUTCOME_HIT) deliver(m, warp, m->shared->config->fetch_instructions, now);
  if (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_REFUSED) weir_mreq_release(m->shared->pool, r);
}

// A line that has come: true if it was for a warp.
static bool take_answer(struct weir_sm *m, weir_cycle now) {
  struct weir_mreq *r = weir_cache_take(&m->instruction_cache);
  const bool wanted = r->warp != NOBODY;
  if (wanted) deliver(m, r->warp, m->shared->config->fetch_instructions, now);
  weir_mreq_release(m->shared->pool, r);
  return wanted;
}

static void fetch_one(struct weir_sm *m, weir_cycle now) {
  if (m->stirred & WEIR_STIRRED_INSTRUCTION)
    while (m->instruction_cache.ready.head)
      if (take_answer(m, now)) return;
  if (!m->can_fetch) return;
  uint64_t after = m->can_fetch & ~weir_upto(m->last_fetched);
  uint32_t warp = weir_lowest(after ? after : m->can_fetch);
  m->last_fetched = warp;
  uint64_t bit = UINT64_C(1) << warp;
  if (m->taken & bit) {
    m->taken &= ~bit;
    m->can_fetch &= ~bit;
    deliver(m, warp, 0, now);
  } else {
    look_up(m, warp, now);
  }
}

void weir_sm_fetch(struct weir_sm *m, weir_cycle now) {
  fetch_one(m, now);
  prefetch(m, now);
  fetch_launch_code(m);
  m->can_fetch |= m->flushed;
  m->flushed = 0;
}

weir_cycle weir_sm_fetch_wake(const struct weir_sm *m, weir_cycle now) {
  const struct weir_cache *c = &m->instruction_cache;
  if (m->can_fetch || weir_sm_fetches_ahead(m)) return now + 1;
  return m->stirred & WEIR_STIRRED_INSTRUCTION && (c->ready.head || c->miss_queue.head) ? now + 1 : WEIR_NEVER;
}
