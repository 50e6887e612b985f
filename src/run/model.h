// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The model's version: what a kept result says of the code that made it. Raise it with each change that moves a count of
// an experiment whose chip, scheme and workload stay as they were. The studies' results files (studies/README.md) take
// back no row of another version, and their test runs rows again: results that moved under an unchanged version keep it
// red, however often the files are made anew.
#ifndef WEIR_RUN_MODEL_H
#define WEIR_RUN_MODEL_H

#define WEIR_MODEL_VERSION 1

#endif
