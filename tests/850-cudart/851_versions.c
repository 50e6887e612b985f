// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What differs between the three libraries: each is loaded into a process of its own, as a program of its CUDA version
// would have it.
#include "cudart/cuda.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void *library;
static int failures;

#define CHECK(condition)                                                                                               \
  ((condition) ? (void)0 : (void)(failures++, printf("line %d: not true: %s\n", __LINE__, #condition)))

// A function of the library, by name; its type is that of the program's CUDA version.
#define CALL(name, type)                                                                                               \
  (((union {                                                                                                           \
     void *object;                                                                                                     \
     cudaError_t(*call) type;                                                                                          \
   }){dlsym(library, name)})                                                                                           \
     .call)

static void check_version(int version) {
  int got = 0;
  CHECK(CALL("cudaRuntimeGetVersion", (int *))(&got) == cudaSuccess);
  CHECK(got / 1000 == version);
  CHECK(CALL("cudaDriverGetVersion", (int *))(&got) == cudaSuccess);
  CHECK(got / 1000 >= version); // a driver is never older than its runtime
}

// Before 13 the struct ended with the pointers: what comes after belongs to the program.
static void check_pointer(int version, void *managed) {
  struct cudaPointerAttributes a;
  memset(&a, 0x55, sizeof a);
  CHECK(CALL("cudaPointerGetAttributes", (struct cudaPointerAttributes *, const void *))(&a, managed) == cudaSuccess);
  CHECK(a.type == cudaMemoryTypeManaged && a.devicePointer == managed && a.hostPointer == managed);
  CHECK(a.reserved[0] == (version < 13 ? 0x5555555555555555 : 0));
  CHECK(a.reserved[7] == a.reserved[0]);
}

static void check_prefetch(int version, void *managed) {
  const cudaStream_t unknown = (cudaStream_t)&failures;
  const struct cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
  if (version < 13) {
    cudaError_t (*prefetch)(const void *, size_t, int, cudaStream_t) =
      CALL("cudaMemPrefetchAsync", (const void *, size_t, int, cudaStream_t));
    CHECK(prefetch(managed, 64, 0, NULL) == cudaSuccess);
    CHECK(prefetch(managed, 64, cudaCpuDeviceId, NULL) == cudaSuccess);
    CHECK(prefetch(managed, 65, 0, NULL) == cudaErrorInvalidValue);
    CHECK(prefetch(managed, 64, 0, unknown) == cudaErrorInvalidResourceHandle);
    CHECK(CALL("cudaMemAdvise", (const void *, size_t, int, int))(managed, 64, 1, 0) == cudaSuccess);
  }
  if (version < 12) return;
  const char *name = version < 13 ? "cudaMemPrefetchAsync_v2" : "cudaMemPrefetchAsync";
  cudaError_t (*prefetch)(const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t) =
    CALL(name, (const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t));
  CHECK(prefetch(managed, 64, where, 0, NULL) == cudaSuccess);
  CHECK(prefetch(managed, 64, where, 0, unknown) == cudaErrorInvalidResourceHandle);
  name = version < 13 ? "cudaMemAdvise_v2" : "cudaMemAdvise";
  cudaError_t (*advise)(const void *, size_t, int, struct cudaMemLocation) =
    CALL(name, (const void *, size_t, int, struct cudaMemLocation));
  CHECK(advise(managed, 64, 3, where) == cudaSuccess);
  CHECK(advise(managed, 64, 7, where) == cudaErrorInvalidValue); // there are six kinds of advice
}

static int check_library(const char *name, int version) {
  char path[4096];
  void *managed = NULL;
  snprintf(path, sizeof path, "%s/lib/weir/%s", WEIR_BINARY_DIR, name);
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return puts(dlerror()), 1;
  check_version(version);
  CHECK(CALL("cudaMallocManaged", (void **, size_t, unsigned))(&managed, 64, cudaMemAttachGlobal) == cudaSuccess);
  check_pointer(version, managed);
  check_prefetch(version, managed);
  CHECK(CALL("cudaFree", (void *))(managed) == cudaSuccess);
  return failures != 0;
}

static void in_child(const char *name, int version) {
  int status = 0;
  fflush(stdout);
  const pid_t pid = fork();
  if (!pid) {
    const int failed = check_library(name, version);
    fflush(stdout);
    _exit(failed);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_11(void **state) {
  (void)state;
  in_child("libcudart.so.11.0", 11);
}

static void test_12(void **state) {
  (void)state;
  in_child("libcudart.so.12", 12);
}

static void test_13(void **state) {
  (void)state;
  in_child("libcudart.so.13", 13);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_11), cmocka_unit_test(test_12), cmocka_unit_test(test_13)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
