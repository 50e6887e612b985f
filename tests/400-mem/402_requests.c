// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Requests and their queues: none is given to two at a time, the one given back last comes first, and pools of several threads even out.
#include "base/rng.h"
#include "mem/mreq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MANY = 3000 };

// Takes and gives back at random: what is out carries its own number, which nobody else writes.
static void no_request_is_given_twice(void **state) {
  (void)state;
  static struct weir_mreq *out[MANY];
  struct weir_mreq_pool pool = {0};
  struct weir_rng rng = weir_rng_seed(1, 0);
  uint32_t count = 0, number = 0;
  for (unsigned i = 0; i < 20000; i++) {
    const bool takes = i < MANY ? true : weir_rng_below(&rng, 2);
    if (takes && count < MANY) {
      out[count] = weir_mreq_new(&pool);
      assert_int_equal((uintptr_t)out[count] % sizeof(struct weir_mreq), 0);
      assert_int_equal(out[count]->mshr, WEIR_NO_MSHR);
      assert_int_equal(out[count]->token, 0);
      out[count++]->token = ++number;
    } else if (count) {
      const uint32_t which = (uint32_t)weir_rng_below(&rng, count);
      assert_true(out[which]->token);
      out[which]->token = 0;
      weir_mreq_release(&pool, out[which]);
      out[which] = out[--count];
    }
  }
  for (uint32_t k = 0; k < count; k++) assert_true(out[k]->token);
  while (count) weir_mreq_release(&pool, out[--count]);
  weir_mreq_pool_free(&pool);
}

static void the_last_one_given_back_comes_first(void **state) {
  (void)state;
  struct weir_mreq_pool pool = {0};
  struct weir_mreq *a = weir_mreq_take(&pool), *b = weir_mreq_take(&pool);
  weir_mreq_release(&pool, a);
  weir_mreq_release(&pool, b);
  assert_ptr_equal(weir_mreq_take(&pool), b);
  assert_ptr_equal(weir_mreq_take(&pool), a);
  weir_mreq_release(&pool, a);
  weir_mreq_release(&pool, b);
  weir_mreq_pool_free(&pool);
}

// One thread makes requests that another ends: the poor pool gets some as long as the other is much richer, and none is lost.
static void pools_even_out(void **state) {
  (void)state;
  static struct weir_mreq *out[MANY];
  struct weir_mreq_pool made = {0}, ended = {0}, *const pools[] = {&made, &ended};
  for (unsigned i = 0; i < MANY; i++) out[i] = weir_mreq_take(&made);
  for (unsigned i = 0; i < MANY; i++) weir_mreq_release(&ended, out[i]);
  const uint64_t all = made.free_count + ended.free_count;
  uint64_t before = ended.free_count;
  assert_true(before >= MANY && all >= MANY);
  for (unsigned i = 0; i < 10; i++) {
    weir_mreq_pools_balance(pools, 2);
    assert_int_equal(made.free_count + ended.free_count, all);
    assert_true(ended.free_count <= before);
    before = ended.free_count;
  }
  assert_true(ended.free_count - made.free_count <= 1024);
  for (unsigned i = 0; i < all; i++)
    assert_non_null(weir_mreq_take(i % 2 && made.free_count ? &made : ended.free_count ? &ended : &made));
  weir_mreq_pool_free(&made);
  weir_mreq_pool_free(&ended);
}

// Requests that are linked already join a queue that is empty, or has some.
static void a_list_joins_a_queue(void **state) {
  (void)state;
  struct weir_mreq r[5] = {0};
  struct weir_mreq_queue list = {0}, q = {0};
  for (uint32_t k = 0; k < 5; k++) r[k].token = k;
  weir_queue_push(&list, &r[0]);
  weir_queue_push(&list, &r[1]);
  weir_queue_append(&q, list.head, list.tail, list.count);
  weir_queue_push(&q, &r[2]);
  list = (struct weir_mreq_queue){0};
  weir_queue_push(&list, &r[3]);
  weir_queue_append(&q, list.head, list.tail, list.count);
  weir_queue_push(&q, &r[4]);
  assert_int_equal(q.count, 5);
  for (uint32_t k = 0; k < 5; k++) assert_int_equal(weir_queue_pop(&q)->token, k);
  assert_null(q.head);
  assert_null(q.tail);
  assert_int_equal(q.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_request_is_given_twice),
    cmocka_unit_test(the_last_one_given_back_comes_first),
    cmocka_unit_test(pools_even_out),
    cmocka_unit_test(a_list_joins_a_queue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
