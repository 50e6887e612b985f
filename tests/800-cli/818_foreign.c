// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that get another runtime library than weir's: said before they run where it can be seen, and else after, with which
// one and why. The libraries and programs are compiled here.
#include "weir_process.h"

#define PROVIDED "weir has libcudart.so.11.0, libcudart.so.12 and libcudart.so.13"

static char folder[] = "/tmp/weir-foreign-XXXXXX";
static char program[64], old[64], finds[64], copy[64];

static void shell(const char *format, ...) {
  char command[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  assert_int_equal(system(command), 0);
}

// A library of NVIDIA's name that only counts devices: none; a program that is linked with it, and one that opens it.
static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(program, sizeof program, "%s/program", folder);
  snprintf(old, sizeof old, "%s/old", folder);
  snprintf(finds, sizeof finds, "%s/finds", folder);
  snprintf(copy, sizeof copy, "%s/bin/weir", folder);
  shell("cd %s && mkdir bin lib && for v in 10.2 12; do"
        " echo 'int cudaGetDeviceCount(int *n) { *n = 0; return 100; }' |"
        " " WEIR_CC " -shared -fPIC -x c - -o lib/libcudart.so.$v -Wl,-soname,libcudart.so.$v; done",
        folder);
  shell(
    "cd %s && echo 'int cudaGetDeviceCount(int *); int main(void) { int n = 7; cudaGetDeviceCount(&n); return n; }' >p.c &&"
    " " WEIR_CC " p.c -Llib -l:libcudart.so.12 -o program && " WEIR_CC " p.c -Llib -l:libcudart.so.10.2 -o old &&"
    " echo '#include <dlfcn.h>\nint main(int n, char **v) { return n < 2 || !dlopen(v[1], RTLD_NOW); }' >f.c &&"
    " " WEIR_CC " f.c -o finds && cp " WEIR " bin/weir",
    folder);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static void ours_takes_its_place(void **state) {
  (void)state;
  struct process p = process_run("run", "--", program);
  assert_int_equal(p.status, 1); // one device
  assert_null(strstr(p.err, "loaded"));
  process_free(&p);
}

static void a_version_that_there_is_not(void **state) {
  (void)state;
  struct process p = process_run("run", "--", old);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "it needs libcudart.so.10.2; " PROVIDED);
  process_free(&p);
  char script[256]; // of what a script starts, nothing is known beforehand
  snprintf(script, sizeof script, "LD_LIBRARY_PATH=$LD_LIBRARY_PATH:%s/lib exec %s", folder, old);
  p = process_run("run", "--", "sh", "-c", script);
  assert_int_equal(p.status, 0);
  assert_holds(p.err, "/lib/libcudart.so.10.2, which is not weir's: " PROVIDED);
  assert_null(strstr(p.err, "used no device"));
  process_free(&p);
}

static void one_opened_by_its_path(void **state) {
  (void)state;
  char library[64], line[256];
  snprintf(library, sizeof library, "%s/lib/libcudart.so.12", folder);
  snprintf(line, sizeof line, "weir: %s loaded %s, which is not weir's: the program names that file itself", finds,
           library);
  struct process p = process_run("run", "--", finds, library);
  assert_int_equal(p.status, 0);
  assert_holds(p.err, line);
  process_free(&p);
  p = process_run("compare", "--schemes", "lru,srrip", "--", finds, library);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "it launched nothing on a device; it loaded\n");
  assert_holds(p.err, line + strlen("weir: ") + strlen(finds) + strlen(" loaded "));
  process_free(&p);
}

// A weir whose libraries were not built or installed with it.
static void weir_without_its_libraries(void **state) {
  (void)state;
  char command[512];
  snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s/lib WEIR_DATA=" WEIR_SOURCE_DIR " %s run -- %s 2>%s/said",
           folder, copy, program, folder);
  int status = system(command);
  assert_int_equal(WEXITSTATUS(status), 2);
  snprintf(command, sizeof command, "grep -q \"weir's own library libweirends.so is not in\" %s/said", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ours_takes_its_place),
    cmocka_unit_test(a_version_that_there_is_not),
    cmocka_unit_test(one_opened_by_its_path),
    cmocka_unit_test(weir_without_its_libraries),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
