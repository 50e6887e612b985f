// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What builds with LeakSanitizer are told; in others it is nothing.
#ifndef WEIR_BASE_LEAKS_H
#define WEIR_BASE_LEAKS_H

#include <stddef.h>

// Pages (weir_alloc_pages) are searched for pointers, too: what they point to has not leaked.
void weir_leaks_search(const void *pages, size_t bytes);

#endif
