// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs from source: build logs, options, separate compilation, what kernels say of their arguments, images and
// samplers as arguments (OpenCL 1.2 sections 5.6 and 5.7). Skipped where no compiler is there.
#include "opencl_test.h"

static cl_program source_of(struct fixture *f, const char *text) {
  cl_int code;
  cl_program p = clCreateProgramWithSource(f->context, 1, &text, NULL, &code);
  ok(code);
  return p;
}

static cl_kernel kernel_of(cl_program p, const char *name) {
  cl_int code;
  cl_kernel k = clCreateKernel(p, name, &code);
  ok(code);
  return k;
}

// Runs `k` with one buffer argument, by one work-item, and gives the word that it wrote.
static cl_uint answer_of(struct fixture *f, cl_kernel k) {
  cl_uint word = 0;
  cl_mem m = buffer_of(f, sizeof word, &word);
  ok(clSetKernelArg(k, 0, sizeof m, &m));
  ok(clEnqueueTask(f->queue, k, 0, NULL, NULL));
  read_back(f, m, sizeof word, &word);
  ok(clReleaseMemObject(m));
  return word;
}

static void CL_CALLBACK built(cl_program p, void *user_data) {
  *(cl_program *)user_data = p;
}

static void options_and_callback(void **state) {
  struct fixture *f = *state;
  const char *parts[] = {"kernel void answer(global uint *out) { *out = ", "ANSWER; }garbage"};
  const size_t lengths[] = {0, 9}; // to its end; without the garbage
  cl_int code;
  cl_program p = clCreateProgramWithSource(f->context, 2, parts, lengths, &code), seen = NULL;
  ok(code);
  ok(clBuildProgram(p, 1, &f->device, "-D ANSWER=42", built, &seen));
  assert_ptr_equal(seen, p);
  char text[64];
  ok(clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
  assert_string_equal(text, "-D ANSWER=42");
  ok(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
  assert_string_equal(text, "kernel void answer(global uint *out) { *out = ANSWER; }");
  cl_kernel k = kernel_of(p, "answer");
  assert_int_equal(answer_of(f, k), 42);
  ok(clReleaseKernel(k));
  ok(clBuildProgram(p, 1, &f->device, "-D ANSWER=43", NULL, NULL)); // anew, no kernel being attached
  k = kernel_of(p, "answer");
  assert_int_equal(answer_of(f, k), 43);
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
}

static void failures(void **state) {
  struct fixture *f = *state;
  cl_program p = source_of(f, "kernel void k(global int *a) {\n  *a = undeclared_name;\n}\n");
  assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  char log[4096];
  cl_build_status status;
  ok(clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  assert_non_null(strstr(log, "undeclared_name"));
  ok(clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_BUILD_ERROR);
  cl_int code;
  assert_null(clCreateKernel(p, "k", &code));
  assert_int_equal(code, CL_INVALID_PROGRAM_EXECUTABLE);
  size_t count;
  assert_int_equal(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL),
                   CL_INVALID_PROGRAM_EXECUTABLE);
  assert_int_equal(clBuildProgram(p, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  assert_int_equal(clBuildProgram(p, 0, &f->device, NULL, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, &code), CL_INVALID_VALUE);
  ok(clReleaseProgram(p));
}

// The answer is in a header that is a program, the function in a library, the kernel in an object.
static void separate_compilation(void **state) {
  struct fixture *f = *state;
  cl_program header = source_of(f, "#define ANSWER 44\nuint answer(void);\n");
  cl_program function = source_of(f, "#include \"answer.h\"\nuint answer(void) { return ANSWER; }\n");
  cl_program kernel = source_of(f, "#include \"answer.h\"\nkernel void get(global uint *out) { *out = answer(); }\n");
  const char *name = "answer.h";
  ok(clCompileProgram(function, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
  ok(clCompileProgram(kernel, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
  cl_program_binary_type type;
  ok(clGetProgramBuildInfo(kernel, f->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  cl_int code;
  cl_program library = clLinkProgram(f->context, 0, NULL, "-create-library", 1, &function, NULL, NULL, &code);
  ok(code);
  ok(clGetProgramBuildInfo(library, f->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
  cl_program p = clLinkProgram(f->context, 0, NULL, NULL, 2, (cl_program[]){kernel, library}, NULL, NULL, &code);
  ok(code);
  cl_kernel k = kernel_of(p, "get");
  assert_int_equal(answer_of(f, k), 44);
  ok(clReleaseKernel(k));
  assert_null(clLinkProgram(f->context, 0, NULL, NULL, 1, &p, NULL, NULL, &code)); // an executable
  assert_int_equal(code, CL_INVALID_OPERATION);
  cl_program failed = clLinkProgram(f->context, 0, NULL, NULL, 1, &kernel, NULL, NULL, &code);
  assert_int_equal(code, CL_LINK_PROGRAM_FAILURE); // without the function
  if (failed) ok(clReleaseProgram(failed));
  cl_program all[] = {header, function, kernel, library, p};
  for (unsigned i = 0; i < 5; i++) ok(clReleaseProgram(all[i]));
}

static void expect_arg(cl_kernel k, cl_uint i, const char *name, const char *type, cl_uint address, cl_uint access) {
  char text[32];
  cl_uint value;
  ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
  assert_string_equal(text, name);
  ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
  assert_string_equal(text, type);
  ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof value, &value, NULL));
  assert_int_equal(value, address);
  ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof value, &value, NULL));
  assert_int_equal(value, access);
}

static const char described[] = "kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
                                "void k(global const float4 *restrict a, local int *b, constant uint *c, short d,\n"
                                "       write_only image2d_t e, sampler_t s) {\n"
                                "  write_imagef(e, (int2)(0, 0), a[get_global_id(0)] + b[0] + c[0] + d); }\n";

// What is known of arguments comes back with the binary.
static void arguments_describe_themselves(void **state) {
  struct fixture *f = *state;
  cl_program p = source_of(f, described);
  ok(clBuildProgram(p, 0, NULL, "-cl-kernel-arg-info", NULL, NULL));
  size_t size;
  ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *binary = malloc(size);
  ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  ok(clReleaseProgram(p));
  p = clCreateProgramWithBinary(f->context, 1, &f->device, &size, (const unsigned char **)&binary, NULL, NULL);
  ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
  free(binary);
  cl_kernel k = kernel_of(p, "k");
  expect_arg(k, 0, "a", "float4*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE);
  expect_arg(k, 1, "b", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE);
  expect_arg(k, 2, "c", "uint*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ACCESS_NONE);
  expect_arg(k, 3, "d", "short", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE);
  expect_arg(k, 4, "e", "image2d_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
  expect_arg(k, 5, "s", "sampler_t", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE);
  cl_kernel_arg_type_qualifier type;
  ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL));
  assert_int_equal(type, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
  size_t required[3];
  ok(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  assert_true(required[0] == 4 && required[1] == 2 && required[2] == 1);
  cl_mem buffer = buffer_of(f, 4, NULL);
  const cl_image_format format = {CL_R, CL_FLOAT};
  const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
  cl_mem read_only = clCreateImage(f->context, CL_MEM_READ_ONLY, &format, &d, NULL, NULL);
  assert_int_equal(clSetKernelArg(k, 4, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
  assert_int_equal(clSetKernelArg(k, 4, sizeof read_only, &read_only), CL_INVALID_ARG_VALUE);
  assert_int_equal(clSetKernelArg(k, 0, sizeof read_only, &read_only), CL_INVALID_MEM_OBJECT);
  assert_int_equal(clSetKernelArg(k, 0, sizeof f, &f), CL_INVALID_MEM_OBJECT); // no handle at all
  assert_int_equal(clSetKernelArg(k, 5, sizeof buffer, &buffer), CL_INVALID_SAMPLER);
  assert_int_equal(clSetKernelArg(k, 3, 4, &d), CL_INVALID_ARG_SIZE);
  ok(clReleaseMemObject(buffer));
  ok(clReleaseMemObject(read_only));
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
}

// One fetch through each of two samplers: linear filtering half-way between texels 0 and 1 of (10, 20, 30, 40) gives
// 15; the nearest to 1.25, wrapped to 0.25 · 4 = 1, is texel 1.
static void images_and_samplers(void **state) {
  struct fixture *f = *state;
  cl_program p = source_of(f,
                           "kernel void k(read_only image2d_t in, sampler_t s, float x, write_only image2d_t out) {\n"
                           "  write_imagef(out, (int2)(0, 0), read_imagef(in, s, (float2)(x, 0.5f)).wzyx); }\n");
  ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
  cl_kernel k = kernel_of(p, "k");
  const cl_image_format one = {CL_INTENSITY, CL_FLOAT}, bgra = {CL_BGRA, CL_UNORM_INT8};
  const cl_image_desc row = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 1},
                      texel = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
  float content[] = {10 / 255.f, 20 / 255.f, 30 / 255.f, 40 / 255.f};
  cl_int code;
  cl_mem in = clCreateImage(f->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &one, &row, content, &code);
  ok(code);
  cl_mem out = clCreateImage(f->context, CL_MEM_WRITE_ONLY, &bgra, &texel, NULL, &code);
  ok(code);
  cl_sampler linear = clCreateSampler(f->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &code),
             nearest = clCreateSampler(f->context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &code);
  ok(clSetKernelArg(k, 0, sizeof in, &in));
  ok(clSetKernelArg(k, 3, sizeof out, &out));
  const size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
  unsigned char bytes[4];
  ok(clSetKernelArg(k, 1, sizeof linear, &linear));
  ok(clSetKernelArg(k, 2, sizeof(float), &(float){1}));
  ok(clEnqueueTask(f->queue, k, 0, NULL, NULL));
  ok(clEnqueueReadImage(f->queue, out, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
  for (unsigned i = 0; i < 4; i++) assert_int_equal(bytes[i], 15);
  ok(clSetKernelArg(k, 1, sizeof nearest, &nearest));
  ok(clSetKernelArg(k, 2, sizeof(float), &(float){1.375f}));
  ok(clEnqueueTask(f->queue, k, 0, NULL, NULL));
  ok(clEnqueueReadImage(f->queue, out, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
  for (unsigned i = 0; i < 4; i++) assert_int_equal(bytes[i], 20);
  ok(clReleaseSampler(linear));
  ok(clReleaseSampler(nearest));
  ok(clReleaseMemObject(in));
  ok(clReleaseMemObject(out));
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
}

// Filling what is created as BGRA, A or LUMINANCE and what device code reads there agree: an image's channels are the
// same from both sides.
static void channel_orders(void **state) {
  struct fixture *f = *state;
  cl_program p = source_of(f,
                           "kernel void k(read_only image2d_t in, global float4 *out) {\n"
                           "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;\n"
                           "  *out = read_imagef(in, s, (int2)(0, 0)); }\n");
  ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
  cl_kernel k = kernel_of(p, "k");
  static const struct {
    cl_channel_order order;
    float seen[4];
  } cases[] = {
    // of (0.25, 0.5, 0.75, 0.125) (table 5.6 and section 6.12.14.7)
    {CL_RGBA, {0.25f, 0.5f, 0.75f, 0.125f}},
    {CL_R, {0.25f, 0, 0, 1}},
    {CL_RG, {0.25f, 0.5f, 0, 1}},
    {CL_A, {0, 0, 0, 0.125f}},
    {CL_INTENSITY, {0.25f, 0.25f, 0.25f, 0.25f}},
    {CL_LUMINANCE, {0.25f, 0.25f, 0.25f, 1}},
  };
  const float color[] = {0.25f, 0.5f, 0.75f, 0.125f};
  cl_mem out = buffer_of(f, 16, NULL);
  ok(clSetKernelArg(k, 1, sizeof out, &out));
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cl_image_format format = {cases[i].order, CL_FLOAT};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    cl_mem in = clCreateImage(f->context, 0, &format, &d, NULL, NULL);
    const size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    ok(clEnqueueFillImage(f->queue, in, color, origin, region, 0, NULL, NULL));
    ok(clSetKernelArg(k, 0, sizeof in, &in));
    ok(clEnqueueTask(f->queue, k, 0, NULL, NULL));
    float seen[4];
    read_back(f, out, sizeof seen, seen);
    assert_memory_equal(seen, cases[i].seen, sizeof seen);
    ok(clReleaseMemObject(in));
  }
  ok(clReleaseMemObject(out));
  ok(clReleaseKernel(k));
  ok(clReleaseProgram(p));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(options_and_callback), cmocka_unit_test(failures),
    cmocka_unit_test(separate_compilation), cmocka_unit_test(arguments_describe_themselves),
    cmocka_unit_test(images_and_samplers),  cmocka_unit_test(channel_orders),
  };
  void *state;
  cl_bool there;
  set_up(&state);
  struct fixture *f = state;
  ok(clGetDeviceInfo(f->device, CL_DEVICE_COMPILER_AVAILABLE, sizeof there, &there, NULL));
  tear_down(&state);
  return there ? cmocka_run_group_tests(tests, set_up, tear_down) : 77;
}
