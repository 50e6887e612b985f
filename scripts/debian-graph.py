#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""Writes workloads/data/debian12-depends.mtx.gz: who depends on whom in Debian 12.

A node is a binary package of bookworm main, amd64, in sorted order of names. An entry (i, j) says that package i needs
package j: for every dependency in Depends and Pre-Depends, the first alternative that is a package of the index (a
dependency on virtual packages alone has none). Version constraints and architecture qualifiers are ignored, and an edge
is stored once.

Reads apt's package lists, so that `apt-get update` on a Debian 12 machine is all that is needed. The output is a
function of the index alone: no names, no time stamps.
"""

import gzip
import io
import pathlib
import re
import subprocess
import sys

LISTS = pathlib.Path("/var/lib/apt/lists")
OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "workloads/data/debian12-depends.mtx.gz"
DEPENDS = re.compile(r"^(?:Pre-)?Depends: (.*)$", re.M)
NAME = re.compile(r"^Package: (\S+)$", re.M)


def find(pattern):
    found = sorted(LISTS.glob(pattern))
    if not found:
        sys.exit(f"debian-graph: no {pattern} in {LISTS}; run apt-get update on a Debian 12 machine first")
    return found[0]


def release():
    """'12.5 (Sat, 10 Feb 2024 …)' of the archive that the index came from."""
    text = find("*_dists_bookworm_*Release").read_text()
    return " of ".join(re.search(rf"^{key}: (.*)$", text, re.M).group(1) for key in ("Version", "Date"))


def packages():
    """Name → list of dependencies, each a list of alternatives' names."""
    index = find("*_dists_bookworm_main_binary-amd64_Packages*")
    text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", index], check=True, capture_output=True).stdout.decode()
    result = {}
    for stanza in text.split("\n\n"):
        name = NAME.search(stanza)
        if name:
            fields = ", ".join(DEPENDS.findall(stanza))
            groups = [[re.split(r"[ :(]", choice.strip())[0] for choice in group.split("|")]
                      for group in fields.split(",") if group.strip()]
            result[name.group(1)] = groups
    return result


def edges(depends):
    number = {name: i + 1 for i, name in enumerate(sorted(depends))}
    result = set()
    for name, groups in depends.items():
        for group in groups:
            known = [choice for choice in group if choice in number]
            if known:
                result.add((number[name], number[known[0]]))
    return sorted(result)


def main():
    depends = packages()
    entries = edges(depends)
    text = io.StringIO()
    text.write("%%MatrixMarket matrix coordinate pattern general\n")
    text.write(f"% Debian {release()}, main, amd64: package i (in sorted order of names) depends on package j.\n")
    text.write("% Depends and Pre-Depends, the first alternative that the index has. Made by scripts/debian-graph.py.\n")
    text.write(f"{len(depends)} {len(depends)} {len(entries)}\n")
    text.writelines(f"{i} {j}\n" for i, j in entries)
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(f"{OUTPUT}: {len(depends)} packages, {len(entries)} dependencies, {OUTPUT.stat().st_size} bytes")


main()
