// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How long copies between host and device take, for figures whose runs are of kernels alone. In picoseconds; NaN if the chip's file cannot be read.
#ifndef WEIR_STUDY_COPIES_H
#define WEIR_STUDY_COPIES_H

#include "timeline/link.h"

#define STUDY_LINK_CHIP "volta-v100" // whose link is PCIe 3.0 x16

// Over that chip's link.
double study_link_ps(bool to_device, enum weir_link_memory memory, uint64_t bytes);
// Within a chip's memory, where host and device share it: each byte is read and written at the peak of its DRAM.
double study_memory_ps(const char *chip, uint64_t bytes);

#endif
