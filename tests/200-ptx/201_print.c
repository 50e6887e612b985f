// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Printing what was parsed gives the source's tokens again, and ptxas, where there is one, takes it.
#include "base/file.h"
#include "ptx_test.h"

#include <dirent.h>
#include <unistd.h>

static const char ptxas[] = "/usr/local/cuda/bin/ptxas";

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// The architecture that a first comment "// … for sm_NN." names; NULL if it names none.
static char *architecture(const char *text) {
  const char *at = strstr(text, " for sm_");
  return at ? strndup(at + 5, strcspn(at + 5, ".\n ")) : NULL;
}

// Externals are left to a linker (-c).
static void ptxas_takes(const struct weir_module *m, const char *source, const char *arch) {
  char path[] = "/tmp/weir-XXXXXX", command[512];
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *f = fdopen(fd, "w");
  weir_ptx_print(m, f);
  fclose(f);
  snprintf(command, sizeof command, "%s -w %s -arch=%s %s -o /dev/null", ptxas, strstr(source, ".extern") ? "-c" : "",
           arch, path);
  int status = system(command);
  unlink(path);
  assert_int_equal(status, 0);
}

static void round_trip(const char *path) {
  struct weir_sink sink = {0};
  size_t size;
  char *source = weir_file_read(path, 0, &size, &sink);
  assert_non_null(source);
  struct weir_module *m = weir_ptx_read(path, &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(m);
  char *printed = print_text(m), *arch = architecture(source);
  same_tokens(source, printed);
  if (arch && access(ptxas, X_OK) == 0) ptxas_takes(m, source, arch);
  free(arch);
  free(printed);
  weir_free(source);
  weir_module_free(m);
  weir_sink_free(&sink);
}

// Every .ptx file of a folder and of the folders in it; how many.
static unsigned round_trip_folder(const char *folder) {
  DIR *d = opendir(folder);
  if (!d) return 0;
  unsigned files = 0;
  for (struct dirent *e; (e = readdir(d));) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (ends_with(e->d_name, ".ptx"))
      round_trip(path), files++;
    else if (e->d_type == DT_DIR && *e->d_name != '.')
      files += round_trip_folder(path);
  }
  closedir(d);
  return files;
}

static void test_data(void **state) {
  (void)state;
  assert_true(round_trip_folder(WEIR_SOURCE_DIR "/tests/200-ptx/data") >= 5);
}

static void test_workloads(void **state) {
  (void)state;
  if (!round_trip_folder(WEIR_SOURCE_DIR "/workloads")) skip();
}

static void test_reference(void **state) {
  (void)state;
  if (!round_trip_folder(WEIR_SOURCE_DIR "/../shared/reference")) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_data), cmocka_unit_test(test_workloads),
                                     cmocka_unit_test(test_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
