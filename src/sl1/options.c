// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/options.h"

#include "base/param_rows.h"

_Static_assert(sizeof(enum weir_sl1_alias) == sizeof(uint32_t), "a choice is stored as a number is");

static const char *const lines[] = {"8", "16", "24", "32", NULL};
static const char *const counts[] = {
  [WEIR_SL1_COUNT_CALLS] = "calls", [WEIR_SL1_COUNT_ITERATIONS] = "iterations", NULL};
static const char *const leaves[] = {[WEIR_SL1_LEAVE_WARP] = "warp", [WEIR_SL1_LEAVE_THREAD] = "thread", NULL};
static const char *const scopes[] = {[WEIR_SL1_PER_THREAD] = "thread", [WEIR_SL1_PER_BLOCK] = "block", NULL};
static const char *const aliases[] = {
  [WEIR_SL1_ALIAS_AUTO] = "auto", [WEIR_SL1_ALIAS_SEARCH] = "search", [WEIR_SL1_ALIAS_NONE] = "none", NULL};
static const char *const layouts[] = {
  [WEIR_SL1_CONTIGUOUS] = "contiguous", [WEIR_SL1_INTERLEAVED] = "interleaved", NULL};
static const char *const write_misses[] = {[WEIR_SL1_FETCH] = "fetch", [WEIR_SL1_AROUND] = "around", NULL};
static const char *const cacheables[] = {[WEIR_SL1_CACHEABLE_BEST] = "best", [WEIR_SL1_CACHEABLE_NONE] = "none", NULL};

#define SL1 weir_sl1_options
static const struct weir_param rows[] = {
  UINT(SL1, line_bytes, 0, 0, "bytes of a line", .choices = lines, .initial = "16"),
  UINT(SL1, threshold, 1, 1000000000, "monitoring of a loop ends after so many simulated accesses per thread",
       .initial = "300"),
  UINT(SL1, rw_factor, 1, 1000, "hits of a structure that is written, too, count one in so many", .initial = "2"),
  UINT(SL1, floor_percent, 0, 100, "a structure is worth a line if more of its accesses than this are hits",
       .initial = "50"),
  UINT(SL1, most_lines, 0, 1000, "lines of a thread, however much room there is; 0: no limit", .initial = "0"),
  CHOICE(SL1, count, counts, "what the threshold counts: simulated accesses, or the loop's iterations",
         .initial = "calls"),
  CHOICE(SL1, leave, leaves,
         "who ends monitoring as a thread has seen enough: its warp with it, or it alone, to wait for its warp",
         .initial = "warp"),
  CHOICE(SL1, scope, scopes, "whose counters decide: each thread's own, or the sums of its block", .initial = "thread"),
  CHOICE(SL1, alias, aliases,
         "search: an access looks at all of its thread's lines; none: at its structure's, as pointers are restrict; "
         "auto: as the program's source says, else search",
         .initial = "auto"),
  CHOICE(SL1, layout, layouts, "of lines in shared memory: each in one piece, or word by word",
         .initial = "contiguous"),
  CHOICE(SL1, write_miss, write_misses, "a store that misses fetches its line, or goes around it", .initial = "fetch"),
  CHOICE(SL1, cacheable, cacheables, "best: what monitoring finds worth it; none: nothing, to see what that costs",
         .initial = "best"),
  BOOL(SL1, barrier_fence, "barriers write back and empty the lines, as fences do", .initial = "true"),
  BOOL(SL1, remonitor, "each main loop is monitored anew", .initial = "false"),
  BOOL(SL1, static_proof,
       "leave structures alone that are proven to gain nothing; false: the paper's, which names it as future work",
       .initial = "true"),
  BOOL(SL1, original_slice,
       "a warp that caches nothing goes on in the untouched loop; false: the paper's, which has none",
       .initial = "true"),
  BOOL(SL1, counters, "count what is monitored, accessed, hit, filled and written back", .initial = "false"),
};
const struct weir_param_table weir_sl1_table =
  TABLE_OF("S-L1", SL1, rows, .item = "option", .hint = "weir sl1 --help lists them");

struct weir_sl1_options weir_sl1_defaults(void) {
  struct weir_sl1_options all = {0};
  weir_param_defaults(&weir_sl1_table, &all);
  return all;
}
