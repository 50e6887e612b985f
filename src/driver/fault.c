// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "driver/driver_private.h"

#include <stdarg.h>

bool weir_driver_fault(struct weir_fault *fault, const char *format, ...) {
  va_list arguments;
  *fault = (struct weir_fault){.raised = true, .pc = UINT32_MAX}; // a device does not say where
  va_start(arguments, format);
  vsnprintf(fault->message, sizeof fault->message, format, arguments);
  va_end(arguments);
  return false;
}
