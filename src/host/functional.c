// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/app.h"
#include "sl1/launch.h"

// Where there is no core: as if a block were alone on one of that much shared memory (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability": what every device has at least).
enum { CORE_SHARED_BYTES = 48 << 10 };

bool weir_functional_launch(const struct weir_launch *launch, const struct weir_observer *observer,
                            struct weir_fault *fault) {
  struct weir_launch roomy = *launch;
  weir_sl1_give(&roomy, CORE_SHARED_BYTES, 1);
  return weir_run_observed(&roomy, observer, fault);
}

static bool launch_functional(void *context, const struct weir_launch *launch, struct weir_fault *fault) {
  struct weir_launch shared = *launch;
  shared.crew = context;
  return weir_functional_launch(&shared, NULL, fault);
}

struct weir_backend weir_functional_backend(struct weir_crew *crew) {
  return (struct weir_backend){.context = crew, .launch = launch_functional};
}
