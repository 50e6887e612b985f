#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# command.sh SOURCE WEIR SCRIPT: what is recorded and what comes of it, against models of its own (SCRIPT.py).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$1/tests/775-replay/$3.py" "$2"
