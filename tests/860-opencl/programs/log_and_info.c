// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that cannot be built and what their log says; build options with quotes; what is known of kernels'
// arguments; two programs with kernels of the same name in one context; a program taken in again from its binary;
// compiled apart and linked.
#include "program.h"

static cl_program create(const char *source) {
  cl_int code;
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  OK(code);
  return p;
}

static const char *log_of(cl_program p) {
  static char log[16384];
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  return log;
}

static cl_build_status status_of(cl_program p) {
  cl_build_status status;
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  return status;
}

static int value_of(cl_program p) {
  cl_int value = 0;
  cl_kernel k = kernel_of(p, "value");
  cl_mem m = buffer(CL_MEM_WRITE_ONLY, sizeof value, NULL);
  const size_t one = 1;
  ARG(k, 0, m);
  run(k, 1, NULL, &one, &one);
  read_back(m, &value, sizeof value);
  OK(clReleaseMemObject(m));
  OK(clReleaseKernel(k));
  return value;
}

static void errors(void) {
  cl_int code;
  cl_program p = create("kernel void k(global int *a) {\n  a[0] = undeclared_name;\n}\n");
  code = clBuildProgram(p, 1, &device, "", NULL, NULL);
  CHECK(code == CL_BUILD_PROGRAM_FAILURE && status_of(p) == CL_BUILD_ERROR, "%d", code);
  CHECK(strstr(log_of(p), ":2:") && strstr(log_of(p), "undeclared_name"), "log: %s", log_of(p));
  clCreateKernel(p, "k", &code);
  CHECK(code == CL_INVALID_PROGRAM_EXECUTABLE, "%d", code);
  p = create("int missing(int);\nkernel void k(global int *a) { a[0] = missing(a[1]); }\n");
  code = clBuildProgram(p, 1, &device, NULL, NULL, NULL);
  CHECK(code == CL_BUILD_PROGRAM_FAILURE && strstr(log_of(p), "missing"), "%d, log: %s", code, log_of(p));
  p = create("kernel void k(global int *a) { a[0] = 1; }\n");
  code = clBuildProgram(p, 1, &device, "-cl-no-such-option", NULL, NULL);
  CHECK(code == CL_INVALID_BUILD_OPTIONS, "%d", code);
  p = create("#warning look here\nkernel void value(global int *a) { a[0] = 5; }\n");
  OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
  CHECK(status_of(p) == CL_BUILD_SUCCESS && strstr(log_of(p), "look here"), "log: %s", log_of(p));
  code = clBuildProgram(create("#warning look here\n"), 1, &device, "-Werror", NULL, NULL);
  CHECK(code == CL_BUILD_PROGRAM_FAILURE, "%d", code);
}

static void options(void) {
  static const char source[] = "constant char text[] = TEXT;\n"
                               "kernel void value(global int *a) { a[0] = A * 1000 + B + sizeof(text) * 10; }\n";
  static const char given[] = "-DA=7 -D B -cl-mad-enable -D TEXT=\"\\\"two words\\\"\" -w -cl-std=CL1.1";
  cl_program p = create(source);
  OK(clBuildProgram(p, 1, &device, given, NULL, NULL));
  CHECK(value_of(p) == 7 * 1000 + 1 + 10 * 10, "%d", value_of(p));
  char back[256];
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_OPTIONS, sizeof back, back, NULL));
  CHECK(!strcmp(back, given), "%s", back);
}

static void expect_arg(cl_kernel k, cl_uint i, const char *type, const char *name,
                       cl_kernel_arg_address_qualifier space, cl_kernel_arg_access_qualifier access,
                       cl_kernel_arg_type_qualifier qualifiers) {
  char t[64], n[64];
  cl_kernel_arg_address_qualifier s;
  cl_kernel_arg_access_qualifier a;
  cl_kernel_arg_type_qualifier q;
  OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof t, t, NULL));
  OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof n, n, NULL));
  OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof s, &s, NULL));
  OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof a, &a, NULL));
  OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof q, &q, NULL));
  CHECK(!strcmp(t, type) && !strcmp(n, name), "argument %u: %s %s, not %s %s", i, t, n, type, name);
  CHECK(s == space && a == access && q == qualifiers, "argument %u: %#x %#x %#llx", i, s, a, (unsigned long long)q);
}

static void arguments(void) {
  cl_program p =
    create("typedef struct { int a; } box;\n"
           "kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
           "void k(global const float4 *restrict in, constant uint *table, local volatile short *l,\n"
           "       read_only image2d_t picture, write_only image1d_t line, sampler_t s, box b, double d) {}\n");
  OK(clBuildProgram(p, 1, &device, "-cl-kernel-arg-info", NULL, NULL));
  cl_kernel k = kernel_of(p, "k");
  cl_uint count;
  OK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
  CHECK(count == 8, "%u", count);
  const cl_kernel_arg_access_qualifier none = CL_KERNEL_ARG_ACCESS_NONE;
  const cl_kernel_arg_address_qualifier own = CL_KERNEL_ARG_ADDRESS_PRIVATE, global = CL_KERNEL_ARG_ADDRESS_GLOBAL;
  expect_arg(k, 0, "float4*", "in", global, none, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
  expect_arg(k, 1, "uint*", "table", CL_KERNEL_ARG_ADDRESS_CONSTANT, none, CL_KERNEL_ARG_TYPE_CONST);
  expect_arg(k, 2, "short*", "l", CL_KERNEL_ARG_ADDRESS_LOCAL, none, CL_KERNEL_ARG_TYPE_VOLATILE);
  expect_arg(k, 3, "image2d_t", "picture", global, CL_KERNEL_ARG_ACCESS_READ_ONLY, 0);
  expect_arg(k, 4, "image1d_t", "line", global, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, 0);
  expect_arg(k, 5, "sampler_t", "s", own, none, 0);
  expect_arg(k, 6, "box", "b", own, none, 0);
  expect_arg(k, 7, "double", "d", own, none, 0);
}

static void several(void) {
  cl_program two = build("kernel void value(global int *a) { a[0] = 2; }\n", NULL);
  cl_program three = build("constant int c = 3;\nkernel void value(global int *a) { a[0] = c; }\n"
                           "kernel void other(void) {}\n",
                           NULL);
  CHECK(value_of(two) == 2 && value_of(three) == 3 && value_of(two) == 2, "programs are mixed up");
  size_t size;
  cl_int code, binary_status;
  OK(clGetProgramInfo(three, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *binary = malloc(size);
  OK(clGetProgramInfo(three, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  cl_program again =
    clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &binary_status, &code);
  OK(code);
  OK(binary_status);
  OK(clBuildProgram(again, 1, &device, NULL, NULL, NULL));
  CHECK(value_of(again) == 3, "%d", value_of(again));
  free(binary);
}

static void linked(void) {
  const char *name = "deep/part.h";
  cl_int code;
  cl_program header = create("int part(int x);\n#define SCALE 10\n");
  cl_program a = create("#include \"deep/part.h\"\nkernel void value(global int *a) { a[0] = part(4) * SCALE; }\n");
  cl_program b = create("#include <deep/part.h>\nint part(int x) { return x + EXTRA; }\n");
  OK(clCompileProgram(a, 1, &device, NULL, 1, &header, &name, NULL, NULL));
  OK(clCompileProgram(b, 1, &device, "-DEXTRA=2", 1, &header, &name, NULL, NULL));
  cl_program whole = clLinkProgram(context, 1, &device, "", 2, (cl_program[]){a, b}, NULL, NULL, &code);
  OK(code);
  CHECK(value_of(whole) == 60, "%d", value_of(whole));
  cl_program library = clLinkProgram(context, 1, &device, "-create-library", 1, &b, NULL, NULL, &code);
  OK(code);
  whole = clLinkProgram(context, 1, &device, NULL, 2, (cl_program[]){a, library}, NULL, NULL, &code);
  OK(code);
  CHECK(value_of(whole) == 60, "%d", value_of(whole));
  clLinkProgram(context, 1, &device, NULL, 1, &a, NULL, NULL, &code);
  CHECK(code == CL_LINK_PROGRAM_FAILURE, "%d", code);
}

int main(void) {
  open_device();
  errors();
  options();
  arguments();
  several();
  linked();
  close_device();
  puts("PASSED");
}
