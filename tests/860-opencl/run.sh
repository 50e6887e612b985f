#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# run.sh BUILD NAME CHIP: runs programs/NAME.c, as built, under the launcher, and holds it to what its source says
# (tests/hold.sh). Skipped (77) where no compiler is there.
set -eu
build=$1 name=$2 chip=$3
source=$(dirname "$0")/programs/$name.c
program=$build/opencl-programs/opencl_$name
status=0
"$build/opencl-programs/opencl_probe" || status=$?
[ $status = 0 ] || exit $status
. "$(dirname "$0")/../hold.sh"
hold "$build" "$program" "$source" "$chip" "$program-$chip"
