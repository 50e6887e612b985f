# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Sourced by the checks of this folder, which run as `sh check_NAME.sh SOURCE-FOLDER`.
cd "$1"

# files GLOB…: the project's files of such names, build folders, git's own and fuzz inputs left out.
files() {
  for glob in "$@"; do
    find . \( -name .git -o -path ./build -o -path './build-*' -o -path ./fuzz/corpus \) -prune -o -type f -name "$glob" -print
  done | sed 's,^\./,,' | sort -u
}

# over COMMAND…: runs it on all files whose names are on stdin, as few times as that takes: a process per file is slow.
over() {
  xargs -d '\n' "$@"
}

# Ends a check: what it found is on stdin; anything found fails it. $1 says what is wrong with the places listed.
verdict() {
  found=$(cat)
  [ -n "$found" ] || exit 0
  echo "$1"
  echo "$found"
  exit 1
}
