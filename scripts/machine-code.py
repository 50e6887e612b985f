#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""machine-code.py order|count|operations ARCH [FILE.ptx...]: what NVIDIA's assembler makes of PTX for ARCH (sm_90), as CSV on standard output,
for the tests of 300-exec. PTXAS and NVDISASM name NVIDIA's programs, of one version.

order       of each kernel of the bundled workloads, or of the files given: the loads from global and shared memory in its machine code, and
            how often the code, read from top to bottom, waits for some: an instruction uses what a load before it has brought since the
            last wait, which ends all of them (331_machine_order.c)
count       the machine instructions of each such kernel, without what fills it up, and without the subroutines behind it
operations  the rows of machine/operations.csv with how many machine instructions each becomes: what four more of it add to a kernel that loads
            its operands and stores its result (332_machine_count.c)"""

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


def release():
    version = subprocess.run([os.environ.get("PTXAS", "ptxas"), "--version"], check=True, capture_output=True, text=True)
    return re.search(r"release ([\d.]+)", version.stdout).group(1)


def print_order(arch, files, folder):
    print(f"# Order of loads in the machine code that ptxas {release()} makes of the bundled kernels for {arch}: scripts/machine-code.py makes this file.")
    print("# workload,kernel,loads,waits")
    for path in files:
        for name, code in sorted(kernels(machine_code(path, arch, folder))):
            loads, count = waits(code)
            if loads:
                print(f"{os.path.basename(path)[:-4]},{name},{loads},{count}")


def instructions(listing):
    """Of each kernel those before its subroutines; the last one jumps to itself and fills up."""
    name, count, counting = None, {}, False
    for line in listing.split("\n"):
        begins = re.match(r"\.text\.([\w$]+):", line)
        if begins:
            name, counting = begins.group(1), True
            count[name] = -1
        counting = counting and not re.match(r"\$[\w$]*\$__", line)
        found = INSTRUCTION.search(line)
        if found and counting:
            count[name] += not re.match(r"(@!?U?P\w+ )?NOP", found.group(1).strip())
    return count


def print_count(arch, files, folder):
    print(f"# Machine instructions that ptxas {release()} makes of the bundled kernels for {arch}: scripts/machine-code.py makes this file.")
    print("# workload,kernel,instructions")
    for path in files:
        for name, count in sorted(instructions(machine_code(path, arch, folder)).items()):
            print(f"{os.path.basename(path)[:-4]},{name},{count}")


LETTERS = {"u": "r", "s": "r", "b": "r", "f": "f", "p": "p"}
LOADS = {"r": "u32", "f": "f32", "rd": "u64", "d": "f64", "h": "u16"}


def register_of(kind):
    if kind == "pred":
        return "p"
    if kind.endswith("16"):
        return "h"
    return {"r": "rd", "f": "d"}[LETTERS[kind[0]]] if kind.endswith("64") else LETTERS[kind[0]]


def times(operation, result, operands, count):
    """A kernel with so many of the operation, and how many other instructions it has for them."""
    numbers, text, others, at = {}, [], 0, 0

    def new(kind):
        numbers[kind] = numbers.get(kind, 0) + 1
        return f"%{kind}{numbers[kind]}"

    for _ in range(count):
        values = []
        for kind in map(register_of, operands):
            values.append(new(kind))
            text.append(f"ld.volatile.global.{LOADS[kind]} {values[-1]}, [%rd193+{at}];")
            at, others = at + 8, others + 1
        kind = register_of(result)
        values.insert(0, new(kind))
        text.append(re.sub(r"\$(\d)", lambda n: values[int(n.group(1))], operation))
        if kind == "p":
            text.append(f"selp.u32 %r199, 1, 0, {values[0]};")
            kind, values[0], others = "r", "%r199", others + 1
        text.append(f"st.volatile.global.{LOADS[kind]} [%rd194+{at}], {values[0]};")
        others += 1
    return """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {
.reg .b32 %r<200>; .reg .f32 %f<200>; .reg .b64 %rd<200>; .reg .f64 %d<200>; .reg .b16 %h<200>; .reg .pred %p<50>;
ld.param.u64 %rd190, [a];
ld.param.u64 %rd191, [b];
mov.u32 %r190, %tid.x;
mul.wide.u32 %rd192, %r190, 4096;
add.s64 %rd193, %rd190, %rd192;
add.s64 %rd194, %rd191, %rd192;
""" + "\n".join(text) + "\nret;\n}\n", others


def print_operations(arch, files, folder):
    path = files[0]
    print(f"# Machine instructions that ptxas {release()} makes of an operation for {arch}: scripts/machine-code.py makes this file of its rows.")
    print("# operation|result|operands|instructions")
    with open(path) as f:
        rows = [line.rstrip("\n").split("|") for line in f if not line.startswith("#")]
    for row in rows:
        counts = []
        for count in 2, 6:
            text, others = times(row[0], row[1], row[2].split(), count)
            ptx = os.path.join(folder, "asked.ptx")
            with open(ptx, "w") as f:
                f.write(text)
            counts.append(sum(instructions(machine_code(ptx, arch, folder)).values()) - others)
        print("|".join(row[:3] + [f"{(counts[1] - counts[0]) / 4:g}"]))


def main():
    what, arch, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not files:
        files = ["tests/300-exec/machine/operations.csv"] if what == "operations" else sorted(glob.glob("workloads/*/*.ptx"))
    with tempfile.TemporaryDirectory() as folder:
        {"order": print_order, "count": print_count, "operations": print_operations}[what](arch, files, folder)


main()
