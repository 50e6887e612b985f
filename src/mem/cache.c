// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/cache.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "mem/cache_hits.h"
#include "mem/census.h"
#include "mem/combine.h"
#include "mem/mshr.h"
#include "mem/oracle.h"
#include "mem/ranks.h"
#include "mem/shadow.h"

#include <assert.h>

// ---- construction -----------------------------------------------------------------------------------------------------

static void start_policies(struct weir_cache *c) {
  const struct weir_cache_params *p = &c->params;
  struct weir_geometry g = weir_cache_geometry(p, p->replace.knobs);
  weir_policy_start(&c->replace, p->first ? &p->first->replace : NULL, &p->replace, &g, p->seed, p->user * 16);
  weir_cache_hooks_add(&c->hooks, &c->replace);
  for (unsigned i = 0; i < p->companion_count; i++) {
    g.knobs = p->companions[i].knobs;
    weir_policy_start(&c->companions[i], p->first ? &p->first->companions[i] : NULL, &p->companions[i], &g, p->seed,
                      p->user * 16 + 1 + i);
    weir_cache_hooks_add(&c->hooks, &c->companions[i]);
  }
}

void weir_cache_init(struct weir_cache *c, const struct weir_cache_params *params, struct weir_mreq_pool *pool,
                     struct weir_level_stats *stats, struct weir_pc_stats *pcs) {
  *c = (struct weir_cache){.params = *params, .pool = pool, .stats = stats, .pcs = pcs};
  assert(weir_is_pow2(params->sets) && params->ways <= WEIR_MAX_WAYS);
  size_t n = (size_t)params->sets * params->ways;
  c->usable = params->ways;
  c->room = c->data = (uint32_t)n;
  c->set_bits = weir_log2(params->sets);
  c->line_shift = weir_log2(params->line_bytes);
  c->sector_shift = weir_log2(params->sector_bytes);
  c->sectors = params->line_bytes / params->sector_bytes;
  weir_cache_make_sets(c);
  if (params->read_only) {
    assert(params->index == WEIR_INDEX_LINEAR && params->sector_bytes == params->line_bytes);
    c->latest = weir_new_array(uint64_t, params->sets);
  }
  c->miss_queue.capacity = params->miss_queue;
  c->skipped.capacity = params->banks ? params->banks : 1; // those of one cycle
  weir_mshr_init(c);
  if (params->shadow_tags) c->shadow = weir_shadow_create(params);
  start_policies(c);
  c->plain_hints = weir_cache_plain_hints(c);
  c->plain_misses = weir_cache_plain_misses(c);
}

void weir_cache_free(struct weir_cache *c) {
  weir_policy_stop(&c->replace);
  for (unsigned i = 0; i < c->params.companion_count; i++) weir_policy_stop(&c->companions[i]);
  weir_shadow_free(c->shadow);
  weir_cache_free_sets(c);
  weir_free(c->latest);
  weir_free(c->ranks);
  weir_free(c->residents);
  weir_mshr_free(c);
}

// ---- one access -------------------------------------------------------------------------------------------------------

struct attempt {
  struct weir_cache *c;
  struct weir_mreq *r;
  bool first; // the request comes here for the first time
  struct weir_spot spot;
  struct weir_access a;
  enum weir_stall *stall;
};

static enum weir_outcome refuse(struct attempt *t, enum weir_stall why) {
  *t->stall = why;
  return WEIR_OUTCOME_REFUSED;
}

static struct weir_access_counts *counts_of(struct weir_cache *c, const struct weir_mreq *r) {
  bool store = r->kind == WEIR_MREQ_STORE || r->kind == WEIR_MREQ_ATOMIC || r->kind == WEIR_MREQ_WRITEBACK;
  return store ? &c->stats->stores : &c->stats->loads;
}

// Fewer than n free slots in the miss queue.
static bool miss_queue_short(const struct weir_cache *c, uint32_t n) {
  return !weir_queue_room(&c->miss_queue, n);
}

// Accesses of a kind that is counted once more: of the other partition first, where they come a second time.
static __attribute__((noinline)) void count_kind(struct weir_level_stats *s, const struct weir_mreq *r, bool hit) {
#define COUNT(plural, singular) s->plural++, s->singular##_hits += hit
  switch ((enum weir_mreq_kind)r->kind) {
  case WEIR_MREQ_WRITEBACK:
  case WEIR_MREQ_ATOMIC: break;
  case WEIR_MREQ_STORE:
    if (r->local) COUNT(local_stores, local_store);
    break;
  case WEIR_MREQ_INSTRUCTION:
  case WEIR_MREQ_CONSTANT:
  case WEIR_MREQ_TEXTURE:
  case WEIR_MREQ_LOAD:
    if (r->guest)
      COUNT(guest_loads, guest_load);
    else if (r->kind != WEIR_MREQ_LOAD)
      COUNT(fetches, fetch);
    else if (r->local)
      COUNT(local_loads, local_load);
    else
      COUNT(texture_loads, texture_load);
  }
#undef COUNT
}

// The one place where an access is counted, once it has been taken: by level, requester, core and PC. (Samples are readings of
// the level.)
static void count(struct weir_cache *c, const struct weir_mreq *r, enum weir_access_result result) {
  weir_count_access(counts_of(c, r), result);
  if (r->local || r->texture || r->guest || r->kind > WEIR_MREQ_ATOMIC)
    count_kind(c->stats, r, result <= WEIR_ACCESS_HIT_ON_MISS);
  struct weir_requester_counts *p = weir_cache_port(c, r->core);
  if (p) {
    weir_count_access(&p->at, result);
    p->demand_misses += result >= WEIR_ACCESS_MISS && r->kind != WEIR_MREQ_WRITEBACK;
  }
  if (weir_cache_is_load(r)) weir_count_access(&c->tally.loads, result);
  if (weir_cache_has_pc(c, r)) weir_count_access(&weir_pc_group(&c->pcs[r->pc >> 3], r->transactions)->at, result);
}

void weir_cache_count_skipped(struct weir_cache *c, const struct weir_mreq *r) {
  count(c, r, WEIR_ACCESS_BYPASS);
  if (!c->watch) return;
  const struct weir_spot spot = weir_cache_spot(c, r->address, r->place);
  struct weir_watched w = weir_watched_at(WEIR_WATCH_ACCESS, &spot, 0);
  w.pc = r->pc;
  w.has_pc = true;
  w.warp = r->warp;
  w.result = WEIR_ACCESS_BYPASS;
  w.asked = r;
  weir_cache_watched(c, w);
}

void weir_cache_show_past(struct weir_cache *c, const struct weir_mreq *r) {
  weir_cache_watched(c, (struct weir_watched){.kind = WEIR_WATCH_PAST, .way = WEIR_NO_WAY, .asked = r});
}

// An access has been taken for which it matters which lines are here.
static void log_access(struct attempt *t, enum weir_access_result result) {
  const uint32_t pc = t->r->kind == WEIR_MREQ_WRITEBACK ? WEIR_LOG_NO_PC : t->r->pc >> 3;
  const struct weir_log_event e = {.pc = pc < WEIR_LOG_NO_PC ? pc & WEIR_LOG_NO_PC : WEIR_LOG_NO_PC,
                                   .sector = t->spot.sector & (t->c->sectors - 1) & 7u,
                                   .kind = WEIR_LOG_ACCESS,
                                   .result = result & 3u,
                                   .store = !weir_cache_is_load(t->r)};
  weir_oracle_tell(t->c->oracle, t->spot.line, t->spot.set, e);
}

// Whoever watches sees an access that has been taken. places: a miss of it takes a line.
static __attribute__((noinline, cold)) void show_access(const struct attempt *t, enum weir_access_result result,
                                                        bool places) {
  struct weir_watched w = weir_watched_at(WEIR_WATCH_ACCESS, &t->spot, t->a.now);
  w.pc = t->r->pc;
  w.has_pc = t->r->kind != WEIR_MREQ_WRITEBACK;
  w.warp = t->r->warp;
  w.result = (uint8_t)result;
  w.request = t->r->kind;
  w.places = places;
  w.asked = t->r;
  weir_cache_watched(t->c, w);
}

// The sectors are dropped if they are here; and a policy that would have kept the line would lose it.
static void tell_of_kill(struct attempt *t, const struct weir_spot *spot, enum weir_line_end why) {
  const struct weir_log_event e = {.kind = WEIR_LOG_KILL};
  if (t->c->oracle) weir_oracle_tell(t->c->oracle, spot->line, spot->set, e);
  weir_cache_watched(t->c, weir_watched_kill(spot, why, t->a.now));
}

// applypriority and discard ask for no data: what they are about is done at the tags, and nothing is fetched.
static bool asks_for_nothing(const struct attempt *t) {
  const uint8_t hint = t->c->params.level ? t->a.l2_hint : t->a.l1_hint;
  return hint == WEIR_HINT_APPLY_NORMAL || hint == WEIR_HINT_DISCARD;
}

static void count_read(struct attempt *t, enum weir_access_result result) {
  struct weir_cache *c = t->c;
  c->stats->tag_accesses += !t->r->skips; // once, however often the request was refused first
  count(c, t->r, result);
  const bool counted_there = t->r->guest && t->r->kind != WEIR_MREQ_ATOMIC; // in the partition that it has come from
  if (c->census && !counted_there) weir_census_count(c->census, t->spot.line);
  if (c->oracle) log_access(t, result);
  if (c->watch) show_access(t, result, !asks_for_nothing(t));
  if (c->shadow) weir_shadow_read(c->shadow, t->a, result == WEIR_ACCESS_BYPASS, c->stats);
}

// The request itself goes down, past this cache; the next one asks its own policies.
// It needs nothing but the way there, and so does not wait behind this cache's own misses.
static enum weir_outcome skip(struct attempt *t) {
  if (weir_queue_full(&t->c->skipped)) return refuse(t, WEIR_STALL_MISS_QUEUE);
  count_read(t, WEIR_ACCESS_BYPASS);
  t->r->asked = t->r->skips = t->r->decided = t->r->bypass = false;
  t->r->bypassed_above = true;
  weir_queue_push(&t->c->skipped, t->r);
  return WEIR_OUTCOME_PASSED;
}

// Asks the bypass policies once per request, however often it is refused afterwards.
static bool policy_skips(struct attempt *t) {
  struct weir_cache *c = t->c;
  if (!c->hooks.count.load || !weir_cache_is_load(t->r) || t->r->local) return false;
  if (t->first) t->r->skips |= weir_ask(&c->hooks, load, &t->a);
  return t->r->skips;
}

// The access has reached the tags.
static void tell_look(struct attempt *t) {
  if (t->first) weir_tell(&t->c->hooks, look, &t->a, t->spot.way);
}

// The load cannot be taken: waits, unless a policy would rather bypass.
static enum weir_outcome stall_load(struct attempt *t, enum weir_stall why) {
  struct weir_cache *c = t->c;
  if (!weir_cache_is_load(t->r) || t->r->local || weir_queue_full(&c->skipped)) return refuse(t, why);
  if (!weir_ask(&c->hooks, stall, &t->a, why)) return refuse(t, why);
  c->tally.stall_bypasses++;
  return skip(t); // for which there is room
}

static void count_data_read(struct attempt *t) {
  struct weir_requester_counts *p = weir_cache_port(t->c, t->r->core);
  t->c->stats->data_reads++;
  if (p) p->data_reads++;
}

static enum weir_outcome read_hit(struct attempt *t) {
  struct weir_cache *c = t->c;
  struct weir_cache_line *line = weir_line(c, t->spot.set, t->spot.way);
  count_data_read(t);
  count_read(t, WEIR_ACCESS_HIT);
  line->reused = true;
  weir_cache_tell_hit(c, &t->a, t->spot.way, false);
  if (c->latest) c->latest[t->spot.set] = t->spot.line + 1;
  if (t->r->kind == WEIR_MREQ_ATOMIC) {
    line->dirty |= t->spot.mask;
    weir_cache_count_write(t->c, t->r);
  }
  t->r->reply_mark = t->a.reply_mark;
  return WEIR_OUTCOME_HIT;
}

// Is the sector fetched around one that the same access of the same warp has missed? Then the access misses both, and nothing
// was fetched but what is asked for.
static bool is_missed_together(struct weir_mshr_entry *e, const struct weir_mreq *r) {
  const struct weir_mreq *own = e->head;
  if (!e->unasked || e->asked || own->token != r->token || own->pc != r->pc) return false;
  return e->asked = own->core == r->core && own->warp == r->warp && own->kind == r->kind;
}

static enum weir_outcome read_pending(struct attempt *t, struct weir_mshr_entry *e) {
  struct weir_cache *c = t->c;
  if (e->merged >= c->params.mshr_merges) return stall_load(t, WEIR_STALL_MERGE_FULL);
  const bool together = is_missed_together(e, t->r);
  c->stats->prefetches -= together;
  count_read(t, together ? WEIR_ACCESS_MISS : WEIR_ACCESS_HIT_ON_MISS);
  if (e->holds_line) {
    weir_line(c, e->set, e->way)->reused = true;
    weir_cache_tell_hit(c, &t->a, e->way, true);
    t->r->reply_mark = t->a.reply_mark;
  }
  e->dirty |= t->r->kind == WEIR_MREQ_ATOMIC;
  weir_mshr_merge(e, t->r);
  return WEIR_OUTCOME_PENDING;
}

// As policy_skips, of a miss. Thread-local loads do not bypass, but throttles watch them as others.
static bool decide_bypass(struct attempt *t) {
  struct weir_cache *c = t->c;
  if (!t->r->decided && weir_cache_is_load(t->r)) {
    t->r->decided = true;
    t->r->bypass |= t->r->local ? weir_ask(&c->hooks, throttled_miss, &t->a) : weir_ask(&c->hooks, miss, &t->a);
    t->r->bypass |= weir_cache_keeps_no_line(c, t->r);
  }
  return t->r->decided && t->r->bypass;
}

static void send_fetch(struct attempt *t, struct weir_mshr_entry *e) {
  struct weir_cache *c = t->c;
  struct weir_mreq *f = weir_mreq_take(c->pool);
  *f = *t->r;
  f->kind = t->r->kind == WEIR_MREQ_ATOMIC ? WEIR_MREQ_LOAD : t->r->kind;
  f->address = t->spot.sector << c->sector_shift;
  f->place = t->r->place - (t->r->address - f->address);
  f->bytes = (uint16_t)c->params.sector_bytes;
  f->mshr = (uint16_t)weir_mshr_number(c, e);
  f->mshr_level = c->params.level & 15u;
  f->asked = f->skips = f->decided = f->bypass = f->reply_mark = false;
  if (c->params.level) f->l2_prefetch = WEIR_PREFETCH_NONE;
  f->guest = 0;
  f->bypassed_above = e->bypass;
  e->far = f->far;
  c->far_fetches += f->far;
  weir_queue_push(&c->miss_queue, f);
}

static void reserve(struct attempt *t, struct weir_mshr_entry *e, struct weir_way_choice place) {
  struct weir_cache *c = t->c;
  if (t->spot.way == WEIR_NO_WAY) weir_cache_occupy(c, &t->spot, &t->a, t->r->pc >> 3, place);
  struct weir_cache_line *line = weir_line(c, t->spot.set, t->spot.way);
  c->reserved += !line->pending;
  line->pending |= t->spot.mask;
  weir_set(c, t->spot.set)->reserved |= UINT64_C(1) << t->spot.way;
  line->valid &= (uint8_t)~t->spot.mask;
  e->holds_line = true;
  e->set = t->spot.set;
  e->way = t->spot.way;
}

// A miss of a sector is a use of its line, if that is there (as GPGPU-Sim's allocate_sector counts it).
static void touch_line(struct attempt *t) {
  if (t->spot.way != WEIR_NO_WAY) weir_cache_tell_use(t->c, &t->a, t->spot.way);
}

// Fetches from the other partition take a way when they end, and MSHRs of their own or half of them at most: what they wait for there
// must find both, or the partitions would wait for each other.
static bool reserves_way(const struct weir_cache *c, const struct weir_mreq *r) {
  return c->params.allocate == WEIR_ALLOCATE_ON_MISS && !r->far;
}

static bool mshrs_full(const struct weir_cache *c, const struct weir_mreq *r) {
  if (c->params.far_mshrs)
    return r->far ? c->far_fetches == c->params.far_mshrs : c->mshrs_used - c->far_fetches == c->params.mshrs;
  return c->mshrs_used == c->params.mshrs || (r->far && c->far_fetches >= c->params.mshrs / 2);
}

// The sector is fetched although no access asks for it, if there is room for that.
static void fetch_unasked(const struct attempt *t, uint64_t sector) {
  struct weir_cache *c = t->c;
  const uint64_t here = t->spot.sector << c->sector_shift, there = sector << c->sector_shift;
  const bool reserves = reserves_way(c, t->r);
  struct attempt u = {.c = c};
  struct weir_way_choice place = {.way = WEIR_NO_WAY};
  if (mshrs_full(c, t->r) || miss_queue_short(c, 2) || weir_mshr_find(c, sector)) return;
  u.spot = weir_cache_spot(c, there, t->r->place - (t->r->address - here) + (there - here));
  const bool has_line = u.spot.way != WEIR_NO_WAY;
  if (has_line && weir_line(c, u.spot.set, u.spot.way)->valid & u.spot.mask) return;
  if (reserves && !has_line && !weir_cache_has_way(c, u.spot.set)) return;
  struct weir_mreq *own = weir_mreq_take(c->pool);
  *own = *t->r;
  own->address = there;
  own->place += there - t->r->address;
  own->bytes = (uint16_t)c->params.sector_bytes;
  u.r = own;
  weir_cache_view_of(&u.a, &u.spot, c, own, t->a.now);
  if (c->oracle) weir_oracle_show(c->oracle, u.spot.line, true, &u.a);
  if (reserves && !has_line) place = weir_cache_choose(c, &u.a, weir_cache_may_keep(own));
  if (place.kept) {
    weir_mreq_release(c->pool, own);
    return;
  }
  struct weir_mshr_entry *e = weir_mshr_take(c, sector);
  e->pieces = c->params.fetch_pieces;
  send_fetch(&u, e);
  if (reserves) reserve(&u, e, place);
  weir_mshr_merge(e, own);
  e->unasked = true;
  c->stats->prefetches++;
}

// What else is missing of the aligned block around the sector that has been missed: of the cache's own size, or the load's prefetch size.
static void fetch_around(const struct attempt *t) {
  const struct weir_cache *c = t->c;
  const uint32_t size = c->params.prefetch_bytes[t->r->l2_prefetch], own = c->params.fetch_bytes;
  const uint32_t sectors = (size > own ? size : own) >> c->sector_shift;
  const uint64_t first = sectors ? t->spot.sector & ~(uint64_t)(sectors - 1) : 0;
  for (uint32_t i = 0; i < sectors; i++)
    if (first + i != t->spot.sector) fetch_unasked(t, first + i);
}

static enum weir_outcome read_miss(struct attempt *t) {
  struct weir_cache *c = t->c;
  bool bypass = decide_bypass(t);
  bool reserves = !bypass && reserves_way(c, t->r);
  if (reserves && t->spot.way == WEIR_NO_WAY && !weir_cache_has_way(c, t->spot.set))
    return stall_load(t, WEIR_STALL_NO_WAY);
  if (miss_queue_short(c, c->params.read_only ? 1 : 2)) return stall_load(t, WEIR_STALL_MISS_QUEUE);
  if (mshrs_full(c, t->r)) return stall_load(t, WEIR_STALL_MSHR_FULL);
  struct weir_way_choice place = {.way = WEIR_NO_WAY};
  if (reserves && t->spot.way == WEIR_NO_WAY) place = weir_cache_choose(c, &t->a, weir_cache_may_keep(t->r));
  bypass |= place.kept;
  count_read(t, bypass ? WEIR_ACCESS_BYPASS : WEIR_ACCESS_MISS);
  if (!bypass) touch_line(t);
  weir_combine_read(c, t->spot.sector);
  struct weir_mshr_entry *e = weir_mshr_take(c, t->spot.sector);
  e->bypass = bypass;
  e->pieces = c->params.fetch_pieces;
  e->dirty = t->r->kind == WEIR_MREQ_ATOMIC;
  send_fetch(t, e);
  if (reserves && !bypass) reserve(t, e, place);
  weir_mshr_merge(e, t->r);
  if ((t->r->l2_prefetch || c->params.fetch_bytes) && !bypass) fetch_around(t);
  return WEIR_OUTCOME_MISS;
}

static enum weir_outcome mark_line(struct attempt *t) {
  struct weir_cache *c = t->c;
  const enum weir_hint_effect effect = weir_cache_effect(c, &t->a);
  count_read(t, WEIR_ACCESS_HIT);
  if (t->spot.way == WEIR_NO_WAY) return WEIR_OUTCOME_HIT;
  if (effect == WEIR_EFFECT_OF_HINT_DROP && !weir_line(c, t->spot.set, t->spot.way)->pending) {
    struct weir_spot all = t->spot;
    all.mask = UINT8_MAX;
    tell_of_kill(t, &all, WEIR_END_DISCARDED);
    weir_cache_drop(c, &all, WEIR_END_DISCARDED, t->a.now);
  } else {
    weir_ranks_hit(c, t->spot.set, t->spot.way, effect);
  }
  return WEIR_OUTCOME_HIT;
}

static uint32_t *written_of(const struct attempt *t) {
  const struct weir_cache *c = t->c;
  const size_t line = (size_t)t->spot.set * c->params.ways + t->spot.way;
  return &c->written[line * c->sectors + weir_lowest(t->spot.mask)];
}

// Is there, in the line that the spot is in, all that is asked for of the sector?
static bool is_readable(const struct attempt *t, const struct weir_cache_line *line) {
  if (!(line->valid & t->spot.mask)) return false;
  if (!(line->unreadable & t->spot.mask)) return true;
  return t->c->written && t->r->used && !(t->r->used & ~*written_of(t));
}

static enum weir_outcome read(struct attempt *t) {
  struct weir_cache *c = t->c;
  if (policy_skips(t)) return skip(t);
  tell_look(t);
  if (asks_for_nothing(t)) return mark_line(t);
  const struct weir_cache_line *line = t->spot.way == WEIR_NO_WAY ? NULL : weir_line(c, t->spot.set, t->spot.way);
  if (line && is_readable(t, line)) return read_hit(t);
  struct weir_mshr_entry *e = weir_mshr_find(c, t->spot.sector);
  // A hit-on-miss waits for the miss queue too, as a miss does (GPGPU-Sim gpu-cache.cc, rd_miss_base).
  if (e)
    return miss_queue_short(c, c->params.read_only ? 1 : 2) ? stall_load(t, WEIR_STALL_MISS_QUEUE) : read_pending(t, e);
  return read_miss(t);
}

// ---- stores -----------------------------------------------------------------------------------------------------------

// Thread-local stores stay in a cache whose global stores evict (Fermi: local write-back, global write-evict).
static bool hit_evicts(const struct attempt *t) {
  return t->c->params.write_hit == WEIR_WRITE_EVICT && !t->r->local;
}

static void count_store(struct attempt *t, enum weir_access_result result, bool places) {
  struct weir_cache *c = t->c;
  c->stats->tag_accesses++;
  count(c, t->r, result);
  if (c->watch) show_access(t, result, places);
  if (c->census) weir_census_count(c->census, t->spot.line);
  if (c->shadow) weir_shadow_write(c->shadow, t->a, hit_evicts(t), c->params.write_miss != WEIR_WRITE_NO_ALLOCATE);
}

// … of a store that the line serves, or would serve: it matters which lines are here.
static void count_store_of_line(struct attempt *t, enum weir_access_result result) {
  count_store(t, result, true);
  if (t->c->oracle) log_access(t, result);
}

// A store that goes on leaves what it writes in its line.
static void leave_bytes(struct attempt *t) {
  struct weir_cache_line *line = weir_line(t->c, t->spot.set, t->spot.way);
  weir_cache_count_write(t->c, t->r);
  if (!t->c->written) return;
  uint32_t *written = written_of(t);
  if (!(line->valid & t->spot.mask)) {
    *written = 0;
    line->valid |= t->spot.mask;
    line->unreadable |= t->spot.mask;
  }
  *written |= weir_cache_writes_whole(t->c, t->r) ? UINT32_MAX : t->r->used;
  if (*written == UINT32_MAX) line->unreadable &= (uint8_t)~t->spot.mask;
}

static enum weir_outcome write_through(struct attempt *t, bool hit) {
  struct weir_cache *c = t->c;
  if (miss_queue_short(c, 1)) return refuse(t, WEIR_STALL_MISS_QUEUE);
  count_store(t, hit ? WEIR_ACCESS_HIT : WEIR_ACCESS_MISS, false);
  if (hit_evicts(t)) tell_of_kill(t, &t->spot, WEIR_END_WRITTEN);
  if (hit && hit_evicts(t))
    weir_cache_drop(c, &t->spot, WEIR_END_WRITTEN, t->a.now);
  else if (hit) {
    leave_bytes(t);
    weir_line(c, t->spot.set, t->spot.way)->stored_to = true;
    weir_cache_tell_hit(c, &t->a, t->spot.way, false);
  }
  t->r->asked = false; // the next cache tells its own policies
  return weir_combine_pass(c, t->r, t->a.now);
}

static enum weir_outcome write_back_hit(struct attempt *t) {
  count_store_of_line(t, WEIR_ACCESS_HIT);
  weir_line(t->c, t->spot.set, t->spot.way)->reused = true;
  weir_cache_tell_hit(t->c, &t->a, t->spot.way, false);
  weir_cache_write_line(t->c, t->r, &t->spot);
  return WEIR_OUTCOME_WRITTEN;
}

// A store that a policy would rather not have a line for goes down itself. There is room for it.
static enum weir_outcome forward_store(struct attempt *t) {
  count_store_of_line(t, WEIR_ACCESS_BYPASS);
  t->r->asked = t->r->decided = t->r->bypass = false;
  t->r->bypassed_above = true;
  weir_queue_push(&t->c->miss_queue, t->r);
  return WEIR_OUTCOME_PASSED;
}

// As decide_bypass, of a store that would be given a line.
static bool store_bypasses(struct attempt *t) {
  struct weir_cache *c = t->c;
  if (t->r->kind != WEIR_MREQ_STORE || t->r->local || t->spot.way != WEIR_NO_WAY) return false;
  if (!t->r->decided) {
    const bool asked = weir_ask(&c->hooks, store_miss, &t->a);
    t->r->bypass |= asked || weir_cache_keeps_no_line(c, t->r);
  }
  t->r->decided = true;
  return t->r->bypass;
}

static enum weir_outcome write_allocate(struct attempt *t) {
  struct weir_cache *c = t->c;
  if (miss_queue_short(c, 1)) return refuse(t, WEIR_STALL_MISS_QUEUE);
  if (store_bypasses(t)) return forward_store(t);
  touch_line(t);
  if (t->spot.way == WEIR_NO_WAY) {
    struct weir_way_choice place = weir_cache_choose(c, &t->a, weir_cache_may_keep(t->r));
    if (place.kept) return forward_store(t);
    if (place.way == WEIR_NO_WAY) return refuse(t, WEIR_STALL_NO_WAY);
    weir_cache_occupy(c, &t->spot, &t->a, WEIR_NO_LOAD, place);
  }
  count_store_of_line(t, WEIR_ACCESS_MISS);
  weir_cache_count_fill(c, t->r->core);
  weir_cache_write_line(t->c, t->r, &t->spot);
  return WEIR_OUTCOME_WRITTEN;
}

// It goes down; where there is a way, and it is known which bytes it writes, it leaves them here, too.
static enum weir_outcome write_and_keep(struct attempt *t) {
  struct weir_cache *c = t->c;
  struct weir_way_choice place = {.way = WEIR_NO_WAY};
  const bool has_line = t->spot.way != WEIR_NO_WAY;
  if (miss_queue_short(c, 1)) return refuse(t, WEIR_STALL_MISS_QUEUE);
  if (store_bypasses(t)) return forward_store(t);
  const bool keeps = (t->r->used || weir_cache_writes_whole(t->c, t->r)) &&
    c->params.effects[t->r->l1_hint] != WEIR_EFFECT_OF_HINT_PAST_FIRST;
  if (keeps && !has_line) place = weir_cache_choose(c, &t->a, weir_cache_may_keep(t->r));
  if (place.kept) return forward_store(t);
  const bool kept = keeps && (has_line || place.way != WEIR_NO_WAY);
  if (kept) {
    touch_line(t);
    if (!has_line) weir_cache_occupy(c, &t->spot, &t->a, WEIR_NO_LOAD, place);
    count_store_of_line(t, WEIR_ACCESS_MISS);
    weir_cache_count_fill(c, t->r->core);
    leave_bytes(t);
  } else {
    count_store(t, WEIR_ACCESS_BYPASS, false);
  }
  t->r->asked = t->r->decided = t->r->bypass = false;
  return weir_combine_pass(c, t->r, t->a.now);
}

static enum weir_outcome write(struct attempt *t) {
  struct weir_cache *c = t->c;
  tell_look(t);
  bool hit = t->spot.way != WEIR_NO_WAY && weir_line(c, t->spot.set, t->spot.way)->valid & t->spot.mask;
  if (hit && c->params.write_hit != WEIR_WRITE_THROUGH && !hit_evicts(t)) return write_back_hit(t);
  if (!hit && c->params.write_miss == WEIR_WRITE_ALLOCATE_LAZY) return write_allocate(t);
  if (!hit && c->params.write_miss == WEIR_WRITE_KEEP_WRITTEN) return write_and_keep(t);
  return write_through(t, hit);
}

// Every store is told once, when it is taken for the first time.
static void tell_store(struct attempt *t) {
  if (t->first) weir_tell(&t->c->hooks, store, &t->a);
}

// Of the attempt, its spot is known.
static __attribute__((noinline)) enum weir_outcome attempt(struct attempt *t, struct weir_cache *c, struct weir_mreq *r,
                                                           weir_cycle now, enum weir_stall *stall) {
  t->c = c;
  t->r = r;
  t->stall = stall;
  t->first = !r->asked;
  r->asked = true;
  weir_cache_view_of(&t->a, &t->spot, c, r, now);
  if (c->oracle) weir_oracle_show(c->oracle, t->spot.line, false, &t->a);
  *t->stall = WEIR_STALL_NONE;
  if (r->kind == WEIR_MREQ_STORE || r->kind == WEIR_MREQ_ATOMIC) tell_store(t);
  return r->kind == WEIR_MREQ_STORE || r->kind == WEIR_MREQ_WRITEBACK ? write(t) : read(t);
}

bool weir_cache_takes_hit(struct weir_cache *c, struct weir_mreq *r, struct weir_spot *spot,
                          enum weir_outcome *outcome) {
  *spot = weir_cache_spot(c, r->address, r->place);
  if (!weir_cache_is_plain_hit(c, r, spot)) return false;
  *outcome = weir_cache_take_plain_hit(c, r, spot);
  return true;
}

enum weir_outcome weir_cache_access_at(struct weir_cache *c, struct weir_mreq *r, const struct weir_spot *spot,
                                       weir_cycle now, enum weir_stall *stall) {
  struct attempt t;
  t.spot = *spot;
  return attempt(&t, c, r, now, stall);
}

enum weir_outcome weir_cache_access(struct weir_cache *c, struct weir_mreq *r, weir_cycle now, enum weir_stall *stall) {
  struct attempt t;
  t.spot = weir_cache_spot(c, r->address, r->place);
  if (weir_cache_is_plain_hit(c, r, &t.spot)) return weir_cache_take_plain_hit(c, r, &t.spot);
  return attempt(&t, c, r, now, stall);
}

// ---- a miss without time ------------------------------------------------------------------------------------------------

// Is a miss of it told to nobody but the replacement policy, as lines come and go, and does it fetch its own sector alone?
static bool is_plain_miss(const struct weir_cache *c, const struct weir_mreq *r) {
  if (r->kind != WEIR_MREQ_LOAD || !(c->plain_misses >> r->l2_hint & 1)) return false;
  if (r->local || r->texture || r->guest || r->skips || r->far || r->asked || r->l2_prefetch) return false;
  return !(c->oracle || c->watch || c->census || c->residency || c->shadow || c->ranks);
}

// What read_miss, and then install, do of such a one.
bool weir_cache_reads_at_once(struct weir_cache *c, struct weir_mreq *r, const struct weir_spot *spot, weir_cycle now) {
  struct weir_way_choice place = {.way = WEIR_NO_WAY};
  struct attempt t;
  t.c = c;
  t.r = r;
  t.spot = *spot;
  const bool has_line = spot->way != WEIR_NO_WAY;
  if (!is_plain_miss(c, r) || !(has_line || weir_cache_has_way(c, spot->set))) return false;
  if (has_line && is_readable(&t, weir_line(c, spot->set, spot->way))) return false;
  weir_cache_view_of(&t.a, &t.spot, c, r, now);
  if (!has_line) place = weir_cache_choose(c, &t.a, false);
  count_read(&t, WEIR_ACCESS_MISS);
  touch_line(&t);
  if (!has_line) weir_cache_occupy(c, &t.spot, &t.a, r->pc >> 3, place);
  struct weir_cache_line *line = weir_line(c, t.spot.set, t.spot.way);
  line->valid |= t.spot.mask;
  line->unreadable &= (uint8_t)~t.spot.mask;
  weir_cache_count_fill(c, r->core);
  return true;
}

// Without a free way there is none for the line; and while all registers are taken, an answer can fill the miss queue with what it
// evicts, but bring neither the sector nor a register that waits for it.
bool weir_cache_refuses_still(const struct weir_cache *c, const struct weir_mreq *r, enum weir_stall why) {
  if (!weir_cache_is_load(r) || c->hooks.count.stall || c->oracle) return false;
  if (why == WEIR_STALL_MERGE_FULL) {
    const struct weir_mshr_entry *e = weir_mshr_find(c, r->address >> c->sector_shift);
    return e && e->merged >= c->params.mshr_merges && !miss_queue_short(c, c->params.read_only ? 1 : 2);
  }
  if (why == WEIR_STALL_NO_WAY)
    return !weir_cache_has_way(c, weir_index(c->params.index, r->place >> c->line_shift, c->set_bits));
  return why == WEIR_STALL_MSHR_FULL && mshrs_full(c, r) && !miss_queue_short(c, c->params.read_only ? 1 : 2);
}

void weir_cache_show(const struct weir_cache *c, const struct weir_mreq *r, weir_cycle now, struct weir_access *a) {
  struct weir_spot spot = weir_cache_spot(c, r->address, r->place);
  weir_cache_view_of(a, &spot, c, r, now);
}

void weir_cache_invalidate(struct weir_cache *c, uint64_t address, uint64_t place, weir_cycle now) {
  const struct weir_spot spot = weir_cache_spot(c, address, place);
  struct weir_mshr_entry *e = weir_mshr_find(c, spot.sector);
  if (e) e->stale = true;
  weir_cache_watched(c, weir_watched_kill(&spot, WEIR_END_INVALIDATED, now));
  if (spot.way == WEIR_NO_WAY || !(weir_line(c, spot.set, spot.way)->valid & spot.mask)) return;
  const struct weir_log_event kill = {.kind = WEIR_LOG_KILL};
  if (c->oracle) weir_oracle_tell(c->oracle, spot.line, spot.set, kill);
  weir_cache_drop(c, &spot, WEIR_END_INVALIDATED, now);
}
