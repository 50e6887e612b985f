// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/recording.h"

#include "base/alloc.h"
#include "run/access.h"
#include "warptrace/known.h"

struct weir_warptrace_writer *weir_recording_start(const char *path, const struct weir_experiment *e,
                                                   const struct weir_setup *setup, struct weir_sink *sink) {
  if (setup->program.sl1) {
    weir_fail_plain(sink,
                    "a program with S-L1 asks the chip for the room of its lines: its instructions are not recorded");
    return NULL;
  }
  json_t *about = json_pack("{s:s, s:s, s:s, s:s, s:I, s:i}", "weir", WEIR_VERSION, "program", e->program, "chip",
                            e->chip, "scheme", e->scheme, "seed", (json_int_t)e->seed, "warp_lanes", (int)setup->lanes);
  struct weir_warptrace_writer *w = weir_warptrace_create(path, about, setup->lanes, sink);
  json_decref(about);
  return w;
}

// What blocks of a cluster do to each other's memory, and where they wait, no recording says.
static bool refuse_cluster(const struct weir_launch *launch, struct weir_fault *fault) {
  *fault = (struct weir_fault){.raised = true, .pc = launch->kernel->entry};
  snprintf(fault->message, sizeof fault->message, "a launch in clusters of blocks cannot be recorded");
  return false;
}

bool weir_recording_launch(struct weir_warptrace_writer *w, const struct weir_backend *backend,
                           const struct weir_launch *launch, struct weir_fault *fault) {
  if (weir_cluster_blocks(launch) > 1) return refuse_cluster(launch, fault);
  const struct weir_listener listener = weir_warptrace_listen(w, launch);
  struct weir_launch heard = *launch;
  heard.listener = &listener;
  return backend->launch(backend->context, &heard, fault);
}

static void find_arrays(struct weir_known_program *k, const struct weir_program *p) {
  struct weir_access_finder finder = {0};
  uint32_t count;
  const uint32_t first = weir_program_first_pc(p);
  const struct weir_static *s = weir_program_statics(p, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (s[i].space != WEIR_MEM_GLOBAL && s[i].space != WEIR_MEM_LOCAL) continue;
    struct weir_found_access found = weir_access_find(&finder, p, first + i);
    if (found.array) k->arrays[first + i] = weir_text_copy(found.array);
    weir_found_access_free(&found);
  }
  weir_access_finder_free(&finder);
}

bool weir_recording_end(struct weir_warptrace_writer *w, bool keep, struct weir_sink *sink) {
  struct weir_known_program k;
  size_t count;
  const struct weir_program *const *programs = weir_warptrace_listened(w, &count);
  weir_know_programs(&k, programs, count);
  for (size_t i = 0; i < count; i++) find_arrays(&k, programs[i]);
  const bool ok = weir_warptrace_close(w, keep ? &k.program : NULL, sink);
  weir_known_free(&k);
  return ok;
}
