// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The plugin that QEMU loads to record a program. It is told by its arguments what to do:
//
//   trace=FILE           write a weir trace
//   window=FIRST+N*W     record N instructions from the FIRST on, with weight W; repeated, in order
//   first_thread=1       of the first thread only; else of each thread by its own count
//   profile=FILE         or: write the basic-block profile of each interval of the first thread (phases.h)
//   interval=N
//   argument=TEXT        the program and its arguments, for the trace's directory; repeated
//
// Every instruction has a callback, which is exact where blocks of instructions would not be: QEMU leaves blocks in the
// middle. An instruction is complete when its thread executes another one: only then are its accesses and outcome
// known.
#include "trace/phases.h"
#include "trace/recorder/decode_x86.h"
#include "trace/recorder/qemu.h"
#include "trace/writer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// Vector and state accesses come in pieces of at most 8 bytes; a saved state leaves gaps between registers.
enum { THREADS = 4096, MERGED_BYTES = 512, STATE_GAP = 32 };

struct instruction {
  struct weir_x86 x86;
  const struct weir_trace_item *items[2]; // as executed last: not taken, taken
};

struct thread {
  uint64_t executed, event; // the next count at which something begins or ends
  struct weir_trace_segment_writer *segment;
  const struct window *window; // in it or before it
  struct instruction *pending;
  struct weir_trace_access accesses[WEIR_TRACE_ACCESSES];
  uint64_t addresses[WEIR_TRACE_ACCESSES];
  unsigned access_count;
  uint64_t dropped;
  atomic_bool busy;
};

struct window {
  uint64_t first, end;
  double weight;
};

static struct {
  const char *trace_path, *profile_path;
  char **arguments;
  unsigned argument_count, argument_capacity;
  struct window *windows; // one more than window_count, which never begins
  unsigned window_count, window_capacity;
  uint64_t interval;
  bool first_thread;
} order;

static struct weir_trace_writer *writer;
static struct weir_sink sink;
static struct thread *threads[THREADS];
static atomic_uint started;        // threads
static atomic_bool several, child; // there was more than one thread; this is a process that the program forked
static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;

static void give_up(const char *message) {
  weir_sink_print(&sink, stderr);
  fprintf(stderr, "weir: %s\n", message);
  _exit(WEIR_EXIT_USER);
}

// ---- what is complete -----------------------------------------------------------------------------------------------

static const struct weir_trace_item *define(const struct instruction *i, const struct thread *t, bool taken) {
  struct weir_trace_static what = i->x86.what;
  what.taken = taken;
  what.access_count = (uint8_t)t->access_count;
  memcpy(what.accesses, t->accesses, t->access_count * sizeof *t->accesses);
  return weir_trace_define(writer, &what);
}

static void put_pending(struct thread *t, uint64_t next_pc) {
  struct instruction *i = t->pending;
  const bool taken = i->x86.what.branch && next_pc != i->x86.what.pc + i->x86.what.length;
  const struct weir_trace_item *item = __atomic_load_n(&i->items[taken], __ATOMIC_ACQUIRE);
  if (!item || item->what.access_count != t->access_count ||
      memcmp(item->what.accesses, t->accesses, t->access_count * sizeof *t->accesses)) {
    item = define(i, t, taken);
    __atomic_store_n(&i->items[taken], item, __ATOMIC_RELEASE);
  }
  weir_trace_put(t->segment, item, t->addresses);
}

// ---- threads --------------------------------------------------------------------------------------------------------

// While there is one thread, nobody else touches what it has.
static void lock(struct thread *t) {
  if (!atomic_load_explicit(&several, memory_order_relaxed)) return;
  while (atomic_exchange_explicit(&t->busy, true, memory_order_acquire)) sched_yield();
}

static void unlock(struct thread *t) {
  atomic_store_explicit(&t->busy, false, memory_order_release);
}

static void vcpu_starts(uint64_t id, unsigned vcpu) {
  (void)id;
  if (vcpu >= THREADS) give_up("the program has too many threads to be recorded");
  pthread_mutex_lock(&start_mutex);
  if (atomic_fetch_add(&started, 1)) atomic_store(&several, true);
  struct thread *t = weir_new(struct thread);
  t->window = order.windows;
  t->event = order.first_thread && vcpu ? UINT64_MAX : t->window->first;
  threads[vcpu] = t;
  pthread_mutex_unlock(&start_mutex);
}

static void end_segment(struct thread *t, uint64_t next_pc) {
  if (!next_pc && t->pending && t->pending->x86.what.kind == WEIR_TRACE_SYSTEM)
    put_pending(t, 0); // it ended the thread
  if (t->segment) weir_trace_segment_end(t->segment, next_pc);
  t->segment = NULL;
  t->pending = NULL;
}

static void vcpu_exits(uint64_t id, unsigned vcpu) {
  (void)id;
  struct thread *t = vcpu < THREADS ? threads[vcpu] : NULL;
  if (!t || atomic_load(&child)) return;
  lock(t);
  end_segment(t, 0);
  unlock(t);
}

// ---- the end --------------------------------------------------------------------------------------------------------

static void finish(void) {
  uint64_t dropped = 0;
  for (unsigned i = 0; i < THREADS; i++) {
    if (!threads[i]) continue;
    end_segment(threads[i], 0);
    dropped += threads[i]->dropped;
  }
  if (!weir_trace_writer_finish(writer, threads[0]->executed, dropped, &sink)) give_up("nothing was recorded");
}

// Locks all threads for ever, so that what they have can be written. The second who comes waits for the first one's
// end.
static void end_all(struct thread *self) {
  static atomic_flag ending = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&ending)) {
    if (self) unlock(self);
    for (;;) pause();
  }
  for (unsigned i = 0; i < THREADS; i++)
    if (threads[i] && threads[i] != self) lock(threads[i]);
  finish();
}

// The window of the first thread has ended: the program need not run on.
static void stop(struct thread *self) {
  end_all(self);
  _exit(WEIR_EXIT_OK);
}

static void process_ends(uint64_t id, void *data) {
  (void)id, (void)data;
  if (!atomic_load(&child)) end_all(NULL);
}

// The child runs on and is not recorded; the file is its parent's.
static void forked(void) {
  atomic_store(&child, true);
  for (unsigned i = 0; i < THREADS; i++) {
    if (!threads[i]) continue;
    threads[i]->segment = NULL;
    threads[i]->pending = NULL;
    threads[i]->event = UINT64_MAX;
  }
}

// ---- recording ------------------------------------------------------------------------------------------------------

// A window begins or ends with instruction number t->executed, which is at pc.
static void turn(struct thread *t, uint64_t pc, bool is_first) {
  if (t->segment) {
    end_segment(t, pc);
    t->window++;
    if (is_first && t->window->first == UINT64_MAX) stop(t);
  }
  if (t->executed == t->window->first) {
    uint32_t number = 0;
    while (threads[number] != t) number++;
    t->segment = weir_trace_segment_start(writer, number, t->executed, t->window->weight);
    t->event = t->window->end;
  } else {
    t->event = t->window->first;
  }
}

static void executes(unsigned vcpu, void *data) {
  struct instruction *i = data;
  struct thread *t = threads[vcpu];
  lock(t);
  if (t->pending) put_pending(t, i->x86.what.pc);
  if (__builtin_expect(t->executed == t->event, 0)) turn(t, i->x86.what.pc, t == threads[0]);
  t->executed++;
  t->pending = t->segment ? i : NULL;
  t->access_count = 0;
  unlock(t);
}

// Pieces that follow each other, or in a saved state nearly so, are one access.
static void add_access(struct thread *t, uint64_t address, unsigned bytes, bool store, uint8_t base) {
  const unsigned gap = t->pending->x86.what.kind == WEIR_TRACE_SYSTEM ? STATE_GAP : 0;
  struct weir_trace_access *last = t->access_count ? &t->accesses[t->access_count - 1] : NULL;
  const uint64_t ahead = last ? address - t->addresses[t->access_count - 1] : 0;
  if (last && last->store == store && ahead >= last->bytes && ahead <= last->bytes + gap &&
      ahead + bytes <= MERGED_BYTES) {
    last->bytes = (uint16_t)(ahead + bytes);
    return;
  }
  if (t->access_count == WEIR_TRACE_ACCESSES) {
    t->dropped++;
    return;
  }
  t->addresses[t->access_count] = address;
  t->accesses[t->access_count++] = (struct weir_trace_access){(uint16_t)bytes, store, base};
}

static bool has_loaded(const struct thread *t, uint64_t address) {
  for (unsigned k = 0; k < t->access_count; k++)
    if (!t->accesses[k].store && t->addresses[k] == address) return true;
  return false;
}

// Of an atomic update QEMU tells the store alone.
static void accesses(unsigned vcpu, uint32_t info, uint64_t address, void *data) {
  const struct instruction *i = data;
  struct thread *t = threads[vcpu];
  if (!t->pending) return;
  const unsigned bytes = 1u << qemu_plugin_mem_size_shift(info);
  const bool store = qemu_plugin_mem_is_store(info);
  if (store && i->x86.loads_and_stores && !has_loaded(t, address))
    add_access(t, address, bytes, false, i->x86.load_base);
  add_access(t, address, bytes, store, store ? i->x86.store_base : i->x86.load_base);
}

// ---- profiling ------------------------------------------------------------------------------------------------------

static struct weir_phase_profile profile;
static const struct instruction *block; // where the basic block began
static uint64_t block_instructions, interval_left;

static void end_block(void) {
  if (block) weir_phase_executed(&profile, block->x86.what.pc, block_instructions);
  block = NULL;
  block_instructions = 0;
}

static void profiles(unsigned vcpu, void *data) {
  const struct instruction *i = data;
  if (vcpu) return;
  if (!interval_left) {
    end_block();
    weir_phase_cut(&profile);
    interval_left = order.interval;
  }
  interval_left--;
  if (!block) block = i;
  block_instructions++;
  if (i->x86.what.branch) end_block();
}

static void profile_ends(uint64_t id, void *data) {
  (void)id, (void)data;
  if (atomic_load(&child)) return;
  end_block();
  weir_phase_cut(&profile);
  FILE *f = fopen(order.profile_path, "wbe");
  if (!f || fwrite(profile.intervals, sizeof *profile.intervals, profile.count, f) != profile.count || fclose(f))
    give_up("the profile cannot be written");
}

// ---- starting -------------------------------------------------------------------------------------------------------

static void translates(uint64_t id, struct qemu_plugin_tb *tb) {
  static pthread_mutex_t decoding = PTHREAD_MUTEX_INITIALIZER;
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(tb);
  struct instruction *all = weir_new_array(struct instruction, count); // as long as QEMU may execute them: for ever
  pthread_mutex_lock(&decoding);
  for (size_t k = 0; k < count; k++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, k);
    weir_x86_decode(&all[k].x86, qemu_plugin_insn_vaddr(insn), qemu_plugin_insn_data(insn),
                    qemu_plugin_insn_size(insn));
    qemu_plugin_register_vcpu_insn_exec_cb(insn, order.profile_path ? profiles : executes, QEMU_PLUGIN_CB_NO_REGS,
                                           &all[k]);
    if (!order.profile_path)
      qemu_plugin_register_vcpu_mem_cb(insn, accesses, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, &all[k]);
  }
  pthread_mutex_unlock(&decoding);
}

static void take_window(const char *text) {
  char *rest;
  struct window w = {.first = strtoull(text, &rest, 10)};
  w.end = *rest == '+' ? w.first + strtoull(rest + 1, &rest, 10) : 0;
  w.weight = *rest == '*' ? strtod(rest + 1, &rest) : -1;
  if (*rest || w.end <= w.first || w.weight < 0) give_up("the recorder was given a window that is none");
  *weir_push(order.windows, order.window_count, order.window_capacity) = w;
}

static const char *value_of(const char *argument, const char *name) {
  const size_t length = strlen(name);
  return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

static void take_order(int argc, char **argv) {
  const char *value;
  for (int i = 0; i < argc; i++) {
    if ((value = value_of(argv[i], "trace")))
      order.trace_path = value;
    else if ((value = value_of(argv[i], "profile")))
      order.profile_path = value;
    else if ((value = value_of(argv[i], "interval")))
      order.interval = strtoull(value, NULL, 10);
    else if ((value = value_of(argv[i], "first_thread")))
      order.first_thread = true;
    else if ((value = value_of(argv[i], "window")))
      take_window(value);
    else if ((value = value_of(argv[i], "argument")))
      *weir_push(order.arguments, order.argument_count, order.argument_capacity) = weir_text_copy(value);
  }
  *weir_push(order.windows, order.window_count, order.window_capacity) = (struct window){UINT64_MAX, UINT64_MAX, 0};
}

EXPORTED int qemu_plugin_version = QEMU_INTERFACE;

EXPORTED int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv) {
  if (strcmp(info->target_name, "x86_64") || info->system_emulation) give_up("the recorder knows x86-64 programs only");
  take_order(argc, argv);
  if (order.profile_path ? !order.interval : !order.trace_path) give_up("the recorder was not told what to do");
  const struct weir_trace_about about = {order.arguments, order.argument_count, "x86-64", "qemu-user", 0};
  if (order.trace_path && !(writer = weir_trace_writer_open(order.trace_path, &about, &sink)))
    give_up("nothing was recorded");
  pthread_atfork(NULL, NULL, forked);
  if (order.trace_path) {
    qemu_plugin_register_vcpu_init_cb(id, vcpu_starts);
    qemu_plugin_register_vcpu_exit_cb(id, vcpu_exits);
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
  qemu_plugin_register_atexit_cb(id, order.profile_path ? profile_ends : process_ends, NULL);
  return 0;
}
