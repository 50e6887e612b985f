// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The results store: keys tell experiments apart, processes share it, and a batch that was interrupted goes on.
#include "weir_process.h"

#include "experiment/batch.h"
#include "experiment/study.h"

#include <math.h>
#include <signal.h>

static char folder[] = "/tmp/weir-store-XXXXXX";
static char path[64], launch[64], module[64];

static void write_file(const char *name, const char *text) {
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

// A program that runs for a tenth of a second or so: 8 warps × half a million turns of three instructions.
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".entry spin()\n{\n.reg .b32 %i;\n.reg .pred %p;\nmov.u32 %i, 0;\n"
                          "$again:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 500000;\n@%p bra $again;\nret;\n}\n";
static const char yaml[] = "module: spin.ptx\nbuffers:\n  out: {bytes: 4, fill: zero}\n"
                           "launches:\n  - {kernel: spin, grid: [1, 1, 1], block: [256, 1, 1], args: []}\n";

static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/deeper/results.sqlite", folder);
  snprintf(launch, sizeof launch, "%s/spin.yaml", folder);
  snprintf(module, sizeof module, "%s/spin.ptx", folder);
  write_file(launch, yaml);
  write_file(module, ptx);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static struct weir_store *open_store(void) {
  struct weir_sink sink = {0};
  struct weir_store *s = weir_store_open(path, &sink);
  assert_non_null(s);
  return s;
}

static void keeps(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_store *a = open_store(), *b = open_store();
  json_t *run = json_pack("{s:s, s:i, s:f}", "program", "x", "seed", 3, "ratio", 1.0 / 3);
  assert_null(weir_store_get(a, "k"));
  assert_true(weir_store_put(a, "k", run, &sink));
  json_t *got = weir_store_get(b, "k");
  assert_true(fabs(weir_run_number(got, "ratio") - 1.0 / 3) < 1e-15);
  assert_int_equal(json_integer_value(json_object_get(got, "seed")), 3);
  json_decref(got);
  json_decref(run);
  weir_store_close(a);
  weir_store_close(b);
}

// Four processes write 25 results each at the same time.
static void shared(void **state) {
  (void)state;
  enum { WRITERS = 4, EACH = 25 };
  char key[16];
  for (int w = 0; w < WRITERS; w++) {
    if (fork()) continue;
    struct weir_sink sink = {0};
    struct weir_store *s = weir_store_open(path, &sink);
    json_t *run = json_pack("{s:i}", "writer", w);
    bool ok = s != NULL;
    for (int i = 0; ok && i < EACH; i++) {
      snprintf(key, sizeof key, "%d-%d", w, i);
      ok = weir_store_put(s, key, run, &sink);
    }
    _exit(!ok);
  }
  for (int w = 0, status; w < WRITERS; w++) {
    wait(&status);
    assert_int_equal(status, 0);
  }
  struct weir_store *s = open_store();
  for (int w = 0; w < WRITERS; w++)
    for (int i = 0; i < EACH; i++) {
      snprintf(key, sizeof key, "%d-%d", w, i);
      json_t *run = weir_store_get(s, key);
      assert_true(weir_run_number(run, "writer") == w);
      json_decref(run);
    }
  weir_store_close(s);
}

static void key_of(const struct weir_experiment *e, char *key) {
  struct weir_sink sink = {0};
  assert_true(weir_experiment_key(e, key, &sink));
}

static void differs(const struct weir_experiment *a, const struct weir_experiment *b, bool differ) {
  char x[WEIR_HASH_TEXT], y[WEIR_HASH_TEXT];
  key_of(a, x);
  key_of(b, y);
  assert_true((strcmp(x, y) != 0) == differ);
}

static void keys(void **state) {
  (void)state;
  const struct weir_experiment base = {.program = "bfs", .chip = "gcn-apu", .scheme = "lru", .seed = 1};
  static const char *const sets[] = {"l1.size_kib=32"};
  struct weir_experiment e = base;
  differs(&base, &e, false);
  e.program = "spmv";
  differs(&base, &e, true);
  e = base, e.chip = "fermi-gtx480";
  differs(&base, &e, true);
  e = base, e.scheme = "lru,l1.size_kib=32";
  differs(&base, &e, true);
  e = base, e.sets = sets, e.set_count = 1;
  differs(&base, &e, true);
  e = base, e.seed = 2;
  differs(&base, &e, true);
  e = base, e.size = WEIR_SIZE_PAPER;
  differs(&base, &e, true);
  e = base, e.input = launch;
  differs(&base, &e, true);
  e = base, e.plugins = (const char *const[]){module}, e.plugin_count = 1;
  differs(&base, &e, true);
}

// A launch file's key follows what is in the files it names.
static void keys_of_contents(void **state) {
  (void)state;
  const struct weir_experiment e = {.program = launch};
  char before[WEIR_HASH_TEXT], after[WEIR_HASH_TEXT], restored[WEIR_HASH_TEXT];
  key_of(&e, before);
  write_file(module, ".version 7.0\n");
  key_of(&e, after);
  write_file(module, ptx);
  key_of(&e, restored);
  assert_string_not_equal(before, after);
  assert_string_equal(before, restored);
  struct weir_sink sink = {0};
  const struct weir_experiment none = {.program = "/nonexistent.yaml"};
  assert_false(weir_experiment_key(&none, after, &sink));
  weir_sink_free(&sink);
}

enum { RUNS = 4 };

static bool run_batch(struct weir_batch *b) {
  struct weir_sink sink = {0};
  struct weir_store *s = open_store();
  for (unsigned i = 0; i < RUNS; i++)
    weir_batch_add(b, &(struct weir_experiment){.program = launch, .seed = 100 + i});
  bool ok = weir_batch_check(b, &sink) && weir_batch_run(b, &(struct weir_batch_options){.jobs = 1, .store = s}, &sink);
  weir_sink_print(&sink, stderr);
  weir_store_close(s);
  return ok;
}

static unsigned stored(json_t **runs) {
  struct weir_store *s = open_store();
  unsigned count = 0;
  for (unsigned i = 0; i < RUNS; i++) {
    char key[WEIR_HASH_TEXT];
    key_of(&(struct weir_experiment){.program = launch, .seed = 100 + i}, key);
    runs[i] = weir_store_get(s, key);
    count += runs[i] != NULL;
  }
  weir_store_close(s);
  return count;
}

static void forget(json_t **runs) {
  for (unsigned i = 0; i < RUNS; i++) json_decref(runs[i]);
}

static void goes_on(void **state) {
  (void)state;
  json_t *runs[RUNS];
  struct weir_batch b = {0};
  pid_t child = fork();
  if (!child) _exit(run_batch(&b) ? 0 : WEIR_EXIT_INTERRUPTED);
  unsigned count = 0;
  for (int i = 0; i < 4000 && !count; i++, usleep(5000)) {
    count = stored(runs);
    forget(runs);
  }
  kill(child, SIGINT);
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), WEIR_EXIT_INTERRUPTED);
  count = stored(runs);
  assert_in_range(count, 1, RUNS - 1);
  assert_true(run_batch(&b));
  for (unsigned i = 0; i < RUNS; i++) {
    assert_non_null(b.items[i].run);
    // what was there is not run again: even the wall time is that of the first run
    if (runs[i]) assert_true(json_equal(runs[i], b.items[i].run));
  }
  forget(runs);
  weir_batch_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(keeps), cmocka_unit_test(shared),  cmocka_unit_test(keys), cmocka_unit_test(keys_of_contents),
    cmocka_unit_test(goes_on),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
