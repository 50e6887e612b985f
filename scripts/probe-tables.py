#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""probe-tables.py [ROOT]: puts the results of the microbenchmark on an H200 (studies/silicon/probe) into the documents.

In docs/differences/h200.md a table stands between two such lines; NAME is a function table_NAME below:

    <!-- probe NAME -->
    …
    <!-- end -->

A number or verdict stands in any document between such marks; what follows the name are its arguments:

    <!--probe mean;strides-->12.2 %<!--/-->

probe-tables.py --facts [ROOT]: what the page says that an H200 does, as rows NAME,measured,weir of yes and no.
"""

import csv
import glob
import os
import re
import sys

HINTS = ["plain", "ca", "nc", "evict_last", "evict_unchanged", "cs", "evict_first", "cg", "lu", "cv", "vol",
         "relaxed_gpu", "no_allocate"]
LOADS = {"plain": "plain", "vol": "volatile", "relaxed_gpu": "`ld.relaxed.gpu`", "ca": "`.ca`", "nc": "`.nc`",
         "cs": "`.cs`", "cg": "`.cg`", "lu": "`.lu`", "cv": "`.cv`"}
PAST_L1 = ["cg", "lu", "cv", "vol", "relaxed_gpu", "no_allocate"]
CYCLIC = [128, 192, 224, 240, 256, 272, 288, 320, 384, 512]
STREAMS = [64, 96, 128, 192, 256]
MEASURED, WEIR = 0, 1


def load_name(hint):
    return LOADS.get(hint, f"`L1::{hint}`")


class NotRun(Exception):
    """weir's column lacks a row that is asked for."""


class Results:
    """What was measured and what weir gives: each row's pair, by (experiment, at, hint)."""

    def __init__(self, root):
        folder = os.path.join(root, "studies/silicon/probe")

        def read(name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return list(csv.DictReader(file))

        self.counters = read("h200-counters.csv")
        measured = {(r["experiment"], r["at"], r["hint"]): r["value"] for r in read("h200.csv")}
        measured.update({(r["experiment"] + "-hits", r["kib"], r["hint"]): r["l1_hit_sectors"] for r in self.counters})
        weir = {}
        for file in sorted(glob.glob(os.path.join(folder, "h200-weir*.csv"))):
            for r in read(os.path.basename(file)):
                key = r["experiment"], r["at"], r["hint"]
                if measured.get(key) != r["measured"]:
                    sys.exit(f"{file}: {r['measured']} was not measured of {','.join(key)}")
                weir[key] = float(r["weir"])
        self.rows = {(k[0], int(k[1]), k[2]): (float(v), weir.get(k)) for k, v in measured.items()}

    def get(self, experiment, at, hint="plain", which=MEASURED):
        value = self.rows[experiment, at, hint][which]
        if value is None:
            raise NotRun
        return value

    def of(self, experiment):
        """The rows of an experiment that both have and that can be compared."""
        return {k: v for k, v in self.rows.items()
                if re.fullmatch(experiment, k[0]) and v[WEIR] is not None and not is_cold(k)}


def is_cold(key):
    """The loads that run first, here or there, find nothing in the L2."""
    return key[0] in ("stream-hint", "hot-hint") and key[2] == "plain"


# ---- numbers --------------------------------------------------------------------------------------------------------


def signed(x, unit="%"):
    return ("−" if f"{x:.1f}".startswith("-") else "+") + f"{abs(x):.1f} {unit}"


def shown(x, digits=4):
    if x is None:
        return "–"
    whole = f"{x:.{digits}g}"
    return f"{x:,.0f}" if "e" in whole or x >= 10 ** digits else whole


def error(pair):
    """Percent."""
    return 100 * (pair[WEIR] / pair[MEASURED] - 1)


def mean_error(rows):
    return sum(abs(error(v)) for v in rows.values()) / len(rows)


def furthest(rows):
    return max(rows.items(), key=lambda kv: abs(error(kv[1])))


def sectors(key):
    """That a launch of cyclic, stream-hint or hot-hint loads: 32 of each KiB in each pass or round."""
    return key[1] * 32 * 16 if key[0] == "cyclic-hits" else (128 + key[1]) * 32 * 10


def points(key, pair):
    """How far the hit rate is off."""
    return 100 * (pair[WEIR] - pair[MEASURED]) / sectors(key)


# What the summary, the marks and the verdicts call a part of the results.
def parts(results):
    def latency(*ranges):
        return {k: v for k, v in results.of("latency").items() if any(a <= k[1] <= b for a, b in ranges)}

    def copies(kind):
        return {k: v for k, v in results.of("copy").items() if k[2].startswith(kind)}

    return {
        "latency": latency((0, 216), (384, 20480), (98304, 98304)),
        "knees": latency((217, 383), (20481, 98303)),
        "hint-latency": results.of("hint-latency"),
        "carveout": results.of("carveout-.*"),
        "cyclic": results.of("cyclic"),
        "mixed": {**results.of("stream-hint"), **results.of("hot-hint")},
        "walks": {**results.of("cyclic"), **results.of("stream-hint"), **results.of("hot-hint")},
        "hits": results.of(".*-hits"),
        "strides": results.of("strides"),
        "bandwidth": results.of("bandwidth|bandwidth-apart"),
        "hint-bandwidth": results.of("hint-bandwidth"),
        "l2-mixed": results.of("l2-mixed"),
        "pinned": copies("pinned"),
        "pageable": copies("pageable"),
    }


def place(key):
    experiment, at, hint = key
    if experiment.startswith("carveout-"):
        return f"{at} KiB, {experiment[9:]} %"
    if experiment == "copy":
        return f"{bytes_of(at)} {hint.split(' ', 1)[1]}"
    if experiment == "strides":
        return f"stride {at}"
    if experiment == "l2-mixed":
        return f"{at} MiB, {hint}"
    name = {"stream-hint": "stream ", "hot-hint": "hot set "}.get(experiment, "")
    return f"{at} KiB" + ("" if experiment in ("latency", "bandwidth", "bandwidth-apart") else f", {name}{load_name(hint)}")


def bytes_of(n):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if n >= size:
            return f"{n // size} {unit}"
    return f"{n} bytes"


# ---- tables ---------------------------------------------------------------------------------------------------------


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for r in rows:
        yield "| " + " | ".join(r) + " |"


def table_summary(results):
    names = [
        ("latency", "latency on plateaus of L1, L2, DRAM", "cycles per load"),
        ("knees", "latency in knees", "cycles per load"),
        ("hint-latency", "latency by hint", "cycles per load"),
        ("carveout", "latency by carve-out", "cycles per load"),
        ("cyclic", "cyclic walk", "cycles per line"),
        ("mixed", "hot set beside a stream", "cycles per line"),
        ("strides", "strides", "cycles per load of a warp"),
        ("bandwidth", "bandwidth of L1 and L2", "bytes per cycle"),
        ("hint-bandwidth", "bandwidth by hint", "bytes per cycle"),
        ("l2-mixed", "priorities of the L2", "ms per launch"),
        ("pinned", "copies of pinned memory", "us"),
        ("pageable", "copies of pageable memory", "us"),
    ]

    def rows():
        for part, name, unit in names:
            these = parts(results)[part]
            if not these:
                continue
            key, pair = furthest(these)
            yield (name, unit, str(len(these)), f"{mean_error(these):.1f} %",
                   f"{place(key)}: {shown(pair[WEIR])} for {shown(pair[MEASURED])}, {signed(error(pair))}")

    return table(["", "unit", "rows", "mean error", "furthest off"], rows())


def table_facts(results):
    return table(["an H200", "weir"], ((text, verdict(ask(results, holds, WEIR))) for _, text, holds in FACTS))


def table_latency(results):
    def level(kib):
        return "L1" if kib <= 216 else "L2" if 384 <= kib <= 20480 else "DRAM" if kib == 98304 else "knee"

    return table(["footprint", "level", "cycles per load, measured", "weir", "error"],
                 ((f"{k[1]} KiB", level(k[1]), shown(v[MEASURED]), shown(v[WEIR]), signed(error(v)))
                  for k, v in results.of("latency").items()))


def table_hints(results):
    sizes = (64, 4096, 98304)
    head = ["load"] + [h for k in sizes for h in (bytes_of(k * 1024), "weir")]
    return table(head, ([load_name(h)] + [shown(x) for k in sizes for x in results.rows["hint-latency", k, h]]
                        for h in HINTS))


def pairs(results, experiment, sizes, hint, text):
    return [" / ".join(text(x, s) for x in results.rows[experiment, s, hint]) for s in sizes]


def table_cyclic(results):
    def rate(hits, kib):
        return "–" if hits is None else f"{100 * hits / sectors(('cyclic-hits', kib)):.1f}"

    return table(["load"] + [f"{k} KiB" for k in CYCLIC],
                 ([load_name(h)] + pairs(results, "cyclic-hits", CYCLIC, h, rate) for h in HINTS))


def kept(hits, _):
    """Of the hot set's loads after the first round: nine rounds of 128 KiB."""
    return "–" if hits is None else f"{100 * hits / (9 * 128 * 32):.0f}"


def table_stream(results):
    return table(["stream's load"] + [f"{k} KiB" for k in STREAMS],
                 ([load_name(h)] + pairs(results, "stream-hint-hits", STREAMS, h, kept) for h in HINTS))


def table_hot(results):
    return table(["hot set's load"] + [f"{k} KiB" for k in STREAMS],
                 ([load_name(h)] + pairs(results, "hot-hint-hits", STREAMS, h, kept) for h in HINTS))


def table_carveout(results):
    percents = (0, 25, 50, 75, 100)
    return table(["footprint"] + [f"{p} %" for p in percents],
                 ([f"{k} KiB"] + [" / ".join(shown(x) for x in results.rows[f"carveout-{p}", k, "plain"])
                                  for p in percents] for k in range(16, 257, 16)))


def rule(stride):
    """Passes of a warp's load, the mean over the offsets that the experiment takes: conflicts in 32 banks, or four lines each."""
    total = 0
    for offset in range(32):
        words = {offset + lane * stride for lane in range(32)}
        conflicts = max(sum(1 for w in words if w % 32 == bank) for bank in range(32))
        total += max(conflicts, -(-len({w // 32 for w in words}) // 4))
    return total / 32


def table_strides(results):
    return table(["stride, words", "cycles, measured", "rule", "weir", "error"],
                 ((str(k[1]), shown(v[MEASURED]), shown(rule(k[1])), shown(v[WEIR]), signed(error(v)))
                  for k, v in results.of("strides").items()))


def table_bandwidth(results):
    def cells(experiment, kib):
        pair = results.rows.get((experiment, kib, "plain"))
        if not pair:
            return ["", "", ""]
        return [shown(pair[MEASURED]), shown(pair[WEIR]), signed(error(pair)) if pair[WEIR] else "–"]

    return table(["footprint", "one buffer", "weir", "error", "a buffer for each SM", "weir", "error"],
                 ([f"{k} KiB"] + cells("bandwidth", k) + cells("bandwidth-apart", k)
                  for k in (32, 64, 128, 192, 256, 320, 384, 512, 1024, 2048)))


def table_l2(results):
    names = ("plain", "stream evict_first", "hot evict_last", "both")

    def us(ms):
        return "–" if ms is None else f"{1000 * ms:.1f}"

    return table(["hot set"] + list(names),
                 ([f"{k} MiB"] + [" / ".join(us(x) for x in results.rows["l2-mixed", k, n]) for n in names]
                  for k in (16, 24, 32, 40)))


def table_copies(results):
    names = ("pinned to device", "pinned to host", "pageable to device", "pageable to host")
    return table(["bytes"] + list(names),
                 ([bytes_of(4 ** i)] + [" / ".join(shown(x) for x in results.rows["copy", 4 ** i, n]) for n in names]
                  for i in range(1, 16)))


# ---- what an H200 does: the text, and whether it holds in one column of the results -----------------------------------


def hits(results, which, experiment, hint, sizes):
    return [results.get(experiment + "-hits", k, hint, which) for k in sizes]


def all_kept(results, which, experiment, hint):
    return all(x == 9 * 128 * 32 for x in hits(results, which, experiment, hint, STREAMS))


def no_hits(results, which, hints):
    return not any(x for h in hints for e, sizes in (("cyclic", CYCLIC), ("hot-hint", STREAMS))
                   for x in hits(results, which, e, h, sizes))


def latency_of_l2(results, which, hint):
    there, plain = results.get("hint-latency", 64, hint, which), results.get("hint-latency", 4096, "plain", which)
    return abs(there / plain - 1) <= 0.03


def near(results, which, one, other, most):
    return all(abs(results.get(e, k, one, which) - results.get(e, k, other, which)) <= most * sectors((e, k))
               for e, sizes in (("cyclic-hits", CYCLIC), ("stream-hint-hits", STREAMS), ("hot-hint-hits", STREAMS))
               for k in sizes)


def keeps_192(results, which, hint):
    return all(x == 15 * 192 * 32 for x in hits(results, which, "cyclic", hint, (320, 384, 512)))


def above(results, which, one, other, sizes):
    return all(a > b for a, b in zip(hits(results, which, "cyclic", one, sizes), hits(results, which, "cyclic", other, sizes)))


def slow_in_l2(results, which):
    slow = {h for h in HINTS if results.get("hint-latency", 4096, h, which)
            > 1.2 * results.get("hint-latency", 4096, "plain", which)}
    return slow == {"cs", "evict_first", "no_allocate"}


def l2_policies(results, which):
    def gain(name, mib):
        return 1 - results.get("l2-mixed", mib, name, which) / results.get("l2-mixed", mib, "plain", which)

    return all(abs(gain("stream evict_first", m)) < 0.02 and gain("hot evict_last", m) > 0.03 and gain("both", m) > 0.03
               for m in (16, 24, 32, 40))


def hot_set_beside_plain(results, which):
    whole = 9 * 128 * 32
    few, fewer, some, *many = hits(results, which, "stream-hint", "ca", STREAMS)
    return few == fewer == whole and 0 < some < whole and not any(many)


FACTS = [
    ("pass", "`.cg`, `.cv` and volatile loads never hit the L1",
     lambda r, w: no_hits(r, w, ("cg", "cv", "vol"))),
    ("pass_lu", "`.lu` and `ld.relaxed.gpu` loads never hit the L1",
     lambda r, w: no_hits(r, w, ("lu", "relaxed_gpu"))),
    ("no_allocate", "`L1::no_allocate` loads never hit the L1",
     lambda r, w: no_hits(r, w, ("no_allocate",))),
    ("pass_latency", "each of these six takes as long as a plain load that the L2 serves, within 3 %",
     lambda r, w: all(latency_of_l2(r, w, h) for h in PAST_L1)),
    ("as_plain", "`.ca` and `.nc` hit as plain loads do, within a point",
     lambda r, w: near(r, w, "ca", "plain", 0.01) and near(r, w, "nc", "plain", 0.01)),
    ("fits", "240 KiB fit beside a carve-out of 8 KiB: every pass but the first hits",
     lambda r, w: all(a == 15 * k * 32 for k, a in zip(CYCLIC[:4], hits(r, w, "cyclic", "ca", CYCLIC[:4])))),
    ("fits_216", "216 KiB fit beside 32 KiB of carve-out, 224 do not",
     lambda r, w: abs(r.get("latency", 216, which=w) / r.get("latency", 128, which=w) - 1) < 0.01
     and r.get("latency", 224, which=w) > 1.2 * r.get("latency", 128, which=w)),
    ("carveout_0", "a preference of 0 % shared memory leaves the chase its carve-out of 32 KiB",
     lambda r, w: all(abs(r.get("carveout-0", k, which=w) / r.get("latency", k, which=w) - 1) < 0.02
                      for k in (192, 208, 224, 240, 256))),
    ("cyclic_none", "a plain cyclic walk over 320 KiB or more never hits",
     lambda r, w: not any(hits(r, w, "cyclic", "ca", (320, 384, 512)))),
    ("first_more", "`.cs` and `L1::evict_first` hit more than plain loads from 256 KiB on",
     lambda r, w: above(r, w, "cs", "ca", CYCLIC[4:]) and above(r, w, "evict_first", "ca", CYCLIC[4:])),
    ("first_192", "`.cs` and `L1::evict_first` walks keep exactly 192 KiB of 320, 384 and 512",
     lambda r, w: keeps_192(r, w, "cs") and keeps_192(r, w, "evict_first")),
    ("unchanged", "`L1::evict_unchanged` hits more than plain loads from 256 to 288 KiB, and never from 320 on",
     lambda r, w: above(r, w, "evict_unchanged", "ca", (256, 272, 288))
     and not any(hits(r, w, "cyclic", "evict_unchanged", (320, 384, 512)))),
    ("hot_plain", "beside a plain stream, a hot set of 128 KiB loses nothing to 96 KiB, some to 128, all to 192",
     hot_set_beside_plain),
    ("stream", "beside a stream under `.cg`, `.cs`, `.cv`, volatile, `L1::evict_first` or `L1::no_allocate` it loses nothing",
     lambda r, w: all(all_kept(r, w, "stream-hint", h) for h in ("cg", "cs", "cv", "vol", "evict_first", "no_allocate"))),
    ("stream_more", "beside a stream under `.lu`, `ld.relaxed.gpu` or `L1::evict_unchanged` it loses nothing",
     lambda r, w: all(all_kept(r, w, "stream-hint", h) for h in ("lu", "relaxed_gpu", "evict_unchanged"))),
    ("hot_last", "read under `L1::evict_last`, it loses nothing to any plain stream",
     lambda r, w: all_kept(r, w, "hot-hint", "evict_last")),
    ("hot_first", "read under `.cs`, `L1::evict_first` or `L1::evict_unchanged`, it loses more than three quarters of its hits",
     lambda r, w: all(x < 0.25 * 9 * 128 * 32 for h in ("cs", "evict_first", "evict_unchanged")
                      for x in hits(r, w, "hot-hint", h, STREAMS))),
    ("slow_l2", "over 4 MiB, `.cs`, `L1::evict_first` and `L1::no_allocate` take far longer than plain loads, no other load does",
     slow_in_l2),
    ("strides", "strides to 32 take what the rule says, within 5 %",
     lambda r, w: all(abs(v[w] / rule(k[1]) - 1) <= 0.05 for k, v in r.of("strides").items() if k[1] <= 32)),
    ("l2_policies", "a hot set in the L2 gains from `L2::evict_last`, and nothing from `L2::evict_first` of the stream",
     l2_policies),
]


def ask(results, holds, which):
    """True, False, or None where a row is missing."""
    try:
        return holds(results, which)
    except NotRun:
        return None


def verdict(holds):
    return "not run" if holds is None else "agrees" if holds else "**fails**"


# ---- marks in the text ------------------------------------------------------------------------------------------------


def mark(results, words):
    """What stands for such words between marks."""
    p = parts(results)
    name, rest = words[0], words[1:]
    if name == "mean":
        return f"{mean_error(p[rest[0]]):.1f} %"
    if name == "within":  # PART PERCENT: is the mean error no more?
        return verdict(mean_error(p[rest[0]]) <= float(rest[1]))
    if name == "range":  # of errors
        errors = [error(v) for v in p[rest[0]].values()]
        return f"{signed(min(errors))} to {signed(max(errors))}"
    if name == "each":  # PART PERCENT: is no error more?
        return verdict(all(abs(error(v)) <= float(rest[1]) for v in p[rest[0]].values()))
    if name == "launches":
        return str(len(p["hits"]))
    if name == "equal":  # launches whose hits are equal to the sector
        return str(sum(a == b for a, b in p["hits"].values()))
    if name == "rates":  # POINTS: launches whose hit rates are no further off
        return str(sum(abs(points(k, v)) <= float(rest[0]) for k, v in p["hits"].items()))
    if name == "all_rates":
        return verdict(all(abs(points(k, v)) <= float(rest[0]) for k, v in p["hits"].items()))
    if name == "l2_rates":  # HINT: of the L2's reads in the profiled walks
        rates = [100 * int(r["l2_hit_sectors"]) / int(r["l2_read_sectors"]) for r in results.counters
                 if r["experiment"] == "cyclic" and r["hint"] == rest[0]]
        low, high = (f"{x:.0f}" for x in (min(rates), max(rates)))
        return f"{low} %" if low == high else f"{low} to {high} %"
    if name == "facts":  # how many of them weir has
        return str(sum(ask(results, holds, WEIR) is True for _, _, holds in FACTS))
    if name == "count":
        return str(len(FACTS))
    if name in ("measured", "weir", "error"):  # EXPERIMENT AT HINT
        pair = results.rows[rest[0], int(rest[1]), rest[2]]
        return signed(error(pair)) if name == "error" else shown(pair[WEIR if name == "weir" else MEASURED])
    raise KeyError(name)


def rewrite(results, text):
    def put_table(found):
        lines = globals()["table_" + found[2]](results)
        return found[1] + "".join(line + "\n" for line in lines) + found[3]

    text = re.sub(r"(<!-- probe (\w+) -->\n).*?(<!-- end -->)", put_table, text, flags=re.S)
    return re.sub(r"(<!--probe ([^>]*)-->).*?(<!--/-->)", lambda f: f[1] + mark(results, f[2].split(";")) + f[3], text)


def main():
    words = sys.argv[1:]
    facts = words[:1] == ["--facts"]
    root = (words[facts:] or [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")])[0]
    results = Results(root)
    if facts:
        for name, _, holds in FACTS:
            words = {None: "–", True: "yes", False: "no"}
            print(name, *(words[ask(results, holds, which)] for which in (MEASURED, WEIR)), sep=",")
        return
    for page in glob.glob(os.path.join(root, "docs/*.md")) + glob.glob(os.path.join(root, "docs/*/*.md")):
        old = open(page, encoding="utf-8").read()
        new = rewrite(results, old)
        if new != old:
            open(page, "w", encoding="utf-8").write(new)


main()
