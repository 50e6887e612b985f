// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/leaks.h"

#include "base/sanitizer.h"

#ifdef WEIR_SANITIZES_ADDRESSES
  #include <sanitizer/lsan_interface.h>
#endif

void weir_leaks_search(const void *pages, size_t bytes) {
#ifdef WEIR_SANITIZES_ADDRESSES
  __lsan_register_root_region(pages, bytes);
#endif
  (void)pages, (void)bytes;
}
