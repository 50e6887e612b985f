# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Run by command.sh. A recording is written as CSV, and what weir replay says of it is held to a cache of lists of Python's: 32 sets of
# four lines of 128 bytes for each core, the least recently used goes, a store drops its line (the L1 of fermi-gtx480 with linear
# sets, and what is fetched there at once). The other formats are read as their tools read them.
import collections
import csv
import json
import struct
import subprocess
import sys

WEIR, LINE = sys.argv[1], 128
CHIP = ["--chip=fermi-gtx480", "--set=l1.index=linear"]


def weir(*words, status=0):
    done = subprocess.run([WEIR, *words], capture_output=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr.decode()


def says(text, *words):
    said = weir(*words, status=2)
    assert text in said, (words, said)


def table(*words):
    return list(csv.DictReader(weir("replay", *words, "--csv", "--fetch-cycles=0").decode().splitlines()))


weir("record", "nn", *CHIP, "--output=nn.wrec")
run = json.loads(weir("run", "nn", *CHIP, "--json"))["total"]
rows = list(csv.DictReader(weir("replay", "nn.wrec", "--export=csv").decode().splitlines()))
accesses = [(int(r["core"]), int(r["address"], 16) // LINE, r["kind"]) for r in rows]
loads = [a for a in accesses if a[2] == "load"]
assert not any(r["past_l1"] == "1" or r["local"] == "1" for r in rows)  # else the model lacks something
assert len(loads) == run["l1"]["loads"]["accesses"] and len(accesses) - len(loads) == run["l1"]["stores"]["accesses"]
assert [int(r["cycle"]) for r in rows] == sorted(int(r["cycle"]) for r in rows)

# Hits of a set-associative LRU cache, and of a fully associative one of 64 lines.
hits, core_lines, full_misses = 0, collections.defaultdict(list), 0
sets = collections.defaultdict(list)
for core, line, kind in accesses:
    ways = sets[core, line % 32]
    if kind == "store":
        if line in ways:
            ways.remove(line)
        continue
    if line in ways:
        hits += 1
        ways.remove(line)
    ways.append(line)
    del ways[:-4]
    lines = core_lines[core]
    full_misses += line not in lines
    if line in lines:
        lines.remove(line)
    lines.append(line)
    del lines[:-64]
(said,) = table("nn.wrec", *CHIP[1:])
assert int(float(said["l1_loads"])) == len(loads)
assert abs(float(said["l1_hit_rate"]) * len(loads) - hits) < 1e-6, (said, hits)
assert 0.2 < hits / len(loads) < 0.8
sizes = {int(float(r["bytes"])): int(float(r["misses"])) for r in table("nn.wrec", *CHIP[1:], "--curve")}
assert sizes[64 * LINE] == full_misses, (sizes, full_misses)

# As on the chip: a fetch is on its way for as long as it was on average. Hits on such lines are hits; the misses are nearly the run's.
(near,) = list(csv.DictReader(weir("replay", "nn.wrec", *CHIP[1:], "--csv").decode().splitlines()))
l1 = run["l1"]["loads"]
assert abs(float(near["l1_hit_rate"]) - (l1["hits"] + l1["hits_on_miss"]) / l1["accesses"]) < 0.05, (near, l1)

# libCacheSim: 24 bytes, little-endian; the next use counted from 1, or -1.
weir("replay", "nn.wrec", *CHIP[1:], "--export=oracle-general", "--core=3", "--output=nn.oracle")
uses = list(struct.iter_unpack("<IQIq", open("nn.oracle", "rb").read()))
mine = [line for core, line, _ in accesses if core == 3]
assert [u[1] for u in uses] == mine and {u[2] for u in uses} == {LINE}
later = {}
for i in range(len(mine) - 1, -1, -1):
    assert uses[i][3] == later.get(mine[i], -1)
    later[mine[i]] = i + 1

# Simulators of DRAM.
requests = int(float(said["dram_reads"])), int(float(said["dram_writes"]))
ramulator = [l.split() for l in weir("replay", "nn.wrec", *CHIP[1:], "--export=ramulator2", "--fetch-cycles=0").decode().splitlines()]
dramsim = [l.split() for l in weir("replay", "nn.wrec", *CHIP[1:], "--export=dramsim3", "--fetch-cycles=0").decode().splitlines()]
assert tuple(sum(l[0] == k for l in ramulator) for k in ("LD", "ST")) == requests
assert tuple(sum(l[1] == k for l in dramsim) for k in ("READ", "WRITE")) == requests
assert [int(l[1], 16) for l in ramulator] == [int(l[0], 16) for l in dramsim]
assert [int(l[2]) for l in dramsim] == sorted(int(l[2]) for l in dramsim)

# Other schemes, and what a replay cannot do.
both = table("nn.wrec", "--schemes=lru,srrip", "--set=l1.size_kib=32")
assert [r["scheme"] for r in both] == ["lru", "srrip"] and float(both[0]["l1_misses"]) == 1
many = ["replay", "nn.wrec", "--schemes=lru,srrip,pcbp,random,lru", "--csv"]
alone = [weir("replay", "nn.wrec", "--scheme=" + s, "--csv").splitlines()[1].split(b",") for s in ("lru", "srrip", "pcbp", "random", "lru")]
for jobs in "1", "2", "3", "64":  # in the order asked for, each as alone, but for misses, which are against the first
    side_by_side = [r.split(b",") for r in weir(*many, "--jobs=" + jobs).splitlines()[1:]]
    assert [r[:3] + r[4:] for r in side_by_side] == [r[:3] + r[4:] for r in alone], (jobs, side_by_side, alone)
says("holds warps back", "replay", "nn.wrec", "--schemes=lru,ccws,srrip", "--jobs=3")
says("holds warps back", "replay", "nn.wrec", "--scheme=ccws")
says("was recorded with core.warp_lanes 32; the chip 'gcn-apu' has 64", "replay", "nn.wrec", "--chip=gcn-apu")
says("was recorded with 15 cores; the chip 'fermi-gtx480' has 14", "replay", "nn.wrec", "--set=core.count=14")
says("is no recording", "replay", sys.argv[0])
says("did you mean 'dramsim3'", "replay", "nn.wrec", "--export=dramsim")
says("--output says which file", "record", "nn")
says("--core is for --export", "replay", "nn.wrec", "--core=1")
says("cannot be written", "record", "nn", "--output=/nowhere/nn.wrec")
