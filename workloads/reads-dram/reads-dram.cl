// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

#include "../reads/reads.clh"
