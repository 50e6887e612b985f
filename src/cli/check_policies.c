// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir check --plugin: the conformance suite on the policies that plugins brought.
#include "cli/check.h"

#include "policy/conform/conform.h"

#include <stdio.h>

unsigned check_policies(struct weir_sink *sink) {
  unsigned count, sound = 0;
  char message[800];
  const struct weir_policy *const *all = weir_policies(&count);
  for (unsigned i = weir_policies_built_in(); i < count; i++) {
    const char *kind = weir_policy_kind_name(all[i]->kind);
    if (weir_policy_conform(all[i], message, sizeof message)) {
      weir_fail_plain(sink, "%s policy '%s': %s", kind, all[i]->name, message);
    } else {
      printf("%s policy '%s' keeps the contract\n", kind, all[i]->name);
      sound++;
    }
  }
  return sound;
}
