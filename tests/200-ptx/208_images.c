// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Textures, samplers and surfaces: what their modifiers mean, which run, and what is refused. Expectations are the PTX
// ISA's, "Texture Instructions" and "Surface Instructions".
#include "ptx_test.h"

static struct weir_module *parse_images(const char *statements) {
  char text[2048];
  snprintf(text, sizeof text,
           HEAD
           ".global .texref t; .global .surfref sf; .global .samplerref sm; .global .align 4 .b8 var[64];\n"
           ".entry k(.param .u64 par, .param .texref pt, .param .u64 .ptr .surfref ps)\n{\n"
           ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>;\n%s\nret;\n}\n",
           statements);
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  weir_sink_free(&sink);
  return m;
}

static struct weir_form form_of(const char *statement) {
  struct weir_module *m = parse_images(statement);
  assert_non_null(m);
  const struct weir_form form = instruction(m, 0)->form;
  assert_null(instruction(m, 0)->runnable);
  weir_module_free(m);
  return form;
}

static void test_forms(void **state) {
  (void)state;
  struct weir_form f = form_of("tex.a2d.v4.u32.f32 {%r1, %r2, %r3, _}, [t, {%r1, %f1, %f2, %f3}];");
  assert_int_equal(f.geometry, WEIR_GEOMETRY_A2D);
  assert_int_equal(f.type, WEIR_T_U32);
  assert_int_equal(f.source_type, WEIR_T_F32);
  assert_int_equal(f.vector, 4);
  assert_int_equal(form_of("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [pt, %r1];").geometry, WEIR_GEOMETRY_1D);
  assert_int_equal(form_of("tld4.b.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, sm, {%f1, %f2}];").query, 2);
  assert_int_equal(form_of("txq.addr_mode_1.b32 %r1, [sm];").query, WEIR_QUERY_ADDRESS_1);
  assert_int_equal(form_of("suq.channel_order.b32 %r1, [%rd1];").query, WEIR_QUERY_ORDER);
  f = form_of("suld.b.3d.ca.v2.b64.zero {%rd2, %rd3}, [sf, {%r1, %r2, %r3, %r4}];");
  assert_int_equal(f.geometry, WEIR_GEOMETRY_3D);
  assert_int_equal(f.outside, WEIR_OUTSIDE_ZERO);
  assert_int_equal(f.type, WEIR_T_B64);
  assert_int_equal(f.vector, 2);
  assert_false(f.formatted);
  f = form_of("sust.p.1d.b32.clamp [%rd1, {%r1}], {%f1};");
  assert_int_equal(f.outside, WEIR_OUTSIDE_CLAMP);
  assert_true(f.formatted);
}

static void expect_obstacle(const char *statement, const char *obstacle) {
  struct weir_module *m = parse_images(statement);
  struct weir_sink sink = {0};
  if (!m) fail_msg("not accepted: %s", statement);
  assert_false(weir_ptx_check(m, &sink));
  assert_int_equal(sink.errors, 1);
  if (!strstr(sink.diags[0].message, obstacle) || !strstr(sink.diags[0].message, "test.ptx:8:1:"))
    fail_msg("'%s' is not in: %s", obstacle, sink.diags[0].message);
  weir_sink_free(&sink);
  weir_module_free(m);
}

// Well-formed, but nothing that weir runs.
static void test_obstacles(void **state) {
  (void)state;
  expect_obstacle("tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2, %f3, %f4}];", "cube maps");
  expect_obstacle("tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2, %r3, %r4}];", "multisampled");
  expect_obstacle("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}], {%r1, %r2};", "offsets of texels");
  expect_obstacle("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}], %f3;", "depth texture");
  expect_obstacle("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [t, {%f1, %f2}];", "sparse textures");
  expect_obstacle("tld4.r.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2, %f3, %f4}];", "cube maps");
  expect_obstacle("txq.level.width.b32 %r1, [t], %r2;", "levels of a mipmap");
  expect_obstacle("suq.memory_layout.b32 %r1, [sf];", "memory layout");
  expect_obstacle("sured.b.add.2d.u32.trap [sf, {%r1, %r2}], %r3;", "reductions on surfaces");
  expect_obstacle("istypep.texref %p1, %rd1;", "what kind of image");
}

static void expect_error(const char *statement, const char *message) {
  char text[1024];
  snprintf(text, sizeof text,
           HEAD ".global .texref t; .global .surfref sf; .global .samplerref sm; .global .align 4 .b8 var[64];\n"
                ".entry k() { .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .v4 .f32 %%v;\n%s\nret; }\n",
           statement);
  struct weir_sink sink = {0};
  if (weir_ptx_parse("bad.ptx", text, strlen(text), &sink)) fail_msg("accepted: %s", statement);
  assert_int_equal(sink.errors, 1);
  if (!strstr(sink.diags[0].message, message)) fail_msg("'%s' is not in: %s", message, sink.diags[0].message);
  weir_sink_free(&sink);
}

#define TEX "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, "

static void test_errors(void **state) {
  (void)state;
  expect_error(TEX "[t, {%f1}];", "two coordinates in braces");
  expect_error(TEX "[t, %f1];", "two coordinates in braces");
  expect_error(TEX "[t, {%f1, %r1, %r2}];", "two coordinates in braces");
  expect_error(TEX "[t];", "[image, coordinates]");
  expect_error(TEX "[t, sm, sm, {%f1, %f2}];", "[image, coordinates]");
  expect_error(TEX "[sm, {%f1, %f2}];", "a .texref or a handle in a register");
  expect_error(TEX "[sf, {%f1, %f2}];", "a .texref or a handle in a register");
  expect_error(TEX "[var, {%f1, %f2}];", "a .texref or a handle in a register");
  expect_error(TEX "[%r1, {%f1, %f2}];", "a handle in a 64-bit integer register");
  expect_error(TEX "[%rd1+8, {%f1, %f2}];", "an image in brackets");
  expect_error(TEX "[t, t, {%f1, %f2}];", "a .samplerref or a handle in a register");
  expect_error(TEX "[t, %r1, {%f1, %f2}];", "a register of type .b32 where .u64 is needed");
  expect_error("tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];", "a register of type .f32 where .s32");
  expect_error("tex.2d.v4.f32.f32 {%f1, %f2}, [t, {%f1, %f2}];", "{a, b, c, d}");
  expect_error("tex.2d.v4.f32.f32 {%f1, %f2, %rd3, %f4}, [t, {%f1, %f2}];", "a register of type .b64 where .f32");
  expect_error("tex.2d.f32.f32 %f1, [t, {%f1, %f2}];", "needs one of these modifiers: v4");
  expect_error("tex.2dd.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];", "did you mean '.2d'");
  expect_error("tex.2d.v4.f64.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];", "no form with types .f64.f32");
  expect_error("suld.b.1d.v4.b64.trap {%rd1, %rd2, %rd3, %rd4}, [sf, {%r1}];", "at most 16 bytes");
  expect_error("suld.b.1d.b32.trap {%r1}, [t, {%r1}];", "a .surfref or a handle in a register");
  expect_error("suld.b.1d.b32.trap {%r1}, [%rd1, %rd2, {%r1}];", "[image, coordinates]");
  expect_error("suld.b.1d.b32 {%r1}, [%rd1, {%r1}];", "needs one of these modifiers: trap|clamp|zero");
  expect_error("sust.p.1d.b16.trap [%rd1, {%r1}], {%r1};", "does not take '.p' here");
  expect_error("txq.weight.b32 %r1, [t];", "did you mean '.height'");
}

static void test_initialisers(void **state) {
  (void)state;
  struct weir_module *m = parse_ok(
    HEAD
    ".global .samplerref a = { addr_mode_0 = mirror, addr_mode_1 = clamp_to_border, addr_mode_2 = clamp_ogl,\n"
    " filter_mode = linear, force_unnormalized_coords = 1 };\n"
    ".global .texref b = { width = 32, normalized_coords = 0, filter_mode = nearest };\n.global .texref c = {};\n");
  const struct weir_opaque_initial *a = weir_module_find(m, "a")->opaque;
  const struct weir_opaque_initial *b = weir_module_find(m, "b")->opaque;
  assert_int_equal(a->address[0], WEIR_PTX_MIRROR);
  assert_int_equal(a->address[1], WEIR_PTX_CLAMP_TO_BORDER);
  assert_int_equal(a->address[2], WEIR_PTX_CLAMP_OGL);
  assert_int_equal(a->filter, WEIR_PTX_LINEAR);
  assert_true(a->unnormalized && b->unnormalized);
  assert_int_equal(b->filter, WEIR_PTX_NEAREST);
  assert_non_null(weir_module_find(m, "c")->opaque);
  weir_module_free(m);
  expect_error("ret; } .global .samplerref x = { addr_mode_3 = wrap }; .entry l() {", "unknown field 'addr_mode_3'");
  expect_error("ret; } .global .samplerref x = { addr_mode_0 = linear }; .entry l() {", "'linear' is no value");
  expect_error("ret; } .global .samplerref x = 5; .entry l() {", "'{'");
}

// References where no host could bind them.
static void test_places(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_module *m =
    parse_ok(HEAD ".global .texref many[4];\n.shared .texref there;\n.tex .u32 old;\n.global .texref t;\n");
  assert_false(weir_ptx_check(m, &sink));
  assert_int_equal(sink.errors, 3);
  assert_non_null(strstr(sink.diags[2].message, "the .tex state space"));
  weir_sink_free(&sink);
  weir_module_free(m);
}

static void test_data(void **state) {
  (void)state;
  static const char *const files[] = {"images.ptx", "samplers.ptx"};
  for (unsigned k = 0; k < 2; k++) {
    char path[4096];
    struct weir_sink sink = {0};
    snprintf(path, sizeof path, "%s/tests/200-ptx/data/%s", WEIR_SOURCE_DIR, files[k]);
    struct weir_module *m = weir_ptx_read(path, &sink);
    assert_non_null(m);
    assert_true(weir_ptx_check(m, &sink));
    weir_sink_free(&sink);
    weir_module_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_forms),        cmocka_unit_test(test_obstacles), cmocka_unit_test(test_errors),
    cmocka_unit_test(test_initialisers), cmocka_unit_test(test_places),    cmocka_unit_test(test_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
