#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# run.sh BUILD [SUITE/NAME…]: runs the public programs of list.txt (all, or those named) by BUILD/weir, holds each to
# what its entry says, and prints a table. The folder that WEIR_PROGRAMS names has them, built beforehand; skipped (77)
# without it. WEIR_PROGRAMS_JOBS at a time (one per processor). What they printed stays in BUILD/programs/SUITE/NAME.
set -eu
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${WEIR_PROGRAMS:-}" ] || { echo "WEIR_PROGRAMS does not name a folder with programs"; exit 77; }
command -v jq >/dev/null || { echo "jq is not there"; exit 77; }
P=$(cd "$WEIR_PROGRAMS" && pwd)
export P

# A copy of the program's folder P/$1 below $2, without the files $3, and links to what stands beside it: what a program
# writes stays out of where it was built, and nothing that an earlier run wrote is taken for a result. Prints its name.
copy() {
  at=$P to=$2
  rm -rf "$to"
  mkdir -p "$to"
  for part in $(echo "$1" | tr / ' '); do
    [ "$at" = "$P" ] || ln -s "$at"/* "$to"
    at=$at/$part to=$to/$part
    rm -f "$to"
    mkdir "$to"
  done
  cp -R "$at"/. "$to"
  (cd "$to" && eval "rm -f -- $3")
  echo "$to"
}

# What is in the file $1.
text() {
  if [ ! -e "$1" ]; then echo "no file $1"; elif grep -qI . "$1"; then cat "$1"; else cksum <"$1"; fi
}

# The words that count of the output in the folder $1: what it printed, then the files that it wrote.
words() {
  (cd "$1" && eval "set -- $2" && for file in "$@"; do text "$file"; done) |
    sed -E -e "/${only:-^}/!d" -e "/${without:-^\$}/d"
}

# One entry of list.txt, on stdin: runs it and prints a row of the table.
one() {
  label=$1 verdict=right
  work=$build/programs/$label
  folder= command= results= only= without= shows= lacks= like= theirs= refused= unverified= options= limit=200
  while read -r key value; do
    case $key in
    in) folder=$value ;;
    run) command=$value ;;
    results | only | without | shows | lacks | like | theirs | refused | unverified | options | limit) eval "$key=\$value" ;;
    '') ;;
    *) verdict="list.txt has no key '$key'" ;;
    esac
  done
  [ -d "$P/$folder" ] || { printf '%s|–|–|–|%s\n' "$label" "no folder $folder"; return; }
  ours=$(copy "$folder" "$work/ours" "$results")
  status=0 start=$(date +%s%N)
  (cd "$ours" && eval "timeout $limit '$build/weir' run $options --json='$work/run.json' -- $command") \
    >"$work/stdout" 2>"$work/stderr" </dev/null || status=$?
  mv "$work/stdout" "$ours"
  seconds=$(awk "BEGIN { printf \"%.1f\", ($(date +%s%N) - $start) / 1e9 }")
  if [ -n "$refused" ]; then
    [ "$status" != 0 ] || verdict="exit status 0 of what was to be refused"
    grep -qE -- "$refused" "$work/stderr" || verdict="not told that: $refused"
    printf '%s|–|–|%s|%s\n' "$label" "$seconds" "$verdict"
    return
  fi
  [ "$status" = 0 ] || verdict="exit status $status: $(grep -a -m1 -E 'weir|error' "$work/stderr" | cut -c1-100)"
  figures=$(jq -r '"\([.[].kernels[].launches] | add // 0) \([.[].total.warp_instructions] | add // 0) \(all(.[]; .complete))"' \
    "$work/run.json" 2>/dev/null || echo "0 0 false")
  # shellcheck disable=SC2086 # three words
  set -- $figures
  if [ "$verdict" = right ]; then verdict=$(verified "$1" "$3"); fi
  printf '%s|%s|%s|%s|%s\n' "$label" "$1" "$2" "$seconds" "$verdict"
}

# Whether what it printed is what its entry says; $1 launches, complete or not ($2).
verified() {
  [ "$1" != 0 ] || { echo "nothing was launched"; return; }
  [ "$2" = true ] || { echo "the run is not complete"; return; }
  words "$ours" "stdout $results" >"$work/ours.words"
  if [ -n "$shows" ] && ! grep -qE -- "$shows" "$work/ours.words"; then echo "does not print: $shows"; return; fi
  if [ -n "$lacks" ] && grep -E -m1 -- "$lacks" "$work/ours.words"; then return; fi
  if [ -n "$like" ]; then
    tolerance=${like%% *} other=${like#* }
    [ "$other" != native ] || other=$command
    copy=$(copy "$folder" "$work/theirs" "${theirs:-$results}")
    (cd "$copy" && eval "timeout $limit $other") >"$work/stdout" 2>"$work/theirs.stderr" </dev/null || true
    mv "$work/stdout" "$copy"
    words "$copy" "stdout ${theirs:-$results}" >"$work/theirs.words"
    awk -v tolerance="$tolerance" -f "$here/agree.awk" "$work/ours.words" "$work/theirs.words" || return 0
  fi
  [ -z "$unverified" ] || { echo "only run: $unverified"; return; }
  [ -n "$shows$lacks$like" ] || { echo "list.txt does not say how to verify it"; return; }
  echo right
}

entry() {
  awk -v label="$1" '/^[^ #]/ { on = $1 == label; next } on && $1 !~ /^#/' "$here/list.txt"
}

if [ "${PROGRAM_ENTRY:-}" ]; then
  entry "$PROGRAM_ENTRY" | one "$PROGRAM_ENTRY"
  exit
fi
[ $# != 0 ] || set -- $(awk '/^[^ #]/ { print $1 }' "$here/list.txt")
echo "program|launches|warp instructions|seconds|result"
printf '%s\n' "$@" | xargs -P "${WEIR_PROGRAMS_JOBS:-$(nproc)}" -I{} env PROGRAM_ENTRY={} "$here/run.sh" "$build" |
  tee "$build/programs.table"
! grep -vE '[|](right|only run: .*)$' "$build/programs.table" >"$build/programs.wrong" || { echo "$(wc -l <"$build/programs.wrong") not right"; exit 1; }
