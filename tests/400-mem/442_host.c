// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels' way to the host's memory, to the picosecond, and where pages of managed memory are. The link moves a byte per ns.
#include "mem/host_link.h"
#include "mem_test.h"

#define BASE (UINT64_C(1) << 40)
#define T0 (UINT64_C(1) << 32)
enum { PAGE = 64 << 10, BLOCK = WEIR_HOST_BLOCK_BYTES, GATHER = 50000, SECTOR = 32 };

struct host {
  struct weir_mreq_pool pool;
  struct weir_link link;
  struct weir_host_memory memory;
  struct weir_run_stats stats;
  struct weir_host_link part;
  unsigned answered, let_in;
};

static void answer(void *context, struct weir_mreq *r) {
  struct host *h = context;
  h->answered++;
  weir_mreq_release(&h->pool, r);
}

static void let_in(void *context, struct weir_mreq *r) {
  struct host *h = context;
  h->let_in++;
  weir_mreq_release(&h->pool, r);
}

static void set_up(struct host *h) {
  *h = (struct host){
    .link = {.raw_mb_per_s = 1000,
             .to_device = {.payload_bytes = 64, .header_bytes = 16},
             .to_host = {.payload_bytes = 128, .header_bytes = 24},
             .kernels = {.reads = 2, .request_bytes = 128, .round_trip_ns = 10, .fault_ns = 1000, .faults = 2}},
    .memory = {.page_bytes = PAGE, .density_percent = 51, .room = 4 * BLOCK}};
  weir_host_link_init(&h->part, &h->link, &h->memory, &h->stats);
}

static void tear_down(struct host *h) {
  assert_false(weir_host_link_busy(&h->part));
  weir_host_memory_free(&h->memory);
  weir_mreq_pool_free(&h->pool);
}

static void reach(struct host *h, enum weir_mreq_kind kind, uint64_t address, weir_time now) {
  struct weir_mreq *r = weir_mreq_new(&h->pool);
  r->kind = kind & 7u;
  r->address = address;
  r->bytes = SECTOR;
  weir_host_link_send(&h->part, r, now);
}

static weir_time serve(struct host *h, weir_time now) {
  return weir_host_link_serve(&h->part, now, &(struct weir_host_ends){answer, let_in, h});
}

// Nothing is answered before, all of it then.
static void answered_at(struct host *h, weir_time when, unsigned before, unsigned then) {
  serve(h, when - 1);
  assert_int_equal(h->answered, before);
  serve(h, when);
  assert_int_equal(h->answered, then);
}

// Four sectors are one packet: 24 ns out, a round trip of 10, 128 + 2 x 16 bytes back. A sector of another line follows on the wire with
// 32 + 16 bytes. A third line waits for the first packet's end, since two are under way.
static void reads(void **state) {
  (void)state;
  struct host h;
  set_up(&h);
  weir_host_memory_add(&h.memory, BASE, BLOCK, false);
  for (unsigned k = 0; k < 4; k++) reach(&h, WEIR_MREQ_LOAD, BASE + k * SECTOR, T0 + k);
  reach(&h, WEIR_MREQ_LOAD, BASE + 128, T0 + 4);
  reach(&h, WEIR_MREQ_LOAD, BASE + 256, T0 + 5);
  assert_int_equal(serve(&h, T0 + 5), T0 + GATHER);
  serve(&h, T0 + GATHER);
  serve(&h, T0 + GATHER + 4);
  const weir_time first = T0 + GATHER + 24000 + 10000 + 160000, second = first + 48000;
  assert_int_equal(serve(&h, T0 + GATHER + 5), first);
  answered_at(&h, first, 0, 4);
  answered_at(&h, second, 4, 5); // the third went out when the first ended, and is on the wire behind the second
  answered_at(&h, second + 48000, 5, 6);
  assert_int_equal(h.stats.host_read_bytes, 128 + 32 + 32);
  tear_down(&h);
}

// A line of 128 + 24 bytes, and a sector of 32 + 24 behind it. A read's request waits for neither, but for its turn on the wire.
static void writes(void **state) {
  (void)state;
  struct host h;
  set_up(&h);
  weir_host_memory_add(&h.memory, BASE, BLOCK, false);
  for (unsigned k = 0; k < 5; k++) reach(&h, WEIR_MREQ_STORE, BASE + k * SECTOR, T0);
  const weir_time sent = T0 + GATHER;
  serve(&h, sent);
  answered_at(&h, sent + 152000, 0, 4);
  answered_at(&h, sent + 152000 + 56000, 4, 5);
  assert_int_equal(h.stats.host_written_bytes, 160);
  tear_down(&h);
}

// Two faults of different pages are a batch, one of the first page again is none, a third waits for the next. 1 us, then two pages of
// 64 KiB and as many packets' headers.
static void faults(void **state) {
  (void)state;
  struct host h;
  set_up(&h);
  weir_host_memory_add(&h.memory, BASE, 2 * BLOCK, true);
  reach(&h, WEIR_MREQ_LOAD, BASE, T0);
  reach(&h, WEIR_MREQ_LOAD, BASE + BLOCK, T0);
  reach(&h, WEIR_MREQ_LOAD, BASE + SECTOR, T0);
  reach(&h, WEIR_MREQ_LOAD, BASE + BLOCK + 31 * PAGE, T0);
  const weir_time page = (PAGE + PAGE / 64 * 16) * UINT64_C(1000), first = T0 + 1000000 + 2 * page;
  assert_int_equal(serve(&h, T0), first);
  reach(&h, WEIR_MREQ_STORE, BASE + PAGE - SECTOR, first - 1); // its page is on its way: it waits for it
  serve(&h, first - 1);
  assert_int_equal(h.let_in, 0);
  const weir_time second = first + 1000000 + page;
  assert_int_equal(serve(&h, first), second);
  assert_int_equal(h.let_in, 4);
  serve(&h, second);
  assert_int_equal(h.let_in, 5);
  assert_int_equal(h.stats.page_faults, 3);
  assert_int_equal(h.stats.migrated_bytes, 3 * PAGE);
  assert_int_equal(weir_host_memory_access(&h.memory, BASE, true), WEIR_ACCESS_DEVICE);
  assert_int_equal(weir_host_memory_access(&h.memory, BASE + PAGE, true), WEIR_ACCESS_FAULT);
  tear_down(&h);
}

static uint64_t fault(struct weir_host_memory *m, uint64_t page) {
  const uint64_t in = weir_host_memory_fault(m, BASE + page * PAGE, false).in;
  weir_host_memory_arrive(m);
  return in / PAGE;
}

// With every page that makes more than half of a part of its block, the part's rest: pages 0, 1, 2 bring 1, 1, 2; 4 brings 4, 8 eight, 16
// the other half. A last block of three pages is its own whole.
static void density(void **state) {
  (void)state;
  struct weir_host_memory m = {.page_bytes = PAGE, .density_percent = 51, .room = 4 * BLOCK};
  weir_host_memory_add(&m, BASE, BLOCK + 3 * PAGE - 100, true);
  static const unsigned at[] = {0, 1, 2, 4, 8, 16}, brings[] = {1, 1, 2, 4, 8, 16};
  for (unsigned k = 0; k < 6; k++) assert_int_equal(fault(&m, at[k]), brings[k]);
  assert_int_equal(fault(&m, 32), 1);
  assert_int_equal(weir_host_memory_fault(&m, BASE + 33 * PAGE, false).in, PAGE + PAGE - 100); // two of three are 66 %
  weir_host_memory_arrive(&m);
  assert_int_equal(m.resident, BLOCK + 3 * PAGE - 100);
  weir_host_memory_remove(&m, BASE);
  assert_int_equal(m.resident, 0);
  weir_host_memory_free(&m);
}

// Room for two blocks. Something came to block 1 last, so block 0 goes; what the host has a copy of goes without a byte.
static void eviction(void **state) {
  (void)state;
  struct weir_host_memory m = {.page_bytes = PAGE, .density_percent = 100, .room = 2 * BLOCK};
  weir_host_memory_add(&m, BASE, 4 * BLOCK, true);
  weir_host_memory_advise(&m, BASE + BLOCK, BLOCK, WEIR_ADVICE_READ_MOSTLY, true);
  struct weir_host_moved moved = weir_host_memory_prefetch(&m, BASE, 3 * BLOCK - 1, true);
  assert_int_equal(moved.in, 2 * BLOCK); // no more than there is room for
  assert_int_equal(moved.out, 0);
  moved = weir_host_memory_fault(&m, BASE + 2 * BLOCK, false);
  assert_int_equal(moved.out, BLOCK);
  assert_int_equal(m.resident, BLOCK + PAGE);
  weir_host_memory_arrive(&m);
  assert_int_equal(weir_host_memory_access(&m, BASE, false), WEIR_ACCESS_FAULT);
  assert_int_equal(weir_host_memory_access(&m, BASE + BLOCK, false), WEIR_ACCESS_DEVICE);
  assert_int_equal(weir_host_memory_access(&m, BASE + BLOCK, true), WEIR_ACCESS_FAULT);
  moved = weir_host_memory_prefetch(&m, BASE + BLOCK, BLOCK, false);
  assert_int_equal(moved.out, 0);
  assert_int_equal(m.resident, PAGE);
  weir_host_memory_free(&m);
}

static void count_evicted(void *context, uint64_t address, uint64_t bytes) {
  (void)address;
  *(uint64_t *)context += bytes;
}

// What the host touches comes back as it went: with pages 0, 1, 2, 4, 8 and 16 all of a block. nvprof counts, of a kernel's result that the host
// reads, 384 copies of 64 MiB to the host on a Tesla T4, the largest of 1020 KiB: in each of 32 blocks six faults of two copies, 4 KiB and
// the rest, of the last 1 MiB.
static void recall(void **state) {
  (void)state;
  uint64_t evicted = 0, address = 0, bytes;
  struct weir_host_memory m = {
    .page_bytes = PAGE, .density_percent = 51, .room = 4 * BLOCK, .evicted = count_evicted, .context = &evicted};
  weir_host_memory_add(&m, BASE, 2 * BLOCK - 100, true);
  assert_false(weir_host_memory_away(&m, &address, &bytes));
  weir_host_memory_prefetch(&m, BASE, 2 * BLOCK, true);
  assert_true(weir_host_memory_away(&m, &address, &bytes));
  assert_int_equal(address, BASE);
  assert_int_equal(bytes, 2 * BLOCK - 100);
  static const unsigned at[] = {0, 1, 2, 4, 8, 16}, brings[] = {1, 1, 2, 4, 8, 16};
  for (unsigned k = 0; k < 6; k++)
    assert_int_equal(weir_host_memory_recall(&m, BASE + at[k] * PAGE + 5), brings[k] * PAGE);
  for (unsigned page = 0; page < 32; page++) assert_int_equal(weir_host_memory_recall(&m, BASE + page * PAGE), 0);
  assert_int_equal(evicted, BLOCK);
  assert_int_equal(m.resident, BLOCK - 100);
  assert_int_equal(weir_host_memory_recall(&m, BASE + 2 * BLOCK - 101), PAGE - 100);
  address = BASE + 3 * PAGE;
  assert_true(weir_host_memory_away(&m, &address, &bytes));
  assert_int_equal(address, BASE + BLOCK);
  assert_int_equal(bytes, BLOCK - PAGE);
  assert_int_equal(weir_host_memory_access(&m, BASE + BLOCK - 1, false), WEIR_ACCESS_FAULT);
  weir_host_memory_free(&m);
}

// A page that is mostly read and was written there comes as a copy: both have it, until the device writes to it again.
static void recall_of_copies(void **state) {
  (void)state;
  uint64_t address = 0, bytes;
  struct weir_host_memory m = {.page_bytes = PAGE, .density_percent = 51, .room = BLOCK};
  weir_host_memory_add(&m, BASE, BLOCK, true);
  weir_host_memory_advise(&m, BASE, BLOCK, WEIR_ADVICE_READ_MOSTLY, true);
  weir_host_memory_fault(&m, BASE, true);
  weir_host_memory_arrive(&m);
  for (unsigned k = 0; k < 2; k++) {
    assert_int_equal(weir_host_memory_recall(&m, BASE), PAGE);
    assert_int_equal(weir_host_memory_recall(&m, BASE), 0);
    assert_int_equal(weir_host_memory_access(&m, BASE, false), WEIR_ACCESS_DEVICE);
    assert_false(weir_host_memory_away(&m, &address, &bytes));
    assert_int_equal(weir_host_memory_access(&m, BASE, true), WEIR_ACCESS_FAULT);
    const uint64_t moves = m.moves;
    assert_int_equal(weir_host_memory_fault(&m, BASE, true).in, 0);
    assert_true(m.moves > moves); // what the host may touch has changed
    assert_true(weir_host_memory_away(&m, &address, &bytes));
  }
  weir_host_memory_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads),    cmocka_unit_test(writes), cmocka_unit_test(faults),          cmocka_unit_test(density),
    cmocka_unit_test(eviction), cmocka_unit_test(recall), cmocka_unit_test(recall_of_copies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
