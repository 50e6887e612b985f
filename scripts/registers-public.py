#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""registers-public.py FOLDER: holds weir's estimate of registers per thread against ptxas on the bundled kernels and on those of
public programs, and writes studies/registers/kernels.csv, of which scripts/registers-tables.py makes the tables of docs/VALIDATION.md.

The programs are fetched into FOLDER and compiled there to PTX for compute_75 by nvcc 13 (NVCC); what does not compile with the
folders named here is left out. Of HeCBench, which is large, one file in sixteen is taken: those whose path's SHA-256 begins with 0.
Of each file the first ten kernels in order of their names are taken; of those whose PTX is alike but for names, the first.
The SHA-256 of the file's name without its digits makes two halves: 0, to which the estimate may be fitted, and 1, held out.

ptxas 13 (PTXAS) counts for sm_75 and later, ptxas 11.8 (PTXAS11; Debian's nvidia-cuda-toolkit has it) for sm_35 and sm_70; without it
these columns keep what they have. What was fetched, compiled and counted stays in FOLDER, and is not done again; WEIR's estimates
are. An hour on two cores."""

import csv
import glob
import hashlib
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "studies/registers/kernels.csv")
FETCH = os.path.join(ROOT, "scripts/fetch.sh")
NVCC, PTXAS = os.environ.get("NVCC", "nvcc"), os.environ.get("PTXAS", "ptxas")
PTXAS11 = os.environ.get("PTXAS11")
WEIR = os.environ.get("WEIR", os.path.join(ROOT, "build/release/weir"))
ASSEMBLERS = { # architecture: its ptxas, a chip of the same assembler
    "sm_35": (PTXAS11, "kepler-titan-black"),
    "sm_70": (PTXAS11, "volta-v100"),
    "sm_75": (PTXAS, "turing-2080ti"),
    "sm_80": (PTXAS, "ampere-a100"),
    "sm_86": (PTXAS, "ampere-a40"),
    "sm_90": (PTXAS, "hopper-h100"),
}
PROGRAMS = { # repository, commit, where its CUDA files are, folders of headers beside a file's own and the one above
    "rodinia": ("yuhc/gpu-rodinia", "9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4", "cuda", ["common"]),
    "polybench": ("cavazos-lab/PolyBench-ACC", "70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7", "CUDA", ["common", "CUDA/utilities"]),
    "shoc": ("vetter/shoc", "0aea03beba2f09fcb5935cc11737372fe4de9ec0", "src/cuda", ["src/cuda/include", "src/cuda/common", "src/common"]),
    "samples": ("NVIDIA/cuda-samples", "c94ff366aed18c797b8a85dfaac7817b0228b420", "Samples", ["Common"]),
    "hecbench": ("zjin-lcf/HeCBench", "f27000a5188f8ac79bd43fc95a1b3f890c18823d", "src", ["src/include"]),
}
MOST = 10 # kernels of a file
LIMIT = 120 # seconds for each command: what takes longer is left out


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def run(*command):
    """Its standard output and error, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, errors="replace")
    except subprocess.TimeoutExpired:
        return None
    return done.stdout + done.stderr if done.returncode == 0 else None


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as f:
        f.write(text)
    os.replace(path + ".new", path)


# ---- programs -------------------------------------------------------------------------------------------------------


def fetch(folder, repository, commit):
    kinds = ["*." + kind for kind in "cu cuh h hpp hh H inc inl c cc cpp".split()]
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["bash", "-euc", '. "$0"; fetch "$@"', FETCH, repository, commit, *kinds], cwd=folder, check=True)
    return os.path.join(folder, os.path.basename(repository))


def has_kernel(path, seen):
    """It has, or what it includes by a path of its own."""
    if path in seen or not os.path.isfile(path):
        return False
    seen.add(path)
    text = read(path)
    beside = [os.path.normpath(os.path.join(os.path.dirname(path), i)) for i in re.findall(r'#\s*include\s*"([^"]+)"', text)]
    return "__global__" in text or any(has_kernel(i, seen) for i in beside)


def sources(program, to, under):
    for path in sorted(glob.glob(f"{to}/{under}/**/*.cu", recursive=True)):
        name = os.path.relpath(path, to)
        if program == "hecbench" and ("-cuda/" not in name or sha(name)[0] != "0"):
            continue
        if has_kernel(path, set()):
            yield name, path


def compile_all(folder):
    """(program, name, PTX file) of all that compiles."""
    for path in sorted(glob.glob(f"{ROOT}/workloads/*/*.ptx")):
        yield "bundled", os.path.basename(path)[:-4], path
    for program, (repository, commit, under, headers) in PROGRAMS.items():
        to = fetch(folder, repository, commit)
        for name, path in sources(program, to, under):
            ptx = os.path.join(folder, "ptx", program, name[:-3] + ".ptx")
            if not os.path.exists(ptx):
                write(ptx + ".part", "")
                above = os.path.dirname(path)
                places = ["-I" + p for p in [above, os.path.dirname(above)] + [os.path.join(to, h) for h in headers]]
                done = run(NVCC, "-ptx", "-O3", "-w", "-std=c++17", "-arch=compute_75", *places,
                           "-DcudaThreadSynchronize=cudaDeviceSynchronize", "-o", ptx + ".part", path)
                print(program, name, "" if done is not None else "does not compile", flush=True)
                if done is None:
                    write(ptx + ".part", "")
                os.replace(ptx + ".part", ptx)
            if os.path.getsize(ptx):
                yield program, name[:-3], ptx


# ---- kernels --------------------------------------------------------------------------------------------------------


def pieces(text):
    """The PTX in pieces (name of an entry or None, text)."""
    name, depth, lines = None, 0, []
    for line in text.splitlines(keepends=True):
        begins = re.match(r"\s*(?:\.visible\s+|\.weak\s+|\.extern\s+)*\.entry\s+([\w$]+)", line)
        if begins and not depth:
            yield None, "".join(lines)
            name, lines = begins.group(1), []
        lines.append(line)
        code = re.sub(r'"[^"]*"', "", line.split("//")[0])
        depth += code.count("{") - code.count("}")
        if name and not depth and "}" in code:
            yield name, "".join(lines)
            name, lines = None, []
    yield None, "".join(lines)


def alike(name, text):
    """What two kernels share that are alike but for names."""
    text = re.sub(r"//.*", "", text.replace(name, "K"))
    text = re.sub(r"^\s*(\.loc|\.file|\.pragma)\b.*", "", text, flags=re.M)
    text = re.sub(r"(L__BB|L__tmp|__local_depot|BB)\d+", r"\1", text)
    return sha(re.sub(r"\s+", " ", text))


def take(folder):
    """(program, name, PTX file with the kernels that are taken, their names)."""
    seen = set()
    for program, name, ptx in compile_all(folder):
        parts = list(pieces(read(ptx)))
        taken = set()
        for kernel, text in sorted((p for p in parts if p[0]), key=lambda p: p[0])[:MOST]:
            if alike(kernel, text) not in seen:
                seen.add(alike(kernel, text))
                taken.add(kernel)
        to = os.path.join(folder, "kernels", "-".join([program, *name.split("/")]) + ".ptx")
        if taken:
            write(to, "".join(text for kernel, text in parts if kernel is None or kernel in taken))
            yield program, name, to, taken


def half(program, name):
    file = os.path.basename(name) if program == "bundled" else "-".join([program, *name.split("/")])
    return int(sha(re.sub(r"\d", "", file + ".ptx"))[-1], 16) % 2


def targeted(ptx, arch):
    """A file with its PTX as one that every ptxas here reads."""
    text = read(ptx)
    mode = ", texmode_independent" if re.search(r"^\.target.*texmode_independent", text, re.M) else ""
    text = re.sub(r"^\.version.*", ".version 7.8", text, flags=re.M)
    text = re.sub(r"^\.target.*", f".target {arch}{mode}", text, flags=re.M)
    write(ptx[:-4] + ".targeted", text)
    return ptx[:-4] + ".targeted"


def counted(folder, ptx, arch):
    """{kernel: registers}; empty where this ptxas cannot assemble the file."""
    log = os.path.join(folder, "counts", arch, os.path.basename(ptx)[:-4])
    if not os.path.exists(log):
        done = run(ASSEMBLERS[arch][0], "-arch=" + arch, "-v", "-o", "/dev/null", targeted(ptx, arch))
        write(log, done or "")
    found = re.findall(r"entry function '([^']*)'.*?Used (\d+) registers", read(log), re.S)
    return dict(found)


def estimated(ptx, arch):
    done = run(WEIR, "check", "--registers", "--chip", ASSEMBLERS[arch][1], targeted(ptx, arch))
    return dict(re.findall(r"^(\S+) (\d+)$", done or "", re.M))


def main():
    folder = os.path.abspath(sys.argv[1])
    former = {}
    if os.path.exists(RESULTS):
        with open(RESULTS) as f:
            former = {tuple(row[:3]): row for row in csv.reader(f) if row and row[0][0] != "#"}
    rows = []
    for program, name, ptx, taken in list(take(folder)):
        columns = []
        for arch, (ptxas, _) in ASSEMBLERS.items():
            old = {k[2]: r[4 + len(columns)] for k, r in former.items() if k[:2] == (program, name)}
            counts = counted(folder, ptx, arch) if ptxas else old
            columns += [counts, estimated(ptx, arch)]
        os.remove(ptx[:-4] + ".targeted")
        for kernel in sorted(taken):
            row = [c.get(kernel, "") for c in columns]
            if any(row[k] and row[k + 1] for k in range(0, len(row), 2)):
                rows.append([program, name, kernel, half(program, name)] + row)
    os.makedirs(os.path.dirname(RESULTS), exist_ok=True)
    with open(RESULTS, "w") as f:
        f.write("# Registers per thread: what ptxas counts, and weir's estimate; scripts/registers-public.py makes this file\n")
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["program", "file", "kernel", "half"] + [c for arch in ASSEMBLERS for c in (arch, arch + "_weir")])
        out.writerows(rows)


if __name__ == "__main__":
    main()
