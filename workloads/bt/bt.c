// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "bt/tree.h"

#include "base/alloc.h"
#include "host/workload.h"

struct bt {
  uint32_t finds, ranges; // queries
  int32_t levels;
  uint64_t nodes, records; // device addresses
  struct way {
    uint64_t current, next;
  } find, from, to;
  uint64_t keys, answer, from_key, to_key, first, length;
  int32_t *want_answer, *want_first, *want_length;
};

// An array with the same number for each query.
static uint64_t upload_same(struct weir_host *h, const char *name, uint32_t count, int32_t number) {
  int32_t *all = weir_new_array(int32_t, count);
  for (uint32_t i = 0; i < count; i++) all[i] = number;
  uint64_t address = weir_host_upload(h, name, all, count * sizeof *all);
  weir_free(all);
  return address;
}

static uint64_t upload_result(struct weir_host *h, const char *name, uint32_t count) {
  uint64_t address = upload_same(h, name, count, -1);
  weir_host_result(h, name, address, count * sizeof(int32_t));
  return address;
}

static struct way upload_way(struct weir_host *h, const char *current, const char *next, uint32_t count, int32_t root) {
  return (struct way){upload_same(h, current, count, root), upload_same(h, next, count, root)};
}

// Ascending, with gaps.
static int32_t *random_keys(uint32_t count, struct weir_rng *rng) {
  int32_t *key = weir_new_array(int32_t, count), last = 0;
  for (uint32_t i = 0; i < count; i++) key[i] = last += 1 + (int32_t)weir_rng_below(rng, 1000);
  return key;
}

// One query in ten is for a number that is a key only by accident.
static void prepare_finds(struct weir_host *h, struct bt *s, const int32_t *key, const int32_t *record, uint32_t count,
                          struct weir_rng *rng) {
  int32_t *wanted = weir_new_array(int32_t, s->finds);
  s->want_answer = weir_new_array(int32_t, s->finds);
  for (uint32_t i = 0; i < s->finds; i++) {
    bool any = weir_rng_below(rng, 10) == 0;
    wanted[i] = any ? (int32_t)weir_rng_below(rng, (uint64_t)key[count - 1]) : key[weir_rng_below(rng, count)];
    int32_t place = weir_bt_search(key, count, wanted[i]);
    s->want_answer[i] = place < 0 ? -1 : record[place];
  }
  s->keys = weir_host_upload(h, "keys", wanted, s->finds * sizeof *wanted);
  s->answer = upload_result(h, "answer", s->finds);
  weir_free(wanted);
}

static void prepare_ranges(struct weir_host *h, struct bt *s, const int32_t *key, uint32_t count, uint32_t span,
                           struct weir_rng *rng) {
  int32_t *from = weir_new_array(int32_t, s->ranges), *to = weir_new_array(int32_t, s->ranges);
  s->want_first = weir_new_array(int32_t, s->ranges);
  s->want_length = weir_new_array(int32_t, s->ranges);
  for (uint32_t i = 0; i < s->ranges; i++) {
    uint64_t begin = weir_rng_below(rng, count - span);
    from[i] = key[begin];
    to[i] = key[begin + weir_rng_below(rng, span)];
    s->want_first[i] = weir_bt_search(key, count, from[i]);
    s->want_length[i] = weir_bt_search(key, count, to[i]) - s->want_first[i] + 1;
  }
  s->from_key = weir_host_upload(h, "from_key", from, s->ranges * sizeof *from);
  s->to_key = weir_host_upload(h, "to_key", to, s->ranges * sizeof *to);
  s->first = upload_result(h, "first", s->ranges);
  s->length = upload_result(h, "length", s->ranges);
  weir_free(from);
  weir_free(to);
}

static void prepare_tree(struct weir_host *h, struct bt *s, const int32_t *key, uint32_t count, struct weir_rng *rng) {
  struct weir_bt_tree tree = weir_bt_build(key, count, rng);
  s->levels = tree.levels;
  s->nodes = weir_host_upload(h, "nodes", tree.node, tree.count * sizeof *tree.node);
  s->find = upload_way(h, "current", "next", s->finds, tree.root);
  s->from = upload_way(h, "from_current", "from_next", s->ranges, tree.root);
  s->to = upload_way(h, "to_current", "to_next", s->ranges, tree.root);
  weir_free(tree.node);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct bt *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 9);
  bool small = size == WEIR_SIZE_SMALL;
  uint32_t count = small ? 100000 : 1000000, span = small ? 300 : 3000;
  s->finds = small ? 720 : 10000;
  s->ranges = small ? 360 : 6000;
  int32_t *key = random_keys(count, &rng), *record = weir_new_array(int32_t, count);
  for (uint32_t i = 0; i < count; i++) record[i] = (int32_t)weir_rng_below(&rng, INT32_MAX);
  s->records = weir_host_upload(h, "records", record, count * sizeof *record);
  prepare_tree(h, s, key, count, &rng);
  prepare_finds(h, s, key, record, count, &rng);
  prepare_ranges(h, s, key, count, span, &rng);
  weir_free(key);
  weir_free(record);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct bt *s = state;
  const struct weir_dim block = {WEIR_BT_ORDER, 1, 1};
  return weir_launch_args(h, "find_key", ((struct weir_dim){s->finds, 1, 1}), block, WEIR_ARG(s->levels),
                          WEIR_ARG(s->nodes), WEIR_ARG(s->records), WEIR_ARG(s->find.current), WEIR_ARG(s->find.next),
                          WEIR_ARG(s->keys), WEIR_ARG(s->answer)) &&
    weir_launch_args(h, "find_range", ((struct weir_dim){s->ranges, 1, 1}), block, WEIR_ARG(s->levels),
                     WEIR_ARG(s->nodes), WEIR_ARG(s->from.current), WEIR_ARG(s->from.next), WEIR_ARG(s->to.current),
                     WEIR_ARG(s->to.next), WEIR_ARG(s->from_key), WEIR_ARG(s->to_key), WEIR_ARG(s->first),
                     WEIR_ARG(s->length));
}

static bool check_one(struct weir_host *h, const char *what, uint64_t address, const int32_t *want, uint32_t count) {
  return weir_check_u32(h, what, weir_host_bytes(h, address, count * sizeof *want), (const uint32_t *)want, count);
}

static bool check(struct weir_host *h, void *state) {
  struct bt *s = state;
  bool answer = check_one(h, "answer", s->answer, s->want_answer, s->finds);
  bool first = check_one(h, "first", s->first, s->want_first, s->ranges);
  return check_one(h, "length", s->length, s->want_length, s->ranges) && answer && first;
}

static void release(void *state) {
  struct bt *s = state;
  weir_free(s->want_answer);
  weir_free(s->want_first);
  weir_free(s->want_length);
}

const struct weir_workload weir_workload_bt = {
  .name = "bt",
  .summary = "look-ups and range queries in a B+ tree of order 256, one work-group per query",
  .citation = "Rodinia b+tree (Che et al., IISWC 2009); Zhao et al., Table I",
  .small_text = "100000 keys, 720 look-ups, 360 ranges of up to 300",
  .paper_text = "1000000 keys, 10000 look-ups, 6000 ranges of up to 3000, as Rodinia's",
  .state_bytes = sizeof(struct bt),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
