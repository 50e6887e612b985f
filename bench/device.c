// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the device inside a program costs beside simulating: of a process with 1,000 tiny launches, from its start to its
// end, the share of the time that is not spent in them; and single calls.
#include "device/device.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LAUNCHES = 1000, CALLS = 100000 };

static const char ptx[] =
  ".version 7.0\n.target sm_20\n.address_size 64\n"
  ".visible .entry tiny(.param .u64 p) {\n  .reg .u64 %a, %o;\n  .reg .u32 %i, %v;\n  ld.param.u64 %a, [p];\n"
  "  mov.u32 %i, %tid.x;\n  mul.wide.u32 %o, %i, 4;\n  add.u64 %a, %a, %o;\n  ld.global.u32 %v, [%a];\n"
  "  add.u32 %v, %v, 1;\n  st.global.u32 [%a], %v;\n  ret;\n}\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int launch_all(void) {
  struct weir_sink sink = {0};
  struct weir_device *d = weir_device_get(NULL);
  if (!d) return 1;
  weir_device_lock();
  const struct weir_program *p =
    weir_device_load(d, &(struct weir_device_text){"tiny.ptx", ptx, sizeof ptx - 1}, 1, &sink);
  uint64_t numbers = weir_device_alloc(d, "numbers", 4096);
  struct weir_device_launch l = {.program = p,
                                 .kernel = weir_program_kernel(p, "tiny"),
                                 .grid = {8, 1, 1},
                                 .block = {128, 1, 1},
                                 .params = &numbers};
  for (int i = 0; i < LAUNCHES; i++)
    if (weir_device_launch(d, &l).outcome != WEIR_LAUNCH_DONE) return 1;
  weir_device_unlock();
  return 0;
}

static void time_process(const char *self) {
  char path[] = "/tmp/weir-bench-XXXXXX";
  close(mkstemp(path));
  setenv("WEIR_REPORT", path, 1);
  double began = now();
  pid_t pid = fork();
  if (!pid) execl(self, self, "launches", (char *)NULL), _exit(127);
  waitpid(pid, NULL, 0);
  double whole = now() - began;
  json_t *run = json_load_file(path, 0, NULL);
  double inside = json_number_value(json_object_get(json_object_get(run, "host"), "seconds"));
  printf("%d launches: %.1f ms, of which %.1f %% outside the simulation; %.1f us a launch\n", LAUNCHES, whole * 1e3,
         100 * (whole - inside) / whole, inside / LAUNCHES * 1e6);
  json_decref(run);
  unlink(path);
}

#define TIME(name, call)                                                                                               \
  do {                                                                                                                 \
    double began = now();                                                                                              \
    for (int i = 0; i < CALLS; i++) call;                                                                              \
    printf("%-24s %6.0f ns\n", name, (now() - began) / CALLS * 1e9);                                                   \
  } while (0)

static void time_calls(void) {
  setenv("WEIR_REPORT", "none", 1);
  struct weir_device *d = weir_device_get(NULL);
  uint64_t at = weir_device_alloc(d, "numbers", 4096);
  TIME("get", weir_device_get(NULL));
  TIME("lock and unlock", (weir_device_lock(), weir_device_unlock()));
  TIME("at", (void)weir_device_at(d, at, 16));
  TIME("facts", (void)weir_device_facts(d));
  TIME("now", (void)weir_device_now_ps(d));
  TIME("allocate and release", weir_device_release(d, weir_device_alloc(d, "more", 256)));
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "launches")) return launch_all();
  time_process(argv[0]);
  time_calls();
  return 0;
}
