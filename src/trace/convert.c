// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/convert.h"

#include "trace/champsim.h"
#include "trace/stream.h"
#include "trace/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

enum { BATCH = 256 };

bool weir_trace_names_champsim(const char *path) {
  static const char *const packed[] = {"", ".gz", ".xz", ".zst"}, *const plain[] = {".champsim", ".champsimtrace"};
  const size_t length = strlen(path);
  for (unsigned i = 0; i < 8; i++) {
    char end[32];
    const size_t n = (size_t)snprintf(end, sizeof end, "%s%s", plain[i / 4], packed[i % 4]);
    if (length > n && !strcmp(path + length - n, end)) return true;
  }
  return false;
}

// Where instructions go: one of the two.
struct sink_of_instructions {
  struct weir_trace_writer *own;
  struct weir_trace_segment_writer *segment;
  struct weir_stream *champsim;
  uint64_t next_pc;   // after what was put last
  uint64_t shortened; // records that lack something
};

static void put(struct sink_of_instructions *to, const struct weir_trace_inst *inst) {
  if (to->own) {
    weir_trace_put(to->segment, weir_trace_define(to->own, inst->what), inst->addresses);
    return;
  }
  uint8_t record[WEIR_CHAMPSIM_BYTES];
  to->shortened += !weir_champsim_put(inst, record);
  weir_stream_write(to->champsim, record, sizeof record);
}

// What is read now belongs to a segment of its own; `place` is its number among all that is selected, or 0 at a
// segment's beginning.
static void begin_segment(struct sink_of_instructions *to, const struct weir_trace_reader *r, uint64_t place,
                          double weight) {
  if (!to->own) return;
  if (to->segment) weir_trace_segment_end(to->segment, to->next_pc);
  const struct weir_trace_segment *all = weir_trace_info(r)->segments, *from = &all[weir_trace_current_segment(r)];
  uint64_t before = 0;
  for (const struct weir_trace_segment *s = all; s < from; s++)
    if (s->thread == from->thread) before += s->instructions;
  const uint64_t first = from->first + (place > before ? place - before : 0);
  to->segment = weir_trace_segment_start(to->own, 0, first, weight < 0 ? from->weight : weight);
}

// A window that crosses segments becomes several.
static void put_window(struct sink_of_instructions *to, struct weir_trace_reader *r,
                       const struct weir_trace_window *window) {
  struct weir_trace_inst batch[BATCH];
  uint64_t left = window->instructions ? window->instructions : UINT64_MAX, first = window->first;
  unsigned segment = UINT32_MAX;
  while (left) {
    const size_t n = weir_trace_read(r, batch, left < BATCH ? (size_t)left : BATCH);
    if (!n) return;
    if (weir_trace_current_segment(r) != segment) begin_segment(to, r, first, window->weight);
    segment = weir_trace_current_segment(r);
    first = 0;
    for (size_t i = 0; i < n; i++) put(to, &batch[i]);
    to->next_pc = batch[n - 1].next_pc;
    left -= n;
  }
}

static bool put_windows(struct sink_of_instructions *to, struct weir_trace_reader *r,
                        const struct weir_trace_window *windows, unsigned count) {
  bool ok = true;
  for (unsigned i = 0; ok && i < count; i++) {
    ok = !windows[i].first || weir_trace_seek(r, windows[i].first);
    if (ok) put_window(to, r, &windows[i]);
  }
  if (to->segment) weir_trace_segment_end(to->segment, to->next_pc);
  return ok;
}

static bool start(struct sink_of_instructions *to, const struct weir_trace_reader *r, const char *path,
                  const char *name, struct weir_sink *sink) {
  const struct weir_trace_info *info = weir_trace_info(r);
  if (weir_trace_names_champsim(name)) {
    to->champsim = weir_stream_write_open(path, weir_packing_by_name(name), sink);
    return to->champsim;
  }
  const struct weir_trace_about about = {info->arguments, info->argument_count, info->isa, info->recorder, 0};
  to->own = weir_trace_writer_open(path, &about, sink);
  return to->own;
}

bool weir_trace_convert(struct weir_trace_reader *r, const struct weir_trace_window *windows, unsigned count,
                        const char *path, struct weir_sink *sink) {
  struct sink_of_instructions to = {0};
  const size_t errors = sink->errors;
  const struct weir_trace_info *info = weir_trace_info(r);
  char *unfinished = weir_text_format("%s.writing-%d", path, (int)getpid());
  bool ok = start(&to, r, unfinished, path, sink);
  if (ok) {
    ok = put_windows(&to, r, windows, count) && sink->errors == errors;
    if (to.champsim)
      ok &= weir_stream_finish(to.champsim);
    else
      ok &= weir_trace_writer_finish(to.own, info->run_instructions, info->dropped_accesses, sink);
    if (ok && rename(unfinished, path))
      ok = weir_fail(sink, (struct weir_place){.file = path}, "cannot be written: %s", strerror(errno));
    unlink(unfinished);
  }
  if (ok && to.shortened)
    weir_report(sink, WEIR_WARNING, (struct weir_place){.file = path},
                "%" PRIu64
                " records have not all registers or addresses: ChampSim's have room for two written and four read",
                to.shortened);
  weir_free(unfinished);
  return ok;
}

bool weir_trace_profile_read(struct weir_trace_reader *r, uint64_t interval, struct weir_phase_profile *profile,
                             struct weir_sink *sink) {
  struct weir_trace_inst batch[BATCH];
  const size_t errors = sink->errors;
  uint64_t left = interval, block = 0, block_pc = 0;
  for (size_t n; (n = weir_trace_read(r, batch, BATCH));)
    for (size_t i = 0; i < n; i++) {
      if (!block) block_pc = batch[i].what->pc;
      block++;
      left--;
      if (!batch[i].what->branch && left) continue;
      weir_phase_executed(profile, block_pc, block);
      block = 0;
      if (!left) weir_phase_cut(profile), left = interval;
    }
  weir_phase_executed(profile, block_pc, block);
  weir_phase_cut(profile);
  return sink->errors == errors;
}
