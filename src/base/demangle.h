// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Names of C++ functions as their source has them. The C++ runtime of the machine reads them, which is looked for when weir runs, so
// that building weir takes no C++; without one they stay as they are.
#ifndef WEIR_BASE_DEMANGLE_H
#define WEIR_BASE_DEMANGLE_H

// "space::k<float, 4>", without parameters and return type; a name that is not mangled as it is. To be freed by weir_free.
char *weir_demangle(const char *symbol);

// The same without template arguments: "space::k". To be freed by weir_free.
char *weir_demangle_short(const char *symbol);

#endif
