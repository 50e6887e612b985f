// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/leaks.h"

#if defined __has_feature
  #if __has_feature(address_sanitizer)
    #define SEARCHED 1
  #endif
#elif defined __SANITIZE_ADDRESS__
  #define SEARCHED 1
#endif

#ifdef SEARCHED
  #include <sanitizer/lsan_interface.h>
#endif

void weir_leaks_search(const void *pages, size_t bytes) {
#ifdef SEARCHED
  __lsan_register_root_region(pages, bytes);
#endif
  (void)pages, (void)bytes;
}
