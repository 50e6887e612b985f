# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# report_page.py DOM RUNS ORDER WORD: the page as Chromium made it (--dump-dom), against the run objects that it was made of.
# Holds the table of runs to the values of the objects, to the order of ORDER (a member of total) from the largest down, and
# to those runs whose scheme is WORD; and the tables of the first run's kernels and lines to sums over its objects.
import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.root, self.tables, self.charts, self.at, self.text = {}, {}, 0, None, None

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "html":
            self.root = a
        elif tag == "table":
            self.at = self.tables.setdefault(a.get("id"), {"heads": [], "rows": []})
        elif self.at is not None and tag == "th" and "data-key" in a:
            self.at["heads"].append(a["data-key"])
        elif self.at is not None and tag == "tr" and self.at["heads"]:
            self.at["rows"].append([])
        elif self.at is not None and tag == "td":
            self.text = ""
            self.value = a.get("data-value")
        elif tag == "svg" and "marks" in a.get("class", ""):
            self.charts += 1

    def handle_data(self, text):
        if self.text is not None:
            self.text += text

    def handle_endtag(self, tag):
        if tag == "td" and self.text is not None:
            self.at["rows"][-1].append(self.text if self.value is None else float(self.value))
            self.text = None
        elif tag == "table":
            self.at = None

    def rows(self, name):
        t = self.tables[name]
        return [dict(zip(t["heads"], r)) for r in t["rows"]]


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300)


def hit_rate(loads):
    return (loads["hits"] + loads["hits_on_miss"]) / loads["accesses"]


def main():
    dom, objects, order, word = sys.argv[1:]
    page = Page()
    page.feed(open(dom, encoding="utf-8").read())
    runs = json.load(open(objects, encoding="utf-8"))
    assert page.root.get("data-ready") == "1", "the page did not get to its end"
    assert page.root.get("data-errors") == "0", "the page had errors"
    # One scheme is shown, so no heat map: bars, the scatter and the roofline.
    assert page.charts == 3, f"{page.charts} charts"
    expected = sorted((r for r in runs if r["scheme"] == word), key=lambda r: -r["total"][order])
    rows = page.rows("sweep")
    assert len(rows) == len(expected) > 1, f"{len(rows)} rows"
    base = {r["program"]: r["total"]["cycles"] for r in runs if r["scheme"] == "none"}  # not lru, which comes first
    for row, run in zip(rows, expected):
        total = run["total"]
        for key in ("program", "scheme", "chip", "check"):
            assert row[key] == run[key], (key, row)
        for key, value in {
            "cycles": total["cycles"],
            "ipc": total["warp_instructions"] / total["cycles"],
            "l1_hit_rate": hit_rate(total["l1"]["loads"]),
            "l2_hit_rate": hit_rate(total["l2"]["loads"]),
            "dram_bytes": total["dram"]["bytes"],
            "energy_mj": sum(total["energy_pj"].values()) / 1e9,
            "speedup": base[run["program"]] / total["cycles"],
        }.items():
            assert near(row[key], value), (key, row[key], value)
    kernels = {}
    for k in runs[0]["kernels"]:
        kernels[k["name"]] = kernels.get(k["name"], 0) + k["cycles"]
    shown = {k["kernel"]: k["cycles"] for k in page.rows("kernels")}
    assert shown == kernels, (shown, kernels)
    lines = {}
    for l in runs[0]["loads"]:
        key = "%s:%d" % (l["source_file"], l["source_line"])
        lines[key] = lines.get(key, 0) + l["transactions"]
    shown = {}
    for l in page.rows("lines"):
        shown[l["place"]] = shown.get(l["place"], 0) + l["transactions"]
        assert l["text"], "a line without its text"
    assert shown == lines, (shown, lines)


main()
