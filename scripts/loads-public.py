#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""loads-public.py FOLDER: how many loads from global and from shared memory stand in the code of the bundled kernels and of public
programs': in the PTX, in what weir executes for it (weir check --assembled, hopper-h100), and in the machine code that ptxas 13 makes for
sm_90. Writes studies/registers/loads.csv, of which scripts/registers-tables.sh makes a table of docs/VALIDATION.md.

The programs are fetched into FOLDER and compiled, and kernels taken, as registers-public.py does (NVCC, PTXAS and WEIR as there): Rodinia,
NVIDIA's samples, and llm.c's dev/cuda. A quarter of an hour."""

import importlib.machinery
import os
import re
import sys

from cubin import code_of, instructions_of

HERE = os.path.dirname(os.path.abspath(__file__))
public = importlib.machinery.SourceFileLoader("public", os.path.join(HERE, "registers-public.py")).load_module()
public.PROGRAMS = {
    "rodinia": public.PROGRAMS["rodinia"],
    "samples": public.PROGRAMS["samples"],
    "llm.c": ("karpathy/llm.c", "f1e2ace651495b74ae22d45d1723443fd00ecd3a", "dev/cuda", []),
}
RESULTS = os.path.join(public.ROOT, "studies/registers/loads.csv")
LDG, LDS = 0x981, 0x984 # the low 12 bits of an instruction


def in_machine_code(ptx):
    made = ptx + ".cubin"
    if public.run(public.PTXAS, "-arch=sm_90", "-o", made, public.targeted(ptx, "sm_90")) is None:
        return {}
    found = {}
    for kernel, code in code_of(made).items():
        opcodes = [low & 0xFFF for low, _ in instructions_of(code)]
        found[kernel] = opcodes.count(LDG), opcodes.count(LDS)
    os.remove(made)
    return found


def in_ptx(text):
    found = {}
    for kernel, body in public.pieces(text):
        if kernel:
            loads = re.findall(r"^\s*(?:@!?\S+\s+)?(?:\S+:\s*)?(ldu?)((?:\.[\w:]+)+)", body, re.M)
            spaces = ["global" if name == "ldu" else next((s for s in ("global", "shared") if "." + s in rest), "") for name, rest in loads]
            found[kernel] = spaces.count("global"), spaces.count("shared")
    return found


def main():
    folder = os.path.abspath(sys.argv[1])
    rows = []
    for program, name, ptx, taken in public.take(folder):
        machine, written = in_machine_code(ptx), in_ptx(public.read(ptx))
        here = in_ptx(public.run(public.WEIR, "check", "--assembled", "--chip", "hopper-h100", public.targeted(ptx, "sm_90")) or "")
        for kernel in sorted(taken & machine.keys() & here.keys()):
            if sum(machine[kernel]):
                rows.append([program, name, kernel, *machine[kernel], *here[kernel], *written[kernel]])
    with open(RESULTS, "w") as f:
        print("# Loads in kernels' code: scripts/loads-public.py makes this file.", file=f)
        print("program,file,kernel,global,shared,weir_global,weir_shared,written_global,written_shared", file=f)
        for row in rows:
            print(*row, sep=",", file=f)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main()
