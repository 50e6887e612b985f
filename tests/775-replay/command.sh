#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# command.sh SOURCE WEIR: weir record and weir replay against models of their own (command.py).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$1/tests/775-replay/command.py" "$2"
