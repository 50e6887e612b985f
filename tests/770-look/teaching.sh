#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# teaching.sh SOURCE WEIR: each command that docs/teaching shows prints the lines that stand below it there.
set -eu
source=$1 weir=$(realpath "$2") folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$source"
awk -v folder="$folder" '/^```/ { inside = !inside; n += inside; next } inside { print > (folder "/" n ".shown") }' docs/teaching/README.md
blocks=0
for shown in "$folder"/*.shown; do
  command=$(sed -n '1s/^\$ weir //p' "$shown")
  [ -n "$command" ] && [ "$(wc -l <"$shown")" -ge 2 ] || { echo "no command, or nothing below it:"; cat "$shown"; exit 1; }
  # shellcheck disable=SC2086 # the command's words
  "$weir" $command >"$folder/printed"
  sed 1d "$shown" | while IFS= read -r line; do
    grep -qxF -- "$line" "$folder/printed" || { echo "weir $command"; echo "does not print: $line"; cat "$folder/printed"; exit 1; }
  done
  blocks=$((blocks + 1))
done
[ $blocks -ge 10 ] || { echo "docs/teaching shows $blocks commands"; exit 1; }
