#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# schema.sh SOURCE BUILD: run objects of every kind against docs/run.schema.json, by a validator that is not weir's; and
# objects that the schema must refuse. Skipped (77) where Python has no jsonschema.
set -eu
source=$1 build=$2
python=/usr/bin/python3
"$python" -W ignore -c 'import jsonschema' 2>/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
weir=$build/weir

"$weir" run nn --json >"$folder/timed.json"
"$weir" run nn --functional --json >"$folder/functional.json"
"$weir" run nn --set sample_cycles=1000 --json >"$folder/samples.json"
"$weir" run nn --scheme swl,warps=best:1..2 --json >"$folder/sweep.json"
"$weir" run backprop --chip kepler-titan-black --sl1=counters=on --json >"$folder/sl1.json"
"$weir" run histogram --scheme pcbp --json >"$folder/atomics.json"
"$weir" run namd+floyd --chip apu-1c4g --cpu-instructions 50K --gpu-instructions 5K --warmup 20K --json >"$folder/mix.json" 2>"$folder/err" || { cat "$folder/err"; exit 1; }
"$weir" compare nn --schemes lru,pcbp --json >"$folder/compare.json"

"$python" -W ignore - "$source/docs/run.schema.json" "$folder" <<'PYTHON'
import copy, glob, json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
runs = {}
for path in sorted(glob.glob(sys.argv[2] + "/*.json")):
    value = json.load(open(path))
    for i, run in enumerate(value if isinstance(value, list) else [value]):
        runs[path + str(i)] = run
        for error in validator.iter_errors(run):
            sys.exit(f"{path}: {list(error.absolute_path)}: {error.message[:200]}")
assert len(runs) == 9, len(runs)

def refused(change):
    run = copy.deepcopy(runs[sys.argv[2] + "/timed.json0"])
    change(run)
    assert not validator.is_valid(run), change.__name__

def another_version(run): run["schema_version"] += 1
def missing(run): del run["loads"]
def unknown(run): run["total"]["l1"]["loads"]["pending_hits"] = 1
def text_for_number(run): run["loads"][0]["executions"] = "1"
def negative(run): run["total"]["cycles"] = -1
def nothing_for_text(run): run["program"] = None
for change in (another_version, missing, unknown, text_for_number, negative, nothing_for_text): refused(change)
PYTHON
