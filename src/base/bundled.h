// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Files that come with weir and are asked for by name: chips/NAME.yaml, schemes/NAME.yaml.
#ifndef WEIR_BASE_BUNDLED_H
#define WEIR_BASE_BUNDLED_H

#include "base/diag.h"

#include <stdbool.h>

// The names that there are in `folder`, sorted; each and the list freed by weir_free. NULL if the folder is not there.
char **weir_bundled_names(const char *folder, unsigned *count);

// The path of `name` in `folder` ("chips"), or `name` itself if it is a path (has a '/' or ends in ".yaml"). `what`
// ("chip") opens the diagnostic. NULL and a diagnostic if there is no such file; freed by weir_free.
char *weir_bundled_path(const char *folder, const char *what, const char *name, struct weir_sink *sink);

// Does `name` stand for a file of the user's own: has it a '/', or does it end in ".yaml"?
bool weir_is_own_path(const char *name);

#endif
