#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# readme.sh SOURCE BUILD: runs every command of README.md and docs/TOUR.md, word for word, as after a fresh clone and `make demo`: in a copy of what
# git has, beside which there is of the build only what the target `weir` makes (ninja says what that is; nothing is compiled
# twice for this). `make demo` and `make test` themselves are not run again: this is a part of the one, and CI runs the target
# of the other.
#
# Each must end with status 0 and without a complaint, but
# - one that has not ended after 0.25 s (WEIR_README_MS; those of ./program have 60) is interrupted as by ctrl-C: by then
#   it has read and checked all that it was given and must have found nothing to complain of, and it must end as what is
#   interrupted does (130). README itself says of some that they take minutes, and the tests as a whole have to fit theirs;
#   `WEIR_README_MS=1200000 ctest -R 900-project/readme` runs all to their ends;
# - `weir gpu`, which may say that there is no CUDA device (3);
# - nvcc, where there is none. Its program is then built by clang, where there is that, so that what is done with it is run.
set -uo pipefail
source=$1 build=$2
readonly MS_EACH=${WEIR_README_MS:-250}
clone=$build/readme-clone
rm -rf "$clone"
mkdir -p "$clone/build/release/lib/weir" "$clone/home"

# ---- the clone, and what `make demo` leaves --------------------------------------------------------------------------------
if git -C "$source" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  (cd "$source" && git ls-files -z --cached --others --exclude-standard |
    tar --null --ignore-failed-read -T - -c) 2>/dev/null | tar -x -C "$clone"
else
  tar -C "$source" --exclude=./build -c . | tar -x -C "$clone"
fi
made=$(ninja -C "$build" -t inputs weir | grep '^lib/weir/')
for file in weir $made lib/weir/weir.icd; do cp "$build/$file" "$clone/build/release/$file" || exit 1; done
echo "$clone/build/release/lib/weir/libweircl.so" >"$clone/build/release/lib/weir/weir.icd"

cd "$clone" || exit 1
export PATH="$clone/build/release:$PATH:/usr/local/cuda/bin" WEIR_DATA="$clone" HOME="$clone/home" XDG_CACHE_HOME="$clone/home"
unset WEIR_CHIP WEIR_SCHEME WEIR_CPU_TRACES

# ---- the program that stands for "a program that has never heard of weir" ----------------------------------------------------
cp tests/850-cudart/programs/vector_add.cu program.cu
cp tests/850-cudart/programs/check.h .
stand_in() {
  tests/850-cudart/build.sh vector_add clang "$clone/program" >stand-in.log 2>&1 && return
  no_program="neither nvcc nor clang-19 is here to build a CUDA program"
}

# ---- the commands -----------------------------------------------------------------------------------------------------------
failed=0 run=0 no_program=
complain() {
  echo "FAILED: $1"
  echo "  $2"
  sed 's/^/  | /' said.err | tail -20
  failed=$((failed + 1))
}

command() {
  local line=$1 status took
  case $line in
  nvcc*)
    type nvcc >/dev/null 2>&1 || {
      echo "skipped: $line"
      echo "  nvcc is not here"
      stand_in
      return
    } ;;
  *./program*)
    [ -z "$no_program" ] || {
      echo "skipped: $line"
      echo "  $no_program"
      return
    } ;;
  esac
  local limit=$MS_EACH began=${EPOCHREALTIME/[.,]/}
  case $line in
  nvcc* | cc*) limit=120000 ;;
  *./program*) [ "$limit" -ge 60000 ] || limit=60000 ;;
  esac
  timeout --preserve-status --signal=INT --kill-after=20 "$((limit / 1000)).$(printf %03d $((limit % 1000)))" bash -c "$line" </dev/null >said.out 2>said.err
  status=$?
  took=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
  run=$((run + 1))
  echo "$took ms, status $status: $line"
  case $status in
  0) ;;
  130) [ "$took" -ge "$limit" ] || complain "$line" "status 130, and it was not interrupted" ;;
  3) [[ $line == "weir gpu"* ]] && grep -q 'no CUDA device\|libcuda' said.err || complain "$line" "status 3" ;;
  *) complain "$line" "status $status" ;;
  esac
  if [ "$status" = 0 ] && [ ! -s said.out ] && [[ $line == weir* ]]; then complain "$line" "it printed nothing"; fi
  if [ "$status" != 3 ] && grep -q 'error:\|warning:\|used no device\|^weir: .* loaded' said.err; then complain "$line" "it complained"; fi
}

while IFS= read -r line; do command "$line"; done < <(
  awk '/^```/ { inside = $0 == "```sh"; next } inside && NF' README.md docs/TOUR.md)

[ "$run" -ge 20 ] || complain README.md "only $run commands were found"
[ "$failed" = 0 ]
