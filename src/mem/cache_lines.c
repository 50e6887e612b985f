// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/cache_lines.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "mem/mshr.h"
#include "mem/oracle.h"
#include "mem/ranks.h"
#include "mem/shadow.h"

#include <assert.h>

enum { LINE_WORDS = 8 }; // of the host's cache

static size_t set_bytes(const struct weir_cache *c) {
  return (size_t)c->params.sets * c->set_words * 8;
}

static size_t line_bytes(const struct weir_cache *c) {
  return (size_t)c->params.sets * c->params.ways * sizeof *c->lines;
}

static size_t written_bytes(const struct weir_cache *c) { // a word of each sector
  return (size_t)c->params.sets * c->params.ways * c->sectors * sizeof *c->written;
}

void weir_cache_make_sets(struct weir_cache *c) {
  c->first_tag = (uint32_t)weir_div_up(sizeof(struct weir_cache_set), 8) + (c->params.ways + 7) / 8;
  c->set_words = c->first_tag + c->params.ways;
  if (c->set_words < LINE_WORDS) c->set_words = c->set_words > LINE_WORDS / 2 ? LINE_WORDS : LINE_WORDS / 2;
  c->sets = weir_alloc_table(set_bytes(c));
  c->lines = weir_alloc_table(line_bytes(c));
  if (c->params.write_miss == WEIR_WRITE_KEEP_WRITTEN) c->written = weir_alloc_table(written_bytes(c));
}

void weir_cache_free_sets(struct weir_cache *c) {
  weir_free_table(c->sets, set_bytes(c));
  weir_free_table(c->lines, line_bytes(c));
  weir_free_table(c->written, written_bytes(c));
}

uint64_t weir_cache_looked_up_bytes(const struct weir_cache *c) {
  return set_bytes(c) + line_bytes(c);
}

void weir_cache_expect(const struct weir_cache *c, uint64_t address, uint64_t place) {
  const uint32_t set = weir_cache_expect_set(c, place);
  __builtin_prefetch(weir_mshr_bucket(c, address >> c->sector_shift));
  if (c->params.ways <= WEIR_FEW_WAYS) weir_cache_expect_line(c, set, address); // else its hints would have to be here
}

void weir_cache_expect_fetch(const struct weir_cache *c, uint64_t address) {
  const uint32_t first = *weir_mshr_bucket(c, address >> c->sector_shift);
  if (first < weir_mshr_count(c)) __builtin_prefetch(&c->mshrs[first], 1);
}

// A hit that leaves the order as it is: the replacement policy is not told of it.
static void tell_companions_of_hit(struct weir_cache *c, struct weir_access *a, uint32_t way, bool pending) {
  for (uint32_t i = 0; i < c->hooks.count.hit; i++)
    if (c->hooks.hit[i].view != &c->replace.view) c->hooks.hit[i].call(c->hooks.hit[i].view, a, way, pending);
}

void weir_cache_tell_hit(struct weir_cache *c, struct weir_access *a, uint32_t way, bool pending) {
  const enum weir_hint_effect effect = weir_cache_effect(c, a);
  if (c->residency) weir_residency_hit(c, a->set, way, 1, a->now);
  if (weir_leaves_order(effect))
    tell_companions_of_hit(c, a, way, pending);
  else
    weir_tell(&c->hooks, hit, a, way, pending);
  weir_ranks_hit(c, a->set, way, effect);
}

void weir_cache_tell_use(struct weir_cache *c, struct weir_access *a, uint32_t way) {
  const enum weir_hint_effect effect = weir_cache_effect(c, a);
  if (!weir_leaves_order(effect)) weir_hook(&c->replace, hit, a, way, true);
  weir_ranks_hit(c, a->set, way, effect);
}

// One request from the first dirty sector on; `full` tells which of the sectors from there it carries.
static void write_back(struct weir_cache *c, uint64_t number, const struct weir_cache_line *line) {
  uint32_t first = weir_lowest(line->dirty), sectors = weir_popcount(line->dirty);
  uint32_t size = c->params.sector_bytes, chunks = size / 32 ? size / 32 : 1;
  struct weir_mreq *r = weir_mreq_new(c->pool);
  r->kind = WEIR_MREQ_WRITEBACK;
  r->requester = line->requester;
  r->core = line->port;
  r->address = (number << c->line_shift) + first * size;
  r->bytes = (uint16_t)(sectors * size);
  for (uint32_t s = first; s < c->sectors; s++)
    if (line->dirty >> s & 1) r->full |= (uint8_t)(weir_mask(chunks) << (s - first) * size / 32);
  weir_queue_push(&c->miss_queue, r);
  c->stats->writebacks += sectors;
  c->stats->data_reads += sectors;
  struct weir_requester_counts *p = weir_cache_port(c, line->port);
  if (!p) return;
  p->writebacks += sectors;
  p->data_reads += sectors;
}

static void count_end(struct weir_cache *c, const struct weir_cache_line *line) {
  if (line->reused || !c->pcs || c->params.level || line->fill_pc == WEIR_NO_LOAD) return;
  struct weir_pc_counts *group = weir_pc_group(&c->pcs[line->fill_pc], line->fill_transactions);
  group->zero_reuse_fills++;
  group->untouched_fills += !line->stored_to;
}

static void evict(struct weir_cache *c, struct weir_access *a, uint32_t way) {
  const struct weir_cache_line *line = weir_line(c, a->set, way);
  c->stats->evictions++;
  c->stats->zero_reuse_evictions += !line->reused;
  struct weir_requester_counts *p = weir_cache_port(c, line->port);
  if (p) {
    p->evictions++;
    p->evicted_by_others += a->requester != line->requester;
  }
  count_end(c, line);
  if (line->dirty) write_back(c, weir_cache_tags(c, a->set)[way] - 1, line);
}

// Bits of the ways that hold no sector in flight. Ways are reserved on misses alone.
static uint64_t free_ways_of(const struct weir_cache *c, uint32_t set) {
  return weir_mask(c->usable) & ~weir_set(c, set)->reserved;
}

// The first way that holds nothing, or WEIR_NO_WAY.
static uint32_t invalid_way(const struct weir_cache *c, uint32_t set) {
  if (weir_set(c, set)->held == c->usable) return WEIR_NO_WAY;
  uint32_t way = 0;
  while (weir_cache_tags(c, set)[way]) way++;
  return way;
}

// Of the free ways, those whose line may be replaced.
static uint64_t replaceable(const struct weir_cache *c, uint32_t set, uint64_t free_ways) {
  if (!c->params.data_pool || weir_set(c, set)->held == c->usable) return free_ways;
  uint64_t held = 0;
  for (uint32_t way = 0; way < c->usable; way++) held |= (uint64_t)(weir_cache_tags(c, set)[way] != 0) << way;
  return free_ways & held;
}

// Of these, where any is, those that were not used again since they came.
static uint64_t unused(const struct weir_cache *c, uint32_t set, uint64_t ways) {
  uint64_t unused = 0;
  for (uint64_t left = ways; left; left &= left - 1) {
    const uint32_t way = weir_lowest(left);
    unused |= (uint64_t)!weir_line(c, set, way)->reused << way;
  }
  return unused ? unused : ways;
}

// A pool without room gives what one of its lines has; while all of them are reserved, it has nothing to give.
static bool pool_gives(const struct weir_cache *c) {
  if (c->room || !c->params.data_pool) return true;
  return c->data > c->reserved;
}

bool weir_cache_has_way(const struct weir_cache *c, uint32_t set) {
  return free_ways_of(c, set) && pool_gives(c);
}

static void drop_whole(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_line_end why, uint64_t dead,
                       weir_cycle now) {
  const struct weir_spot spot = {.line = weir_cache_tags(c, set)[way] - 1, .set = set, .way = way, .mask = UINT8_MAX};
  const struct weir_cache_line *line = weir_line(c, set, way);
  if (line->dirty && spot.line << c->line_shift < dead) write_back(c, spot.line, line);
  weir_cache_drop(c, &spot, why, now);
}

static uint32_t victim(struct weir_cache *c, struct weir_access *a, uint64_t candidates) {
  return weir_cache_hooks_victim(&c->hooks, a, weir_ranks_restrict(c, a->set, candidates));
}

// No line of the set at hand can go, and there is no room: one of another set does, of the next that has one.
static void take_from_another(struct weir_cache *c, const struct weir_access *a) {
  struct weir_access other = *a;
  uint64_t candidates = 0;
  do {
    c->turn = (c->turn + 1) & (c->params.sets - 1);
    candidates = replaceable(c, c->turn, free_ways_of(c, c->turn));
  } while (!candidates);
  other.set = c->turn;
  drop_whole(c, c->turn, victim(c, &other, candidates), WEIR_END_WAY_LOST, UINT64_MAX, a->now);
}

struct weir_way_choice weir_cache_choose(struct weir_cache *c, struct weir_access *a, bool may_keep) {
  struct weir_way_choice p = {.way = invalid_way(c, a->set)};
  const uint64_t free_ways = free_ways_of(c, a->set);
  if (!free_ways || !pool_gives(c)) return (struct weir_way_choice){.way = WEIR_NO_WAY};
  if (p.way != WEIR_NO_WAY && c->room) return p;
  uint64_t candidates = replaceable(c, a->set, free_ways);
  if (!candidates) {
    take_from_another(c, a);
    return p;
  }
  if (p.way != WEIR_NO_WAY) candidates = unused(c, a->set, candidates); // there is a way, and no data
  p.way = victim(c, a, candidates);
  p.taken = true;
  if (may_keep && weir_ask(&c->hooks, keep, a, p.way)) p = (struct weir_way_choice){.way = WEIR_NO_WAY, .kept = true};
  return p;
}

static __attribute__((noinline, cold)) void tell_of_fill(struct weir_cache *c, const struct weir_spot *spot,
                                                         const struct weir_access *a) {
  struct weir_watched w = weir_watched_at(WEIR_WATCH_FILL, spot, a->now);
  w.pc = a->pc;
  w.has_pc = a->transactions != 0; // a write-back or a copy is of none
  weir_cache_watched(c, w);
}

// The line that is in the spot's way is about to go.
static __attribute__((noinline, cold)) void tell_of_end(struct weir_cache *c, const struct weir_spot *spot,
                                                        enum weir_line_end why, weir_cycle now) {
  weir_cache_watched(c,
                     (struct weir_watched){.kind = WEIR_WATCH_END,
                                           .line = weir_cache_tags(c, spot->set)[spot->way] - 1,
                                           .set = spot->set,
                                           .way = spot->way,
                                           .end = (uint8_t)why,
                                           .now = now});
}

// The spot's line takes the way; the policies are told, of the line that was in it first.
static void settle(struct weir_cache *c, struct weir_spot *spot, struct weir_access *a, uint32_t pc, bool taken) {
  struct weir_cache_line *line = weir_line(c, spot->set, spot->way);
  if (taken) {
    if (c->residency) weir_residency_end(c, spot->set, spot->way, a->now);
    weir_tell(&c->hooks, evict, a, spot->way, line->reused);
    if (c->watch) tell_of_end(c, spot, WEIR_END_REPLACED, a->now);
  }
  weir_cache_enlist(c, spot->set, spot->way, spot->line + 1);
  if (c->watch) tell_of_fill(c, spot, a);
  if (c->latest) c->latest[spot->set] = 0;
  weir_set(c, spot->set)->held += !taken;
  c->room -= !taken;
  *line = (struct weir_cache_line){
    .fill_pc = pc, .fill_transactions = a->transactions & 0x7fu, .requester = a->requester & 0x7fu, .port = a->core};
  if (c->pcs && !c->params.level && pc != WEIR_NO_LOAD) weir_pc_group(&c->pcs[pc], a->transactions)->lines++;
  if (c->residency) weir_residency_begin(c, spot->set, spot->way, a->now);
  weir_tell(&c->hooks, insert, a, spot->way);
  weir_ranks_insert(c, spot->set, spot->way, weir_cache_effect(c, a));
}

void weir_cache_occupy(struct weir_cache *c, struct weir_spot *spot, struct weir_access *a, uint32_t pc,
                       struct weir_way_choice place) {
  if (place.taken) evict(c, a, place.way);
  spot->way = place.way;
  settle(c, spot, a, pc, place.taken);
}

void weir_cache_drop(struct weir_cache *c, const struct weir_spot *spot, enum weir_line_end why, weir_cycle now) {
  struct weir_cache_line *line = weir_line(c, spot->set, spot->way);
  uint8_t keep = (uint8_t)~spot->mask;
  line->valid &= keep;
  line->dirty &= keep;
  line->unreadable &= keep;
  c->stats->invalidations++;
  if (c->latest) c->latest[spot->set] = 0;
  if (line->valid | line->pending) return;
  count_end(c, line);
  if (c->residency) weir_residency_end(c, spot->set, spot->way, now);
  if (c->watch) tell_of_end(c, spot, why, now);
  weir_cache_tags(c, spot->set)[spot->way] = 0;
  weir_set(c, spot->set)->held--;
  c->room++;
  weir_tell(&c->hooks, invalidate, spot->set, spot->way);
}

bool weir_cache_holds(const struct weir_cache *c, uint64_t address, uint64_t place) {
  const struct weir_spot spot = weir_cache_spot(c, address, place);
  if (spot.way == WEIR_NO_WAY) return false;
  const struct weir_cache_line *line = weir_line(c, spot.set, spot.way);
  return line->valid & spot.mask & (uint8_t)~line->unreadable;
}

static uint32_t lines_here(const struct weir_cache *c) {
  return c->data - c->room;
}

// There is no time here for lines to end at: those that are dropped are the cores' own.
static bool drop_ways(struct weir_cache *c, uint32_t from, enum weir_line_end why, uint64_t dead) {
  const uint64_t writebacks = c->stats->writebacks;
  assert(!c->residency);
  for (uint32_t set = 0; set < c->params.sets && lines_here(c); set++)
    for (uint32_t way = from; way < c->params.ways; way++)
      if (weir_cache_tags(c, set)[way]) drop_whole(c, set, way, why, dead, 0);
  if (c->shadow) weir_shadow_drop_ways(c->shadow, from);
  return c->stats->writebacks > writebacks;
}

bool weir_cache_flush(struct weir_cache *c, uint64_t dead) {
  if (c->oracle) weir_oracle_tell(c->oracle, 0, 0, (struct weir_log_event){.kind = WEIR_LOG_FLUSH});
  weir_cache_watched(c, (struct weir_watched){.kind = WEIR_WATCH_FLUSH});
  return drop_ways(c, 0, WEIR_END_FLUSHED, dead);
}

void weir_cache_use_ways(struct weir_cache *c, uint32_t ways, uint64_t dead) {
  assert(ways && ways <= c->params.ways);
  if (c->oracle) weir_oracle_tell(c->oracle, 0, 0, (struct weir_log_event){.kind = WEIR_LOG_WAYS, .line = ways});
  if (ways < c->usable) drop_ways(c, ways, WEIR_END_WAY_LOST, dead);
  c->usable = ways;
  if (c->shadow) weir_shadow_use_ways(c->shadow, ways);
}

// The lines that go are those of the last sets.
void weir_cache_use_data(struct weir_cache *c, uint32_t lines, uint64_t dead) {
  assert(c->params.data_pool && lines && lines <= c->params.sets * c->params.ways);
  if (c->oracle) weir_oracle_tell(c->oracle, 0, 0, (struct weir_log_event){.kind = WEIR_LOG_DATA, .line = lines});
  for (uint32_t set = c->params.sets; lines_here(c) > lines && set-- > 0;)
    for (uint32_t way = c->params.ways; lines_here(c) > lines && way-- > 0;)
      if (weir_cache_tags(c, set)[way]) drop_whole(c, set, way, WEIR_END_WAY_LOST, dead, 0);
  c->room = lines - lines_here(c);
  c->data = lines;
  if (c->shadow) weir_shadow_use_data(c->shadow, lines);
}

void weir_cache_finish(struct weir_cache *c) {
  uint32_t left = c->pcs && !c->params.level ? lines_here(c) : 0; // of others, none is counted
  for (uint32_t set = 0; left; set++)
    for (uint32_t way = 0; way < c->params.ways; way++) {
      if (!weir_cache_tags(c, set)[way]) continue;
      count_end(c, weir_line(c, set, way));
      left--;
    }
}

static void tell_of_place(struct weir_cache *c, const struct weir_spot *spot, struct weir_access *a) {
  const struct weir_log_event e = {
    .kind = WEIR_LOG_PLACE, .sector = spot->sector & (c->sectors - 1) & 7u, .pc = WEIR_LOG_NO_PC};
  weir_oracle_tell(c->oracle, spot->line, spot->set, e);
  weir_oracle_show(c->oracle, spot->line, true, a);
}

// A way for the spot's line, which has none. Where it ends up in; answers the line that was there and is dirty, or else none.
static uint64_t place_line(struct weir_cache *c, struct weir_spot *spot, struct weir_access *a) {
  const struct weir_way_choice chosen = weir_cache_choose(c, a, false);
  if (chosen.way == WEIR_NO_WAY) return WEIR_NO_LINE;
  spot->way = chosen.way;
  const bool dirty = chosen.taken && weir_line(c, spot->set, chosen.way)->dirty;
  const uint64_t victim = dirty ? (weir_cache_tags(c, spot->set)[chosen.way] - 1) << c->line_shift : WEIR_NO_LINE;
  settle(c, spot, a, WEIR_NO_LOAD, chosen.taken);
  return victim;
}

// At the spot of the address, which says afterwards where the line is. `uses`: a line that is here is used, too; `dirties`: it is written,
// and nobody below has what it holds; `part`: not all of it is.
static uint64_t put_sector(struct weir_cache *c, struct weir_spot *spot, uint64_t address, bool uses, bool dirties,
                           bool part, weir_cycle now) {
  struct weir_mreq copy = {.address = address, .kind = WEIR_MREQ_STORE};
  struct weir_access a;
  uint64_t victim = WEIR_NO_LINE;
  weir_cache_view_of(&a, spot, c, &copy, now);
  if (c->oracle) tell_of_place(c, spot, &a);
  weir_cache_watched(c, weir_watched_at(WEIR_WATCH_COPY, spot, now));
  if (spot->way == WEIR_NO_WAY)
    victim = place_line(c, spot, &a);
  else if (uses)
    weir_cache_tell_hit(c, &a, spot->way, false);
  if (spot->way == WEIR_NO_WAY) return WEIR_NO_LINE;
  struct weir_cache_line *line = weir_line(c, spot->set, spot->way);
  if (!part)
    line->unreadable &= (uint8_t)~spot->mask;
  else if (!(line->valid & spot->mask))
    line->unreadable |= spot->mask;
  line->valid |= spot->mask;
  if (dirties) line->dirty |= spot->mask;
  return victim;
}

void weir_cache_place(struct weir_cache *c, uint64_t address, uint64_t place, uint32_t sectors, weir_cycle now) {
  const bool told = c->oracle || c->watch;
  for (uint32_t i = 0; i < sectors; i++, address += c->params.sector_bytes, place += c->params.sector_bytes) {
    struct weir_spot spot = weir_cache_spot(c, address, place);
    if (!told) spot.mask = (uint8_t)(weir_mask(sectors - i) * spot.mask); // all at once, if there is a way
    put_sector(c, &spot, address, false, false, false, now);
    if (!told && spot.way != WEIR_NO_WAY) return;
  }
}

uint64_t weir_cache_warm(struct weir_cache *c, uint64_t address, uint64_t place, enum weir_warming how,
                         weir_cycle now) {
  const bool keeps = how != WEIR_WARM_READ && c->params.write_hit == WEIR_WRITE_BACK;
  struct weir_spot spot = weir_cache_spot(c, address, place);
  return put_sector(c, &spot, address, true, keeps, keeps && how == WEIR_WARM_WRITE_PART, now);
}
