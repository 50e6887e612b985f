#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""machine-order.py ARCH [FILE.ptx...]: how NVIDIA's assembler orders loads, for tests/300-exec/331_machine_order.c. Of each kernel
of the bundled workloads, or of the files given, as CSV on standard output: the loads from global and shared memory in its
machine code for ARCH (sm_90), and how often the code, read from top to bottom, waits for some: an instruction uses what a load
before it has brought since the last wait, which ends all of them. PTXAS and NVDISASM name NVIDIA's programs, of one version."""

import glob
import os
import re
import subprocess
import sys
import tempfile

INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?);")
GUARD = re.compile(r"@!?(U?P\w+)\s+(.*)")
REGISTER = re.compile(r"\b(?:UR\d+|R\d+|UP\d|P\d)\b")
LOAD = re.compile(r"(LDG|LDS|LD)(\.|$)")
WRITES_NOTHING = ("ST", "RED", "BRA", "BAR", "EXIT", "BSSY", "BSYNC", "MEMBAR", "RET", "CALL", "NOP", "WARPSYNC")


def operation(text):
    """Is it a load, which registers does it write, which does it use?"""
    guard = GUARD.match(text)
    uses = [guard.group(1)] if guard else []
    text = guard.group(2) if guard else text
    name = text.split(None, 1)[0]
    rest = text[len(name) :].replace(".reuse", "")
    registers = REGISTER.findall(rest)
    writes = registers[:1] if not name.startswith(WRITES_NOTHING) else []
    uses += registers[len(writes) :]
    if writes and writes[0].startswith("R"):
        first = int(writes[0][1:])
        count = 4 if ".128" in name else 2 if ".64" in name or "WIDE" in name else 1
        writes = [f"R{first + k}" for k in range(count)]
    uses += [f"R{int(low) + 1}" for low in re.findall(r"R(\d+)\.64", rest)]
    return bool(LOAD.match(name)), writes, uses


def waits(code):
    loads = count = 0
    coming = set()
    for is_load, writes, uses in code:
        if coming & set(uses) or (not is_load and coming & set(writes)):
            count += 1
            coming = set()
        if is_load:
            loads += 1
            coming |= set(writes)
    return loads, count + bool(coming)


def kernels(listing):
    name, code = None, []
    for line in listing.split("\n"):
        begins = re.match(r"\.text\.([\w$]+):", line)
        if begins:
            if name:
                yield name, code
            name, code = begins.group(1), []
        found = INSTRUCTION.search(line)
        if found and name:
            code.append(operation(found.group(1).strip()))
    if name:
        yield name, code


def machine_code(path, arch, folder):
    with open(path) as f:
        text = f.read()
    mode = ", texmode_independent" if re.search(r"^\.target.*texmode_independent", text, re.M) else ""
    text = re.sub(r"^\.version.*", ".version 7.8", text, flags=re.M)
    text = re.sub(r"^\.target.*", f".target {arch}{mode}", text, flags=re.M)
    ptx, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    with open(ptx, "w") as f:
        f.write(text)
    subprocess.run([os.environ.get("PTXAS", "ptxas"), f"-arch={arch}", "-o", cubin, ptx], check=True)
    listing = [os.environ.get("NVDISASM", "nvdisasm"), "-c", cubin]
    return subprocess.run(listing, check=True, capture_output=True, text=True).stdout


def main():
    arch, files = sys.argv[1], sys.argv[2:]
    version = subprocess.run([os.environ.get("PTXAS", "ptxas"), "--version"], check=True, capture_output=True, text=True)
    release = re.search(r"release ([\d.]+)", version.stdout).group(1)
    print(f"# Order of loads in the machine code that ptxas {release} makes of the bundled kernels for {arch}: scripts/machine-order.py makes this file.")
    print("# workload,kernel,loads,waits")
    with tempfile.TemporaryDirectory() as folder:
        for path in files or sorted(glob.glob("workloads/*/*.ptx")):
            for name, code in sorted(kernels(machine_code(path, arch, folder))):
                loads, count = waits(code)
                if loads:
                    print(f"{os.path.basename(path)[:-4]},{name},{loads},{count}")


main()
