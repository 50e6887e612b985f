// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Files: read whole, gzipped or not, or not at all; written whole or not at all; weir's own found in their order.
#include "base_test.h"

#include "base/file.h"
#include "base/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/weir-base-test-XXXXXX");
  return !mkdtemp(folder);
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static const char *in_folder(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static unsigned files_in_folder(void) {
  unsigned n = 0;
  DIR *d = opendir(folder);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

static void put(const char *path, const void *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

static void put_gzipped(const char *path, const char *mode, const void *bytes, unsigned size) {
  gzFile f = gzopen(path, mode);
  assert_non_null(f);
  assert_int_equal(gzwrite(f, bytes, size), (int)size);
  assert_int_equal(gzclose(f), Z_OK);
}

static void assert_reads(const char *path, size_t limit, const char *bytes, size_t size) {
  struct weir_sink sink = {0};
  size_t got = 0;
  char *text = weir_file_read(path, limit, &got, &sink);
  assert_int_equal(sink.count, 0);
  assert_non_null(text);
  assert_int_equal(got, size);
  assert_memory_equal(text, bytes, size);
  assert_int_equal(text[size], 0);
  weir_free(text);
}

static void assert_refuses(const char *path, size_t limit, const char *reason) {
  struct weir_sink sink = {0};
  size_t size;
  assert_null(weir_file_read(path, limit, &size, &sink));
  char expected[256];
  snprintf(expected, sizeof expected, "%s: error: cannot be read: %s\n", path, reason);
  assert_prints(&sink, expected);
}

// 300000 bytes that no compression makes small: several times what is read at once.
enum { LARGE = 300000 };

static char *large(void) {
  char *bytes = weir_alloc(LARGE);
  struct weir_rng r = weir_rng_seed(5, 0);
  for (int i = 0; i < LARGE; i++) bytes[i] = (char)weir_rng_next(&r);
  return bytes;
}

static void read_what_was_written(void **state) {
  (void)state;
  char *bytes = large();
  const char *path = in_folder("a.bin");
  struct weir_sink sink = {0};
  for (size_t size = 0; size <= LARGE; size = size * 5 + 1) {
    assert_true(weir_file_write(path, bytes, size, &sink));
    assert_reads(path, 0, bytes, size);
  }
  assert_int_equal(sink.count, 0);
  assert_int_equal(files_in_folder(), 1); // nothing beside it
  weir_free(bytes);
}

// What stood there stands until the draft is kept; dropped, it leaves nothing.
static void drafts_are_kept_or_dropped(void **state) {
  (void)state;
  const char *path = in_folder("draft");
  struct weir_sink sink = {0};
  for (unsigned keep = 0; keep < 2; keep++) {
    struct weir_draft d;
    put(path, "before", 6);
    const unsigned files = files_in_folder();
    assert_true(weir_draft_open(&d, path, &sink));
    fputs("one, ", d.to);
    fputs("two", d.to);
    assert_reads(path, 0, "before", 6);
    assert_true(weir_draft_close(&d, keep, &sink));
    assert_reads(path, 0, keep ? "one, two" : "before", keep ? 8 : 6);
    assert_int_equal(files_in_folder(), files);
  }
  struct weir_draft none;
  assert_false(weir_draft_open(&none, "/nowhere/draft", &sink));
  assert_prints(&sink, "/nowhere/draft: error: cannot be written: No such file or directory\n");
}

// Into another file system (/dev/shm is one), over what was there; onto a device, which stays one.
static void files_move(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char from[128], far[64];
  snprintf(from, sizeof from, "%s", in_folder("from"));
  snprintf(far, sizeof far, "/dev/shm/weir-104-%ld", (long)getpid());
  const char *const to[] = {in_folder("to"), far};
  for (unsigned i = 0; i < 2 && (!i || !access("/dev/shm", W_OK)); i++) {
    put(from, "moved", 5);
    put(to[i], "before", 6);
    assert_true(weir_file_move(from, to[i], &sink));
    assert_reads(to[i], 0, "moved", 5);
    assert_int_not_equal(access(from, F_OK), 0);
    unlink(to[i]);
  }
  put(from, "moved", 5);
  assert_true(weir_file_move(from, "/dev/null", &sink));
  struct stat st;
  assert_int_equal(stat("/dev/null", &st), 0);
  assert_true(S_ISCHR(st.st_mode));
  assert_int_not_equal(access(from, F_OK), 0);
  assert_false(weir_file_move(from, in_folder("to"), &sink));
  assert_int_equal(sink.errors, 1);
  weir_sink_free(&sink);
}

static void drafts_say_that_the_disk_is_full(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_draft d;
  if (access("/dev/full", W_OK)) skip();
  assert_true(weir_draft_open(&d, "/dev/full", &sink)); // a device is written to, not replaced
  fputs("lost", d.to);
  assert_false(weir_draft_close(&d, true, &sink));
  assert_prints(&sink, "/dev/full: error: cannot be written: No space left on device\n");
}

static void read_gzipped_files(void **state) {
  (void)state;
  char *bytes = large();
  const char *path = in_folder("a.gz");
  put_gzipped(path, "wb", bytes, LARGE);
  assert_reads(path, 0, bytes, LARGE);
  put_gzipped(path, "wb", bytes, 1000);
  put_gzipped(path, "ab", bytes + 1000, 1000); // two members, as `cat a.gz b.gz` makes
  assert_reads(path, 0, bytes, 2000);
  weir_free(bytes);
}

// What a broken download leaves must not pass for a shorter file.
static void refuse_a_damaged_gzip_file(void **state) {
  (void)state;
  char *bytes = large();
  const char *path = in_folder("a.gz");
  put_gzipped(path, "wb", bytes, LARGE);
  assert_int_equal(truncate(path, LARGE / 2), 0);
  assert_refuses(path, 0, "the gzipped data end too early");
  put_gzipped(path, "wb", bytes, LARGE);
  FILE *f = fopen(path, "r+b");
  assert_int_equal(fseek(f, -8, SEEK_END), 0); // its checksum
  fputs("\1\2\3\4", f);
  fclose(f);
  assert_refuses(path, 0, "the gzipped data are damaged");
  weir_free(bytes);
}

static void refuse_what_is_no_file(void **state) {
  (void)state;
  assert_refuses(in_folder("nothing"), 0, "No such file or directory");
  assert_refuses(folder, 0, "Is a directory");
  const char *path = in_folder("secret");
  put(path, "x", 1);
  assert_int_equal(chmod(path, 0), 0);
  if (geteuid()) assert_refuses(path, 0, "Permission denied"); // root may read it
}

static void refuse_a_file_beyond_the_limit(void **state) {
  (void)state;
  const char *path = in_folder("ten");
  put(path, "0123456789", 10);
  assert_reads(path, 10, "0123456789", 10);
  assert_refuses(path, 9, "File too large");
  put_gzipped(path, "wb", "0123456789", 10); // what counts is the size unpacked
  assert_refuses(path, 9, "File too large");
}

static void refuse_what_has_no_end(void **state) {
  (void)state;
  assert_refuses("/dev/zero", 0, "it has no end");
  assert_refuses("/dev/urandom", 4096, "it has no end");
  assert_reads("/dev/null", 0, "", 0);
  const char *path = in_folder("bomb"); // 1 MiB of zeros in a thousand bytes
  static const char zeros[1 << 20];
  put_gzipped(path, "wb9", zeros, sizeof zeros);
  assert_refuses(path, sizeof zeros - 1, "File too large");
}

static void leave_nothing_half_written(void **state) {
  (void)state;
  unsigned before = files_in_folder();
  struct weir_sink sink = {0};
  char missing[160], expected[256];
  snprintf(missing, sizeof missing, "%s/none/a.csv", folder);
  assert_false(weir_file_write(missing, "x", 1, &sink));
  snprintf(expected, sizeof expected, "%s: error: cannot be written: No such file or directory\n", missing);
  assert_prints(&sink, expected);

  const char *inner = in_folder("inner"); // a name that is taken by a folder
  assert_int_equal(mkdir(inner, 0777), 0);
  assert_false(weir_file_write(inner, "x", 1, &sink));
  snprintf(expected, sizeof expected, "%s: error: cannot be written: Is a directory\n", inner);
  assert_prints(&sink, expected);
  assert_int_equal(files_in_folder(), before + 1);
}

// As the writing would answer, which leaves nothing behind; the reader of a pipe may come later.
static void say_whether_a_file_could_be_written(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char path[160], expected[256];
  unsigned before = files_in_folder();
  assert_true(weir_file_writable(in_folder("new"), &sink));
  snprintf(path, sizeof path, "%s/none/a.csv", folder);
  assert_false(weir_file_writable(path, &sink));
  snprintf(expected, sizeof expected, "%s: error: cannot be written: No such file or directory\n", path);
  assert_prints(&sink, expected);
  assert_false(weir_file_writable(folder, &sink));
  snprintf(expected, sizeof expected, "%s: error: cannot be written: Is a directory\n", folder);
  assert_prints(&sink, expected);
  assert_int_equal(files_in_folder(), before);
  snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_true(weir_file_writable(path, &sink));
  unlink(path);
}

static void give_a_written_file_the_usual_mode(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct stat st;
  mode_t old = umask(027);
  const char *path = in_folder("mode");
  assert_true(weir_file_write(path, "x", 1, &sink));
  umask(old);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
}

// A pipe, and a link to it: both are still there, and what was written has gone through.
static void write_to_what_is_no_file(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct stat st;
  char pipe[160], link[160], got[8] = {0};
  snprintf(pipe, sizeof pipe, "%s/pipe", folder);
  snprintf(link, sizeof link, "%s/link", folder);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_int_equal(symlink("pipe", link), 0);
  int fd = open(pipe, O_RDONLY | O_NONBLOCK);
  assert_true(fd >= 0);
  assert_true(weir_file_write(pipe, "abc", 3, &sink));
  assert_true(weir_file_write(link, "def", 3, &sink));
  assert_int_equal(read(fd, got, sizeof got), 6);
  assert_string_equal(got, "abcdef");
  assert_true(!lstat(pipe, &st) && S_ISFIFO(st.st_mode));
  assert_true(!lstat(link, &st) && S_ISLNK(st.st_mode));
  close(fd);
  unlink(pipe);
  unlink(link);
}

static void assert_beside(const char *beside, const char *name, const char *expected) {
  char *path = weir_path_beside(beside, name);
  assert_string_equal(path, expected);
  weir_free(path);
}

static void name_a_file_beside_another(void **state) {
  (void)state;
  assert_beside("cases/a.yaml", "a.ptx", "cases/a.ptx");
  assert_beside("cases/a.yaml", "../a.ptx", "cases/../a.ptx");
  assert_beside("/a.yaml", "a.ptx", "/a.ptx");
  assert_beside("a.yaml", "a.ptx", "a.ptx");
  assert_beside("cases/a.yaml", "/data/a.ptx", "/data/a.ptx");
}

static void assert_found(const char *relative, const char *start) {
  char *path = weir_data_path(relative);
  assert_non_null(path);
  assert_memory_equal(path, start, strlen(start));
  weir_free(path);
}

// $WEIR_DATA comes first, file by file: what it has not is taken from the source tree.
static void find_weir_s_own_data(void **state) {
  (void)state;
  unsetenv("WEIR_DATA");
  assert_found("chips/gcn-apu.yaml", WEIR_SOURCE_DIR "/chips/");
  assert_null(weir_data_path("chips/none.yaml"));

  assert_int_equal(mkdir(in_folder("chips"), 0777), 0);
  put(in_folder("chips/mine.yaml"), "", 0);
  setenv("WEIR_DATA", folder, 1);
  assert_found("chips/mine.yaml", folder);
  assert_found("chips/gcn-apu.yaml", WEIR_SOURCE_DIR "/chips/");
  unsetenv("WEIR_DATA");
  assert_null(weir_data_path("chips/mine.yaml"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(read_what_was_written),
    cmocka_unit_test(drafts_are_kept_or_dropped),
    cmocka_unit_test(drafts_say_that_the_disk_is_full),
    cmocka_unit_test(files_move),
    cmocka_unit_test(read_gzipped_files),
    cmocka_unit_test(refuse_a_damaged_gzip_file),
    cmocka_unit_test(refuse_what_is_no_file),
    cmocka_unit_test(refuse_a_file_beyond_the_limit),
    cmocka_unit_test(refuse_what_has_no_end),
    cmocka_unit_test(leave_nothing_half_written),
    cmocka_unit_test(say_whether_a_file_could_be_written),
    cmocka_unit_test(give_a_written_file_the_usual_mode),
    cmocka_unit_test(write_to_what_is_no_file),
    cmocka_unit_test(name_a_file_beside_another),
    cmocka_unit_test(find_weir_s_own_data),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
