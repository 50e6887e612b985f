// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// ChampSim's records, made here byte by byte after its inc/trace_instruction.h (struct input_instr) and told apart
// after inc/instruction.h.
#include "trace_test.h"

#include "trace/champsim.h"
#include "trace/convert.h"
#include "trace/stream.h"

#include <unistd.h>

struct record {
  uint64_t pc;
  uint8_t branch, taken, written[2], read[4];
  uint64_t stores[2], loads[4];
};
_Static_assert(sizeof(struct record) == 64, "as ChampSim's");

enum { SP = 6, FLAGS = 25, IP = 26 };

static const struct record program[] = {
  {0x1000, 0, 0, {1, 0}, {2, 3}, {0}, {0x7000, 0x7008}},       // two loads
  {0x1004, 0, 0, {FLAGS}, {1, 0, 4}, {0x8000, 0x9000}, {0}},   // two stores
  {0x1008, 1, 1, {IP}, {IP, FLAGS}, {0}, {0}},                 // conditional
  {0x1000, 0, 0, {1, 0}, {2, 3}, {0}, {0, 0x7000, 0, 0x7010}}, // empty places between
  {0x1010, 1, 0, {IP}, {IP, FLAGS}, {0}, {0}},                 // not taken
  {0x1014, 1, 1, {IP, SP}, {IP, SP}, {0x6ff8}, {0}},           // call
  {0x2000, 1, 1, {IP, SP}, {SP}, {0}, {0x6ff8}},               // return
  {0x1018, 1, 1, {IP}, {IP}, {0}, {0}},                        // jump
  {0x1020, 1, 1, {IP}, {5}, {0}, {0x7777}},                    // indirect
  {0x3000, 1, 1, {IP, SP}, {IP, SP, 5}, {0x6ff8}, {0}},        // indirect call
  {0x4000, 1, 1, {IP}, {IP, 9}, {0}, {0}},                     // conditional on a register
};
enum { RECORDS = sizeof program / sizeof *program };

static const enum weir_trace_branch branches[RECORDS] = {0,
                                                         0,
                                                         WEIR_TRACE_CONDITIONAL,
                                                         0,
                                                         WEIR_TRACE_CONDITIONAL,
                                                         WEIR_TRACE_CALL,
                                                         WEIR_TRACE_RETURN,
                                                         WEIR_TRACE_JUMP,
                                                         WEIR_TRACE_INDIRECT,
                                                         WEIR_TRACE_INDIRECT_CALL,
                                                         WEIR_TRACE_CONDITIONAL};

static void is_program(struct weir_trace_reader *r, const enum weir_trace_branch *kinds) {
  struct weir_trace_inst all[RECORDS + 1];
  assert_int_equal(weir_trace_read(r, all, RECORDS + 1), RECORDS);
  for (unsigned i = 0; i < RECORDS; i++) {
    const struct weir_trace_static *s = all[i].what;
    assert_int_equal(s->pc, program[i].pc);
    assert_int_equal(s->branch, kinds[i]);
    assert_int_equal(s->taken, program[i].taken);
    assert_int_equal(all[i].next_pc, i + 1 < RECORDS ? program[i + 1].pc : 0);
  }
  assert_int_equal(all[0].what->access_count, 2);
  assert_int_equal(all[0].addresses[0], 0x7000);
  assert_int_equal(all[0].addresses[1], 0x7008);
  assert_int_equal(all[0].what->source_count, 2);
  assert_int_equal(all[0].what->destinations[0], 1);
  assert_int_equal(all[1].what->source_count, 2);
  assert_int_equal(all[1].what->sources[1], 4);
  assert_int_equal(all[1].what->accesses[1].store, 1);
  assert_int_equal(all[1].addresses[1], 0x9000);
  assert_ptr_equal(all[3].what, all[0].what); // the same instruction, though its addresses stood elsewhere
  assert_int_equal(all[3].addresses[1], 0x7010);
  assert_int_equal(weir_trace_read(r, all, RECORDS), 0);
}

static void pack(const char *path, const void *bytes, size_t size) {
  struct weir_sink sink = {0};
  struct weir_stream *s = weir_stream_write_open(path, weir_packing_by_name(path), &sink);
  weir_stream_write(s, bytes, size / 2);
  weir_stream_write(s, (const char *)bytes + size / 2, size - size / 2);
  assert_true(weir_stream_finish(s));
  assert_no_errors(&sink);
}

static void reads(const char *name) {
  struct weir_sink sink = {0};
  struct weir_trace_reader *r = weir_trace_open(path_of(name), &sink);
  assert_non_null(r);
  assert_true(weir_trace_info(r)->champsim);
  is_program(r, branches);
  assert_true(weir_trace_seek(r, 0));
  is_program(r, branches);
  assert_true(weir_trace_seek(r, RECORDS - 1));
  assert_int_equal(read_all(r, NULL, NULL), 1);
  assert_no_errors(&sink);
  weir_trace_close(r);
}

static void every_packing(void **state) {
  (void)state;
  static const char *const names[] = {"plain", "a.xz", "a.gz", "a.zst"};
  for (unsigned i = 0; i < 4; i++) {
    pack(path_of(names[i]), program, sizeof program);
    assert_int_equal(access(path_of(names[i]), R_OK), 0);
    reads(names[i]);
  }
}

// Packed by the programs that everybody packs with, where they are installed; and in parts, one after the other.
static void other_packers(void **state) {
  (void)state;
  static const char *const packers[][2] = {{"xz -k", "xz"}, {"gzip -k", "gz"}, {"zstd -q -k", "zst"}};
  for (unsigned i = 0; i < 3; i++) {
    char command[512], name[16];
    snprintf(name, sizeof name, "p.%s", packers[i][1]);
    write_file(path_of("p"), program, 5 * 64);
    snprintf(command, sizeof command, "cd %s && rm -f p.* && %s p 2>/dev/null && mv p.%s q", folder, packers[i][0],
             packers[i][1]);
    if (system(command)) continue;
    write_file(path_of("p"), program + 5, sizeof program - 5 * 64);
    snprintf(command, sizeof command, "cd %s && %s p && cat q p.%s > r && mv r p.%s", folder, packers[i][0],
             packers[i][1], packers[i][1]);
    assert_int_equal(system(command), 0);
    reads(name);
  }
}

static void copies(const char *from, const char *to) {
  struct weir_sink sink = {0};
  const struct weir_trace_window all = {0, 0, -1};
  struct weir_trace_reader *r = weir_trace_open(path_of(from), &sink);
  assert_true(weir_trace_convert(r, &all, 1, path_of(to), &sink));
  weir_trace_close(r);
  assert_no_errors(&sink);
}

// To weir's format and back, all is there; what was packed into the first free places is the same record again.
static void there_and_back(void **state) {
  (void)state;
  write_file(path_of("first"), program, sizeof program);
  copies("first", "own.wtrace");
  struct weir_sink sink = {0};
  struct weir_trace_reader *r = weir_trace_open(path_of("own.wtrace"), &sink);
  assert_false(weir_trace_info(r)->champsim);
  is_program(r, branches);
  weir_trace_close(r);
  copies("own.wtrace", "back.champsim.xz");
  reads("back.champsim.xz");
  copies("back.champsim.xz", "plain.champsimtrace");
  struct record again[RECORDS + 1];
  FILE *f = fopen(path_of("plain.champsimtrace"), "rb");
  assert_int_equal(fread(again, 64, RECORDS + 1, f), RECORDS);
  fclose(f);
  assert_memory_equal(&again[0], &program[0], 64);
  for (unsigned i = 5; i < RECORDS; i++) assert_memory_equal(again[i].stores, program[i].stores, 48);
  assert_int_equal(again[3].loads[0], 0x7000);
  assert_int_equal(again[3].loads[1], 0x7010);
  assert_no_errors(&sink);
}

static void fails(const char *name, const void *bytes, size_t size, const char *message) {
  struct weir_sink sink = {0};
  write_file(path_of(name), bytes, size);
  struct weir_trace_reader *r = weir_trace_open(path_of(name), &sink);
  if (r) read_all(r, NULL, NULL);
  assert_int_equal(sink.errors, 1);
  weir_trace_close(r);
  assert_says(&sink, message);
}

static void what_is_wrong(void **state) {
  (void)state;
  static const char text[] = "This is a text, which is no trace, and it is longer than one record of sixty-four bytes.";
  fails("text", text, sizeof text, "is neither a weir trace nor one of ChampSim");
  fails("empty", text, 0, "holds no instructions");
  fails("short", program, 63, "ends within a ChampSim record");
  fails("cut", program, sizeof program - 1, "ends within a ChampSim record");
  static const char *const names[] = {"w.xz", "w.gz", "w.zst"};
  for (unsigned i = 0; i < 3; i++) {
    char packed[4096];
    pack(path_of(names[i]), program, sizeof program);
    FILE *f = fopen(path_of(names[i]), "rb");
    const size_t size = fread(packed, 1, sizeof packed, f);
    fclose(f);
    fails("packed", packed, size - 5, "is cut off");
    memset(packed + size / 2, 0x55, 8);
    fails("packed", packed, size, "error: is "); // damaged, or what it unpacks to is no trace
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_packing),
    cmocka_unit_test(other_packers),
    cmocka_unit_test(there_and_back),
    cmocka_unit_test(what_is_wrong),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
