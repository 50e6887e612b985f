#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# python.sh SOURCE WEIR: the Python package against what the command prints as CSV (77: there is no pandas).
set -eu
/usr/bin/python3 -c 'import pandas' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WEIR="$2" PYTHONPATH="$1/python" PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME="$work"
unset WEIR_STORE
/usr/bin/python3 "$1/tests/800-cli/python.py"
