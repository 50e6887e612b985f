// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/warptrace.h"

#include "base/alloc.h"
#include "base/file.h"
#include "recording/frames.h"
#include "warptrace/accelsim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum weir_warptrace_kind weir_warptrace_kind(const char *path) {
  const char *name = weir_path_name(path);
  if (weir_frames_are(path, WEIR_RECORDS_INSTRUCTIONS) || weir_frames_are(path, WEIR_RECORDS_ACCESSES))
    return WEIR_WARPTRACE_OWN;
  if (!strncmp(name, "kernelslist", strlen("kernelslist"))) return WEIR_WARPTRACE_LIST;
  return strstr(name, ".traceg") ? WEIR_WARPTRACE_KERNEL : WEIR_WARPTRACE_NONE;
}

// Written anew in a file without a name, which lasts for as long as it is open.
static struct weir_warptrace *convert(const char *path, bool is_list, struct weir_sink *sink) {
  const char *folder = getenv("TMPDIR");
  char *own = weir_text_format("%s/weir-trace-XXXXXX", folder && *folder ? folder : "/tmp");
  if (!mkdtemp(own)) {
    weir_fail(sink, (struct weir_place){.file = own}, "cannot be made: %s", strerror(errno));
    weir_free(own);
    return NULL;
  }
  char *file = weir_text_format("%s/recording", own);
  struct weir_warptrace *t = weir_accelsim_convert(path, is_list, file, sink) ? weir_warptrace_open(file, sink) : NULL;
  unlink(file);
  rmdir(own);
  weir_free(file);
  weir_free(own);
  return t;
}

struct weir_warptrace *weir_warptrace_read(const char *path, struct weir_sink *sink) {
  const enum weir_warptrace_kind kind = weir_warptrace_kind(path);
  return kind == WEIR_WARPTRACE_OWN ? weir_warptrace_open(path, sink)
                                    : convert(path, kind == WEIR_WARPTRACE_LIST, sink);
}

bool weir_warptrace_files(const char *path, bool (*each)(void *context, const char *path), void *context,
                          struct weir_sink *sink) {
  return each(context, path) &&
    (weir_warptrace_kind(path) != WEIR_WARPTRACE_LIST || weir_accelsim_files(path, each, context, sink));
}
