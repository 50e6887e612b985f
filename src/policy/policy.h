// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Contract 3: what a cache-management policy is, as its author sees it; this header is all that a policy includes. A policy
// is one const descriptor at the bottom of its only file, plus one line in policy/table.def (or, outside the tree, one
// exported `weir_plugin`). How weir finds, chooses and calls policies is in policy/host.h.
//
// Invariants a policy may rely on, and must keep:
//  - it sees one cache (a throttle: and the core in front of it) through `struct weir_cache_view`, what a whole chip
//    measures through `epoch` alone, and owns nothing but the private memory that the cache carved for it (zeroed) per
//    cache, per set, per line and per scope; it never edits what it was only shown;
//  - its decisions depend on that memory, the request and the view alone: same calls, same answers;
//  - it allocates nothing, prints nothing, and keeps no static variables.
// The cache fills invalid ways by itself, lowest index first, and asks for a victim only when none is left.
#ifndef WEIR_POLICY_POLICY_H
#define WEIR_POLICY_POLICY_H

#include "base/bits.h"
#include "base/cache_hint.h"
#include "base/rng.h"
#include "base/time.h"
#include "policy/counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  WEIR_POLICY_ABI = 6,
  WEIR_MAX_WAYS = 64,
  WEIR_MAX_REQUESTERS = 9, // the GPU and eight CPU programs
  WEIR_MAX_SLICES = 4096,  // memory slices of a chip
  WEIR_MAX_COMPANIONS = 6, // bypass and throttle policies of a cache
  WEIR_MAX_KNOBS = 32,
  WEIR_MAX_POLICY_COUNTERS = 16,
  WEIR_MAX_REORDER_QUEUES = 64,
};

// What a policy sees of a memory request.
enum weir_access_kind {
  WEIR_ACCESS_LOAD,
  WEIR_ACCESS_STORE,
  WEIR_ACCESS_ATOMIC,
  WEIR_ACCESS_WRITEBACK, // dirty data that a cache above let go; it has no PC, and nobody waits for it
};

#define WEIR_NO_WAY UINT32_MAX

struct weir_access {
  uint64_t line;        // byte address of the line's first byte
  uint32_t set;         // the set it maps to in this cache
  uint32_t pc;          // address of the instruction (8 bytes each); of the missing one for a fill
  uint16_t core, warp;  // who asks
  uint16_t slice;       // the memory slice that the line lies in
  uint8_t requester;    // 0: the GPU, all of its cores; 1…: CPU programs; less than the view's `requesters`
  uint8_t kind;         // enum weir_access_kind
  uint8_t l1_hint;      // enum weir_cache_hint: what the instruction says of the first-level cache,
  uint8_t l2_hint;      // … and of the caches behind it
  uint8_t transactions; // transactions per request: accesses its warp instruction became, 1..64
  uint8_t ready_warps;  // warps of its core that could have issued when it was made
  uint32_t lanes;       // active lanes served by this access
  bool room;            // a way of its set holds no line
  bool bypassed_above;  // a cache nearer to the core decided to bypass on this request
  bool reply_mark;      // written by a policy of a lower cache, read by `reply` of the upper one
  bool shared_reply;    // in `reply`: a request of another requester waited for the same answer
  weir_cycle now;       // of this cache's clock
  // When its line is used next, counted in this cache's accesses, if a policy of the cache foresees (see the descriptor):
  // WEIR_NEVER: not before it is dropped; 0: nobody knows, as the order is being recorded.
  uint64_t next_use;
  uint64_t position; // … and which one this is, likewise: 0 where next_use is
};

// Why a part refused a request this cycle.
// clang-format off
#define WEIR_STALLS(X)                                                                                   \
  X(NONE, "none", "accepted")                                                                            \
  X(NO_WAY, "no_way", "every way of the set is reserved by a fill in flight")                            \
  X(MSHR_FULL, "mshr_full", "no free miss-status holding register")                                      \
  X(MERGE_FULL, "merge_full", "the line's miss-status holding register takes no more requests")          \
  X(MISS_QUEUE, "miss_queue", "the queue towards the next level is full")                                \
  X(QUEUE, "queue", "the part's input queue is full")                                                    \
  X(BANK, "bank", "the bank or port is busy")                                                            \
  X(PENDING_WRITE, "pending_write", "an atomic or write to the line is in flight")
// clang-format on

enum weir_stall {
#define X(name, key, help) WEIR_STALL_##name,
  WEIR_STALLS(X)
#undef X
    WEIR_STALL_COUNT
};

// ---- knobs and counters -------------------------------------------------------------------------------------------------

enum weir_knob_type { WEIR_KNOB_INT, WEIR_KNOB_REAL, WEIR_KNOB_BOOL, WEIR_KNOB_CHOICE };

struct weir_knob {
  const char *name;
  enum weir_knob_type type;
  double initial, lowest, highest; // inclusive; CHOICE: index into choices; BOOL: 0 or 1
  const char *const *choices;      // NULL-terminated; CHOICE only
  bool power_of_two;               // INT only
  const char *help;                // one line; says where the default comes from (paper, section, or "inferred")
};

struct weir_policy_counter {
  const char *name, *unit, *help;
  bool predictor_access; // counts accesses to the predictor's table: charged predictor_pj each
};

// ---- scope -----------------------------------------------------------------------------------------------------------

// A shared cache is made of parts, one per memory slice. A policy with the knob `scope` has one memory and decides at the end
// of an epoch once in each part, or once for the level, whichever the knob says; the framework sees to both, and the policy
// is written once. A first-level cache is its core's own, and so a scope by itself.
enum weir_scope_kind { WEIR_SCOPE_PART, WEIR_SCOPE_LEVEL };

static const char *const weir_scope_names[] = {"part", "level", NULL};

#define WEIR_SCOPE_KNOB(initial_, help_)                                                                               \
  { "scope", WEIR_KNOB_CHOICE, initial_, 0, WEIR_SCOPE_LEVEL, weir_scope_names, false, help_ }

struct weir_policy_scope {
  void *state;    // scope_bytes of it
  uint32_t count; // caches that share it
  struct weir_cache_view *const
    *caches; // they, in the order of their instances; all are there once `init` has been called
};

// ---- what a cache shows its policies ------------------------------------------------------------------------------------

// A core as its throttles see it. Bit w of a mask, and entry w of an array, stand for the warp in slot w.
struct weir_core_view {
  uint32_t warps, schedulers; // slots; warp w belongs to scheduler w mod schedulers
  uint64_t resident;          // started, and not all of whose threads have ended
  uint64_t waiting;           // of them: at a barrier, or at a fence
  const uint8_t *by_age;      // the resident ones, oldest first
  uint32_t count;             // how many
  const uint64_t *issued;     // instructions each has issued since it started
};

struct weir_cache_view {
  uint32_t sets, ways, line_bytes;
  uint32_t instance;                 // which of its level's caches this is; at the first level the number of its core
  uint32_t instances;                // how many the level has
  uint32_t requesters;               // whose requests may come: 1 (the GPU alone) to WEIR_MAX_REQUESTERS
  const struct weir_core_view *core; // throttle policies; NULL for others
  const double *knobs;               // in the order of the descriptor's table, validated
  uint64_t *counters;                // in the order of the descriptor's table
  struct weir_rng *rng;              // this policy's own stream at this cache
  void *state;                       // cache_bytes of it
  const struct weir_policy_scope *scope; // what it shares with other parts of its level
  char *set_state;                       // sets × set_bytes
  char *line_state;                      // sets × ways × line_bytes_of_state
  uint32_t set_bytes, line_state_bytes;
};

static inline void *weir_set_state(const struct weir_cache_view *c, uint32_t set) {
  return c->set_state + (size_t)set * c->set_bytes;
}

static inline void *weir_line_state(const struct weir_cache_view *c, uint32_t set, uint32_t way) {
  return c->line_state + ((size_t)set * c->ways + way) * c->line_state_bytes;
}

struct weir_geometry {
  uint32_t sets, ways, line_bytes;
  const double *knobs;
  uint32_t warps;                    // slots of the core in front of a first-level cache, else 0
  uint32_t instance, instances;      // as in the view; `instance` is left 0 where only the cost or the fit is asked
  uint32_t requesters;               // as in the view; 0 counts as 1
  const struct weir_core_view *core; // likewise
};

static inline uint32_t weir_requester_count(const struct weir_geometry *g) {
  return g->requesters ? g->requesters : 1;
}

// ---- what a chip shows at the end of an epoch ------------------------------------------------------------------------------

// One core and its first-level cache. Counts are of the epoch that ends, where nothing else is said.
struct weir_core_sensors {
  uint64_t instructions;                   // warp instructions issued
  uint64_t launch_instructions;            // … since the launch began
  struct weir_access_counts loads;         // at that cache
  uint64_t stall_bypasses;                 // of its bypasses, those of loads that it could not take
  uint64_t stall_cycles[WEIR_STALL_COUNT]; // that a request waited at its head, by cause
  uint64_t busy_cycles;                    // in which a block was resident
  uint32_t ready_warps;                    // that could have issued, as the epoch ends
  bool occupied;                           // a block is resident, as the epoch ends
};

// One memory slice: a sub-partition of the shared memory side.
struct weir_slice_sensors {
  double input_utilisation; // of its input buffer: mean of occupancy / capacity over the epoch, 0 to 1
};

struct weir_sensors {
  weir_cycle now;           // core cycle at which the epoch ended
  weir_cycle epoch_cycles;  // how many cycles it had
  weir_cycle launch_cycles; // since the launch began
  uint32_t cores, slices;
  const struct weir_core_sensors *core;   // `cores` of them
  const struct weir_slice_sensors *slice; // `slices` of them
};

// ---- what a throttle decides ----------------------------------------------------------------------------------------------

// Which warps may issue. At least one warp that is resident and not waiting must be in both masks, if there is one: it
// then goes on until it ends, or waits for the others, and so no throttle can stop a core for good. A core that finds
// none lets the oldest such warp go (counted as throttle_overrides).
struct weir_allowance {
  uint64_t issue;   // may issue anything but global and local loads
  uint64_t loads;   // of them: may issue those too
  weir_cycle until; // from then on it must be asked again (WEIR_NEVER: it stands until something happens)
};

struct weir_issue { // an instruction as it issues
  uint32_t pc;      // address (8 bytes each)
  uint16_t warp;
  uint8_t lanes; // active
  bool load;     // from global or local memory
  weir_cycle now;
};

// Queues in front of a first-level cache in which loads may overtake one another.
struct weir_reorder {
  uint32_t queues, depth; // 1..WEIR_MAX_REORDER_QUEUES, of `depth` requests each; queues 0: none
};

// ---- the descriptor -----------------------------------------------------------------------------------------------------

enum weir_policy_kind { WEIR_POLICY_REPLACE, WEIR_POLICY_BYPASS, WEIR_POLICY_THROTTLE };

struct weir_policy {
  int abi; // WEIR_POLICY_ABI
  enum weir_policy_kind kind;
  const char *name, *summary, *citation;
  const struct weir_knob *knobs;              // ends with a NULL name; NULL: none
  const struct weir_policy_counter *counters; // likewise

  // Private memory, from the geometry (NULL: none).
  size_t (*cache_bytes)(const struct weir_geometry *g);
  size_t (*scope_bytes)(const struct weir_geometry *g); // the same whichever of the scope's caches is asked
  uint32_t set_bytes, line_bytes;
  // Hardware it would cost, in bits: for one cache (required), and beside that once per scope, of which each of its caches is
  // charged its share (NULL: nothing).
  uint64_t (*cost_bits)(const struct weir_geometry *g);
  uint64_t (*scope_bits)(const struct weir_geometry *g);
  // Why this policy cannot manage such a cache ("ways must be a power of two"), or NULL: it can. May itself be NULL.
  const char *(*reject)(const struct weir_geometry *g);

  // It reads next_use. The program then runs twice: once to record the accesses of this policy's level, and once more, with that
  // order foretold. What the second run does otherwise than the first changes which access comes when, but no next_use.
  bool foresees;

  // Core cycles between two calls of `epoch`; 0 or NULL: it is not called. Periods run on over launches (only cycles in
  // which a launch runs count) unless they restart with each.
  uint32_t (*epoch_cycles)(const struct weir_geometry *g);
  bool epochs_restart;

  // Hooks, all optional but `victim` of a replace policy and `allowed` of a throttle.
  void (*init)(struct weir_cache_view *c);
  // A launch begins: its number, from 0.
  void (*launch)(struct weir_cache_view *c, uint64_t number);
  // An epoch has ended. Told once per scope, of its first cache; the policy may look at and write its own memory and counters
  // in all caches of c->scope. Every scope is shown the same sensors.
  void (*epoch)(struct weir_cache_view *c, const struct weir_sensors *s);
  // A warm-up has ended, which is in no epoch: forget what was counted of this one.
  void (*warmed_up)(struct weir_cache_view *c);
  // An access of any kind reaches the tags: told once, however long it then waits, after `load` or `store` and before all
  // else. way: the one that holds its line, or will when a fill in flight ends; or WEIR_NO_WAY.
  void (*look)(struct weir_cache_view *c, struct weir_access *a, uint32_t way);
  // A valid line is hit (also while its fill is in flight: pending).
  void (*hit)(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending);
  // A line is given the way (on miss or on fill, as the cache allocates). Evictions were told before.
  void (*insert)(struct weir_cache_view *c, struct weir_access *a, uint32_t way);
  // The valid line in `way` is about to be replaced on behalf of `a`. reused: it was hit since it was filled.
  void (*evict)(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused);
  // The line in `way` was invalidated without being replaced (write-evict, flush).
  void (*invalidate)(struct weir_cache_view *c, uint32_t set, uint32_t way);

  // A store or atomic reaches the cache, before anything else is told of it.
  void (*store)(struct weir_cache_view *c, struct weir_access *a);

  // Replace only. candidates: bit w set if way w may be evicted (not reserved); never 0. Returns one of them.
  uint32_t (*victim)(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates);

  // Bypass only. Which of the candidates (never 0) it believes dead, 0 if none: the replace policy then chooses among
  // them alone. So a dead-block predictor works over any replacement order.
  uint64_t (*dead)(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates);

  // Bypass only (a throttle may watch misses, and answers false); any policy of the cache that answers true wins. `load`
  // and `miss` are asked of every policy (all learn from them) and once per access: never again for an access that waits
  // and is retried.
  // Before the look-up: true skips this cache altogether (no tag access).
  bool (*load)(struct weir_cache_view *c, struct weir_access *a);
  // After a miss: true forwards the request without reserving a line or an MSHR's fill.
  bool (*miss)(struct weir_cache_view *c, struct weir_access *a);
  // After the miss of a store that would be given a line (not of a write-back): true forwards it, and keeps nothing.
  bool (*store_miss)(struct weir_cache_view *c, struct weir_access *a);
  // Bypass and replace. The valid line in `way` is what the replace policy gives up for `a`, a load or store that the hooks
  // above let in: true keeps it, and `a` bypasses. Any policy that answers true wins; all are asked.
  bool (*keep)(struct weir_cache_view *c, struct weir_access *a, uint32_t way);
  // The cache cannot take the access this cycle for `why`: true forwards it as bypassed instead of waiting. Not asked while
  // there is no way past the cache.
  bool (*stall)(struct weir_cache_view *c, struct weir_access *a, enum weir_stall why);
  // The answer to a load that was bypassed by `miss` or `keep`: true installs the line after all. a->reply_mark is what the
  // lower cache's policies wrote. merged: other requests waited for the same answer.
  bool (*reply)(struct weir_cache_view *c, struct weir_access *a, bool merged);

  // Bypass only, first level, one policy of a cache: global loads wait in queues in front of the cache and leave them as it
  // looks them up (one per bank and cycle), at the earliest in the cycle after they came. `enqueue`: the queue that an
  // access belongs in, asked once per access; a full one holds up the load/store unit. A global store or atomic waits until
  // its queue is empty, and that queue goes first without `drain` being asked. `drain`: which of the queues whose oldest
  // load can go now (bits of `waiting`, never 0) goes next; it does. lengths: loads in each queue.
  struct weir_reorder (*reorder)(const struct weir_geometry *g);
  uint32_t (*enqueue)(struct weir_cache_view *c, const struct weir_access *a);
  uint32_t (*drain)(struct weir_cache_view *c, uint64_t waiting, const uint16_t *lengths);

  // Throttle only. Asked again when warps start, end, wait or go on, when another hook of this policy was called, and
  // when the last answer ends.
  void (*allowed)(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out);
  void (*issued)(struct weir_cache_view *c, const struct weir_issue *i);
  void (*start)(struct weir_cache_view *c, uint32_t warp); // a warp starts in this slot
  void (*end)(struct weir_cache_view *c, uint32_t warp);   // … has issued its last instruction
};

#endif
