#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# 722_jobs.sh LAWS WEIR SAME FOLDER: random programs on their random chips, under their random scheme and others, are the same to
# the last bit whether one job or two share the work; and the kept files of a seed are what `weir` runs.
set -eu
laws=$1 weir=$2 same=$3 folder=$4
compared=0
for seed in 1 2 3 4 5 6 7 8 9; do
  [ $compared -lt 3 ] || break
  at=$folder/$seed
  mkdir -p "$at"
  "$laws" --seed $seed --keep "$at" >"$at/laws" || grep -q "^seed $seed: rejected" "$at/laws" || {
    cat "$at/laws"
    exit 1
  }
  grep -q "every law holds" "$at/laws" || continue # its chip or scheme is rejected
  for jobs in 1 2; do
    "$weir" compare "$at/launch.yaml" --chip "$at/chip.yaml" --scheme "$at/scheme.yaml" --scheme lru --scheme srrip \
      --jobs $jobs --json >"$at/jobs-$jobs.json"
  done
  "$same" "$at/jobs-1.json" "$at/jobs-2.json" || {
    echo "seed $seed: two jobs give other results than one"
    exit 1
  }
  compared=$((compared + 1))
done
[ $compared -eq 3 ] || {
  echo "only $compared of these seeds are not rejected"
  exit 1
}
