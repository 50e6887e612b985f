// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // vasprintf

#include "device/device_private.h"

#include "base/alloc.h"

#include <search.h>
#include <stdarg.h>
#include <string.h>

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

void weir_device_say(const char *format, ...) {
  static void *said;
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  weir_device_lock();
  bool again = tfind(text, &said, by_text);
  if (!again) tsearch(text, &said, by_text);
  weir_device_unlock();
  if (!again)
    fprintf(stderr, "weir: %s\n", text);
  else
    free(text);
}
