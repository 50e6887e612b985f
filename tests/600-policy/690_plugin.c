// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Policies built outside the tree: the one that docs/WRITING-A-POLICY.md walks through is built with the header alone,
// loaded, and put through the conformance suite; what cannot be loaded says why.
#include "../plugin.h"
#include "base/alloc.h"
#include "policy/conform/conform.h"
#include "rig.h"

#include <sys/stat.h>

static char *read_tree(const char *relative) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", WEIR_SOURCE_DIR, relative);
  size_t size;
  char *text = weir_file_read(path, 0, &size, NULL);
  assert_non_null(text);
  return text;
}

// The page has the text as a whole block of code of the language.
static void check_shown(const char *page, const char *text, const char *language) {
  char opening[16];
  size_t length = (size_t)snprintf(opening, sizeof opening, "```%s\n", language);
  const char *shown = strstr(page, text);
  assert_non_null(shown);
  assert_memory_equal(shown - length, opening, length);
  assert_memory_equal(shown + strlen(text), "```\n", strlen("```\n"));
}

static void document_shows_the_files(void **state) {
  (void)state;
  char *page = read_tree("docs/WRITING-A-POLICY.md"), *code = read_tree("examples/plugin/mine.c");
  char *scheme = read_tree("examples/plugin/nru.yaml");
  check_shown(page, code, "c");
  check_shown(page, strstr(scheme, "name:"), "yaml"); // without its two lines of licence
  weir_free(scheme);
  unsigned lines = 0;
  for (const char *p = code; *p; p++) lines += *p == '\n';
  assert_in_range(lines, 1, 59);
  weir_free(page);
  weir_free(code);
}

// RRIP's Figure 3b: NRU loses a1 and a2 to the scan. Four ways fill with a b w x, all used. y: all bits clear, the first
// leaves, a; z: the next unused, b; a: w; b: x.
static void example_is_loaded_and_conforms(void **state) {
  (void)state;
  char message[512] = "";
  assert_null(weir_policy_find(WEIR_POLICY_REPLACE, "nru"));
  unsigned before, after;
  weir_policies(&before);
  const char *object = plugin_build(WEIR_SOURCE_DIR "/examples/plugin/mine.c", "mine.so");
  if (weir_policy_load(object, message, sizeof message)) fail_msg("%s", message);
  const struct weir_policy *nru = weir_policies(&after)[before];
  assert_int_equal(after, before + 1);
  assert_ptr_equal(weir_policy_find(WEIR_POLICY_REPLACE, "nru"), nru);
  if (weir_policy_conform(nru, message, sizeof message)) fail_msg("%s", message);
  struct rig *rig = rig_new(1, 4, "nru", NULL);
  rig_trace(rig, "abba wxyz ab", "mmhh mmAB WX");
  // z, y, a, b were all inserted since the bits were cleared for y, so the next round begins with the next miss.
  assert_int_equal(rig_counter(&rig->replace, "rounds"), 1);
  rig_trace(rig, "c", "Y");
  assert_int_equal(rig_counter(&rig->replace, "rounds"), 2);
  rig_free(rig);
  // Without the bit at fills, only hits protect: w takes the first unused way after a and b.
  rig = rig_new(1, 4, "nru", "fill_is_use=off");
  rig_trace(rig, "abba wxyz ab", "mmhh mmWY hh");
  rig_free(rig);
  // A second time it is there already.
  assert_ptr_equal(weir_policy_load(object, message, sizeof message), message);
  assert_string_equal(message, "there is already a replace policy called 'nru'");
}

#define BODY                                                                                                           \
  "#include \"policy/policy.h\"\n#ifdef WEIR_POLICY_HOST_H\n#error it has the side of the host\n#endif\n"              \
  "static uint64_t cost(const struct weir_geometry *g) { return g->sets; }\n"                                          \
  "static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {\n"                  \
  "  (void)c, (void)a; return weir_lowest(candidates); }\n"
#define POLICY_OF(variable, abi, victim)                                                                               \
  "static const struct weir_policy " variable " = {.abi = " abi ", .name = \"" variable "\", .summary = \"s\","        \
  " .citation = \"c\", .cost_bits = cost, .victim = " victim "};\n"
#define SOUND(variable) POLICY_OF(variable, "WEIR_POLICY_ABI", "victim")
#define EXPORT(list) "const struct weir_policy *const weir_plugin[] = {" list "};\n"

static void explains_what_cannot_be_loaded(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
    {"int weir_plugins;\n", "it does not export 'weir_plugin', an array of policies that ends with NULL"},
    {BODY POLICY_OF("old", "4", "victim") EXPORT("&old, 0"),
     "policy 1 was built for version 4 of the policy contract, and this weir has version 6: build it again with this weir's "
     "headers (docs/WRITING-A-POLICY.md)"},
    {BODY SOUND("good") POLICY_OF("bad", "WEIR_POLICY_ABI", "0") EXPORT("&good, &bad, 0"),
     "policy 2 ('bad') is flawed: a replace policy needs the hook victim"},
    {BODY SOUND("lru") EXPORT("&lru, 0"), "there is already a replace policy called 'lru'"},
    {BODY SOUND("twin") EXPORT("&twin, &twin, 0"), "there is already a replace policy called 'twin'"},
    {BODY SOUND("unused") EXPORT("0, &unused"), "its weir_plugin lists no policy"},
  };
  unsigned before, after;
  weir_policies(&before);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[32], message[512];
    snprintf(name, sizeof name, "case%u.so", i);
    assert_ptr_equal(weir_policy_load(plugin_of(cases[i].text, name), message, sizeof message), message);
    assert_string_equal(message, cases[i].message);
  }
  weir_policies(&after);
  assert_int_equal(before, after); // none of a plugin's policies is taken unless all are
  assert_null(weir_policy_find(WEIR_POLICY_REPLACE, "good"));
}

static void explains_what_is_no_object(void **state) {
  (void)state;
  char message[1024], path[512];
  assert_non_null(weir_policy_load("/nowhere/none.so", message, sizeof message));
  assert_non_null(strstr(message, "it cannot be loaded: /nowhere/none.so"));
  // A bare name is a file here, not one of the system's libraries.
  assert_non_null(weir_policy_load("libm.so.6", message, sizeof message));
  assert_non_null(strstr(message, "./libm.so.6"));
  snprintf(path, sizeof path, "%s/text.so", plugin_folder);
  assert_true(weir_file_write(path, "not an object\n", 14, NULL));
  assert_non_null(weir_policy_load(path, message, sizeof message));
  assert_non_null(strstr(message, "it cannot be loaded"));
}

// Half of an object that is sound as a whole: the loader alone would map it, and die of SIGBUS as it reads what is not there.
static void half_an_object_is_refused(void **state) {
  (void)state;
  char message[512];
  const char *object = plugin_of(BODY SOUND("whole") EXPORT("&whole, 0"), "half.so");
  struct stat st;
  assert_int_equal(stat(object, &st), 0);
  for (off_t part = 1; part < 4; part++) {
    assert_int_equal(truncate(object, st.st_size * (4 - part) / 8), 0);
    assert_ptr_equal(weir_policy_load(object, message, sizeof message), message);
    assert_string_equal(message, "it is cut off: the file is shorter than its own headers say");
  }
  assert_int_equal(truncate(object, 20), 0);
  assert_non_null(weir_policy_load(object, message, sizeof message));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(document_shows_the_files),       cmocka_unit_test(example_is_loaded_and_conforms),
    cmocka_unit_test(explains_what_cannot_be_loaded), cmocka_unit_test(explains_what_is_no_object),
    cmocka_unit_test(half_an_object_is_refused),
  };
  return cmocka_run_group_tests(tests, plugin_make_folder, plugin_remove_folder);
}
