#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# completion.sh SOURCE WEIR: what `weir help --completion` prints completes commands, options, and the names of chips, schemes and workloads.
set -uo pipefail
export LC_ALL=C
source=$1
PATH=$(dirname "$(realpath "$2")"):$PATH
export WEIR_DATA=$source
eval "$(weir help --completion)"
failed=0

completes() { # EXPECTED WORD...: the last word is the one that is typed
  local expected=$1 said
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _weir
  said=$(printf '%s\n' "${COMPREPLY[@]}" | sort | xargs)
  [ "$said" = "$expected" ] && return
  echo "'$*' completes to '$said', not '$expected'"
  failed=1
}

cd "$source/chips" || exit 1 # no file here is called as what is completed
completes compare weir co
completes advise weir help ad
completes chips weir list ch
completes --chip= weir run --chi
completes --figure= weir study --fi
completes "volta-gv100 volta-gv100.yaml volta-v100 volta-v100.yaml" weir run --chip vol
completes "volta-gv100 volta-gv100.yaml volta-v100 volta-v100.yaml" weir run --chip = vol
completes pcbp weir compare spmv --schemes pc
completes paper weir run spmv --size pa
completes "modelled" weir run --clock mod
completes spmv weir run spm
completes volta-v100.yaml weir run -- volta-v
exit $failed
