// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program says of its kernels, from clang's metadata (written by hand after the LLVM Language Reference,
// "Metadata", and the SPIR 1.2 specification, 2.7) to comments and back; and what becomes of clang's PTX.
#include "opencl/compile/kernels.h"
#include "opencl/compile/ptx.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char ir[] =
  "define dso_local spir_kernel void @first(ptr addrspace(1) %0) #0 !kernel_arg_addr_space !2 "
  "!kernel_arg_access_qual !3 "
  "!kernel_arg_type !4 !kernel_arg_base_type !5 !kernel_arg_type_qual !6 !kernel_arg_name !7 !reqd_work_group_size "
  "!8 {\n"
  "  ret void, !dbg !1\n}\n"
  "define internal float @helper(float %0) {\n"
  "define spir_kernel void @none() !kernel_arg_addr_space !1 !kernel_arg_access_qual !1 !kernel_arg_type !1 "
  "!kernel_arg_base_type !1 !kernel_arg_type_qual !1 !work_group_size_hint !9 {\n"
  "!1 = !{}\n"
  "!2 = !{i32 1, i32 2, i32 3, i32 1, i32 0, i32 0}\n"
  "!3 = !{!\"none\", !\"none\", !\"none\", !\"write_only\", !\"none\", !\"none\"}\n"
  "!4 = !{!\"float4*\", !\"my_table*\", !\"uint*\", !\"image2d_t\", !\"sampler_t\", !\"struct { int a, b; }\"}\n"
  "!5 = !{!\"float4*\", !\"int*\", !\"uint*\", !\"image2d_t\", !\"sampler_t\", !\"struct \\22x\\22\"}\n"
  "!6 = !{!\"restrict const\", !\"const\", !\"volatile\", !\"\", !\"\", !\"\"}\n"
  "!7 = !{!\"in\", !\"t\", !\"l\", !\"img\", !\"s\", !\"pair\"}\n"
  "!8 = !{i32 16, i32 4, i32 1}\n"
  "!9 = !{i32 64, i32 1, i32 1}\n";

static void expect_arg(const struct weir_cl_arg *a, enum weir_cl_kind kind, enum weir_cl_access access,
                       const char *qualifiers, const char *type, const char *name) {
  assert_int_equal(a->kind, kind);
  assert_int_equal(a->access, access);
  assert_int_equal(a->is_const, strchr(qualifiers, 'c') != NULL);
  assert_int_equal(a->is_restrict, strchr(qualifiers, 'r') != NULL);
  assert_int_equal(a->is_volatile, strchr(qualifiers, 'v') != NULL);
  assert_string_equal(a->type, type);
  assert_string_equal(a->name, name);
}

static void test_kernels(void **state) {
  (void)state;
  struct weir_cl_text t = {0};
  struct weir_cl_kernels k;
  weir_cl_kernels_describe(&t, ir);
  assert_true(weir_cl_kernels_read(&k, t.bytes, t.count));
  assert_int_equal(k.count, 2);
  const struct weir_cl_kernel *first = weir_cl_kernels_find(&k, "first"), *none = weir_cl_kernels_find(&k, "none");
  assert_ptr_equal(first, &k.items[0]);
  assert_int_equal(first->arg_count, 6);
  assert_int_equal(first->reqd_work_group_size[0], 16);
  assert_int_equal(first->reqd_work_group_size[1], 4);
  assert_int_equal(first->reqd_work_group_size[2], 1);
  assert_string_equal(first->attributes, "reqd_work_group_size(16,4,1)");
  expect_arg(&first->args[0], WEIR_CL_GLOBAL, WEIR_CL_NO_ACCESS, "cr", "float4*", "in");
  expect_arg(&first->args[1], WEIR_CL_CONSTANT, WEIR_CL_NO_ACCESS, "c", "my_table*", "t");
  expect_arg(&first->args[2], WEIR_CL_LOCAL, WEIR_CL_NO_ACCESS, "v", "uint*", "l");
  expect_arg(&first->args[3], WEIR_CL_IMAGE, WEIR_CL_WRITE_ONLY, "", "image2d_t", "img");
  expect_arg(&first->args[4], WEIR_CL_SAMPLER, WEIR_CL_NO_ACCESS, "", "sampler_t", "s");
  expect_arg(&first->args[5], WEIR_CL_VALUE, WEIR_CL_NO_ACCESS, "", "struct { int a, b; }", "pair");
  assert_int_equal(none->arg_count, 0);
  assert_int_equal(none->reqd_work_group_size[0], 0);
  assert_string_equal(none->attributes, "work_group_size_hint(64,1,1)");
  assert_null(weir_cl_kernels_find(&k, "helper"));
  weir_cl_kernels_free(&k);
  weir_free(t.bytes);
}

// A text that is not ours, and lines that only look like ours: nothing is believed, nothing breaks.
static void test_foreign(void **state) {
  (void)state;
  static const char foreign[] =
    ".version 6.0\n.entry k() { ret; }\n//weir\targ\t1\t0\t-\tint*\ta\n//weir\tkernel\tk\n//weir\t\n"
    "//weir\tunknown\t1\t2\t3\t4\t5\n//weir\tkernel";
  struct weir_cl_kernels k;
  assert_false(weir_cl_kernels_read(&k, foreign, sizeof foreign - 1));
  assert_int_equal(k.count, 0);
  weir_cl_kernels_free(&k);
  assert_false(weir_cl_kernels_read(&k, "", 0));
  static const char wild[] = "\n//weir\tkernel\tk\t1\t1\t1\t\n//weir\targ\t99\t-5\tq\tt\tn\n";
  assert_true(weir_cl_kernels_read(&k, wild, sizeof wild - 1));
  assert_int_equal(k.items[0].arg_count, 1);
  assert_int_equal(k.items[0].args[0].kind, WEIR_CL_VALUE);
  assert_int_equal(k.items[0].args[0].access, WEIR_CL_NO_ACCESS);
  weir_cl_kernels_free(&k);
}

static void test_clean(void **state) {
  (void)state;
  static const char given[] =
    ".version 8.5\n"
    ".extern .const .align 4 .b8 __weir_ndrange[16];\n"
    ".extern .shared .align 4 .b8 s[];\n"
    "\tcall.uni (r), \n$L__tmp1:\n\tprintf, (a, b);\n$L__BB0_1:\n"
    "\t.file\t1 \"/folder\" \"name.cl\"\n\t.file\t2 \"/folder\" \"/other/n.h\"\n\t.file 3 \"one\"\n"
    "\t.section\t.debug_abbrev\n\t{\n.b8 1\n\t}\n"
    "\t.section\t.debug_loc\t{\t}\n// end\n";
  static const char expected[] = ".version 8.5\n"
                                 ".const .align 4 .b8 __weir_ndrange[16];\n"
                                 ".extern .shared .align 4 .b8 s[];\n"
                                 "\tcall.uni (r), \n\tprintf, (a, b);\n$L__BB0_1:\n"
                                 "\t.file\t1 \"/folder/name.cl\"\n\t.file\t2 \"/other/n.h\"\n\t.file 3 \"one\"\n"
                                 "// end\n";
  struct weir_cl_text t = {0};
  weir_cl_ptx_clean(&t, given);
  assert_string_equal(t.bytes, expected);
  weir_free(t.bytes);
}

static void test_whole(void **state) {
  (void)state;
  struct weir_cl_text log = {0};
  assert_true(weir_cl_ptx_is_whole("declare float @llvm.sin.f32(float) #1\ndeclare i32 @printf(ptr, ...)\n", &log));
  assert_int_equal(log.count, 0);
  assert_false(weir_cl_ptx_is_whole("define void @k() {\ndeclare !dbg !4 float @missing(float) #1\n", &log));
  assert_non_null(strstr(log.bytes, "'missing'"));
  weir_free(log.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kernels),
    cmocka_unit_test(test_foreign),
    cmocka_unit_test(test_clean),
    cmocka_unit_test(test_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
