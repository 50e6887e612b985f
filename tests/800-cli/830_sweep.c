// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir sweep: what a file asks for is what runs, once, whatever is killed and however it is divided.
#include "folder.h"
#include "whole_file.h"

#include <jansson.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

// 2 programs × 2 chips × 5 schemes × 2 seeds × 2 values = 80. backprop's second seed is 20 of them, the fermi chip's two ways 20,
// and 5 are both: 45 stay, 9 of which (each program's, chip's, seed's and value's swl) have two runs.
static const char MANY[] = "programs: [nn, backprop]\nchips: [gcn-apu, fermi-gtx480]\n"
                           "schemes:\n  - lru\n  - {scheme: pcbp, threshold: 4..8/2}\n  - swl,warps=best:4|8\n"
                           "seeds: 1..2\nset: {l1.ways: [2, 4]}\n"
                           "exclude:\n  - {program: backprop, seed: 2}\n  - {chip: 'fermi*', set: l1.ways=2}\n";

static const char FEW[] = "programs: [nn]\nschemes: [lru, fifo, plru, {scheme: pcbp, threshold: 4|6}]\nseeds: 2\n";

#define SWEEP(...) process_run_all((const char *const[]){"sweep", __VA_ARGS__, NULL})

static unsigned lines(const char *text, const char *with) {
  unsigned count = 0;
  while ((text = strstr(text, with))) count++, text++;
  return count;
}

static void the_file_says_what(void **state) {
  (void)state;
  write_text_file(file("many.yaml"), MANY);
  struct process p = SWEEP(file("many.yaml"), "--dry-run", "--store", file("none.sqlite"));
  assert_int_equal(p.status, 0);
  assert_int_equal(lines(p.out, " kept\n"), 45);
  assert_int_equal(lines(p.out, "0 of 2 kept\n"), 9);
  assert_int_equal(lines(p.out, "backprop\tsmall\t2"), 0);
  assert_int_equal(lines(p.out, "fermi-gtx480\tl1.ways=2"), 0);
  assert_non_null(strstr(p.out, "nn\tsmall\t2\tgcn-apu\tl1.ways=4\tpcbp,threshold=6\t0 of 1 kept\n"));
  assert_non_null(strstr(p.out, "# 0 of 45 experiments, 0 of 54 runs are kept"));
  process_free(&p);
}

// A name is what a row is called; the run is the one that is kept without it, and is not made again.
static void names_are_labels(void **state) {
  (void)state;
  write_text_file(file("plain.yaml"), "programs: nn\nchips: gcn-apu\nschemes: [lru, fifo]\n");
  write_text_file(
    file("named.yaml"),
    "programs: {program: nn, name: Nearest}\nchips: {chip: gcn-apu, name: 'APU, small'}\n"
    "schemes: [{scheme: lru, name: LRU, l1.shadow_tags: true|false}, {name: First, scheme: fifo}, plru]\n"
    "exclude: [{scheme: 'LRU,*false'}, {scheme: lru*, program: nn, chip: no}, {program: Near*, scheme: plru}]\n");
  gives(SWEEP(file("plain.yaml"), "--store", file("named.sqlite")), 0, "2 runs, 0 of them kept");
  struct process p = SWEEP(file("named.yaml"), "--store", file("named.sqlite"), "--csv");
  assert_int_equal(p.status, 0);
  assert_non_null(strstr(p.err, "2 of 2 experiments done; 2 runs, 1 of them kept"));
  assert_non_null(strstr(p.out, "\nNearest,small,1,\"APU, small\",,\"LRU,l1.shadow_tags=true\","));
  assert_non_null(strstr(p.out, "\nNearest,small,1,\"APU, small\",,First,"));
  assert_null(strstr(p.out, "fifo"));
  process_free(&p);
  gives(SWEEP(file("named.yaml"), "--store", file("named.sqlite"), "--dry-run"), 0,
        "nn\tsmall\t1\tgcn-apu\t\tfifo\t1 of 1");
  // the store knows both, and a page shows both
  gives(process_run("store", "list", "--csv", "--store", file("named.sqlite")), 0,
        "\nNearest,small,\"APU, small\",First,1,");
  gives(process_run("store", "list", "--store", file("named.sqlite"), "--scheme", "First"), 0, "1 run");
  gives(process_run("store", "list", "--store", file("named.sqlite"), "--scheme", "fifo"), 0, "1 run");
  gives(process_run("store", "export", "--csv", "--store", file("named.sqlite")), 0, ",Nearest,\"APU, small\",First\n");
  gives(process_run("report", file("named.sqlite"), "-o", file("named.html")), 0, "3 runs");
  size_t size;
  char *page = whole_file(file("named.html"), &size);
  page = realloc(page, size + 1);
  page[size] = 0;
  assert_non_null(
    strstr(page, "\"program\":\"Nearest\",\"size\":\"small\",\"chip\":\"APU, small\",\"scheme\":\"First\""));
  assert_non_null(strstr(page, "\"is\":{\"program\":\"nn\",\"chip\":\"gcn-apu\",\"scheme\":\"fifo\"}"));
  free(page);
}

// All run objects of a store in the order of what they are of, without what differs from run to run.
static char *objects(const char *store) {
  sqlite3 *db;
  sqlite3_stmt *s;
  json_t *all = json_array();
  assert_int_equal(sqlite3_open(store, &db), SQLITE_OK);
  assert_int_equal(
    sqlite3_prepare_v2(db, "SELECT run FROM objects JOIN runs USING (key) ORDER BY program, scheme, seed, key", -1, &s,
                       NULL),
    SQLITE_OK);
  while (sqlite3_step(s) == SQLITE_ROW) {
    json_t *run = json_loads((const char *)sqlite3_column_text(s, 0), 0, NULL);
    json_object_del(run, "host");
    json_array_append_new(all, run);
  }
  sqlite3_finalize(s);
  sqlite3_close(db);
  char *text = json_dumps(all, JSON_SORT_KEYS);
  json_decref(all);
  return text;
}

// A sweep gives the columns what is left of an object, a merge the whole object: of the same runs, the same rows.
static void assert_columns_of_whole_objects(const char *store) {
  sqlite3 *db;
  sqlite3_stmt *s;
  gives(process_run("store", "merge", store, "--store", file("columns.sqlite")), 0, "5 runs taken, 0 known");
  assert_int_equal(sqlite3_open(file("columns.sqlite"), &db), SQLITE_OK);
  char attach[512];
  snprintf(attach, sizeof attach, "ATTACH '%s' AS swept", store);
  assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(
    sqlite3_prepare_v2(db, "SELECT count(*) FROM (SELECT * FROM swept.runs INTERSECT SELECT * FROM main.runs)", -1, &s,
                       NULL),
    SQLITE_OK);
  assert_int_equal(sqlite3_step(s), SQLITE_ROW);
  assert_int_equal(sqlite3_column_int(s, 0), 5);
  sqlite3_finalize(s);
  sqlite3_close(db);
}

// Whole; in three parts that are merged; and killed by SIGKILL, then by SIGTERM, and gone on with.
static void the_same_to_the_bit(void **state) {
  (void)state;
  const char *few = file("few.yaml");
  write_text_file(few, FEW);
  gives(SWEEP(few, "--store", file("whole.sqlite"), "--jobs", "2"), 0,
        "5 of 5 experiments done; 5 runs, 0 of them kept");
  char *whole = objects(file("whole.sqlite"));
  for (int i = 1; i <= 3; i++) {
    char shard[8], name[16];
    snprintf(shard, sizeof shard, "%d/3", i);
    snprintf(name, sizeof name, "part%d.sqlite", i);
    gives(SWEEP(few, "--shard", shard, "--store", file(name)), 0, i == 3 ? "1 of 1 exp" : "2 of 2 exp");
  }
  gives(process_run("store", "merge", file("part1.sqlite"), file("part2.sqlite"), file("part3.sqlite"), "--store",
                    file("merged.sqlite")),
        0, "1 runs taken, 0 known");
  char *merged = objects(file("merged.sqlite"));
  assert_string_equal(whole, merged);
  free(merged);
  free(whole);
  assert_columns_of_whole_objects(file("whole.sqlite"));
  gives(SWEEP(few, "--status", "--store", file("merged.sqlite")), 0, "5 of 5 experiments, 5 of 5 runs are kept");
  gives(process_run("compare", "nn", "--schemes", "plru", "--seed", "2", "--store", file("merged.sqlite")), 0,
        "1 of 1 runs had been made before");
}

static unsigned kept(const char *store) {
  sqlite3 *db;
  sqlite3_stmt *s;
  unsigned count = 0;
  if (access(store, R_OK) || sqlite3_open_v2(store, &db, SQLITE_OPEN_READONLY, NULL)) return 0;
  if (!sqlite3_prepare_v2(db, "SELECT count(*) FROM objects", -1, &s, NULL) && sqlite3_step(s) == SQLITE_ROW)
    count = (unsigned)sqlite3_column_int(s, 0);
  sqlite3_finalize(s);
  sqlite3_close(db);
  return count;
}

static void killed_and_gone_on_with(void **state) {
  (void)state;
  const char *few = file("few.yaml"), *store = file("killed.sqlite");
  static const int signals[] = {SIGKILL, SIGTERM};
  for (unsigned i = 0; i < 2; i++) {
    const unsigned before = kept(store);
    struct process p = process_start((const char *const[]){"sweep", few, "--store", store, "--jobs", "1", NULL});
    for (int t = 0; t < 4000 && kept(store) < before + 1; t++) usleep(5000);
    kill(p.pid, signals[i]);
    process_end(&p);
    process_free(&p);
    assert_in_range(kept(store), before + 1, 4);
  }
  char *whole = objects(file("whole.sqlite"));
  gives(SWEEP(few, "--store", store), 0, "5 of 5 experiments done");
  char *again = objects(store);
  assert_string_equal(whole, again);
  free(again);
  free(whole);
}

// ---- programs of their own ------------------------------------------------------------------------------------------

#define SUBJECT WEIR_BINARY_DIR "/tests/820-device/device_subject"

static void script(const char *text) {
  char whole[1024];
  snprintf(whole, sizeof whole, "#!/bin/sh\n%s\n%s exit\ntrue\n", text, SUBJECT);
  write_text_file(file("program.sh"), whole);
  assert_int_equal(chmod(file("program.sh"), 0755), 0);
}

// How many of the sweep's three runs are made: lru's, and two of which the better is the result.
static void makes(unsigned count) {
  char said[96];
  snprintf(said, sizeof said, "2 of 2 experiments done; 3 runs, %u of them kept", 3 - count);
  gives(SWEEP(file("own.yaml"), "--store", file("own.sqlite")), 0, said);
}

// A kept run stands while everything that it depends on is the same, and no longer.
static void programs_are_kept(void **state) {
  (void)state;
  write_text_file(file("own.yaml"), "programs: -- ./program.sh\nschemes: [lru, 'lru,l1.ways=best:2|4']\n");
  write_text_file(file("data.txt"), "1\n");
  script("cat data.txt; cat absent.txt 2>/dev/null");
  makes(3);
  makes(0);
  write_text_file(file("data.txt"), "2\n");
  makes(3);
  makes(0);
  write_text_file(file("absent.txt"), "here\n"); // it was looked for
  makes(3);
  makes(0);
  setenv("A_SETTING", "1", 1);
  makes(3);
  makes(0);
  unsetenv("A_SETTING");
  setenv("COLUMNS", "70", 1); // of the terminal
  makes(0);
  script("cat data.txt"); // the executable itself
  makes(3);
  makes(0);
  gives(SWEEP(file("own.yaml"), "--status", "--store", file("own.sqlite")), 0, "3 of 3 runs are kept");
  write_text_file(file("data.txt"), "3\n");
  gives(SWEEP(file("own.yaml"), "--status", "--store", file("own.sqlite")), 0, "0 of 3 runs are kept");
}

static void programs_that_are_not_kept(void **state) {
  (void)state;
  script("cat counter.txt; echo more >>counter.txt"); // reads what it then changes
  write_text_file(file("counter.txt"), "");
  struct process p =
    process_run("compare", "--schemes", "lru", "--store", file("not.sqlite"), "--", file("program.sh"));
  assert_int_equal(p.status, 0);
  assert_non_null(strstr(p.err, "counter.txt, which it read, changed while it ran"));
  process_free(&p);
  p = process_run("compare", "--schemes", "lru", "--store", file("not.sqlite"), "--", SUBJECT, "exit"); // with 3
  assert_int_equal(p.status, 0);
  process_free(&p);
  assert_int_equal(kept(file("not.sqlite")), 0);
}

// In its folder, with its variables, words and inputs; what it prints itself is no input.
static void lines_say_how(void **state) {
  (void)state;
  const char *sub = file("sub");
  mkdir(sub, 0777);
  write_text_file(file("sub/input.txt"), "1\n");
  write_text_file(
    file("own.yaml"),
    "programs:\n"
    "  - {command: [sh, -c, 'test \"$SAYS $1\" = \"so a b\" && pwd >out.txt && cat out.txt && exec " SUBJECT
    " $MODE', sh, a b],\n"
    "     name: said, folder: sub, env: {SAYS: so, MODE: _exit}, inputs: [sub/input.txt]}\n"
    "schemes: [lru, fifo, plru]\nsizes: [small, paper]\nexclude: [{program: said, scheme: fifo}]\n");
  gives(SWEEP(file("own.yaml"), "--dry-run", "--store", file("lines.sqlite")), 0,
        "said\tsmall\t1\tgcn-apu\t\tplru\t0 of 1 kept\n# 0 of 2 experiments, 0 of 2 runs");
  struct process p = SWEEP(file("own.yaml"), "--store", file("lines.sqlite"));
  assert_int_equal(access(file("sub/out.txt"), R_OK), 0);
  process_free(&p);
}

static void wrong(const char *text, const char *message) {
  write_text_file(file("wrong.yaml"), text);
  gives(SWEEP(file("wrong.yaml"), "--store", file("wrong.sqlite")), 2, message);
}

static void mistakes(void **state) {
  (void)state;
  wrong("programs: [nn]\nschems: [lru]\n",
        "wrong.yaml:2:1: error: a sweep file has no key 'schems'; did you mean 'schemes'?");
  wrong("programs: [nn]\n", "wrong.yaml: error: has no 'schemes'");
  wrong("programs:\n  - nn\n  - nnn\nschemes: lru\n",
        "wrong.yaml:3:5: error: no workload, CPU program or file 'nnn'; did you mean 'nn'?");
  wrong("programs: nn\nschemes: lru\nchips: [gcn-apu, gcn]\n", "wrong.yaml:3:18: error: there is no chip 'gcn'");
  wrong("programs: nn\nschemes: lry\n", "did you mean");
  wrong("programs: nn\nschemes: {scheme: pcbp, thresold: 3}\n", "thresold");
  wrong("programs: nn\nschemes: lru\nseeds: 1..x\n", "wrong.yaml:3:8: error: seeds: '1..x' is no range");
  wrong("programs: [nn, '-- ./nope']\nschemes: lru\n", "wrong.yaml:1:16: error: the program '");
  wrong("programs: [\"-- sh -c 'x'\"]\nschemes: lru\n", "wrong.yaml:1:12: error: no shell reads a command line");
  wrong("programs: [{comand: x}]\nschemes: lru\n", "wrong.yaml:1:13: error: a program of its own has no key 'comand'");
  wrong("programs: [{name: x}]\nschemes: lru\n", "wrong.yaml:1:12: error: a program of its own has no 'command'");
  wrong("programs: nn\nschemes: lru\nsizes: [small, big]\n",
        "wrong.yaml:3:16: error: a size is small or paper, not 'big'");
  wrong("programs: nn\nschemes: lru\nseeds: [1..2, -1]\n",
        "wrong.yaml:3:15: error: a seed is a whole number from 0, not '-1'");
  wrong("programs: nn\nschemes: lru\nexclude: [{programs: nn}]\n",
        "exclude has no key 'programs'; did you mean 'program'?");
  wrong("programs: nn\nschemes: lru\nseeds: 1..4096\nset: {l1.ways: 1..4096}\n", "asks for more than 1000000 runs");
  wrong("programs: {program: nn, nam: x}\nschemes: lru\n",
        "wrong.yaml:1:25: error: a named element has no key 'nam'; did you mean 'name'?");
  wrong("programs: nn\nchips: {name: x}\nschemes: lru\n",
        "wrong.yaml:2:8: error: a mapping under chips has the keys 'chip' and 'name'");
  wrong("programs: nn\nschemes: [fifo, lru, {scheme: plru, name: fifo}]\n",
        "wrong.yaml:2:43: error: two schemes are called 'fifo'");
  gives(SWEEP(file("few.yaml"), "--shard", "4/3"), 2, "--shard is I/N");
  gives(SWEEP(file("absent.yaml")), 2, "absent.yaml");
  gives(SWEEP(file("few.yaml"), "--tasks", "3"), 2, "--tasks is of --slurm");
  gives(SWEEP(file("few.yaml"), "--status", "--shard", "1/3"), 2, "exclude one another");
  char *path = strdup(getenv("PATH"));
  setenv("PATH", folder, 1);
  gives(SWEEP(file("few.yaml"), "--slurm", "--store", file("slurm.sqlite")), 2, "there is no sbatch on PATH");
  setenv("PATH", path, 1);
  free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_file_says_what),  cmocka_unit_test(names_are_labels),
    cmocka_unit_test(the_same_to_the_bit), cmocka_unit_test(killed_and_gone_on_with),
    cmocka_unit_test(programs_are_kept),   cmocka_unit_test(programs_that_are_not_kept),
    cmocka_unit_test(lines_say_how),       cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
