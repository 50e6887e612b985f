// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Scheme opt and compare --bound: a walk whose best hits are known, and a program that runs twice and is heard once.
#include "weir_process.h"

#include <jansson.h>

#define SUBJECT WEIR_BINARY_DIR "/tests/820-device/device_subject"

static char folder[] = "/tmp/weir_bound_XXXXXX", launch[64], ptx[64];

// One thread reads 256 lines of 128 bytes in order, five times over; each address waits for the load before.
static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(launch, sizeof launch, "%s/walk.yaml", folder);
  snprintf(ptx, sizeof ptx, "%s/walk.ptx", folder);
  write_text_file(launch,
                  "module: walk.ptx\nbuffers:\n  a: {bytes: 32768, fill: zero}\n"
                  "launches:\n  - {kernel: walk, grid: [1], block: [1], args: [a]}\n");
  write_text_file(ptx,
                  ".version 3.1\n.target sm_20\n.address_size 64\n.visible .entry walk(.param .u64 .ptr .global a)\n{\n"
                  ".reg .b32 %r<5>; .reg .b64 %d<5>; .reg .pred %p;\n"
                  "ld.param.u64 %d1, [a];\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\nL:\n"
                  "and.b32 %r3, %r1, 255;\nadd.u32 %r3, %r3, %r2;\nmad.wide.u32 %d2, %r3, 128, %d1;\n"
                  "ld.global.u32 %r2, [%d2];\n" // zero
                  "add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p, %r1, 1280;\n@%p bra L;\nret;\n}\n");
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  unlink(launch);
  unlink(ptx);
  return rmdir(folder);
}

// The L1 of fermi-gtx480 has 32 sets of 4 ways: eight of the lines go round in each. None hits by recency. A hit keeps a
// way for eight accesses to the set, so that no decision has more than four hits in eight; those of the last four rounds can
// all be had: 32 × (8 + 4 × 4) of 1280 miss.
static void a_walk(void **state) {
  (void)state;
  struct process p = process_run("run", launch, "--chip", "fermi-gtx480", "--scheme", "opt", "--json");
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  json_t *run = json_loads(p.out, 0, NULL);
  const char *level;
  int misses, least, fills, unkept, now, bypasses;
  assert_int_equal(
    json_unpack(run, "{s:{s:{s:{s:i, s:i}}}}", "total", "l1", "loads", "misses", &now, "bypasses", &bypasses), 0);
  json_t *bound = json_array_get(json_object_get(run, "bound"), 0);
  assert_int_equal(json_unpack(bound, "{s:s, s:i, s:i, s:i, s:i}", "level", &level, "misses", &misses, "least_misses",
                               &least, "fills", &fills, "unkept_fills", &unkept),
                   0);
  assert_string_equal(level, "l1");
  assert_int_equal(misses, 1280);
  assert_int_equal(least, 768);
  assert_int_equal(now, 768);    // the order is the recorded one: nothing overtakes
  assert_int_equal(fills, 1280); // of which 512 were worth it: each is used again, once
  assert_int_equal(unkept, 1280 - 512);
  assert_int_equal(bypasses, 768 - 32 * 4); // the ways are filled once, and what is in them stays
  json_decref(run);
  process_free(&p);
}

// lru spares nothing of it, opt all.
static void compared(void **state) {
  (void)state;
  struct process p = process_run("compare", launch, "--chip", "fermi-gtx480", "--schemes", "lru", "--bound", "--csv");
  assert_int_equal(p.status, 0);
  const char *head = strtok(p.out, "\n"), *lru = strtok(NULL, "\n"), *opt = strtok(NULL, "\n");
  assert_non_null(opt);
  assert_string_equal(strrchr(head, ','), ",of_bound");
  assert_string_equal(strrchr(lru, ','), ",0");
  assert_string_equal(strrchr(opt, ','), ",1");
  process_free(&p);
}

// Loads of a Kepler go past its L1: there is nothing to decide there.
static void nothing_to_decide(void **state) {
  (void)state;
  struct process p = process_run("run", launch, "--chip", "kepler-titan-black", "--scheme", "opt");
  assert_int_equal(p.status, 0);
  assert_non_null(strstr(p.out, "the bound: no load missed l1 in the recorded run"));
  assert_null(strstr(p.out, "nan"));
  process_free(&p);
}

static void a_process_is_heard_once(void **state) {
  (void)state;
  struct process p = process_run("run", "--chip", "fermi-bucl", "--scheme", "opt", "--", SUBJECT, "exit");
  assert_int_equal(p.status, 3);
  const char *said = strstr(p.out, "subject is done\n");
  assert_non_null(said);
  assert_null(strstr(said + 1, "subject is done\n"));
  assert_non_null(strstr(p.out, "the bound: of"));
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_walk),
    cmocka_unit_test(compared),
    cmocka_unit_test(nothing_to_decide),
    cmocka_unit_test(a_process_is_heard_once),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
