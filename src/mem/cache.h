// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One cache: tags, miss-status holding registers and its policies; the same part at every level. It knows no clock and
// no neighbour: whoever holds it offers it requests (weir_cache_access), carries its misses down (the miss queue), brings
// answers back (weir_cache_fill) and takes served requests away (the ready queue), each at the rate the chip allows.
//
// Invariants: a line is in at most one way; a sector is pending only while an MSHR entry fetches it; a reserved line
// (one with a pending sector) is never a victim. Every request taken leaves through exactly one of: the ready queue
// (loads after a miss), the outcome HIT (nothing kept), the miss queue (stores passed on) or the queue of skipped loads.
#ifndef WEIR_MEM_CACHE_H
#define WEIR_MEM_CACHE_H

#include "mem/index.h"
#include "mem/mreq.h"
#include "policy/hooks.h"
#include "stats/stats.h"

enum weir_allocate { WEIR_ALLOCATE_ON_MISS, WEIR_ALLOCATE_ON_FILL };
// What a store does where it hits, and where it misses.
enum weir_write_hit { WEIR_WRITE_EVICT, WEIR_WRITE_THROUGH, WEIR_WRITE_BACK };
enum weir_write_miss {
  WEIR_WRITE_NO_ALLOCATE,
  WEIR_WRITE_ALLOCATE_LAZY, // fetch only when read
  WEIR_WRITE_KEEP_WRITTEN,  // goes on, and leaves the bytes that it wrote: reads of these hit
};

enum { WEIR_MAX_SECTORS = 8 };

struct weir_cache_params {
  uint32_t sets, ways, line_bytes, sector_bytes; // powers of two but for ways
  enum weir_index_hash index;
  enum weir_allocate allocate;
  enum weir_write_hit write_hit;
  enum weir_write_miss write_miss;
  uint32_t mshrs, mshr_merges, miss_queue;
  uint32_t far_mshrs;    // for fetches from the other partition, beside mshrs; 0: they take half of those at most
  uint32_t fetch_pieces; // answers that one fetch of a sector comes back in
  uint32_t banks;        // look-ups that may be made per cycle, one per bank; a power of two, 0 counts as 1
  bool bank_hash;        // a line's bank is a hash of its number
  bool line_lookups;     // a look-up is of a line, for all of its sectors that come one after the other
  bool read_only;        // instruction and constant caches: a miss needs no room for a write-back
  uint8_t level;         // 0: nearest the cores
  uint8_t effects[WEIR_HINT_COUNT]; // enum weir_hint_effect, by hint to this cache's level
  uint32_t prefetch_bytes
    [WEIR_PREFETCH_SIZES];      // by what a load asks for: the aligned bytes around a sector that misses; 0: none
  uint32_t fetch_bytes;         // the aligned bytes around any sector that is read and misses; 0: the sector
  uint32_t combine_cycles;      // that a store of a part of a sector waits for others before it goes on; 0: it does not
  uint32_t combine_stores;      // that may wait so at a time
  uint32_t last_ways;           // lines of a set with the effect LAST, at most
  bool shadow_tags;             // measure what the same cache would do without its bypass policies (mem/shadow.h)
  bool data_pool;               // a set may hold a line in any of the data that weir_cache_use_data leaves the cache
  uint32_t instance, instances; // which of its level's caches it is
  const struct weir_cache *first;    // of a shared level's caches; NULL: this is it, or each core has its own
  uint32_t requesters;               // whose requests may come (policy/policy.h); 0 counts as 1
  uint32_t warps;                    // of the core in front of it; 0: a shared cache
  const struct weir_core_view *core; // what that core's throttles see of it
  struct weir_policy_choice replace;
  struct weir_policy_choice companions[WEIR_MAX_COMPANIONS]; // bypass and throttle policies
  unsigned companion_count;
  uint64_t seed, user; // random streams: the run's seed, and this cache's number
};

enum weir_outcome {
  WEIR_OUTCOME_REFUSED, // nothing changed; `stall` says why
  WEIR_OUTCOME_HIT,     // served; the caller has the request back
  WEIR_OUTCOME_PENDING, // waits for a fill in flight
  WEIR_OUTCOME_MISS,    // fetched; it will appear in the ready queue
  WEIR_OUTCOME_PASSED,  // goes down itself: a store that writes through (miss queue), a load that skips (skipped queue)
  WEIR_OUTCOME_WRITTEN, // a store that stays here; the caller has the request back
};

#define WEIR_NO_LOAD UINT32_MAX // a store or a host copy

struct weir_cache_line {
  uint8_t valid, pending, dirty, unreadable; // sector masks; unreadable: only partly written
  bool reused : 1;                           // hit since it was filled
  uint8_t requester : 7;                     // whose request brought it
  uint8_t fill_transactions : 7;             // transactions per request of the load that brought it
  bool stored_to : 1;                        // hit by a store that wrote through since it was filled
  uint16_t port;                             // of the network (weir_mreq.core): whose request brought it
  uint32_t fill_pc;                          // its instruction index, or WEIR_NO_LOAD
};

struct weir_mshr_entry {
  _Alignas(64) uint64_t sector;  // address / sector bytes
  struct weir_mreq *head, *tail; // requests waiting, oldest first
  uint32_t merged;               // how many
  uint32_t pieces;               // answers still to come
  uint32_t way, set;             // line reserved, if holds_line
  uint32_t chain;                // next entry of its hash bucket
  bool holds_line, bypass, dirty, reply_mark;
  bool far;     // from the other partition
  bool stale;   // what it fetches has been written since
  bool unasked; // the first that waits is the cache's own
  bool asked;   // though fetched around another sector, the access that missed that one asks for it, too
};

// An MSHR whose fetch has ended, and how many of those that waited for it are still in the ready queue.
struct weir_served {
  uint32_t mshr, left;
};

// What this cache has done with loads, for the sensors of its policies.
struct weir_cache_tally {
  struct weir_access_counts loads;
  uint64_t stall_bypasses; // of its bypasses, those instead of a stall
  uint64_t stall_cycles[WEIR_STALL_COUNT];
};

struct weir_shadow;
struct weir_census;
struct weir_oracle;
struct weir_residency;
struct weir_residency_line;
struct weir_cache_watch;

// The members stand in the order in which a look-up wants them, those of every look-up in few cache lines of the host: on a chip
// of many caches, each is looked at long after the last time.
struct weir_cache {
  struct weir_mreq_queue miss_queue; // towards the next level
  struct weir_mreq_queue ready;      // served, back towards the requester; taken by weir_cache_take
  struct weir_mreq_queue
    combining; // stores that wait for others to the same sectors; `ready`: when they go on (mem/combine.h)
  struct weir_mreq_queue skipped; // as miss_queue: loads that a policy sent past this cache before or instead of a miss
  unsigned set_bits, line_shift, sector_shift, sectors;
  uint32_t usable;               // ways of each set that lines may be in: the first ones; the others hold nothing
  uint32_t set_words, first_tag; // of a set's record (mem/cache_lines.h), and where its tags begin
  uint32_t mshrs_used;
  uint32_t data, room; // lines that there is data for, and of these, that are not here
  uint32_t reserved;   // lines here with a pending sector
  uint32_t turn;       // the set that gave a line last for another's, which had none of its own to give, and no room
  uint32_t
    plain_hints; // those (bit by bit) with which a hit concerns the replacement policy alone, whose hook is weir_recency_hit;
                 // 0: policies hear more of hits
  uint64_t *sets; // [set × set_words]
  struct weir_cache_line *lines;
  // [set], of read-only caches, which replace the least recently used line: tag of the line that is the most recently used,
  // or 0. One more hit of it would change nothing.
  uint64_t *latest;
  struct weir_level_stats *stats; // shared by the level's instances
  // Mostly NULL.
  struct weir_pc_stats *pcs; // per PC: of loads and stores at the first level, of atomics elsewhere
  struct weir_shadow *shadow;
  struct weir_oracle *oracle;           // records accesses, or foretells them (mem/oracle.h)
  struct weir_census *census;           // shared by the level's instances (mem/census.h)
  struct weir_residency *residency;     // likewise, per port of the network (mem/residency.h)
  const struct weir_cache_watch *watch; // told of what happens here (mem/watch.h)
  uint32_t
    *written; // [(set × ways + way) × sectors + sector]: bytes of a partly written sector; NULL: they are not known
  uint32_t *ranks; // [set × ways + way]: what hints say of when a line goes (mem/ranks.h); NULL: none has said anything
  _Alignas(64) struct weir_cache_params params;
  struct weir_cache_hooks hooks; // of the policies
  struct weir_mshr_entry *mshrs;
  uint32_t *buckets, bucket_mask;
  uint32_t *mshr_order; // [mshrs]: those in use, in some order, and then those that are free, the last given back first
  uint32_t far_fetches; // MSHRs that fetch from the other partition
  uint32_t rank;        // the last given to a line that is the first to go
  uint32_t
    plain_misses; // as plain_hints, of misses (weir_cache_reads_at_once); 0: policies hear more of them, or more is fetched
  struct weir_served *served; // ring of `mshrs`: whose requests the ready queue holds, in its order
  uint32_t served_head, served_count;
  struct weir_mreq_pool *pool;
  struct weir_cache_tally tally;
  struct weir_residency_line *residents; // [set × ways + way]; NULL without a residency
  struct weir_policy_instance replace, companions[WEIR_MAX_COMPANIONS];
};

// [way] of a set: line number + 1; 0: it holds nothing.
static inline uint64_t *weir_cache_tags(const struct weir_cache *c, uint32_t set) {
  return c->sets + (size_t)set * c->set_words + c->first_tag;
}

// What a policy with these knobs is told of the cache that it is to manage.
static inline struct weir_geometry weir_cache_geometry(const struct weir_cache_params *p, const double *knobs) {
  return (struct weir_geometry){.sets = p->sets,
                                .ways = p->ways,
                                .line_bytes = p->line_bytes,
                                .knobs = knobs,
                                .warps = p->warps,
                                .instance = p->instance,
                                .instances = p->instances,
                                .requesters = p->requesters,
                                .core = p->core};
}

void weir_cache_init(struct weir_cache *c, const struct weir_cache_params *params, struct weir_mreq_pool *pool,
                     struct weir_level_stats *stats, struct weir_pc_stats *pcs);
void weir_cache_free(struct weir_cache *c);

// Where a request falls in a cache.
struct weir_spot {
  uint64_t line, sector; // line number (address / line bytes), sector number (address / sector bytes)
  uint32_t set, way;     // way WEIR_NO_WAY if the line is in none
  uint8_t mask;          // the sector within its line
};

// Offers a request; the tags are looked up now. On REFUSED *stall says why and the request stays the caller's.
enum weir_outcome weir_cache_access(struct weir_cache *c, struct weir_mreq *r, weir_cycle now, enum weir_stall *stall);

// The same in two steps. First, does it hit, and does nobody hear of it but the order of uses? Then it is taken, and *outcome is HIT or
// WRITTEN. If not, all that has been done is to look for its line.
bool weir_cache_takes_hit(struct weir_cache *c, struct weir_mreq *r, struct weir_spot *spot,
                          enum weir_outcome *outcome);
enum weir_outcome weir_cache_access_at(struct weir_cache *c, struct weir_mreq *r, const struct weir_spot *spot,
                                       weir_cycle now, enum weir_stall *stall);

// Bytes of the host's memory that look-ups go to.
uint64_t weir_cache_looked_up_bytes(const struct weir_cache *c);

// Such an access is to come: what it will want of the host's memory is fetched.
void weir_cache_expect(const struct weir_cache *c, uint64_t address, uint64_t place);
void weir_cache_expect_fetch(const struct weir_cache *c, uint64_t address); // then: what may be fetching it

// A load was refused for this reason, and no other request has come since, only answers, and room in the queues. Is it certain
// that it would be refused again for the same, and that nobody is asked?
bool weir_cache_refuses_still(const struct weir_cache *c, const struct weir_mreq *r, enum weir_stall why);

// Would a read of a read-only cache hit, and leave the cache as it is? Such a read need not be made.
static inline bool weir_cache_hits_latest(const struct weir_cache *c, uint64_t address) {
  const uint64_t line = address >> c->line_shift;
  return c->latest[line & ((UINT64_C(1) << c->set_bits) - 1)] == line + 1;
}

// Counts a load that its cache operator sends past this cache, without a look-up.
void weir_cache_count_skipped(struct weir_cache *c, const struct weir_mreq *r);

// An atomic goes past this cache, which neither looks it up nor counts it: who watches is told.
void weir_cache_show_past(struct weir_cache *c, const struct weir_mreq *r);

// What this cache's policies would see of the request.
void weir_cache_show(const struct weir_cache *c, const struct weir_mreq *r, weir_cycle now, struct weir_access *a);

// Banks claimed in one cycle: how many look-ups were made, and in which banks; the line of the last.
struct weir_bank_claims {
  uint64_t used, line;
  uint32_t made;
};

// May a look-up of `place` be made in this cycle too? Lines are interleaved over the banks. With line_lookups sectors of
// one line that come one after the other share its look-up (Volta and later: "4 tags × 4 sectors" per cycle, Greg (NVIDIA),
// forums.developer.nvidia.com, topic 312884).
static inline bool weir_cache_claim_bank(const struct weir_cache *c, uint64_t place, struct weir_bank_claims *claims) {
  const uint32_t banks = c->params.banks ? c->params.banks : 1;
  const uint64_t line = place >> c->line_shift;
  const uint64_t bit =
    UINT64_C(1) << ((c->params.bank_hash ? line ^ line >> 2 ^ line >> 5 ^ line >> 9 : line) & (banks - 1));
  if (c->params.line_lookups && claims->made && claims->line == line) return true;
  if (claims->made == banks || claims->used & bit) return false;
  claims->used |= bit;
  claims->line = line;
  claims->made++;
  return true;
}

// One answer to one of this cache's fetches. Consumes it; requests it serves join the ready queue. False: more are to come, and
// till then nothing has changed.
bool weir_cache_fill(struct weir_cache *c, struct weir_mreq *answer, weir_cycle now);

// The oldest served request (there must be one). An MSHR is free again when its last one has been taken.
struct weir_mreq *weir_cache_take(struct weir_cache *c);

// Is the answer for a fetch of this cache (else it belongs to a request that was passed on)?
static inline bool weir_cache_waits_for(const struct weir_cache *c, const struct weir_mreq *answer) {
  return answer->mshr != WEIR_NO_MSHR && answer->mshr_level == c->params.level && !answer->guest;
}

// Is it not the last of the answers to this cache's request?
static inline bool weir_cache_waits_for_more(const struct weir_cache *c, const struct weir_mreq *answer) {
  return c->mshrs[answer->mshr].pieces > 1;
}

// Of such an answer: what filling does, but the answer stays the caller's.
static inline void weir_cache_fill_part(struct weir_cache *c, const struct weir_mreq *answer) {
  struct weir_mshr_entry *e = &c->mshrs[answer->mshr];
  e->reply_mark |= answer->reply_mark;
  e->pieces--;
}

// A load that takes_hit has not taken, of the cache before memory, without time: its sector, of which nothing is on its way, is here at
// once, the next thing to be read of memory. What goes for it may be in the queues afterwards. The request stays the caller's. False: some
// policy, hint or listener wants to hear of more than of lines that come and go, and nothing has been done.
bool weir_cache_reads_at_once(struct weir_cache *c, struct weir_mreq *r, const struct weir_spot *spot, weir_cycle now);

// Would a load of this address hit? Nobody is told, nothing is counted.
bool weir_cache_holds(const struct weir_cache *c, uint64_t address, uint64_t place);

// What lies there has been written in the other partition: the copy of that sector, or the one on its way, is not kept.
void weir_cache_invalidate(struct weir_cache *c, uint64_t address, uint64_t place, weir_cycle now);

// Drops every line (kernel end) of a cache that is not watched (mem/residency.h). Fetches in flight must have ended. Write-backs
// of dirty lines below address `dead` join the miss queue, whatever its capacity; data from there on is never read again.
// Answers whether there are any.
bool weir_cache_flush(struct weir_cache *c, uint64_t dead);

// Lines are in the first `ways` of each set from now on: 1 to as many as it has. Those in the others are dropped likewise.
void weir_cache_use_ways(struct weir_cache *c, uint32_t ways, uint64_t dead);

// Of a cache with a data pool: there is data for so many lines from now on, 1 to as many as it has tags. Those that are too many
// are dropped likewise.
void weir_cache_use_data(struct weir_cache *c, uint32_t lines, uint64_t dead);

// Puts so many sectors of one line in place, from that of `address` on, as a host copy does: no request, no statistics.
void weir_cache_place(struct weir_cache *c, uint64_t address, uint64_t place, uint32_t sectors, weir_cycle now);

// A read or a write of a line's sector without time: it is here afterwards, and the policies saw a hit, or a line come in the place
// of another. A sector that was not here, and that part of is written in a cache that keeps it, is fetched when it is read. No request, no
// statistics. Answers the address of the line that went, if it was dirty, or WEIR_NO_LINE.
enum weir_warming { WEIR_WARM_READ, WEIR_WARM_WRITE, WEIR_WARM_WRITE_PART };
#define WEIR_NO_LINE UINT64_MAX
uint64_t weir_cache_warm(struct weir_cache *c, uint64_t address, uint64_t place, enum weir_warming how, weir_cycle now);

// Adds what is only known at the end: resident lines never reused (per load).
void weir_cache_finish(struct weir_cache *c);

#endif
