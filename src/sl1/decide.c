// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a transformed kernel keeps and decides: how many lines a thread has room for (section 3.1, sl1/launch.h), and which
// structures get one (section 3.2.2).
#include "sl1/launch.h"
#include "sl1/write.h"

static uint32_t candidates(const struct weir_sl1_writer *w) {
  return w->a->candidate_count;
}

static bool per_block(const struct weir_sl1_writer *w) {
  return w->a->o->scope == WEIR_SL1_PER_BLOCK;
}

void weir_sl1_put_registers(struct weir_sl1_writer *w) {
  const uint32_t n = candidates(w);
  weir_sl1_put(w, "\t// S-L1: tags, places and dirty bytes of lines, and what monitoring counts\n");
  weir_sl1_put(w, "\t.reg .pred \t~p, ~q, ~in, ~any, ~decided;\n");
  weir_sl1_put(w, "\t.reg .b32 \t~w0, ~w1, ~w2, ~w3, ~v0, ~v1, ~v2, ~v3, ~room, ~stride, ~calls, ~exit;\n");
  weir_sl1_put(w, "\t.reg .b32 \t~lo, ~hi, ~key, ~high, ~d, ~s, ~hits<%u>, ~seen<%u>, ~rank<%u>;\n", n, n, n);
  weir_sl1_put(w, "\t.reg .b32 \t~tag<%u>, ~line<%u>, ~limit<%u>, ~dirty<%u>;\n\t.reg .b64 \t~a, ~t, ~x;\n", n, n, n,
               n);
  if (w->a->o->counters) weir_sl1_put(w, "\t.reg .b32 \t~served<%u>, ~fills<%u>, ~back<%u>;\n", n, n, n);
}

// Threads of the block, in w2.
static void put_threads(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\tmov.u32 \t~w2, %%ntid.x;\n\tmov.u32 \t~w3, %%ntid.y;\n\tmul.lo.u32 \t~w2, ~w2, ~w3;\n");
  weir_sl1_put(w, "\tmov.u32 \t~w3, %%ntid.z;\n\tmul.lo.u32 \t~w2, ~w2, ~w3;\n");
}

// This thread of the block, in w3.
static void put_thread(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\tmov.u32 \t~w3, %%tid.z;\n\tmov.u32 \t~v0, %%ntid.y;\n\tmov.u32 \t~v1, %%tid.y;\n");
  weir_sl1_put(w, "\tmad.lo.u32 \t~w3, ~w3, ~v0, ~v1;\n\tmov.u32 \t~v0, %%ntid.x;\n\tmov.u32 \t~v1, %%tid.x;\n");
  weir_sl1_put(w, "\tmad.lo.u32 \t~w3, ~w3, ~v0, ~v1;\n");
}

// Room behind what the kernel itself uses (w1), in w0; on to `otherwise` if there is none.
static void put_free_bytes(struct weir_sl1_writer *w, const char *otherwise, uint32_t number) {
  weir_sl1_put(w, "\tmov.u32 \t~w0, %%dynamic_smem_size;\n\tld.const.u32 \t~w1, [%s__sl1+8];\n", w->kernel);
  weir_sl1_put(w, "\tsetp.ge.u32 \t~p, ~w1, ~w0;\n\t@~p bra \t^%s%u;\n", otherwise, number);
  weir_sl1_put(w, "\tsub.u32 \t~w0, ~w0, ~w1;\n");
}

uint32_t weir_sl1_most_lines(const struct weir_sl1_writer *w) {
  const uint32_t most = w->a->o->most_lines;
  return most && most < candidates(w) ? most : candidates(w);
}

void weir_sl1_put_room(struct weir_sl1_writer *w, uint32_t main) {
  const struct weir_sl1_options *o = w->a->o;
  weir_sl1_put(
    w, "\t// S-L1: lines that this thread has room for (section 3.1); with none it goes on in the untouched loop\n");
  put_free_bytes(w, "o", main);
  put_threads(w);
  weir_sl1_put(w, "\tmul.lo.u32 \t~w2, ~w2, %u;\n\tdiv.u32 \t~room, ~w0, ~w2;\n", o->line_bytes);
  weir_sl1_put(w, "\tmin.u32 \t~room, ~room, %u;\n\tsetp.eq.u32 \t~p, ~room, 0;\n\t@~p bra \t^o%u;\n",
               weir_sl1_most_lines(w), main);
}

void weir_sl1_put_start(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\tmov.u32 \t~calls, 0;\n\tmov.u32 \t~high, 0;\n\tsetp.ne.u32 \t~decided, ~calls, 0;\n");
  for (uint32_t i = 0; i < candidates(w); i++) {
    weir_sl1_put(w, "\tmov.u32 \t~hits%u, 0;\n\tmov.u32 \t~seen%u, 0;\n", i, i);
    weir_sl1_put_empty(w, i);
  }
}

// Sums of a block are zero before anybody adds to them.
static void put_sums_start(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\t// S-L1: the block's sums of accesses and hits (option scope=block)\n");
  put_free_bytes(w, "entered", 0);
  put_thread(w);
  weir_sl1_put(w, "\tsetp.ne.u32 \t~p, ~w3, 0;\n\t@~p bra \t^zeroed;\n");
  weir_sl1_put(w, "\tmov.u32 \t~s, %s__sl1_sums;\n", w->kernel);
  for (uint32_t i = 0; i < 2 * candidates(w); i++) weir_sl1_put(w, "\tst.shared.u32 \t[~s+%u], 0;\n", 4 * i);
  weir_sl1_put(w, "^zeroed:\n\tbar.sync \t0;\n^entered0:\n");
}

void weir_sl1_put_entry(struct weir_sl1_writer *w) {
  if (weir_sl1_decides_once(w)) weir_sl1_put_start(w);
  if (w->a->o->counters)
    for (uint32_t i = 0; i < candidates(w); i++)
      weir_sl1_put(w, "\tmov.u32 \t~served%u, 0;\n\tmov.u32 \t~fills%u, 0;\n\tmov.u32 \t~back%u, 0;\n", i, i, i);
  if (per_block(w)) put_sums_start(w);
}

// ---- what is worth a line? ------------------------------------------------------------------------------------------

// Adds the thread's counters to the block's, and takes those: as far as the block's threads have come, and all that a warp
// adds together.
static void put_sums(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\tmov.u32 \t~s, %s__sl1_sums;\n", w->kernel);
  for (uint32_t i = 0; i < candidates(w); i++) {
    weir_sl1_put(w, "\tred.shared.add.u32 \t[~s+%u], ~hits%u;\n\tred.shared.add.u32 \t[~s+%u], ~seen%u;\n", 8 * i, i,
                 8 * i + 4, i);
    weir_sl1_put(w, "\tld.volatile.shared.u32 \t~hits%u, [~s+%u];\n", i, 8 * i);
    weir_sl1_put(w, "\tld.volatile.shared.u32 \t~seen%u, [~s+%u];\n", i, 8 * i + 4);
  }
}

// Hits of what is not worth a line become 0. A hit counts once in rw_factor if the structure is written, too.
static uint32_t weight(const struct weir_sl1_writer *w, uint32_t i) {
  return w->a->candidates[i].written ? 1 : w->a->o->rw_factor;
}

static void put_score(struct weir_sl1_writer *w, uint32_t i) {
  const struct weir_sl1_options *o = w->a->o;
  weir_sl1_put(w, "\tmul.wide.u32 \t~x, ~seen%u, %u;\n", i, o->floor_percent);
  weir_sl1_put(w, "\tmul.wide.u32 \t~t, ~hits%u, 100;\n\tsetp.gt.u64 \t~p, ~t, ~x;\n", i);
  if (o->cacheable == WEIR_SL1_CACHEABLE_NONE) weir_sl1_put(w, "\tsetp.ne.u32 \t~p, ~room, ~room;\n");
  weir_sl1_put(w, "\t@!~p mov.u32 \t~hits%u, 0;\n\tmov.u32 \t~rank%u, 0;\n", i, i);
}

// Of two with the same score one that is only read comes first, then the lower index.
static void put_ranks(struct weir_sl1_writer *w) {
  const struct weir_sl1_candidate *c = w->a->candidates;
  for (uint32_t i = 0; i < candidates(w); i++)
    for (uint32_t j = i + 1; j < candidates(w); j++) {
      const char *compare = c[i].written && !c[j].written ? "gt" : "ge";
      weir_sl1_put(w, "\tmul.wide.u32 \t~x, ~hits%u, %u;\n\tmul.wide.u32 \t~t, ~hits%u, %u;\n", i, weight(w, i), j,
                   weight(w, j));
      weir_sl1_put(w, "\tsetp.%s.u64 \t~p, ~x, ~t;\n", compare);
      weir_sl1_put(w, "\t@~p add.u32 \t~rank%u, ~rank%u, 1;\n\t@!~p add.u32 \t~rank%u, ~rank%u, 1;\n", j, j, i, i);
    }
}

// Slot s of thread t begins at own + (s × threads + t) × line bytes; interleaved, its words are `threads` words apart.
static void put_places(struct weir_sl1_writer *w) {
  const struct weir_sl1_options *o = w->a->o;
  const bool interleaved = o->layout == WEIR_SL1_INTERLEAVED;
  weir_sl1_put(w, "\tld.const.u32 \t~w1, [%s__sl1+8];\n", w->kernel);
  put_threads(w);
  put_thread(w);
  weir_sl1_put(w, "\tmad.lo.u32 \t~w3, ~w3, %u, ~w1;\n", interleaved ? 4 : o->line_bytes);
  weir_sl1_put(w, "\tmov.u32 \t~s, %s__sl1_lines;\n\tadd.u32 \t~w3, ~w3, ~s;\n", w->kernel);
  if (interleaved) weir_sl1_put(w, "\tshl.b32 \t~stride, ~w2, 2;\n");
  weir_sl1_put(w, "\tmul.lo.u32 \t~w2, ~w2, %u;\n", o->line_bytes);
  for (uint32_t i = 0; i < candidates(w); i++) {
    weir_sl1_put(w, "\tsetp.ne.u32 \t~p, ~hits%u, 0;\n\tsetp.lt.and.u32 \t~p, ~rank%u, ~room, ~p;\n", i, i);
    weir_sl1_put(w, "\tmad.lo.u32 \t~line%u, ~rank%u, ~w2, ~w3;\n\t@!~p mov.u32 \t~line%u, -1;\n", i, i, i);
  }
}

// Adds the register to one of the kernel's counters.
static void put_count(struct weir_sl1_writer *w, uint32_t i, enum weir_sl1_counter counter, const char *from) {
  weir_sl1_put(w, "\tcvt.u64.u32 \t~t, %s;\n\tred.global.add.u64 \t[~x+%u], ~t;\n", from,
               8 * (WEIR_SL1_COUNTERS * i + counter));
}

static void put_monitored_counts(struct weir_sl1_writer *w) {
  if (!w->a->o->counters) return;
  weir_sl1_put(w, "\tmov.u64 \t~x, %s__sl1_counts;\n\tmov.u32 \t~w1, 1;\n", w->kernel);
  for (uint32_t i = 0; i < candidates(w); i++) {
    put_count(w, i, WEIR_SL1_THREADS, "~w1");
    weir_sl1_put(w, "\tmov.u32 \t~w0, ~seen%u;\n", i);
    put_count(w, i, WEIR_SL1_MONITORED, "~w0");
    weir_sl1_put(w, "\tmov.u32 \t~w0, ~hits%u;\n", i);
    put_count(w, i, WEIR_SL1_MONITORED_HITS, "~w0");
  }
}

static void put_caching_counts(struct weir_sl1_writer *w) {
  if (!w->a->o->counters) return;
  weir_sl1_put(w, "\tmov.u64 \t~x, %s__sl1_counts;\n", w->kernel);
  for (uint32_t i = 0; i < candidates(w); i++) {
    weir_sl1_put(w, "\tsetp.ne.u32 \t~p, ~line%u, -1;\n\tselp.u32 \t~w0, 1, 0, ~p;\n", i);
    put_count(w, i, WEIR_SL1_CACHING, "~w0");
  }
}

void weir_sl1_put_decision(struct weir_sl1_writer *w) {
  weir_sl1_put(w, "\t// S-L1: which structures are worth a line (section 3.2.2), and where it is\n");
  put_monitored_counts(w);
  if (per_block(w)) put_sums(w);
  for (uint32_t i = 0; i < candidates(w); i++) put_score(w, i);
  put_ranks(w);
  put_places(w);
  put_caching_counts(w);
  weir_sl1_put(w, "\tsetp.eq.u32 \t~decided, ~room, ~room;\n");
}

void weir_sl1_put_counts(struct weir_sl1_writer *w, uint64_t used) {
  if (!w->a->o->counters) return;
  weir_sl1_put(w, "\tmov.u64 \t~x, %s__sl1_counts;\n", w->kernel);
  for (; used; used &= used - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(used);
    char from[WEIR_SL1_NAME];
    snprintf(from, sizeof from, "~served%u", i);
    put_count(w, i, WEIR_SL1_ACCESSES, from);
    weir_sl1_put(w, "\tsub.u32 \t~w0, ~served%u, ~fills%u;\n", i, i);
    put_count(w, i, WEIR_SL1_HITS, "~w0");
    snprintf(from, sizeof from, "~fills%u", i);
    put_count(w, i, WEIR_SL1_FILLS, from);
    snprintf(from, sizeof from, "~back%u", i);
    put_count(w, i, WEIR_SL1_WRITTEN_BYTES, from);
    weir_sl1_put(w, "\tmov.u32 \t~served%u, 0;\n\tmov.u32 \t~fills%u, 0;\n\tmov.u32 \t~back%u, 0;\n", i, i, i);
  }
}
