#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# report_page.sh SOURCE WEIR: the page of weir report, opened in Chromium (77: there is none): no error and no request, the filter
# and the order that its address asks for, and the numbers of the run objects (report_page.py).
set -eu
source=$1 weir=$2
browser=$("$source/scripts/browser.sh") || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work" XDG_CONFIG_HOME="$work"

(cd "$source/third-party/vega" && sha256sum --quiet -c SHA256SUMS)
"$weir" compare nn backprop --schemes lru,none,pcbp --json --no-store >"$work/runs.json" 2>/dev/null
"$weir" report "$work/runs.json" -o "$work/page.html" 2>/dev/null
# The largest IPC is backprop's, the second program: the order is not that of the file.
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --no-first-run --enable-logging=stderr \
  --virtual-time-budget=10000 --dump-dom "file://$work/page.html#filter=pcbp&sort=-ipc" >"$work/dom.html" 2>"$work/log"
if grep CONSOLE "$work/log"; then
  echo "the page wrote to the console"
  exit 1
fi
/usr/bin/python3 "$source/tests/800-cli/report_page.py" "$work/dom.html" "$work/runs.json" ipc pcbp
