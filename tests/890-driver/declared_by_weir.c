// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "declarations.h"
#include "driver/cuda.h"

const struct fact facts_of_weir[] = {FACTS};
