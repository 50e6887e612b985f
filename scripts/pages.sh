#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# pages.sh WEIR FOLDER: FOLDER/man1 gets the manual pages of weir and of each of its commands, FOLDER/weir bash's completion.
set -eu
weir=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/man1"
"$weir" help --man >"$folder/man1/weir.1"
for command in $("$weir" help | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p'); do
  "$weir" help --man "$command" >"$folder/man1/weir-$command.1"
done
"$weir" help --completion >"$folder/weir"
