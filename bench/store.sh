#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# bench/store.sh [WEIR]: how long a results store of 100,000 runs takes to answer. It keeps one run, copies it under other
# names (40 programs, 20 schemes, 10 chips, 13 seeds), and times a pivot of speed over scheme and chip, and `weir store list`.
# Needs the sqlite3 shell. Prints processor seconds; nothing fails by time.
set -eu
weir=$(realpath "${1:-build/release/weir}")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
db=$work/runs.sqlite
"$weir" compare nn --schemes lru --store "$db" >"$work/out" 2>&1
rest=$(sqlite3 "$db" "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('runs')
  WHERE name NOT IN ('key', 'program', 'scheme', 'chip', 'seed')")
sqlite3 "$db" "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n;
  INSERT INTO objects SELECT 'k' || i, run, sum FROM n, (SELECT * FROM objects LIMIT 1);
  INSERT INTO runs (key, program, scheme, chip, seed, $rest)
    SELECT 'k' || i, 'p' || (i % 40), 's' || (i / 40 % 20), 'c' || (i / 800 % 10), i / 8000, $rest FROM n, (SELECT * FROM runs LIMIT 1)"
seconds() { # NAME COMMAND…
  name=$1
  shift
  /usr/bin/env time -f "$name: %U + %S s of processor time, %e s" "$@" >"$work/out"
}
seconds "pivot of 100,001 runs" sqlite3 "$db" "SELECT scheme, avg(ipc) FILTER (WHERE chip = 'c0'), avg(ipc) FILTER (WHERE chip = 'c1'),
  avg(ipc) FILTER (WHERE chip = 'c2'), avg(l1_hit_rate), sum(dram_bytes) FROM results GROUP BY scheme"
seconds "weir store list of one scheme on one chip" "$weir" store list --store "$db" --scheme s3 --chip c1
seconds "weir store export --csv of all" "$weir" store export --csv --store "$db"
du -m "$db" | sed 's/\t.*/ MiB/'
