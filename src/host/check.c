// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/workload.h"

#include <inttypes.h>
#include <math.h>

static bool near(float got, float want, double relative, double absolute) {
  if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
  if (got == want) return true; // infinities too
  double a = fabs((double)got), b = fabs((double)want);
  return fabs((double)got - (double)want) <= relative * (a > b ? a : b) + absolute;
}

bool weir_check_f32(struct weir_host *h, const char *what, const float *got, const float *want, uint64_t count,
                    double relative, double absolute) {
  uint64_t wrong = 0, first = 0;
  for (uint64_t i = 0; i < count; i++)
    if (!near(got[i], want[i], relative, absolute) && !wrong++) first = i;
  return !wrong ||
    weir_fail_plain(weir_host_sink(h),
                    "check failed: %s[%" PRIu64 "] is %.9g instead of %.9g (%" PRIu64 " of %" PRIu64
                    " elements differ)",
                    what, first, (double)got[first], (double)want[first], wrong, count);
}

bool weir_check_u32(struct weir_host *h, const char *what, const uint32_t *got, const uint32_t *want, uint64_t count) {
  uint64_t wrong = 0, first = 0;
  for (uint64_t i = 0; i < count; i++)
    if (got[i] != want[i] && !wrong++) first = i;
  return !wrong ||
    weir_fail_plain(weir_host_sink(h),
                    "check failed: %s[%" PRIu64 "] is %" PRIu32 " instead of %" PRIu32 " (%" PRIu64 " of %" PRIu64
                    " elements differ)",
                    what, first, got[first], want[first], wrong, count);
}
