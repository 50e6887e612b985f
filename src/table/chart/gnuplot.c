// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memfd_create

// Runs gnuplot: its input, output and messages are files in memory, so that nothing can block, no shell reads anything,
// and what it leaves half done is nowhere.
#include "base/alloc.h"
#include "base/file.h"
#include "table/chart/chart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool executable(const char *path) {
  struct stat st;
  return !access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode);
}

char *weir_gnuplot_find(struct weir_sink *sink) {
  const char *path = getenv("PATH");
  while (path && *path) {
    size_t length = strcspn(path, ":");
    char *candidate = weir_text_format("%.*s/gnuplot", (int)length, path);
    if (length && executable(candidate)) return candidate;
    weir_free(candidate);
    path += length + (path[length] == ':');
  }
  weir_fail_plain(sink, "--svg and --pdf have gnuplot draw, and there is no gnuplot on PATH; --chart draws without it");
  return NULL;
}

static int file_in_memory(const char *name) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) abort();
  return fd;
}

static char *contents(int fd, size_t *size) {
  struct stat st;
  if (fstat(fd, &st)) abort();
  *size = (size_t)st.st_size;
  char *text = weir_alloc(*size + 1);
  if (pread(fd, text, *size, 0) != st.st_size) abort();
  return text;
}

// As waitpid says how it ended.
static int run(const char *gnuplot, int in, int out, int err) {
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execl(gnuplot, "gnuplot", "--default-settings", (char *)NULL); // a user's settings would change the picture
    fprintf(stderr, "%s\n", strerror(errno));
    _exit(127);
  }
  int status = 127 << 8;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

static bool complain(const char *path, int status, const char *messages, struct weir_sink *sink) {
  char how[64] = "drew nothing";
  if (WIFSIGNALED(status)) snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status)) snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
  int length = (int)strlen(messages);
  while (length && messages[length - 1] == '\n') length--;
  return weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "not written: gnuplot %s%s%.*s", how,
                   length ? ": " : "", length, messages);
}

// Has gnuplot read the commands; what it prints is *out.
static int ask(const char *gnuplot, int in, char **out, size_t *size, char **messages) {
  int to = file_in_memory("picture"), err = file_in_memory("messages");
  size_t unused;
  lseek(in, 0, SEEK_SET);
  int status = run(gnuplot, in, to, err);
  *out = contents(to, size);
  *messages = contents(err, &unused);
  close(to);
  close(err);
  return status;
}

bool weir_gnuplot_writes_pdf(const char *gnuplot, struct weir_sink *sink) {
  static const char command[] = "set terminal pdfcairo\n";
  int in = file_in_memory("command");
  char *out, *messages;
  size_t size;
  if (write(in, command, sizeof command - 1) != (ssize_t)sizeof command - 1) abort();
  int status = ask(gnuplot, in, &out, &size, &messages);
  weir_free(out);
  weir_free(messages);
  close(in);
  return !status ||
    weir_fail_plain(sink, "%s has no terminal pdfcairo, by which --pdf draws; --svg needs none", gnuplot);
}

bool weir_chart_draw(const struct weir_table *t, const struct weir_plot *p, enum weir_plot_format format,
                     const char *gnuplot, const char *path, struct weir_sink *sink) {
  int in = file_in_memory("script");
  FILE *f = fdopen(dup(in), "w");
  if (!f) abort();
  weir_chart_script(t, p, format, f);
  fclose(f);
  char *picture, *messages;
  size_t size;
  int status = ask(gnuplot, in, &picture, &size, &messages);
  bool ok = status || !size ? complain(path, status, messages, sink) : weir_file_write(path, picture, size, sink);
  weir_free(picture);
  weir_free(messages);
  close(in);
  return ok;
}
