// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Is this a build under AddressSanitizer? Gcc and clang say so in ways of their own.
#ifndef WEIR_BASE_SANITIZER_H
#define WEIR_BASE_SANITIZER_H

#if defined __has_feature
  #if __has_feature(address_sanitizer)
    #define WEIR_SANITIZES_ADDRESSES 1
  #endif
#elif defined __SANITIZE_ADDRESS__
  #define WEIR_SANITIZES_ADDRESSES 1
#endif

#endif
