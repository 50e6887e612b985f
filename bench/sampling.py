#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors
"""Holds --sample auto to whole runs (docs/SAMPLING.md).

    bench/sampling.py BUILD [--programs FOLDER] [--only NAME] [--wholes FOLDER] [-o FILE.csv]   measures, writes a row per program
    bench/sampling.py --table FILE.csv                              prints the table of the document

A program is a bundled workload, or a public one: FOLDER has those that PUBLIC names, built from their projects with nvcc for
compute_75. Rows that the file has are not measured again.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

BUNDLED = ["floyd", "gaussian", "gau", "bitonic", "srad", "lud", "nw", "bfs", "kmeans", "myc", "fastwalsh"]
PUBLIC = {  # PolyBench-ACC with the sizes after the comma compiled in, and Rodinia
    "polybench/jacobi2d,N=512,TSTEPS=100": ["jacobi2d"],
    "polybench/jacobi1d,N=65536,TSTEPS=500": ["jacobi1d"],
    "polybench/fdtd2d,NX=NY=512,TMAX=100": ["fdtd2d"],
    "polybench/gramschmidt,NI=NJ=256": ["gramschmidt"],
    "polybench/lu,N=512": ["lu"],
    "polybench/adi,N=256,TSTEPS=2": ["adi"],
    "rodinia/gaussian": ["gaussian", "-q", "-s", "256"],
    "rodinia/needle": ["needle", "1024", "10"],
    "rodinia/lud": ["lud", "-s", "512"],
    "rodinia/srad_v2": ["srad_v2", "512", "512", "0", "127", "0", "127", "0.5", "20"],
    "polybench/lu,N=768": ["lu768"],  # these two for their length: more than a minute
    "rodinia/gaussian,N=400": ["gaussian", "-q", "-s", "400"],
    "rodinia/pathfinder": ["pathfinder", "20000", "200", "2"],
}
CHIPS = {"bundled": "gcn-apu", "public": "turing-2080ti"}
COLUMNS = ["program", "size", "chip", "launches", "timed", "stopped", "not_run", "cycles", "cycles_estimated", "cycles_bound",
           "l1_misses", "l1_misses_estimated", "l1_misses_bound", "dram_bytes", "dram_bytes_estimated",
           "cpu_seconds", "cpu_seconds_sampled", "check"]


def run(weir, options, program, folder):
    """One run object, processor seconds of the whole process without the launcher's own."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [weir, "run", "--json=" + out.name] + options + program
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit("%s: %s" % (" ".join(command), done.stderr))
        run = json.load(open(out.name))
    return run[0] if isinstance(run, list) else run


def run_whole(weir, name, options, program, folder, kept):
    path = os.path.join(kept, name.replace("/", "_") + ".json") if kept else ""
    if os.path.exists(path):
        found = json.load(open(path))
        return found[0] if isinstance(found, list) else found
    whole = run(weir, options, program, folder)
    if path:
        json.dump(whole, open(path, "w"))
    return whole


def measure(weir, name, chip, options, program, folder, kept):
    options = options + ["--chip", chip, "--scheme", "lru"]
    whole = run_whole(weir, name, options, program, folder, kept)
    sampled = run(weir, options + ["--sample", "auto"], program, folder)
    sampling, a, b = sampled["sampling"], whole["total"], sampled["total"]
    misses = lambda total: total["l1"]["loads"]["misses"]
    same = whole["check"] == sampled["check"] and whole["checksums"] == sampled["checksums"]
    return {
        "program": name, "size": "" if folder else whole["size"], "chip": chip, "launches": sampling["launched"],
        "timed": sampling["timed"], "stopped": sampling["stopped"], "not_run": sampling["not_run"],
        "cycles": a["cycles"], "cycles_estimated": b["cycles"], "cycles_bound": sampling["cycles_error"],
        "l1_misses": misses(a), "l1_misses_estimated": misses(b), "l1_misses_bound": sampling["l1_load_misses_error"],
        "dram_bytes": a["dram"]["bytes"], "dram_bytes_estimated": b["dram"]["bytes"],
        "cpu_seconds": round(whole["host"]["cpu_seconds"], 2),
        "cpu_seconds_sampled": round(sampled["host"]["cpu_seconds"], 2), "check": whole["check"] if same else "differs",
    }


def wanted(arguments):
    for name in BUNDLED:
        yield name, CHIPS["bundled"], ["--size", "paper"], [name], None
    if arguments.programs:
        folder = os.path.abspath(arguments.programs)
        for name, words in PUBLIC.items():
            yield name, CHIPS["public"], [], ["--", "./" + words[0]] + words[1:], folder


def error(row, what):
    whole, estimated = float(row[what]), float(row[what + "_estimated"])
    return estimated / whole - 1 if whole else 0.0


def mean(errors):
    """Of factors, as a geometric mean is: how far off, whichever way."""
    return math.exp(sum(abs(math.log1p(e)) for e in errors) / len(errors)) - 1


def print_table(rows):
    print("| program | launches | timed | cycles | bound | L1 load misses | bound | processor time | times less |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    bound = lambda text: "%.1f %%" % (100 * float(text)) if text else "–"
    for r in rows:
        seconds, sampled = float(r["cpu_seconds"]), float(r["cpu_seconds_sampled"])
        stopped = ", %s in part" % r["stopped"] if r["stopped"] != "0" else ""
        print("| %s | %s | %s%s | %+.1f %% | %s | %+.1f %% | %s | %.1f s | %.1f |" % (
            r["program"], r["launches"], r["timed"], stopped, 100 * error(r, "cycles"), bound(r["cycles_bound"]),
            100 * error(r, "l1_misses"), bound(r["l1_misses_bound"]), seconds, seconds / max(sampled, 0.01)))
    print("\nGeometric mean of %d: cycles off by %.1f %%, L1 load misses by %.1f %%." % (
        len(rows), 100 * mean([error(r, "cycles") for r in rows]), 100 * mean([error(r, "l1_misses") for r in rows])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?")
    parser.add_argument("--programs")
    parser.add_argument("--only")
    parser.add_argument("--wholes", help="a folder that keeps whole runs: those that it has are not made again")
    parser.add_argument("--table")
    parser.add_argument("-o", default="sampling.csv")
    arguments = parser.parse_args()
    if arguments.table:
        print_table(list(csv.DictReader(open(arguments.table))))
        return
    if not arguments.build:
        parser.error("which build?")
    rows = list(csv.DictReader(open(arguments.o))) if os.path.exists(arguments.o) else []
    known = {r["program"] for r in rows}
    weir = os.path.abspath(os.path.join(arguments.build, "weir"))
    for name, chip, options, program, folder in wanted(arguments):
        if name in known or (arguments.only and arguments.only != name):
            continue
        rows.append(measure(weir, name, chip, options, program, folder, arguments.wholes))
        with open(arguments.o, "w", newline="") as f:
            writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
