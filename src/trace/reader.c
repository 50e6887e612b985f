// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/reader_private.h"

#include <errno.h>
#include <sys/stat.h>

// A ChampSim trace is one segment of unknown length.
static bool open_champsim(struct weir_trace_reader *r) {
  struct stat st;
  struct weir_trace_info *info = &r->directory.info;
  info->champsim = true;
  info->isa = weir_text_copy("unknown");
  info->recorder = weir_text_copy("ChampSim's format");
  info->segments = weir_new(struct weir_trace_segment);
  info->segments->weight = 1;
  info->segment_count = 1;
  info->file_bytes = stat(r->path, &st) ? 0 : (uint64_t)st.st_size;
  return weir_trace_champsim_open(r);
}

static bool is_own(struct weir_trace_reader *r) {
  char start[WEIR_TRACE_MAGIC_BYTES] = "";
  FILE *f = fopen(r->path, "rbe");
  if (!f) return weir_trace_reader_fail(r, strerror(errno));
  const size_t n = fread(start, 1, sizeof start, f);
  if (ferror(f)) weir_trace_reader_fail(r, strerror(errno));
  fclose(f);
  return n == sizeof start && !memcmp(start, WEIR_TRACE_MAGIC, sizeof start);
}

struct weir_trace_reader *weir_trace_open(const char *path, struct weir_sink *sink) {
  struct weir_trace_reader *r = weir_new(struct weir_trace_reader);
  r->path = weir_text_copy(path);
  r->sink = sink;
  r->addresses = weir_new_array(uint64_t, WEIR_TRACE_BATCH * WEIR_TRACE_ACCESSES);
  const bool own = is_own(r);
  if (!r->failed && (own ? weir_trace_own_open(r) && weir_trace_select_thread(r, 0) : open_champsim(r))) return r;
  weir_trace_close(r);
  return NULL;
}

void weir_trace_close(struct weir_trace_reader *r) {
  if (!r) return;
  if (r->stream) weir_stream_finish(r->stream);
  weir_trace_items_free(&r->items);
  weir_trace_own_close(r);
  weir_free(r->addresses);
  weir_free(r->path);
  weir_free(r);
}

const struct weir_trace_info *weir_trace_info(const struct weir_trace_reader *r) {
  return &r->directory.info;
}

static bool select_which(struct weir_trace_reader *r, bool by_segment, uint32_t which) {
  if (r->failed) return false;
  if (r->directory.info.champsim ? !which && weir_trace_champsim_open(r) : weir_trace_own_select(r, by_segment, which))
    return true;
  char message[64];
  snprintf(message, sizeof message, "has no %s %u", by_segment ? "segment" : "thread", which);
  return weir_trace_reader_fail(r, message);
}

bool weir_trace_select_thread(struct weir_trace_reader *r, uint32_t thread) {
  return select_which(r, false, thread);
}

bool weir_trace_select_segment(struct weir_trace_reader *r, unsigned segment) {
  return select_which(r, true, segment);
}

size_t weir_trace_read(struct weir_trace_reader *r, struct weir_trace_inst *out, size_t most) {
  if (r->failed) return 0;
  if (most > WEIR_TRACE_BATCH) most = WEIR_TRACE_BATCH;
  return r->directory.info.champsim ? weir_trace_champsim_read(r, out, most) : weir_trace_own_read(r, out, most);
}

unsigned weir_trace_current_segment(const struct weir_trace_reader *r) {
  return r->segment;
}

bool weir_trace_seek(struct weir_trace_reader *r, uint64_t instructions) {
  struct weir_trace_inst unused[64];
  uint64_t left = instructions;
  bool there = !r->failed && (r->directory.info.champsim ? weir_trace_champsim_open(r) : weir_trace_own_skip(r, &left));
  while (there && left) {
    const size_t n = weir_trace_read(r, unused, left < 64 ? (size_t)left : 64);
    left -= n;
    there = n > 0;
  }
  return there || weir_trace_reader_fail(r, "ends before the instruction that was asked for");
}
