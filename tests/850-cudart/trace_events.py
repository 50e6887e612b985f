#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# trace_events.py FILE SOURCE: whether a file of trace events is one that Perfetto and Chrome read, and has what the source derives by hand,
# in lines `// event: PROCESS ROW; NAME; BEGAN; ENDED; BYTES`, in picoseconds, of which `-` and what is left out may be anything.
import json
import sys

trace = json.load(open(sys.argv[1], encoding="utf-8"))
names = {}  # of rows, by process and thread
events = []
for e in trace["traceEvents"]:
    assert e["ph"] in ("M", "X"), e
    assert isinstance(e["pid"], int) and isinstance(e["tid"], int), e
    if e["ph"] == "M":
        assert e["name"] in ("process_name", "thread_name"), e
        if e["name"] == "thread_name":
            assert (e["pid"], e["tid"]) not in names, e
            names[e["pid"], e["tid"]] = e["args"]["name"]
    else:
        events.append(e)

for e in events:
    began, ended = e["args"]["began_ps"], e["args"]["ended_ps"]
    assert 0 <= began <= ended, e
    # Microseconds: beyond a double's 53 bits nothing is promised.
    assert abs(e["ts"] * 1e6 - began) <= began * 2.0**-50, e
    assert abs(e["dur"] * 1e6 - (ended - began)) <= ended * 2.0**-50, e
    assert (e["pid"], e["tid"]) in names, e
    if "bytes" in e["args"] and ended > began:
        rate = e["args"]["bytes"] / (ended - began) * 1e6
        assert abs(e["args"]["mb_per_s"] - rate) < rate * 1e-9, e

# In a row one thing ends before the next begins.
rows = {}
for e in events:
    rows.setdefault((e["pid"], e["tid"]), []).append((e["args"]["began_ps"], e["args"]["ended_ps"]))
for row, spans in rows.items():
    spans.sort()
    for a, b in zip(spans, spans[1:]):
        assert a[1] <= b[0], (names[row], a, b)


# What a stream has, an engine does.
def facts(pid):
    mine = [e for e in events if e["pid"] == pid and names[e["pid"], e["tid"]] != "host"]
    return sorted((e["name"], e["cat"], json.dumps(e["args"], sort_keys=True)) for e in mine)


pids = sorted({pid for pid, _ in names})
assert pids == list(range(1, len(pids) + 1)) and len(pids) % 2 == 0, pids
for pid in pids[::2]:
    assert facts(pid) == facts(pid + 1), pid


def holds(wanted, event):
    process, row = wanted[0].split(" ", 1)
    args = event["args"]
    found = [event["name"], args["began_ps"], args["ended_ps"], args.get("bytes", 0)]
    return (
        (event["pid"], names[event["pid"], event["tid"]]) == (int(process), row)
        and all(w in ("-", str(f)) for w, f in zip(wanted[1:], found))
    )


count = 0
for line in open(sys.argv[2], encoding="utf-8"):
    if line.startswith("// event: "):
        wanted = line[len("// event: ") :].strip().split("; ")
        left = [e for e in events if not holds(wanted, e)]
        if len(left) != len(events) - 1:
            sys.exit(f"{len(events) - len(left)} events are: {line}{json.dumps(events, indent=1)}")
        count += 1
assert count
