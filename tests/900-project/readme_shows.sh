#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# readme_shows.sh SOURCE BUILD: the reports that README.md shows are those that weir prints (scripts/readme.sh makes them anew). Skipped (77)
# without clang-19.
set -eu
source=$1 build=$2
command -v clang-19 >/dev/null || { echo "clang-19 is not here"; exit 77; }
cp "$source/README.md" "$build/README.md"
"$source/scripts/readme.sh" "$build/weir" "$build/README.md"
diff "$source/README.md" "$build/README.md" || { echo "FAILED: README.md shows what weir no longer prints"; exit 1; }
