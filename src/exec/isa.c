// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/isa.h"

#include "exec/ops/fill.h"

#if defined(WEIR_WIDE)
  #include <cpuid.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct weir_ops table;

#define FILL(file, isa) WEIR_FILL_NAME(file, isa)(&table);

static bool has_avx512(void) {
#if defined(WEIR_WIDE)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

static bool has_avx2(void) {
#if defined(WEIR_WIDE)
  unsigned a, b, c, d; // clang 14's __builtin_cpu_supports does not know f16c
  bool f16c = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
  return f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool weir_isa_check(struct weir_sink *sink) {
  const char *wanted = getenv("WEIR_ISA");
  if (!wanted || !*wanted || !strcmp(wanted, "sse")) return true;
  const bool avx2 = !strcmp(wanted, "avx2"), avx512 = !strcmp(wanted, "avx512");
  if (!avx2 && !avx512) return weir_fail_plain(sink, "WEIR_ISA is sse, avx2 or avx512, not '%s'", wanted);
  return (avx2 ? has_avx2() : has_avx512()) ||
    weir_fail_plain(sink, "WEIR_ISA is %s, which this processor or this build does not have", wanted);
}

static void choose(void) {
#if defined(WEIR_WIDE)
  const char *wanted = getenv("WEIR_ISA");
  const bool sse = wanted && !strcmp(wanted, "sse"), avx2 = wanted && !strcmp(wanted, "avx2");
  if (!sse && !avx2 && has_avx512()) {
    table.isa = "avx512";
    WEIR_FILES(FILL, avx512)
  } else if (!sse && has_avx2()) {
    table.isa = "avx2";
    WEIR_FILES(FILL, avx2)
  } else
#endif
  {
    table.isa = "sse";
    WEIR_FILES(FILL, sse)
  }
  weir_fill_special(&table);
  weir_fill_atomic(&table);
  weir_fill_copy(&table);
  weir_fill_bulk(&table);
  weir_fill_texture(&table);
  weir_fill_surface(&table);
  weir_fill_matrix(&table);
  weir_fill_mbarrier(&table);
}

const struct weir_ops *weir_ops(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, choose);
  return &table;
}
