// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir look, as a user runs it.
#include "../800-cli/weir_process.h"

#include <jansson.h>

#define TRANSPOSE WEIR_SOURCE_DIR "/examples/advise/transpose.yaml"

static json_t *look(const char *const *argv) {
  struct process p = process_start(argv);
  process_end(&p);
  assert_string_equal(p.err, "");
  assert_int_equal(p.status, 0);
  json_t *o = json_loads(p.out, 0, NULL);
  assert_non_null(o);
  process_free(&p);
  return o;
}

static char *read_text(const char *path) {
  const int file = open(path, O_RDONLY);
  assert_true(file >= 0);
  return process_text(file);
}

static json_int_t number(const json_t *o, const char *name) {
  assert_true(json_is_integer(json_object_get(o, name)));
  return json_integer_value(json_object_get(o, name));
}

// 256 × 256 floats by 256 blocks of 8 warps. On one core all of them run there: each warp reads 32 floats of a row, 128 bytes, which are
// one line of Fermi's, and nobody reads them again: 2,048 compulsory misses. It writes a column, 32 lines, which Fermi passes on.
// The cache has 16 KiB, 128 lines: when the kernel ends, they are there, and 2,048 − 128 have been replaced, as the reads' stride of
// 1,024 bytes between a block's warps, and 128 between blocks, goes over all sets.
static void test_transpose(void **state) {
  (void)state;
  json_t *o =
    look((const char *[]){"look", TRANSPOSE, "--chip", "fermi-gtx480", "--set", "core.count=1", "--json", NULL});
  const json_t *total = json_object_get(o, "total"), *ends = json_object_get(o, "ends");
  assert_int_equal(number(total, "accesses"), 2048 + 2048 * 32);
  assert_int_equal(number(total, "compulsory"), 2048);
  assert_int_equal(number(total, "misses"), 2048);
  assert_int_equal(number(total, "stores_passed"), 2048 * 32);
  assert_int_equal(number(o, "fills"), 2048);
  assert_int_equal(number(o, "died_unused"), 2048);
  assert_int_equal(number(ends, "kernel_end"), 128);
  assert_int_equal(number(ends, "replaced"), 2048 - 128);
  assert_int_equal(number(o, "distances_never"), 2048);
  assert_int_equal(json_array_size(json_object_get(o, "by_set")), 32);
  json_decref(o);
}

// What is seen of the only core's cache is what the run counts, however the log is cut.
static void test_agrees_with_run(void **state) {
  (void)state;
  json_t *seen =
    look((const char *[]){"look", "reads-l2-apart", "--set", "core.count=1", "--max-events", "10", "--json", NULL});
  json_t *run = look((const char *[]){"run", "reads-l2-apart", "--set", "core.count=1", "--json", NULL});
  const json_t *total = json_object_get(seen, "total");
  const json_t *kernels = json_object_get(run, "kernels"), *l1 = json_object_get(json_array_get(kernels, 0), "l1");
  const json_t *loads = json_object_get(l1, "loads"), *stores = json_object_get(l1, "stores");
  assert_int_equal(number(total, "accesses"), number(loads, "accesses") + number(stores, "accesses"));
  assert_int_equal(number(total, "hits_on_miss"), number(loads, "hits_on_miss"));
  assert_int_equal(number(total, "hits"), number(loads, "hits"));
  assert_int_equal(number(total, "misses"), number(loads, "misses") - number(loads, "bypasses"));
  assert_int_equal(number(seen, "fills"), number(l1, "fills"));
  assert_int_equal(number(json_object_get(seen, "ends"), "replaced"), number(l1, "evictions"));
  assert_int_equal(number(seen, "events"), 10);
  assert_true(number(seen, "events_left_out") > 0);
  json_decref(seen);
  json_decref(run);
}

// The input of 256 KiB is copied before the launch, and the 768 KiB of the L2 keep it: no line of it comes or misses in the launch.
// What comes are lines of the output: stores, all compulsory.
static void test_copies_were_there(void **state) {
  (void)state;
  json_t *o = look((const char *[]){"look", TRANSPOSE, "--chip", "fermi-gtx480", "--cache", "l2", "--json", NULL});
  const json_t *loads = json_object_get(o, "loads");
  json_int_t misses = 0;
  size_t i;
  json_t *l;
  json_array_foreach(loads, i, l) {
    if (!strcmp(json_string_value(json_object_get(l, "kind")), "load")) assert_int_equal(number(l, "misses"), 0);
    misses += number(l, "misses");
  }
  assert_int_equal(misses, number(json_object_get(o, "total"), "compulsory"));
  assert_true(number(o, "fills") <= misses); // a line has four sectors
  json_decref(o);
}

// The page needs no other file; what is in it are the figures of --json and the events of the log.
static void test_page(void **state) {
  (void)state;
  char folder[] = "/tmp/weir-look-XXXXXX", page[80], log[80];
  assert_non_null(mkdtemp(folder));
  snprintf(page, sizeof page, "%s/page.html", folder);
  snprintf(log, sizeof log, "%s/log.csv", folder);
  json_t *o = look((const char *[]){"look", TRANSPOSE, "--chip", "fermi-gtx480", "--only-set", "0", "-o", page, "--log",
                                    log, "--json", NULL});
  char *html = read_text(page), *csv = read_text(log);
  assert_null(strstr(html, "src="));
  assert_null(strstr(html, "href="));
  assert_null(strstr(html, "url("));
  const char *data = strstr(html, "application/json'>\n");
  assert_non_null(data);
  data = strchr(data, '\n') + 1;
  json_t *held = json_loadb(data, (size_t)(strstr(data, "</script>") - data), 0, NULL);
  assert_non_null(held);
  assert_true(json_equal(json_object_get(held, "look"), o));
  const json_t *events = json_object_get(held, "log");
  assert_int_equal(json_array_size(events), number(o, "events"));
  unsigned rows = 0;
  for (const char *c = csv; *c; c++) rows += *c == '\n';
  assert_int_equal(rows, number(o, "events") + 1);
  size_t i;
  json_t *e;
  json_int_t kinds[3] = {0};
  json_array_foreach(events, i, e) {
    assert_int_equal(json_integer_value(json_array_get(e, 2)), 0); // the set
    kinds[json_integer_value(json_array_get(e, 0))]++;
  }
  assert_int_equal(kinds[0], number(json_object_get(o, "total"), "accesses"));
  assert_int_equal(kinds[1], number(o, "fills"));
  assert_int_equal(kinds[2], number(o, "fills")); // all are gone when the kernel ends
  json_decref(held);
  json_decref(o);
  free(html);
  free(csv);
  unlink(page);
  unlink(log);
  rmdir(folder);
}

static void refuses(const char *option, const char *value, const char *says) {
  struct process p = process_start((const char *[]){"look", TRANSPOSE, "--chip", "fermi-gtx480", option, value, NULL});
  process_end(&p);
  assert_int_equal(p.status, 2);
  assert_non_null(strstr(p.err, says));
  assert_string_equal(p.out, "");
  process_free(&p);
}

// chips/fermi-gtx480.yaml: 15 cores, L1 of 32 sets, L2 of 6 channels with 2 slices.
static void test_refuses(void **state) {
  (void)state;
  refuses("--cache", "l9", "has no cache 'l9'; it has l1, l2\n");
  refuses("--core", "15", "has no core 15; it has 0 to 14\n");
  refuses("--launch", "1", "has no launch 1; it has 0 to 0\n");
  refuses("--only-set", "32", "has no set 32; it has 0 to 31\n");
  refuses("--slice", "0", "choose one by --core\n");
  refuses("--scheme", "opt", "foresees");
  refuses("--max-events", "many", "--max-events");
}

// The pointer comes from shared memory, where the PTX loses it. The 32 words that it points to are one line, at the heap's first address.
static void test_allocation(void **state) {
  (void)state;
  char folder[] = "/tmp/weir_look_XXXXXX", launch[64], ptx[64];
  assert_non_null(mkdtemp(folder));
  snprintf(launch, sizeof launch, "%s/k.yaml", folder);
  snprintf(ptx, sizeof ptx, "%s/k.ptx", folder);
  write_text_file(launch,
                  "module: k.ptx\nbuffers:\n  a: {bytes: 128, fill: zero}\nlaunches:\n"
                  "  - {kernel: k, grid: [1], block: [32], args: [a]}\n");
  write_text_file(ptx,
                  ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a) {\n"
                  ".reg .b32 %r<8>; .reg .b64 %d<8>; .shared .align 8 .b8 s[8];\n"
                  "ld.param.u64 %d1, [a]; st.shared.u64 [s], %d1; ld.shared.u64 %d2, [s];\n"
                  "mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d2, %d3;\n"
                  "ld.global.u32 %r2, [%d4]; ret; }\n");
  json_t *o = look((const char *[]){"look", launch, "--chip", "volta-v100", "--json", NULL});
  const json_t *load = json_array_get(json_object_get(o, "loads"), 0);
  assert_true(json_is_null(json_object_get(load, "array")));
  assert_string_equal(json_string_value(json_object_get(load, "allocation")), "a 0xc0000000");
  json_decref(o);
  struct process p = process_start((const char *[]){"look", launch, "--chip", "volta-v100", NULL});
  process_end(&p);
  assert_non_null(strstr(p.out, "k.ptx:8  a 0xc0000000 "));
  process_free(&p);
  unlink(launch), unlink(ptx), rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_transpose),  cmocka_unit_test(test_agrees_with_run),
                                     cmocka_unit_test(test_page),       cmocka_unit_test(test_copies_were_there),
                                     cmocka_unit_test(test_allocation), cmocka_unit_test(test_refuses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
