// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Run-time cache bypassing by a memory address table (Johnson et al., IEEE TC 1999; as Holey et al., section 4.2.1 and Table
// V, and Seshadri et al., PACT 2012, tell of it). The table counts accesses, hits and misses, per macroblock of memory. A
// miss whose macroblock has fewer than that of the line that would leave is bypassed.
//
// Inferred: direct-mapped by the macroblock's low bits; a macroblock that was not in the table starts from 0; a bypass takes
// one off the victim's count, so that what is used no more gives way in the end; write-backs do not count; the level has one
// table (Holey Table V has the bits of one). The original's small buffer beside the first level has no place in a last level.
#include "policy/requesters.h"
#include "policy/table.h"

enum { ENTRIES, REGION, COUNTER_BITS, TAG_BITS, AGES, REQUESTERS, STORES, SCOPE };
enum { COUNTED, COMPARISONS, BYPASSES };

struct entry {
  uint32_t tag, count; // a tag that is not valid has no count
  bool valid;
};

static size_t scope_bytes(const struct weir_geometry *g) {
  return (size_t)g->knobs[ENTRIES] * sizeof(struct entry);
}

struct place {
  struct entry *entry;
  uint32_t tag;
};

static struct place place_of(const struct weir_cache_view *c, uint64_t line) {
  uint64_t block = line / (uint64_t)c->knobs[REGION];
  unsigned index_bits = weir_log2((uint64_t)c->knobs[ENTRIES]);
  struct entry *table = c->scope->state;
  return (struct place){&table[block & weir_mask(index_bits)],
                        (uint32_t)(block >> index_bits & weir_mask((unsigned)c->knobs[TAG_BITS]))};
}

static uint32_t count_of(const struct weir_cache_view *c, uint64_t line) {
  struct place p = place_of(c, line);
  return p.entry->valid && p.entry->tag == p.tag ? p.entry->count : 0;
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  if (a->kind == WEIR_ACCESS_WRITEBACK) return;
  struct place p = place_of(c, a->line);
  if (!p.entry->valid || p.entry->tag != p.tag) *p.entry = (struct entry){.tag = p.tag, .valid = true};
  p.entry->count += p.entry->count < weir_mask((unsigned)c->knobs[COUNTER_BITS]);
  c->counters[COUNTED]++;
}

// Which line is in a way: the cache's own tag, here kept again because a policy is not shown it.
static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  *(uint64_t *)weir_line_state(c, a->set, way) = a->line;
}

static bool keep(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  if (!weir_requester_is_among(c->knobs[REQUESTERS], a) || (a->kind != WEIR_ACCESS_LOAD && c->knobs[STORES] == 0))
    return false;
  uint64_t victim = *(const uint64_t *)weir_line_state(c, a->set, way);
  c->counters[COMPARISONS]++;
  if (count_of(c, a->line) >= count_of(c, victim)) return false;
  place_of(c, victim).entry->count -= c->knobs[AGES] != 0;
  c->counters[BYPASSES]++;
  return true;
}

// All is in the table: the tag of the line that would leave, the cache has.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

// 14.5 KiB with the paper's 4096 entries of a 20-bit tag, an 8-bit counter and a valid bit.
static uint64_t scope_bits(const struct weir_geometry *g) {
  return (uint64_t)(g->knobs[ENTRIES] * (g->knobs[TAG_BITS] + g->knobs[COUNTER_BITS] + 1));
}

static const struct weir_knob knobs[] = {
  [ENTRIES] = {"entries", WEIR_KNOB_INT, 4096, 1, 65536, NULL, true, "of the table (Holey Table V: 4K)"},
  [REGION] = {"region_bytes", WEIR_KNOB_INT, 1024, 64, 1048576, NULL, true, "of a macroblock (Seshadri: 1 KB)"},
  [COUNTER_BITS] = {"counter_bits", WEIR_KNOB_INT, 8, 1, 30, NULL, false, "width of a count (Holey Table V: 8)"},
  [TAG_BITS] = {"tag_bits", WEIR_KNOB_INT, 20, 1, 32, NULL, false, "width of a tag (Holey Table V: 20)"},
  [AGES] = {"ages", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "a bypass takes one off the victim's count (inferred)"},
  [REQUESTERS] = WEIR_REQUESTERS_KNOB(WEIR_REQUESTERS_GPU, "whose accesses may bypass (Holey section 5: the GPU's)"),
  [STORES] = WEIR_REQUESTERS_STORES_KNOB(1, "stores that would be given a line may bypass too (inferred)"),
  [SCOPE] = WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL, "who has a table (inferred: the level, one for all its parts)"),
  {0},
};

static const struct weir_policy_counter counters[] = {
  [COUNTED] = {"counted", "accesses", "accesses that counted their macroblock up", true},
  [COMPARISONS] = {"comparisons", "misses", "misses that were compared with the line that would leave", true},
  [BYPASSES] = {"mat_bypasses", "misses", "of those, bypassed", false},
  {0},
};

const struct weir_policy weir_bypass_mat = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "mat",
  .summary = "bypasses what lies in a region of memory that is used less than that of the line that would leave",
  .citation = "Johnson et al., Run-time cache bypassing, IEEE TC 1999",
  .knobs = knobs,
  .counters = counters,
  .scope_bytes = scope_bytes,
  .line_bytes = sizeof(uint64_t),
  .cost_bits = cost_bits,
  .scope_bits = scope_bits,
  .look = look,
  .insert = insert,
  .keep = keep,
};
