// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir check --plugin: the example of docs/WRITING-A-POLICY.md passes; planted faults are found, each told with what was expected.
#include "../plugin.h"
#include "weir_process.h"

static void the_example_passes(void **state) {
  (void)state;
  const char *object = plugin_build(WEIR_SOURCE_DIR "/examples/plugin/mine.c", "mine.so");
  struct process p = process_run("check", "--plugin", object);
  assert_string_equal(p.err, "");
  assert_string_equal(p.out, "replace policy 'nru' keeps the contract\n");
  assert_int_equal(p.status, 0);
  process_free(&p);
}

#define HEAD                                                                                                           \
  "#include \"policy/policy.h\"\n"                                                                                     \
  "static uint64_t cost(const struct weir_geometry *g) { return g->sets * g->ways; }\n"                                \
  "static uint64_t nothing(const struct weir_geometry *g) { (void)g; return 0; }\n"                                    \
  "static uint32_t first(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {\n"                   \
  "  (void)c, (void)a; return weir_lowest(candidates); }\n"                                                            \
  "static uint32_t zero(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {\n"                    \
  "  (void)c, (void)a, (void)candidates; return 0; }\n"                                                                \
  "static void before(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {\n"                             \
  "  ((uint8_t *)weir_line_state(c, a->set, way))[-1] = 1; }\n"                                                        \
  "static void renames(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {\n"                            \
  "  (void)c, (void)way; a->pc = 0; }\n"                                                                               \
  "static void strays(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {\n"                             \
  "  (void)a, (void)way; *(volatile char *)c->scope->state = 1; }\n"
#define POLICY(name_, cost_, victim_, insert_)                                                                         \
  "static const struct weir_policy " name_ " = {.abi = WEIR_POLICY_ABI, .name = \"" name_ "\", .summary = \"s\","      \
  " .citation = \"c\", .line_bytes = 1, .cost_bits = " cost_ ", .victim = " victim_ ", .insert = " insert_ "};\n"

static void faults_are_found(void **state) {
  (void)state;
  const char *object =
    plugin_of(HEAD POLICY("sound", "cost", "first", "0") POLICY("stubborn", "cost", "zero", "0")
                POLICY("greedy", "cost", "first", "before") POLICY("forger", "cost", "first",
                                                                   "renames") POLICY("cheap", "nothing", "first", "0")
                  POLICY("lost", "cost", "first", "strays") "const struct weir_policy *const weir_plugin[] = {&sound, "
                                                            "&stubborn, &greedy, &forger, &cheap, &lost, 0};\n",
              "faults.so");
  struct process p = process_run("check", "--plugin", object);
  assert_string_equal(p.out, "replace policy 'sound' keeps the contract\n");
  assert_holds(p.err, "replace policy 'stubborn': victim answers way 0; expected: one of the candidates");
  assert_holds(p.err, "replace policy 'greedy': it writes byte -1 of its memory by line_bytes; expected: none but");
  assert_holds(p.err, "replace policy 'forger': it changes the access that it is shown; expected: nothing of it but");
  assert_holds(p.err,
               "replace policy 'cheap': it keeps 256 bytes and costs nothing; expected: cost_bits or scope_bits say "
               "more than 0 (in a first-level cache of 32 sets, 8 ways and lines of 64 bytes)");
  assert_holds(
    p.err, "replace policy 'lost': it dies of Segmentation fault; expected: that it reads and writes nothing but its");
  assert_holds(p.err, "weir: 5 problems in 1 file");
  assert_int_equal(p.status, 2);
  process_free(&p);
}

static void what_cannot_be_checked(void **state) {
  (void)state;
  struct process p = process_run("check");
  assert_holds(p.err, "FILE or --plugin FILE.so is missing");
  assert_int_equal(p.status, 2);
  process_free(&p);
  p = process_run("check", "--plugin", "/nowhere/none.so");
  assert_holds(p.err, "it cannot be loaded: /nowhere/none.so");
  assert_int_equal(p.status, 2);
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_passes),
    cmocka_unit_test(faults_are_found),
    cmocka_unit_test(what_cannot_be_checked),
  };
  return cmocka_run_group_tests(tests, plugin_make_folder, plugin_remove_folder);
}
