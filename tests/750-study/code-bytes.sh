#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# code-bytes.sh SOURCE: the bytes of machine code of the kernels that were profiled on an H200 are what the assembler makes
# (studies/silicon/workloads/code.csv, by scripts/code-bytes.py). Skipped (77) without ptxas 13.0.
set -eu
ptxas=${PTXAS:-$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)}
"$ptxas" --version 2>/dev/null | grep -q 'release 13\.0' || exit 77
PTXAS=$ptxas "$1/scripts/code-bytes.py" | diff "$1/studies/silicon/workloads/code.csv" - || { echo "FAILED: ptxas makes other code"; exit 1; }
