#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""code-bytes.py: the bytes of machine code that NVIDIA's assembler makes for sm_90 of each kernel that was profiled on an H200
(studies/silicon/workloads/h200-counters.csv), as CSV on standard output (studies/silicon/workloads/code.csv). PTXAS names the assembler; its
releases differ, and the committed file is of 13.0, which the board's driver has, too."""

import csv
import os
import re
import subprocess
import sys
import tempfile

from cubin import code_of

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MODULES = {"kmn-136": "kmn", "bfs-random": "bfs"}  # which have another workload's kernels


def code_bytes(module):
    """Of each kernel of the workload's PTX."""
    with open(os.path.join(ROOT, "workloads", module, module + ".ptx")) as f:
        text = re.sub(r"^\.target .*", ".target sm_90", f.read(), flags=re.M)
    with tempfile.TemporaryDirectory() as work:
        ptx, made = os.path.join(work, "ptx"), os.path.join(work, "cubin")
        with open(ptx, "w") as f:
            f.write(text)
        subprocess.run([os.environ.get("PTXAS", "ptxas"), "-arch=sm_90", "-o", made, ptx], check=True)
        return {kernel: len(code) for kernel, code in code_of(made).items()}


def main():
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    with open(os.path.join(ROOT, "studies/silicon/workloads/h200-counters.csv")) as f:
        kernels = list(dict.fromkeys((row["workload"], row["kernel"]) for row in csv.DictReader(f)))
    print("workload,kernel,code_bytes")
    modules = {}
    for workload, kernel in kernels:
        module = MODULES.get(workload, workload)
        if module not in modules:
            modules[module] = code_bytes(module)
        print(f"{workload},{kernel},{modules[module][kernel]}")


main()
