// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // dladdr

// However the process ends, its run object is written. Invariant: the program sees none of this: a signal's handler is
// installed only where the program had left the default, and the process then dies of that signal as it would have.
//
// In a fatal signal's handler little may be relied on: the heap may be damaged or locked. So the report is made in a copy of
// the process, which may crash or hang in turn without harm; the last snapshot then stands.
#include "device/device_private.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10, PATIENCE_SECONDS = 10, POLL_NS = 1000000 };

static const struct {
  int number;
  const char *name;
} fatal[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},  {SIGFPE, "SIGFPE"},
             {SIGILL, "SIGILL"},   {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},  {SIGHUP, "SIGHUP"},
             {SIGQUIT, "SIGQUIT"}, {SIGXCPU, "SIGXCPU"}, {SIGPIPE, "SIGPIPE"}};
enum { FATAL = sizeof fatal / sizeof fatal[0] };

static atomic_bool told; // how the process ends has been, or is being, written

static const char *name_of(int number) {
  for (int i = 0; i < FATAL; i++)
    if (fatal[i].number == number) return fatal[i].name;
  return "unknown";
}

static void reset(int number) {
  sigset_t one;
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
}

// Whoever ends a program that hangs should learn where it hung. No lock and no heap: some other thread may have them.
static void say_running(const char *kernel, const char *end) {
  dprintf(STDERR_FILENO,
          "weir: the process ended (%s) while kernel '%s' was running: the report leaves that launch "
          "out; if it runs for ever, --step-limit=N stops it and says where\n",
          end, kernel);
}

// In the copy: a second fault, or SIGALRM, ends it.
_Noreturn static void tell_and_vanish(struct weir_device *d, const char *end, bool whole) {
  for (int i = 0; i < FATAL; i++) reset(fatal[i].number);
  reset(SIGALRM);
  alarm(PATIENCE_SECONDS);
  const char *running = d->simulating;
  if (running) {
    weir_report_amend(end);
    say_running(running, end);
  } else {
    weir_report_write(d, end, whole);
  }
  syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

// Neither runs what the program has registered for its forks nor tells it of a child that it does not know.
static pid_t copy_process(void) {
  return (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
}

static void wait_for_copy(pid_t copy) {
  for (int i = 0; i < PATIENCE_SECONDS * 1100; i++) {
    pid_t ended = waitpid(copy, NULL, __WALL | WNOHANG);
    if (ended == copy || (ended < 0 && errno != EINTR)) return;
    nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
  }
  kill(copy, SIGKILL);
}

static void tell_in_copy(struct weir_device *d, const char *end, bool whole) {
  pid_t copy = copy_process();
  if (!copy) tell_and_vanish(d, end, whole);
  if (copy > 0) wait_for_copy(copy);
}

// A fault comes again when its instruction is repeated; what was sent is sent again. Either way it now finds the default.
static void on_fatal(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  struct weir_device *d = weir_device_here();
  if (d && !atomic_exchange(&told, true)) tell_in_copy(d, name_of(number), false);
  signal(number, SIG_DFL);
  if (info->si_code <= 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
  errno = saved;
}

static void watch(int number) {
  struct sigaction now, own = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&own.sa_mask);
  if (!sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
    sigaction(number, &own, NULL);
}

// For stacks that overflow. It stays for as long as the thread does.
static void give_stack(void) {
  stack_t now;
  if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE)) return;
  void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = STACK_BYTES}, NULL);
}

// ---- ends that the program chose --------------------------------------------------------------------------------------------

static void finish(const char *end) {
  struct weir_device *d = weir_device_here();
  if (!d || atomic_exchange(&told, true)) return;
  if (!weir_device_try_lock()) { // another thread is in the middle of something, which ends with the process
    tell_in_copy(d, end, false);
    return;
  }
  weir_report_write(d, end, true);
  weir_device_close();
  weir_device_unlock();
}

// May be called by a signal's handler, and the process may yet go on (exec can fail): nothing of it is touched.
static void last_word(const char *end) {
  int saved = errno;
  struct weir_device *d = weir_device_here();
  if (d && !atomic_load(&told)) tell_in_copy(d, end, true);
  errno = saved;
}

static void finish_quickly(void) {
  finish("quick_exit");
}

__attribute__((destructor)) static void finish_at_exit(void) {
  finish("exit");
}

// A library that is unloaded (plug-ins are) would leave handlers behind that are no more.
static void stay_loaded(void) {
  Dl_info here;
  if (dladdr((void *)(uintptr_t)weir_device_watch_end, &here))
    (void)dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void weir_device_watch_end(void) {
  stay_loaded();
  give_stack();
  for (int i = 0; i < FATAL; i++) watch(fatal[i].number);
  at_quick_exit(finish_quickly);
  void (**word)(const char *) = (void (**)(const char *))dlsym(RTLD_DEFAULT, "weir_last_word"); // library/ends.c
  if (word) *word = last_word;
}
