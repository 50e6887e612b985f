// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Buffers: creation, sub-buffers, copies, boxes, fills, mapping (OpenCL 1.2 sections 5.2 and 5.4).
#include "opencl_test.h"

static void creation(void **state) {
  struct fixture *f = *state;
  cl_int code;
  char host[16] = "fifteen letters";
  const struct {
    cl_mem_flags flags;
    size_t size;
    void *pointer;
    cl_int code;
  } wrong[] = {
    {0, 0, NULL, CL_INVALID_BUFFER_SIZE},
    {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, CL_INVALID_VALUE},
    {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 16, NULL, CL_INVALID_VALUE},
    {CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, host, CL_INVALID_VALUE},
    {(cl_mem_flags)1 << 40, 16, NULL, CL_INVALID_VALUE},
    {CL_MEM_COPY_HOST_PTR, 16, NULL, CL_INVALID_HOST_PTR},
    {0, 16, host, CL_INVALID_HOST_PTR},
  };
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_null(clCreateBuffer(f->context, wrong[i].flags, wrong[i].size, wrong[i].pointer, &code));
    assert_int_equal(code, wrong[i].code);
  }
  cl_mem m = clCreateBuffer(f->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof host, host, &code);
  ok(code);
  memset(host, 0, sizeof host);
  read_back(f, m, sizeof host, host);
  assert_string_equal(host, "fifteen letters");
  size_t size;
  ok(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL));
  assert_int_equal(size, 16);
  ok(clReleaseMemObject(m));
}

// The device has 64 MiB here (CMakeLists.txt), less than the 128 that one allocation may at least have.
static void memory_ends(void **state) {
  struct fixture *f = *state;
  cl_ulong all, most;
  ok(clGetDeviceInfo(f->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
  ok(clGetDeviceInfo(f->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
  assert_int_equal(all, 64 << 20);
  assert_int_equal(most, all);
  cl_int code;
  assert_null(clCreateBuffer(f->context, 0, all + 1, NULL, &code));
  assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
  cl_mem half = buffer_of(f, all / 2, NULL), other = buffer_of(f, all / 2, NULL);
  assert_null(clCreateBuffer(f->context, 0, 1, NULL, &code));
  assert_int_equal(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  ok(clReleaseMemObject(half));
  half = buffer_of(f, 1, NULL);
  ok(clReleaseMemObject(half));
  ok(clReleaseMemObject(other));
}

static void ranges(void **state) {
  struct fixture *f = *state;
  cl_mem a = buffer_of(f, 8, "abcdefgh"), b = buffer_of(f, 8, "01234567");
  char text[9] = {0};
  ok(clEnqueueWriteBuffer(f->queue, a, CL_FALSE, 2, 3, "XYZ", 0, NULL, NULL));
  ok(clEnqueueCopyBuffer(f->queue, a, b, 1, 5, 3, 0, NULL, NULL));
  read_back(f, b, 8, text);
  assert_string_equal(text, "01234bXY");
  ok(clEnqueueCopyBuffer(f->queue, a, a, 0, 4, 4, 0, NULL, NULL));
  read_back(f, a, 8, text);
  assert_string_equal(text, "abXYabXY");
  assert_int_equal(clEnqueueCopyBuffer(f->queue, a, a, 0, 3, 4, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  assert_int_equal(clEnqueueReadBuffer(f->queue, a, CL_TRUE, 6, 3, text, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(clEnqueueReadBuffer(f->queue, a, CL_TRUE, SIZE_MAX, 2, text, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(clEnqueueReadBuffer(f->queue, a, CL_TRUE, 0, 8, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(clEnqueueWriteBuffer(f->queue, (cl_mem)f->queue, CL_TRUE, 0, 1, "", 0, NULL, NULL),
                   CL_INVALID_MEM_OBJECT);
  ok(clReleaseMemObject(a));
  ok(clReleaseMemObject(b));
}

static void host_access_flags(void **state) {
  struct fixture *f = *state;
  cl_int code;
  char byte = 0;
  cl_mem m = clCreateBuffer(f->context, CL_MEM_HOST_WRITE_ONLY, 4, NULL, &code);
  ok(clEnqueueWriteBuffer(f->queue, m, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
  assert_int_equal(clEnqueueReadBuffer(f->queue, m, CL_TRUE, 0, 1, &byte, 0, NULL, NULL), CL_INVALID_OPERATION);
  assert_null(clEnqueueMapBuffer(f->queue, m, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, &code));
  assert_int_equal(code, CL_INVALID_OPERATION);
  ok(clReleaseMemObject(m));
}

static void fills(void **state) {
  struct fixture *f = *state;
  cl_mem m = buffer_of(f, 12, "............");
  char text[13] = {0};
  ok(clEnqueueFillBuffer(f->queue, m, "ab", 2, 4, 6, 0, NULL, NULL));
  read_back(f, m, 12, text);
  assert_string_equal(text, "....ababab..");
  assert_int_equal(clEnqueueFillBuffer(f->queue, m, "abc", 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(clEnqueueFillBuffer(f->queue, m, "ab", 2, 1, 4, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(clEnqueueFillBuffer(f->queue, m, "ab", 2, 4, 10, 0, NULL, NULL), CL_INVALID_VALUE);
  ok(clReleaseMemObject(m));
}

// A 2 × 2 × 2 box out of host memory 4 wide and 3 high goes to (1, 1, 0) of a buffer 5 wide and 4 high:
//   host slice 0: abcd efgh ijkl, slice 1: mnop qrst uvwx; its box at (1, 0, 0): bc fg, no rt
static void boxes(void **state) {
  struct fixture *f = *state;
  char zero[41];
  memset(zero, '.', 40);
  zero[40] = 0;
  cl_mem m = buffer_of(f, 40, zero), n = buffer_of(f, 40, zero);
  const size_t from[] = {1, 0, 0}, to[] = {1, 1, 0}, region[] = {2, 2, 2}, origin[] = {0, 0, 0};
  ok(clEnqueueWriteBufferRect(f->queue, m, CL_TRUE, to, from, region, 5, 20, 4, 12, "abcdefghijklmnopqrstuvwx", 0, NULL,
                              NULL));
  char text[41] = {0};
  read_back(f, m, 40, text);
  assert_string_equal(text,
                      "......bc...fg......."
                      "......no...rs.......");
  ok(clEnqueueCopyBufferRect(f->queue, m, n, to, origin, region, 5, 20, 5, 20, 0, NULL, NULL));
  read_back(f, n, 40, text);
  assert_string_equal(text,
                      "bc...fg............."
                      "no...rs.............");
  char box[9] = {0};
  ok(clEnqueueReadBufferRect(f->queue, n, CL_TRUE, origin, origin, region, 5, 20, 0, 0, box, 0, NULL, NULL));
  assert_string_equal(box, "bcfgnors");
  const size_t far[] = {4, 0, 0}, overlapping[] = {2, 2, 0}, beside[] = {3, 1, 0};
  assert_int_equal(
    clEnqueueReadBufferRect(f->queue, n, CL_TRUE, origin, origin, region, 1, 20, 0, 0, box, 0, NULL, NULL),
    CL_INVALID_VALUE);
  assert_int_equal(
    clEnqueueReadBufferRect(f->queue, n, CL_TRUE, origin, origin, region, 5, 7, 0, 0, box, 0, NULL, NULL),
    CL_INVALID_VALUE);
  assert_int_equal(
    clEnqueueReadBufferRect(f->queue, n, CL_TRUE, origin, origin, region, 5, 12, 0, 0, box, 0, NULL, NULL),
    CL_INVALID_VALUE);
  const size_t all[] = {5, 4, 2}, huge[] = {SIZE_MAX / 2, SIZE_MAX / 2, 2};
  assert_int_equal(clEnqueueReadBufferRect(f->queue, n, CL_TRUE, far, origin, all, 5, 20, 0, 0, text, 0, NULL, NULL),
                   CL_INVALID_VALUE);
  assert_int_equal(clEnqueueReadBufferRect(f->queue, n, CL_TRUE, origin, origin, huge, 0, 0, 0, 0, box, 0, NULL, NULL),
                   CL_INVALID_VALUE);
  assert_int_equal(clEnqueueCopyBufferRect(f->queue, m, m, to, overlapping, region, 5, 20, 5, 20, 0, NULL, NULL),
                   CL_MEM_COPY_OVERLAP);
  ok(clEnqueueCopyBufferRect(f->queue, m, m, to, beside, region, 5, 20, 5, 20, 0, NULL, NULL));
  read_back(f, m, 40, text);
  assert_string_equal(text,
                      "......bcbc.fgfg....."
                      "......nono.rsrs.....");
  ok(clReleaseMemObject(m));
  ok(clReleaseMemObject(n));
}

static void sub_buffers(void **state) {
  struct fixture *f = *state;
  cl_int code;
  char content[512];
  for (unsigned i = 0; i < sizeof content; i++) content[i] = (char)('a' + i / 128);
  cl_mem m = buffer_of(f, sizeof content, content);
  const cl_buffer_region second = {128, 128}, odd = {64, 128}, past = {384, 256}, none = {128, 0};
  cl_mem s = clCreateSubBuffer(m, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &second, &code);
  ok(code);
  cl_mem parent;
  size_t offset;
  ok(clGetMemObjectInfo(s, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
  ok(clGetMemObjectInfo(s, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
  assert_ptr_equal(parent, m);
  assert_int_equal(offset, 128);
  ok(clReleaseMemObject(m)); // held by its part
  ok(clEnqueueFillBuffer(f->queue, s, "Z", 1, 0, 1, 0, NULL, NULL));
  char two[2];
  read_back(f, s, 2, two);
  assert_memory_equal(two, "Zb", 2);
  assert_null(clCreateSubBuffer(s, 0, CL_BUFFER_CREATE_TYPE_REGION, &second, &code));
  assert_int_equal(code, CL_INVALID_MEM_OBJECT);
  assert_null(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &code));
  assert_int_equal(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  assert_null(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &past, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
  assert_null(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &none, &code));
  assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
  ok(clReleaseMemObject(s));
}

static void mapping(void **state) {
  struct fixture *f = *state;
  cl_int code;
  cl_mem m = buffer_of(f, 8, "abcdefgh");
  char *p = clEnqueueMapBuffer(f->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 2, 4, 0, NULL, NULL, &code);
  ok(code);
  assert_memory_equal(p, "cdef", 4);
  p[0] = 'C';
  cl_uint count;
  ok(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 1);
  ok(clEnqueueUnmapMemObject(f->queue, m, p, 0, NULL, NULL));
  assert_int_equal(clEnqueueUnmapMemObject(f->queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
  char text[9] = {0};
  read_back(f, m, 8, text);
  assert_string_equal(text, "abCdefgh");
  assert_null(clEnqueueMapBuffer(f->queue, m, CL_TRUE, CL_MAP_READ, 6, 4, 0, NULL, NULL, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
  assert_null(
    clEnqueueMapBuffer(f->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL, NULL, &code));
  assert_int_equal(code, CL_INVALID_VALUE);
  ok(clReleaseMemObject(m));
}

// What is mapped of a buffer in host memory is that memory, brought up to date.
static void host_memory(void **state) {
  struct fixture *f = *state;
  cl_int code;
  char host[] = "abcdefgh";
  cl_mem m = clCreateBuffer(f->context, CL_MEM_USE_HOST_PTR, 8, host, &code);
  ok(code);
  ok(clEnqueueWriteBuffer(f->queue, m, CL_TRUE, 4, 2, "XY", 0, NULL, NULL));
  char *p = clEnqueueMapBuffer(f->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4, 4, 0, NULL, NULL, &code);
  ok(code);
  assert_ptr_equal(p, host + 4);
  assert_string_equal(host, "abcdXYgh");
  host[7] = 'H';
  ok(clEnqueueUnmapMemObject(f->queue, m, p, 0, NULL, NULL));
  char text[9] = {0};
  read_back(f, m, 8, text);
  assert_string_equal(text, "abcdXYgH");
  void *pointer;
  ok(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
  assert_ptr_equal(pointer, host);
  ok(clReleaseMemObject(m));
}

static void CL_CALLBACK note(cl_mem m, void *data) {
  (void)m;
  char *text = ((char **)data)[0];
  text[strlen(text)] = ((char **)data)[1][0];
}

// Last registered, first called; not before the last reference is gone.
static void destructors(void **state) {
  struct fixture *f = *state;
  char text[4] = {0};
  char *first[] = {text, (char[]){"1"}}, *second[] = {text, (char[]){"2"}};
  cl_mem m = buffer_of(f, 4, NULL);
  ok(clSetMemObjectDestructorCallback(m, note, first));
  ok(clSetMemObjectDestructorCallback(m, note, second));
  ok(clRetainMemObject(m));
  ok(clReleaseMemObject(m));
  assert_string_equal(text, "");
  ok(clReleaseMemObject(m));
  assert_string_equal(text, "21");
}

static void migration(void **state) {
  struct fixture *f = *state;
  cl_mem m = buffer_of(f, 4, NULL);
  ok(clEnqueueMigrateMemObjects(f->queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
  assert_int_equal(clEnqueueMigrateMemObjects(f->queue, 0, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  ok(clReleaseMemObject(m));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(creation),          cmocka_unit_test(memory_ends), cmocka_unit_test(ranges),
    cmocka_unit_test(host_access_flags), cmocka_unit_test(fills),       cmocka_unit_test(boxes),
    cmocka_unit_test(sub_buffers),       cmocka_unit_test(mapping),     cmocka_unit_test(host_memory),
    cmocka_unit_test(destructors),       cmocka_unit_test(migration),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
