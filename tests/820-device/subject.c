// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program that uses the device without any API between, and then ends in the way that its first argument says.
#include "device/device.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 128, BLOCKS = 4 };

static struct weir_device *device;
static const struct weir_program *program;
static uint64_t numbers;

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "subject: %s\n", what);
  exit(99);
}

static void load(void) {
  static char text[8192];
  FILE *f = fopen(WEIR_SOURCE_DIR "/tests/820-device/vector.ptx", "r");
  size_t bytes = fread(text, 1, sizeof text - 99, f);
  fclose(f);
  const char *target = getenv("SUBJECT_TARGET"); // sm_75, sm_100f
  if (target) {
    char *at = strstr(text, "sm_20");
    memmove(at + strlen(target), at + strlen("sm_20"), bytes + 1 - (size_t)(at - text) - strlen("sm_20"));
    memcpy(at, target, strlen(target));
    bytes += strlen(target) - strlen("sm_20");
  }
  struct weir_sink sink = {0};
  program = weir_device_load(device, &(struct weir_device_text){"vector.ptx", text, bytes}, 1, &sink);
  weir_sink_print(&sink, stderr);
  require(program, "the module cannot be loaded");
}

static void open_device(void) {
  enum weir_device_state state;
  device = weir_device_get(&state);
  require(device && state == WEIR_DEVICE_READY, "no device");
  weir_device_lock();
  load();
  numbers = weir_device_alloc(device, "numbers", THREADS * BLOCKS * sizeof(uint32_t));
  weir_device_unlock();
  require(numbers, "no memory");
}

static enum weir_device_outcome launch(const char *name, uint32_t blocks, const void *params) {
  weir_device_lock();
  struct weir_device_result r =
    weir_device_launch(device,
                       &(struct weir_device_launch){.program = program,
                                                    .kernel = weir_program_kernel(program, name),
                                                    .grid = {blocks, 1, 1},
                                                    .block = {THREADS, 1, 1},
                                                    .params = params});
  weir_device_unlock();
  return r.outcome;
}

static void ramp(void) {
  require(launch("ramp", BLOCKS, &numbers) == WEIR_LAUNCH_DONE, "ramp failed");
}

static void expect_sums(uint32_t launches) {
  const uint32_t *at = weir_device_at(device, numbers, THREADS * BLOCKS * sizeof *at);
  for (uint32_t i = 0; i < THREADS * BLOCKS; i++) require(at[i] == i * launches, "wrong sums");
}

static void *ramp_ten_times(void *unused) {
  for (int i = 0; i < 10; i++) ramp();
  return unused;
}

static void in_threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, ramp_ten_times, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  expect_sums(40 + 2);
}

static void in_fork(void) {
  pid_t child = fork();
  if (!child) {
    enum weir_device_state state;
    require(!weir_device_get(&state) && state == WEIR_DEVICE_FORKED, "the child has a device");
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  require(!status, "the child failed");
  ramp();
}

static void *count_forever(void *unused) {
  uint32_t most = UINT32_MAX;
  launch("count", 1, &most);
  return unused;
}

// The signal comes to this thread while another one simulates.
static void beside_launch(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, count_forever, NULL);
  usleep(200000);
  raise(SIGTERM);
}

// The program ends while another of its threads waits for a launch without end.
static void leave_launch(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, count_forever, NULL);
  usleep(200000);
}

static void own_handler(int number) {
  dprintf(1, "own handler of %d\n", number);
  _exit(7);
}

__attribute__((noinline)) static int overflow(volatile int *p) {
  volatile int here[1024];
  here[0] = p ? *p : 0;
  return here[0] < 0 ? 0 : overflow(here) + here[1];
}

// Free blocks hold the addresses of further ones.
static void damage_heap(void) {
  enum { SIZES = 64, OF_EACH = 7, STEP = 16 };
  uintptr_t blocks[SIZES][OF_EACH];
  for (size_t s = 0; s < SIZES; s++) {
    for (int i = 0; i < OF_EACH; i++) blocks[s][i] = (uintptr_t)malloc((s + 1) * STEP);
    for (int i = 0; i < OF_EACH; i++) free((void *)blocks[s][i]);
  }
  for (size_t s = 0; s < SIZES; s++)
    for (int i = 0; i < OF_EACH; i++) memset((void *)blocks[s][i], 0xff, STEP);
}

__attribute__((no_sanitize("undefined"))) static void end(const char *how, char **argv) {
  volatile int *nowhere = NULL;
  if (!strcmp(how, "upward")) require(fegetround() == FE_UPWARD, "the rounding is not what it was");
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) *nowhere = 1;
  if (!strcmp(how, "damage")) damage_heap(), *nowhere = 1;
  if (!strcmp(how, "overflow")) overflow(NULL);
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "_exit")) _exit(5);
  if (!strcmp(how, "quick")) quick_exit(6);
  if (!strcmp(how, "own")) signal(SIGSEGV, own_handler), *nowhere = 1;
  if (!strcmp(how, "during")) count_forever(NULL);
  if (!strcmp(how, "beside")) beside_launch();
  if (!strcmp(how, "leave")) leave_launch();
  if (!strcmp(how, "threads")) in_threads();
  if (!strcmp(how, "fork")) in_fork();
  if (!strcmp(how, "modules")) load(), ramp(); // the same once more, of a module of its own
  if (!strcmp(how, "misaligned"))
    require(launch("misaligned", 1, &numbers) == WEIR_LAUNCH_FAULT, "misaligned did not fault");
  if (!strcmp(how, "exec")) execl(argv[0], argv[0], "exit", (char *)NULL);
}

static long long ns_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// How long the first launch took by the program's own clock, the date, and when the launch ended by the device's time.
static void tell_time(void) {
  const long long before = ns_of(CLOCK_MONOTONIC);
  ramp();
  const long long after = ns_of(CLOCK_MONOTONIC), date = time(NULL);
  printf("%lld ns, %lld, %lld ps\n", after - before, date, (long long)weir_device_now_ps(device));
}

int main(int argc, char **argv) {
  if (argc < 2) return 98;
  if (!strcmp(argv[1], "idle")) return 0;
  if (!strcmp(argv[1], "careless")) { // about launches that are refused
    open_device();
    for (int i = 0; i < 2; i++) require(launch("ramp", BLOCKS, &numbers) == WEIR_LAUNCH_INVALID, "ramp was launched");
    return 0;
  }
  if (!strcmp(argv[1], "clock")) {
    open_device();
    tell_time();
    return 0;
  }
  if (!strcmp(argv[1], "upward")) fesetround(FE_UPWARD);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  open_device();
  ramp();
  ramp();
  expect_sums(2);
  for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--) ramp();
  puts("subject is done");
  fflush(stdout);
  end(argv[1], argv);
  return 3;
}
