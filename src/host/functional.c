// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/app.h"

static bool launch_functional(void *context, const struct weir_launch *launch, struct weir_fault *fault) {
  (void)context;
  return weir_run_functional(launch, fault);
}

struct weir_backend weir_functional_backend(void) {
  return (struct weir_backend){.launch = launch_functional};
}
