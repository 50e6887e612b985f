// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Private to libweirends.so.
#ifndef WEIR_DEVICE_LIBRARY_OPENS_H
#define WEIR_DEVICE_LIBRARY_OPENS_H

// Tells the launcher of the executable and of the libraries that are loaded by now.
__attribute__((visibility("hidden"))) void weir_tell_loaded(void);

#endif
