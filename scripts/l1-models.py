#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""l1-models.py [LATENCY.CSV]: models of a first-level cache, apart from weir, beside what boards do.

Prints, for each model, how far its share of loads that miss is from the measured one: the mean of the absolute differences,
in points. Of an H200: the chase with five carve-outs, cyclic walks with and without an evict-first hint, and a hot set beside a
stream (studies/silicon/probe). Given gpu-benches' latency curves (chip,core_mhz,footprint_kib,cycles_per_load), the knees of
five boards as well. Some ten seconds.
"""
import csv
import random
import sys
from collections import defaultdict
from pathlib import Path

PROBE = Path(__file__).resolve().parent.parent / "studies" / "silicon" / "probe"
LINES = 8  # of a KiB
RING_PASSES, WARM = 10, 4
WALK_PASSES = 16
OF_A_LINE = 2  # gpu-benches' chase has a pointer per 64 bytes


class Pool:
    """Sets of ways under LRU, and data for fewer lines than tags. Without room a set gives a line of its own."""

    def __init__(self, sets, ways, lines, unused_first=True):
        self.sets, self.ways, self.room, self.unused_first = sets, ways, lines, unused_first
        self.order = [[] for _ in range(sets)]  # [line, used again]: the least recently used first
        self.turn = 0  # the set that gave last, where a set had no line to give

    def release(self, own):
        if not own:
            while not own:
                self.turn = (self.turn + 1) % self.sets
                own = self.order[self.turn]
            own.pop(0)
            return
        unused = [i for i, (_, used) in enumerate(own) if not used] if self.unused_first else []
        own.pop(unused[0] if unused else 0)

    def access(self, line, first=False, again=True):
        own = self.order[line % self.sets]
        for i, entry in enumerate(own):
            if entry[0] == line:
                entry[1] |= again
                if not first:
                    own.append(own.pop(i))
                return True
        if len(own) == self.ways:
            own.pop(0)
        elif self.room:
            self.room -= 1
        else:
            self.release(own)
        own.insert(0 if first else len(own), [line, False])
        return False


class OldestQuarter:
    """Sets of ways, of which one among the least recently used quarter goes."""

    def __init__(self, sets, ways):
        self.sets, self.ways, self.draw = sets, ways, random.Random(7)
        self.order = [[] for _ in range(sets)]

    def access(self, line, first=False, again=True):
        own = self.order[line % self.sets]
        if line in own:
            if not first:
                own.append(own.pop(own.index(line)))
            return True
        if len(own) == self.ways:
            own.pop(self.draw.randrange(max(1, self.ways // 4)))
        own.insert(0 if first else len(own), line)
        return False


def ring(model, kib, of_a_line=1):
    """The share of misses of a ring through so many KiB in an order by chance, with so many pointers in each line, in sectors of their own."""
    pointers = list(range(round(kib * LINES * of_a_line)))
    random.Random(len(pointers)).shuffle(pointers)
    misses, sectors = [], {}
    for _ in range(RING_PASSES):
        for pointer in pointers:
            line = pointer // of_a_line
            again = pointer in sectors.get(line, ())
            if not model.access(line, again=again):
                sectors[line], again = set(), False
            misses.append(not again)
            sectors[line].add(pointer)
    late = misses[WARM * len(pointers):]
    return sum(late) / len(late)


def walk(model, kib, first):
    """Of the loads after the first of WALK_PASSES passes in order."""
    lines = range(kib * LINES)
    misses = [not model.access(line, first) for _ in range(WALK_PASSES) for line in lines]
    return sum(misses[len(lines):]) / (len(misses) - len(lines))


def hot_set(model, hot_kib, stream_kib, rounds=10):
    """Of the hot set's loads after the first round, beside a stream that nothing else reads."""
    misses, at = [], 1 << 15
    for _ in range(rounds):
        misses += [not model.access(line) for line in range(hot_kib * LINES)]
        for _ in range(stream_kib * LINES):
            model.access(at)
            at += 1
    late = misses[hot_kib * LINES:]
    return sum(late) / len(late)


def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def h200(make):
    """Distances from the H200's; make(KiB of data) is a model."""
    off = defaultdict(list)
    hit, miss = 32.03, 276.8
    data_kib = {"carveout-0": 216, "carveout-25": 184, "carveout-50": 116, "carveout-75": 52, "carveout-100": 20}
    for row in rows_of(PROBE / "h200.csv"):
        data, at = data_kib.get(row["experiment"]), int(row["at"])
        if data and data - 16 <= at <= 2 * data + 32:
            measured = min(1, (float(row["value"]) - hit) / (miss - hit))
            off["chase"].append(abs(ring(make(data), at) - measured))
    for row in rows_of(PROBE / "h200-counters.csv"):
        at, sectors, hits = int(row["kib"]), int(row["l1_sectors"]), int(row["l1_hit_sectors"])
        if row["experiment"] == "cyclic" and row["hint"] in ("plain", "evict_first") and at >= 240:
            measured = 1 - hits / (sectors * (WALK_PASSES - 1) / WALK_PASSES)
            off["walk"].append(abs(walk(make(240), at, row["hint"] != "plain") - measured))
        if row["experiment"] == "stream-hint" and row["hint"] == "plain":
            measured = 1 - hits / (9 * 128 * LINES * 4)
            off["hot set"].append(abs(hot_set(make(240), 128, at) - measured))
    return off


# As gpu-benches calls the board; cycles of its L1 and L2, KiB of data beside the carve-out, KiB of its knee; sets and ways of the former rule; of the pool.
BOARDS = [
    ("v100-pcie", 30.0, 215.1, 118, (100, 260), (16, 59), [(256, 4), (512, 2), (128, 8)]),
    ("a100-80", 36.2, 210.8, 148, (130, 330), (32, 37), [(128, 12), (256, 6), (64, 24)]),
    ("l40", 36.2, 276.5, 84, (70, 200), (16, 42), [(128, 8), (256, 4), (64, 16)]),
    ("rtx4090", 36.2, 285.0, 84, (70, 200), (16, 42), [(128, 8), (256, 4), (64, 16)]),
    ("h100-pcie", 34.3, 265.5, 216, (200, 450), (32, 54), [(512, 4), (256, 8), (128, 16)]),
]


def knee(rows, board, make):
    name, hit, miss, _, (low, high), _, _ = board
    off = []
    for row in rows:
        at = float(row["footprint_kib"])
        if row["chip"] == name and low <= at <= high:
            off.append(abs(ring(make(), at, OF_A_LINE) - (float(row["cycles_per_load"]) - hit) / (miss - hit)))
    return off


def say(what, off):
    print(f"{what}: {100 * sum(off) / len(off):.1f} points of {len(off)}")


def main():
    for name, make in [("4 ways of 512 sets, data of a pool, what was not used again first", lambda kib: Pool(512, 4, kib * LINES)),
                       ("... the least recently used first", lambda kib: Pool(512, 4, kib * LINES, False)),
                       ("2 ways of 1024 sets, data of a pool", lambda kib: Pool(1024, 2, kib * LINES)),
                       ("8 ways of 256 sets, data of a pool", lambda kib: Pool(256, 8, kib * LINES)),
                       ("32 sets, one of the oldest quarter", lambda kib: OldestQuarter(32, kib * LINES // 32))]:
        off = h200(make)
        say(f"h200, {name}", sum(off.values(), []))
        for part, own in off.items():
            say(f"  {part}", own)
    if len(sys.argv) < 2:
        return
    rows = rows_of(sys.argv[1])
    for board in BOARDS:
        data = board[3] * LINES
        for sets, ways in board[6]:
            say(f"{board[0]}, {ways} ways of {sets} sets, data of a pool", knee(rows, board, lambda: Pool(sets, ways, data)))
        say(f"{board[0]}, {board[5][0]} sets, one of the oldest quarter", knee(rows, board, lambda: OldestQuarter(*board[5])))


if __name__ == "__main__":
    main()
