// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/bits.h"
#include "exec/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static void place(struct weir_warp *w, unsigned lane, struct weir_fault *f) {
  const struct weir_block_state *b = w->block;
  const uint32_t *size = b->launch->block;
  const uint32_t thread = w->index * b->lanes + lane;
  f->raised = true;
  f->pc = b->program->first_pc + w->pc;
  memcpy(f->block, b->index, sizeof f->block);
  f->thread[0] = thread % size[0];
  f->thread[1] = thread / size[0] % size[1];
  f->thread[2] = thread / size[0] / size[1];
}

static bool raise_list(struct weir_warp *w, enum weir_fault_kind kind, unsigned lane, const char *format,
                       va_list arguments) {
  struct weir_fault *f = &w->block->fault;
  place(w, lane, f);
  f->kind = (uint8_t)kind;
  vsnprintf(f->message, sizeof f->message, format, arguments);
  return false;
}

bool weir_raise(struct weir_warp *w, unsigned lane, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise_list(w, WEIR_FAULT_OTHER, lane, format, arguments);
  va_end(arguments);
  return false;
}

bool weir_raise_kind(struct weir_warp *w, enum weir_fault_kind kind, unsigned lane, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise_list(w, kind, lane, format, arguments);
  va_end(arguments);
  return false;
}

void weir_raise_runaway(struct weir_warp *w, struct weir_fault *fault) {
  weir_raise_kind(w, WEIR_FAULT_RUNAWAY, weir_lowest(w->active ? w->active : 1),
                  "runaway: stopped after %" PRIu64 " warp instructions", *w->block->launch->steps);
  *fault = w->block->fault;
}

static const char *space_name(enum weir_reach reach) {
  static const char *const name[] = {
    [WEIR_REACH_GLOBAL] = "global memory",
    [WEIR_REACH_CONST] = "constant memory",
    [WEIR_REACH_SHARED] = "shared memory",
    [WEIR_REACH_CLUSTER] = "shared memory",
    [WEIR_REACH_LOCAL] = "local memory",
    [WEIR_REACH_FRAME] = "a function's parameters",
    [WEIR_REACH_KERNEL] = "the kernel's parameters",
    [WEIR_REACH_GENERIC] = "memory",
  };
  return name[reach];
}

static const char *verb(const struct weir_warp *w) {
  switch (w->block->program->statics[w->pc].op_class) {
  case WEIR_CLASS_STORE: return "store";
  case WEIR_CLASS_ATOMIC: return "atomic";
  default: return "load";
  }
}

#define FAR (UINT64_C(1) << 40) // beyond the end of what there is: nobody strays so far

// Where an address lies that is in no allocation: near which, or nothing to say.
static void neighbour(const struct weir_warp *w, uint64_t address, uint64_t bytes, char *text, size_t size) {
  const struct weir_allocation *a = weir_memory_find(w->block->launch->memory, address);
  text[0] = 0;
  if (address - WEIR_PARAM_BASE < w->block->launch->kernel->param_bytes)
    snprintf(text, size, ": the kernel's parameters are constant");
  if (!a) return;
  const uint64_t end = a->base + a->bytes;
  if (address < end && address + bytes <= end) {
    if (a->read_only) snprintf(text, size, ": '%s' is constant", a->name);
  } else if (address < end) {
    snprintf(text, size, ": the last %" PRIu64 " bytes are past the end of '%s' (%" PRIu64 " bytes at 0x%" PRIx64 ")",
             address + bytes - end, a->name, a->bytes, a->base);
  } else if (address - end > FAR) {
    snprintf(text, size, ", far from all device memory: a pointer of the host's?");
  } else {
    snprintf(text, size, ": %" PRIu64 " bytes past the end of '%s' (%" PRIu64 " bytes at 0x%" PRIx64 ")", address - end,
             a->name, a->bytes, a->base);
  }
}

// Of an address of another block's shared memory, what is wrong with it.
static void cluster_window(const struct weir_warp *w, const struct weir_insn *i, uint64_t address, char *text,
                           size_t size) {
  const bool generic = i->reach == WEIR_REACH_GENERIC;
  if (generic && address - WEIR_SHARED_BASE >= WEIR_LOCAL_BASE - WEIR_SHARED_BASE) return;
  if (generic || i->reach == WEIR_REACH_CLUSTER)
    weir_cluster_explain(w->block, generic ? address - WEIR_SHARED_BASE : address, text, size);
  else if (i->reach == WEIR_REACH_SHARED && address >> WEIR_CLUSTER_SHIFT &&
           address < WEIR_LOCAL_BASE - WEIR_SHARED_BASE)
    snprintf(text, size, ", which is the block's own; memory of the cluster is reached by .shared::cluster");
}

bool weir_raise_access(struct weir_warp *w, const struct weir_insn *i, unsigned lane, uint64_t address,
                       uint64_t bytes) {
  const struct weir_block_state *b = w->block;
  char more[160] = "";
  if (address & (bytes - 1))
    return weir_raise_kind(w, WEIR_FAULT_MISALIGNED, lane,
                           "misaligned %s: address 0x%" PRIx64 " is not a multiple of %" PRIu64 " bytes", verb(w),
                           address, bytes);
  const bool shared = i->reach == WEIR_REACH_SHARED || i->reach == WEIR_REACH_CLUSTER;
  const bool local = i->reach == WEIR_REACH_LOCAL || i->reach == WEIR_REACH_FRAME;
  cluster_window(w, i, address, more, sizeof more);
  if (*more) {
  } else if (shared || local) {
    snprintf(more, sizeof more, ", which has %" PRIu32 " bytes", shared ? b->shared_bytes : b->local_bytes);
  } else if (address < 4096) {
    return weir_raise_kind(w, WEIR_FAULT_ACCESS, lane, "null pointer: %s of %" PRIu64 " bytes at address 0x%" PRIx64,
                           verb(w), bytes, address);
  } else {
    neighbour(w, address, bytes, more, sizeof more);
  }
  return weir_raise_kind(w, WEIR_FAULT_ACCESS, lane, "out-of-bounds %s of %" PRIu64 " bytes at 0x%" PRIx64 " in %s%s",
                         verb(w), bytes, address, space_name(i->reach), more);
}

static void report(const struct weir_fault *fault, const struct weir_launch *launch, enum weir_severity severity,
                   struct weir_sink *sink) {
  const struct weir_program *p = launch->program;
  const uint32_t index = fault->pc - p->first_pc;
  if (index >= p->pc_count) {
    weir_report(sink, severity, (struct weir_place){.file = weir_program_path(p)}, "%s (kernel '%s')", fault->message,
                launch->kernel->name);
    return;
  }
  const struct weir_static *s = &p->statics[index];
  const char *file = weir_program_file(p, s->source_file);
  char source[512] = "", inside[256] = "";
  if (s->source_line) snprintf(source, sizeof source, ", source %s:%u", file ? file : "line", s->source_line);
  if (s->function != launch->kernel->function)
    snprintf(inside, sizeof inside, " in function '%s'", p->functions[s->function].name);
  const struct weir_module *home = p->module ? p->module->functions[s->function]->home : NULL;
  const struct weir_place at = home ? (struct weir_place){home->path, home->text, s->line, p->columns[index]}
                                    : (struct weir_place){.file = weir_program_path(p)};
  weir_report(sink, severity, at, "%s (kernel '%s'%s%s, block (%u, %u, %u), thread (%u, %u, %u))", fault->message,
              launch->kernel->name, inside, source, fault->block[0], fault->block[1], fault->block[2], fault->thread[0],
              fault->thread[1], fault->thread[2]);
}

void weir_fault_report(const struct weir_fault *fault, const struct weir_launch *launch, struct weir_sink *sink) {
  report(fault, launch, WEIR_ERROR, sink);
}

void weir_fault_warn(const struct weir_fault *fault, const struct weir_launch *launch, struct weir_sink *sink) {
  report(fault, launch, WEIR_WARNING, sink);
}

void weir_block_deadlock(const struct weir_block_state *b, struct weir_fault *fault) {
  unsigned waiting = 0;
  struct weir_warp *first = NULL;
  for (unsigned k = 0; k < b->warp_count; k++) {
    if (!b->warps[k].waiting) continue;
    waiting++;
    if (!first) first = &b->warps[k];
  }
  *fault = (struct weir_fault){.raised = true, .pc = UINT32_MAX};
  if (!first) return;
  place(first, weir_lowest(first->active ? first->active : 1), fault);
  fault->pc = b->program->first_pc + first->barrier_pc;
  if (first->barrier == WEIR_CLUSTER_BARRIER) {
    snprintf(
      fault->message, sizeof fault->message,
      "barrier.cluster cannot be met: %u of %u threads of the cluster arrived; %u of the block's %u warps wait at "
      "barriers, %u exited",
      b->cluster->arrived, b->cluster->live, waiting, b->warp_count, b->exited);
    return;
  }
  const struct weir_barrier *r = &b->barriers[first->barrier];
  if (first->barrier >= WEIR_WARPGROUP_BARRIER) {
    snprintf(fault->message, sizeof fault->message,
             "wgmma.wait_group waits for the other warps of its group: %u of %u threads have come there, %u of the "
             "block's %u warps have exited",
             r->arrived, r->expected, b->exited, b->warp_count);
    return;
  }
  const uint32_t expected = r->expected ? r->expected : (b->warp_count - b->exited) * b->lanes;
  snprintf(fault->message, sizeof fault->message,
           "barrier %u cannot be met: %u of %u threads arrived; %u of the block's %u warps wait at barriers, %u exited",
           first->barrier, r->arrived, expected, waiting, b->warp_count, b->exited);
}
