// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Images from the host's side: formats, descriptions, copies, fills, mapping (OpenCL 1.2 sections 5.3 and 8.3).
#include "opencl_test.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8}, r8 = {CL_R, CL_UNSIGNED_INT8};
static const size_t origin[3];

static cl_mem image(struct fixture *f, const cl_image_format *format, const cl_image_desc *d, const void *content) {
  cl_int code;
  cl_mem m =
    clCreateImage(f->context, content ? CL_MEM_COPY_HOST_PTR : 0, format, d, (void *)(uintptr_t)content, &code);
  ok(code);
  return m;
}

static cl_mem image_2d(struct fixture *f, const cl_image_format *format, size_t width, size_t height,
                       const void *content) {
  const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
  return image(f, format, &d, content);
}

// Section 5.3.2.1: what full profile has to read and write.
static void required_formats(void **state) {
  struct fixture *f = *state;
  static const cl_channel_type rgba[] = {CL_UNORM_INT8,   CL_UNORM_INT16,   CL_SIGNED_INT8,    CL_SIGNED_INT16,
                                         CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32,
                                         CL_HALF_FLOAT,   CL_FLOAT};
  cl_uint count, found = 0;
  ok(clGetSupportedImageFormats(f->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
  cl_image_format *all = calloc(count, sizeof *all);
  ok(clGetSupportedImageFormats(f->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, count, all, NULL));
  for (cl_uint i = 0; i < count; i++) {
    const cl_image_format *a = &all[i];
    for (unsigned j = 0; j < sizeof rgba / sizeof *rgba; j++)
      found += a->image_channel_order == CL_RGBA && a->image_channel_data_type == rgba[j];
    found += a->image_channel_order == CL_BGRA && a->image_channel_data_type == CL_UNORM_INT8;
    cl_mem m = image_2d(f, a, 3, 2, NULL); // what is listed can be made
    ok(clReleaseMemObject(m));
  }
  assert_int_equal(found, 11);
  free(all);
}

static void descriptions(void **state) {
  struct fixture *f = *state;
  char host[64];
  cl_mem buffer = buffer_of(f, 64, NULL);
  const cl_image_format float16 = {CL_BGRA, CL_FLOAT}, packed = {CL_RGB, CL_UNORM_SHORT_565}, nonsense = {1, 2};
  const struct {
    const cl_image_format *format;
    cl_image_desc desc;
    void *pointer;
    cl_int code;
  } wrong[] = {
    {&float16,
     {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4},
     NULL,
     CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
    {&nonsense,
     {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4},
     NULL,
     CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
    {&packed,
     {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4},
     NULL,
     CL_IMAGE_FORMAT_NOT_SUPPORTED},
    {&rgba8,
     {.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 4, .image_height = 4},
     NULL,
     CL_INVALID_IMAGE_DESCRIPTOR},
    {&rgba8, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 0}, NULL, CL_INVALID_IMAGE_SIZE},
    {&rgba8,
     {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16385, .image_height = 1},
     NULL,
     CL_INVALID_IMAGE_SIZE},
    {&rgba8,
     {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .image_row_pitch = 16},
     NULL,
     CL_INVALID_IMAGE_DESCRIPTOR}, // a pitch of nothing
    {&rgba8,
     {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .image_row_pitch = 12},
     host,
     CL_INVALID_IMAGE_DESCRIPTOR},
    {&rgba8, {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4}, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
    {&rgba8,
     {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 17, .mem_object = buffer},
     NULL,
     CL_INVALID_IMAGE_SIZE},
  };
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cl_int code;
    assert_null(clCreateImage(f->context, wrong[i].pointer ? CL_MEM_COPY_HOST_PTR : 0, wrong[i].format, &wrong[i].desc,
                              wrong[i].pointer, &code));
    assert_int_equal(code, wrong[i].code);
  }
  ok(clReleaseMemObject(buffer));
}

// Rows of host memory are 8 bytes apart, of which the image has 4.
static void pitches(void **state) {
  struct fixture *f = *state;
  const cl_image_desc d = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2, .image_row_pitch = 8};
  cl_mem m = image(f, &r8, &d, "abcd....efgh....");
  const size_t all[] = {4, 2, 1};
  char text[17] = {0};
  ok(clEnqueueReadImage(f->queue, m, CL_TRUE, origin, all, 0, 0, text, 0, NULL, NULL));
  assert_string_equal(text, "abcdefgh");
  memset(text, '-', 16);
  const size_t at[] = {1, 0, 0}, part[] = {2, 2, 1};
  ok(clEnqueueReadImage(f->queue, m, CL_TRUE, at, part, 5, 0, text, 0, NULL, NULL));
  assert_memory_equal(text, "bc---fg-", 8);
  ok(clEnqueueWriteImage(f->queue, m, CL_TRUE, at, part, 3, 0, "BC.FG", 0, NULL, NULL));
  ok(clEnqueueReadImage(f->queue, m, CL_TRUE, origin, all, 0, 0, text, 0, NULL, NULL));
  assert_memory_equal(text, "aBCdeFGh", 8);
  assert_int_equal(clEnqueueReadImage(f->queue, m, CL_TRUE, at, all, 0, 0, text, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(clEnqueueReadImage(f->queue, m, CL_TRUE, at, part, 1, 0, text, 0, NULL, NULL), CL_INVALID_VALUE);
  size_t value;
  ok(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof value, &value, NULL));
  assert_int_equal(value, 4);
  ok(clGetImageInfo(m, CL_IMAGE_HEIGHT, sizeof value, &value, NULL));
  assert_int_equal(value, 2);
  ok(clGetImageInfo(m, CL_IMAGE_DEPTH, sizeof value, &value, NULL));
  assert_int_equal(value, 0);
  ok(clReleaseMemObject(m));
}

// A volume 2 × 2 × 2, layers of two rows, and layers of one row each: the same bytes through different doors.
static void volumes_and_layers(void **state) {
  struct fixture *f = *state;
  const cl_image_desc volume = {
    .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 2, .image_height = 2, .image_depth = 2};
  const cl_image_desc layers = {
    .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 2, .image_height = 2, .image_array_size = 2};
  const cl_image_desc rows = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 2, .image_array_size = 4};
  cl_mem v = image(f, &r8, &volume, "abcdefgh"), l = image(f, &r8, &layers, "........"),
         r = image(f, &r8, &rows, "01234567");
  const size_t second[] = {0, 0, 1}, one_slice[] = {2, 2, 1}, all[] = {2, 2, 2};
  char text[9] = {0};
  ok(clEnqueueCopyImage(f->queue, v, l, origin, second, one_slice, 0, NULL, NULL));
  ok(clEnqueueReadImage(f->queue, l, CL_TRUE, origin, all, 0, 0, text, 0, NULL, NULL));
  assert_string_equal(text, "....abcd");
  const size_t third[] = {0, 2, 0}, one_row[] = {2, 1, 1}, two_rows[] = {2, 2, 1};
  ok(clEnqueueCopyImage(f->queue, v, r, origin, third, one_row, 0, NULL, NULL));
  memset(text, 0, sizeof text);
  ok(clEnqueueReadImage(f->queue, r, CL_TRUE, third, two_rows, 0, 3, text, 0, NULL, NULL)); // layers 3 bytes apart
  assert_memory_equal(text, "ab\00067", 5);
  size_t value;
  ok(clGetImageInfo(r, CL_IMAGE_ARRAY_SIZE, sizeof value, &value, NULL));
  assert_int_equal(value, 4);
  ok(clGetImageInfo(v, CL_IMAGE_SLICE_PITCH, sizeof value, &value, NULL));
  assert_int_equal(value, 4);
  const cl_image_desc apart = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                               .image_width = 2,
                               .image_array_size = 2,
                               .image_row_pitch = 2,
                               .image_slice_pitch = 4};
  cl_mem a = image(f, &r8, &apart, "ab..cd..");
  ok(clEnqueueReadImage(f->queue, a, CL_TRUE, origin, two_rows, 0, 0, text, 0, NULL, NULL));
  assert_memory_equal(text, "abcd", 4);
  ok(clReleaseMemObject(a));
  cl_mem other = image_2d(f, &rgba8, 2, 2, NULL);
  assert_int_equal(clEnqueueCopyImage(f->queue, v, other, origin, origin, one_slice, 0, NULL, NULL),
                   CL_IMAGE_FORMAT_MISMATCH);
  assert_int_equal(clEnqueueCopyImage(f->queue, v, v, origin, origin, one_slice, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  cl_mem objects[] = {v, l, r, other};
  for (unsigned i = 0; i < 4; i++) ok(clReleaseMemObject(objects[i]));
}

static void images_and_buffers(void **state) {
  struct fixture *f = *state;
  cl_mem m = image_2d(f, &r8, 3, 2, "abcdef"), b = buffer_of(f, 8, "........");
  const size_t at[] = {1, 0, 0}, part[] = {2, 2, 1};
  char text[9] = {0};
  ok(clEnqueueCopyImageToBuffer(f->queue, m, b, at, part, 3, 0, NULL, NULL));
  read_back(f, b, 8, text);
  assert_string_equal(text, "...bcef.");
  ok(clEnqueueCopyBufferToImage(f->queue, b, m, 2, origin, part, 0, NULL, NULL)); // ".b", "ce"
  memset(text, 0, sizeof text);
  ok(clEnqueueReadImage(f->queue, m, CL_TRUE, origin, (size_t[]){3, 2, 1}, 0, 0, text, 0, NULL, NULL));
  assert_string_equal(text, ".bccef");
  assert_int_equal(clEnqueueCopyImageToBuffer(f->queue, m, b, at, part, 5, 0, NULL, NULL), CL_INVALID_VALUE);
  ok(clReleaseMemObject(m));
  ok(clReleaseMemObject(b));
}

static void fill_texel(struct fixture *f, cl_channel_order order, cl_channel_type type, const void *color,
                       const void *expected, size_t bytes) {
  const cl_image_format format = {order, type};
  cl_mem m = image_2d(f, &format, 1, 1, NULL);
  const size_t one[] = {1, 1, 1};
  unsigned char texel[16];
  ok(clEnqueueFillImage(f->queue, m, color, origin, one, 0, NULL, NULL));
  ok(clEnqueueReadImage(f->queue, m, CL_TRUE, origin, one, 0, 0, texel, 0, NULL, NULL));
  assert_memory_equal(texel, expected, bytes);
  ok(clReleaseMemObject(m));
}

// Section 8.3.1.1: round(255 x), saturated; halves by IEEE 754 (0.5 = 0x3800, 2 = 0x4000); channels where the order
// says.
static void fills(void **state) {
  struct fixture *f = *state;
  const float color[] = {1.5f, 0.5f, -1, 0.1f}; // 255, 127.5 → 128 (to even), 0, 25.5 → 26 (to even)
  fill_texel(f, CL_RGBA, CL_UNORM_INT8, color, (unsigned char[]){255, 128, 0, 26}, 4);
  fill_texel(f, CL_BGRA, CL_UNORM_INT8, color, (unsigned char[]){0, 128, 255, 26}, 4);
  fill_texel(f, CL_A, CL_UNORM_INT8, color, (unsigned char[]){26}, 1);
  fill_texel(f, CL_RG, CL_SNORM_INT8, (float[]){-2, 0.25f, 0, 0}, (signed char[]){-128, 32}, 2); // 31.75
  fill_texel(f, CL_RG, CL_HALF_FLOAT, (float[]){0.5f, 2, 0, 0}, (uint16_t[]){0x3800, 0x4000}, 4);
  fill_texel(f, CL_RGBA, CL_FLOAT, color, color, 16);
  fill_texel(f, CL_RG, CL_SIGNED_INT8, (cl_int[]){-300, 300, 0, 0}, (signed char[]){-128, 127}, 2);
  fill_texel(f, CL_RG, CL_UNSIGNED_INT16, (cl_uint[]){70000, 7, 0, 0}, (uint16_t[]){65535, 7}, 4);
  fill_texel(f, CL_R, CL_UNSIGNED_INT32, (cl_uint[]){0xfedcba98}, (uint32_t[]){0xfedcba98}, 4);
}

static void mapping(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_mem m = image_2d(f, &r8, 4, 2, "abcdefgh");
  const size_t at[] = {1, 0, 0}, part[] = {2, 2, 1};
  size_t row = 0;
  char *p = clEnqueueMapImage(f->queue, m, CL_TRUE, CL_MAP_WRITE, at, part, &row, NULL, 0, NULL, NULL, &code);
  ok(code);
  assert_int_equal(row, 4);
  assert_true(p[0] == 'b' && p[row + 1] == 'g');
  p[row] = 'F';
  ok(clEnqueueUnmapMemObject(f->queue, m, p, 0, NULL, NULL));
  char text[9] = {0};
  ok(clEnqueueReadImage(f->queue, m, CL_TRUE, origin, (size_t[]){4, 2, 1}, 0, 0, text, 0, NULL, NULL));
  assert_string_equal(text, "abcdeFgh");
  assert_null(clEnqueueMapImage(f->queue, m, CL_TRUE, CL_MAP_READ, at, part, NULL, NULL, 0, NULL, NULL, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
  ok(clReleaseMemObject(m));
  char host[] = "abcd..efgh..";
  const cl_image_desc d = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2, .image_row_pitch = 6};
  m = clCreateImage(f->context, CL_MEM_USE_HOST_PTR, &r8, &d, host, &code);
  ok(code);
  ok(clEnqueueFillImage(f->queue, m, (cl_uint[]){'X', 0, 0, 0}, at, part, 0, NULL, NULL));
  p =
    clEnqueueMapImage(f->queue, m, CL_TRUE, CL_MAP_READ, origin, (size_t[]){4, 2, 1}, &row, NULL, 0, NULL, NULL, &code);
  ok(code);
  assert_ptr_equal(p, host);
  assert_int_equal(row, 6);
  assert_string_equal(host, "aXXd..eXXh..");
  ok(clEnqueueUnmapMemObject(f->queue, m, p, 0, NULL, NULL));
  ok(clReleaseMemObject(m));
}

// The deprecated creators, and an image that is a buffer's bytes.
static void other_creators(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_mem m = clCreateImage2D(f->context, CL_MEM_COPY_HOST_PTR, &r8, 2, 2, 0, (char[]){"abcd"}, &code);
  ok(code);
  ok(clReleaseMemObject(m));
  m = clCreateImage3D(f->context, 0, &r8, 2, 2, 2, 0, 0, NULL, &code);
  ok(code);
  ok(clReleaseMemObject(m));
  assert_null(clCreateImage2D(f->context, 0, &r8, 0, 2, 0, NULL, &code));
  assert_int_equal(code, CL_INVALID_IMAGE_SIZE);
  cl_mem b = buffer_of(f, 8, "abcdefgh");
  m = image(f, &r8, &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 6, .mem_object = b},
            NULL);
  cl_mem of;
  ok(clGetImageInfo(m, CL_IMAGE_BUFFER, sizeof of, &of, NULL));
  assert_ptr_equal(of, b);
  ok(clEnqueueWriteImage(f->queue, m, CL_TRUE, (size_t[]){4, 0, 0}, (size_t[]){2, 1, 1}, 0, 0, "XY", 0, NULL, NULL));
  char text[9] = {0};
  read_back(f, b, 8, text);
  assert_string_equal(text, "abcdXYgh");
  ok(clReleaseMemObject(b));
  ok(clReleaseMemObject(m));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(required_formats),
    cmocka_unit_test(descriptions),
    cmocka_unit_test(pitches),
    cmocka_unit_test(volumes_and_layers),
    cmocka_unit_test(images_and_buffers),
    cmocka_unit_test(fills),
    cmocka_unit_test(mapping),
    cmocka_unit_test(other_creators),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
