#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""machine-code.py order|count|stalls|waits|jumps|branches|operations|accesses ARCH [FILE.ptx...]: what NVIDIA's assembler makes of PTX for ARCH (sm_90), as CSV on standard output,
for the tests of 300-exec. PTXAS and NVDISASM name NVIDIA's programs, of one version; waits, jumps and accesses need no NVDISASM.

order       of each kernel of the bundled workloads, or of the files given: the loads from global and shared memory in its machine code, and
            how often the code, read from top to bottom, waits for some: an instruction uses what a load before it has brought since the
            last wait, which ends all of them (331_machine_order.c)
count       the machine instructions of each such kernel, without what fills it up, and without the subroutines behind it
stalls      how many pairs there are, and the fewest and most common cycles between an instruction that writes a predicate and one that it guards, in the bundled kernels or the files given
            (machine/stalls.csv, 513_schedulers.c)
waits       the same, by whether anything between the two waits for what takes no known time, and how many are at the fewest
            (machine/waits.csv, 750-study/stalls.sh)
jumps       how many branches, calls, returns and reconvergences there are, and the fewest and most common cycles behind them; how many functions, and the
            fewest and most NOPs that fill them up (machine/jumps.csv, 348_code_size.c)
branches    up to how many instructions of a kind a branch around them becomes guards: kernels with 1 to 24 are asked (machine/branches.csv,
            333_guards.c)
operations  the rows of machine/operations.csv with how many machine instructions each becomes: what four more of it add to a kernel that loads
            its operands and stores its result (332_machine_count.c)
accesses    the rows of machine/accesses.csv with how many loads from global memory, and from shared memory of 4, 8 and 16 bytes, stand in the
            machine code: what becomes of loops and of loads side by side (347_machine_accesses.c). <8:TEXT> stands for 8 of TEXT, with
            multiples of 4 for @"""

import glob
import os
import re
import subprocess
import sys
import tempfile

from cubin import code_of, instructions_of

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


def assemble(path, arch, folder):
    with open(path) as f:
        text = f.read()
    mode = ", texmode_independent" if re.search(r"^\.target.*texmode_independent", text, re.M) else ""
    text = re.sub(r"^\.version.*", ".version 7.8", text, flags=re.M)
    text = re.sub(r"^\.target.*", f".target {arch}{mode}", text, flags=re.M)
    ptx, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    with open(ptx, "w") as f:
        f.write(text)
    subprocess.run([os.environ.get("PTXAS", "ptxas"), f"-arch={arch}", "-o", cubin, ptx], check=True)
    return cubin


def machine_code(path, arch, folder, *options):
    cubin = assemble(path, arch, folder)
    listing = [os.environ.get("NVDISASM", "nvdisasm"), "-c", *options, cubin]
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


ENCODED = re.compile(r"/\*\s*0x([0-9a-f]{16})\s*\*/")


def stalled(listing):
    """Of each run of instructions without a label or a way out: (text, cycles until the next one, whether its result comes when it comes)."""
    run = []
    for line in listing.split("\n"):
        found = INSTRUCTION.search(line)
        if re.match(r"\.L_x|\.text", line):
            yield run
            run = []
        elif found and ENCODED.search(line):
            run.append([found.group(1).strip(), None])
        elif run and run[-1][1] is None and ENCODED.search(line):
            high = int(ENCODED.search(line).group(1), 16)
            run[-1][1:] = [high >> 41 & 15, high >> 46 & 7 != 7]
    yield run


def print_stalls(arch, files, folder):
    """Bits 41 to 44 of an instruction's upper word are the cycles until the next one may issue, 46 to 48 the barrier that its result sets, or 7."""
    apart = {}
    for path in files:
        for run in stalled(machine_code(path, arch, folder, "-hex")):
            for k, (text, _, _) in enumerate(run):
                guard = GUARD.match(text)
                if not guard or not guard.group(1).startswith("P"):
                    continue
                kind = "branch" if guard.group(2).startswith(("BRA", "EXIT")) else "other"
                cycles = 0
                for before, stall, comes in reversed(run[:k]):
                    cycles += stall
                    name = (GUARD.match(before).group(2) if GUARD.match(before) else before).split()
                    if guard.group(1) in [w.rstrip(",") for w in name[1:3]] and re.match(r"\w*SETP|P?LOP3", name[0]):
                        if not comes:
                            apart.setdefault(kind, []).append(cycles)
                        break
    for kind, cycles in sorted(apart.items()):
        common = max(set(cycles), key=cycles.count)
        print(f"{release()},{arch},{kind},{len(cycles)},{min(cycles)},{common},{cycles.count(common)}")


COMPARES = {0x20C, 0x80C, 0xA0C, 0xC0C, 0x20B, 0x80B, 0xA0B, 0xC0B, 0x22A, 0x42A, 0x82A} # ISETP, FSETP, DSETP
ENDS = {0x947, 0x949, 0x943, 0x944, 0x950, 0x941, 0x945, 0x94D} # of code in a row: those below, BSSY and EXIT
ALWAYS = 7 # the predicate


def print_waits(arch, files, folder):
    """Bits 12 to 14 are the predicate that guards an instruction; of its upper word 17 to 19 that which it writes, 52 to 57 the barriers it waits for."""
    apart = {"": [], "waits": []}
    for path in files:
        for code in code_of(assemble(path, arch, folder)).values():
            code = instructions_of(code)
            for k, (low, high) in enumerate(code):
                if low >> 12 & 7 == ALWAYS or low & 0xFFF == NOP:
                    continue
                cycles, waiting = 0, ""
                for before, codes in reversed(code[:k]):
                    if before & 0xFFF in ENDS:
                        break
                    cycles += codes >> 41 & 15
                    if before & 0xFFF in COMPARES and codes >> 17 & 7 == low >> 12 & 7:
                        apart[waiting].append(cycles)
                        break
                    if codes >> 52 & 63:
                        waiting = "waits"
    for waiting, cycles in apart.items():
        print(f"{release()},{arch},{waiting},{len(cycles)},{min(cycles)},{cycles.count(min(cycles))}")


JUMPS = {0x947, 0x949, 0x943, 0x944, 0x950, 0x941} # BRA, BRX, CALL.ABS, CALL.REL, RET, BSYNC: the low 12 bits
NOP = 0x918


def print_jumps(arch, files, folder):
    """A function ends in a branch to itself, which waits for nothing, and NOPs."""
    behind, fills = [], []
    for path in files:
        for code in code_of(assemble(path, arch, folder)).values():
            code = instructions_of(code)
            end = len(code)
            while code[end - 1][0] & 0xFFF == NOP:
                end -= 1
            fills.append(len(code) - end)
            behind += [high >> 41 & 15 for low, high in code[: end - 1] if low & 0xFFF in JUMPS]
    common = max(set(behind), key=behind.count)
    print(f"{release()},{arch},{len(behind)},{min(behind)},{common},{behind.count(common)},{len(fills)},{min(fills)},{max(fills)}")


MOST = 24
BODIES = { # what a branch skips, and what is behind it
    "multiply-add": ("fma.rn.f32 %f1, %f1, %f3, %f4;", ""),
    "integer multiply-add": ("mad.lo.s32 %r5, %r5, %r5, %r9;", "st.global.u32 [%rd2+16], %r5;"),
    "store of a constant": ("st.global.f32 [%rd1+NN], %f3;", ""),
    "store of a constant to shared memory": ("st.shared.f32 [near+NN], %f3;", ""),
    "load from shared memory and addition": ("ld.shared.f32 %g#, [near+NN]; add.f32 %f1, %f1, %g#;", ""),
    "load used behind": ("ld.global.f32 %g#, [%rd1+NN];", "add.f32 %f2, %f2, %g#;"),
    "load and addition": ("ld.global.f32 %g#, [%rd1+NN]; add.f32 %f1, %f1, %g#;", ""),
    "load and store to shared memory": ("ld.global.f32 %g#, [%rd1+NN]; st.shared.f32 [near+NN], %g#;", ""),
    "atomic": ("red.global.add.u32 [%rd1+NN], 1;", ""),
    "double-precision multiplication": ("mul.f64 %d1, %d1, %d2;", "st.global.f64 [%rd2+64], %d1;"),
}
ASKED = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {
.reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<99>; .reg .f32 %g<99>; .reg .pred %p<9>; .reg .f64 %d<99>; .shared .align 4 .b8 near[4096];
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3; mov.f32 %f1, 0f3F800000; mov.f32 %f4, 0f00000000;
ld.global.u32 %r5, [%rd2+8192]; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; ld.global.f64 %d1, [%rd2+64]; ld.global.f64 %d2, [%rd2+72];
"""


def becomes_guards(before, body, arch, folder):
    ptx = os.path.join(folder, "asked.ptx")
    with open(ptx, "w") as f:
        f.write(ASKED + before + "setp.ne.s32 %p1, %r5, 7;\n" + body)
        f.write("st.global.f32 [%rd2], %f1;\nst.global.f32 [%rd2+4096], %f4;\nst.global.f32 [%rd2+4], %f2;\nret;\n}\n")
    code = machine_code(ptx, arch, folder)
    return len(re.findall(r"\bBRA\b", code)) == 1 # behind the end


def repeated(line, count):
    return "\n".join(line.replace("NN", str(16 * k)).replace("#", str(k)) for k in range(count)) + "\n"


def most(tries):
    """The number up to which all of them hold, from 1 on."""
    count = 0
    for holds in tries:
        if not holds:
            break
        count += 1
    return count


def print_branches(arch, files, folder):
    def alone(line, behind, count):
        body = "@%p1 bra L;\n" + repeated(line, count) + "L:\n" + repeated(behind, count)
        return becomes_guards(repeated("mov.f32 %g#, 0f00000000;", count), body, arch, folder)

    def both(first, second):
        body = "@%p1 bra L;\n" + repeated("fma.rn.f32 %f1, %f1, %f3, %f4;", first) + "bra.uni M;\nL:\n"
        return becomes_guards("", body + repeated("fma.rn.f32 %f1, %f1, %f4, %f3;", second) + "M:\n", arch, folder)

    rows = [(name, most(alone(*body, n) for n in range(1, MOST + 1))) for name, body in BODIES.items()]
    rows.append(("multiply-add before two others", most(both(n, 2) for n in range(1, MOST))))
    rows.append(("multiply-add behind two others", most(both(2, n) for n in range(1, MOST))))
    for name, count in rows:
        print(f"{release()},{arch},{name},{count}")


BEGIN = """.version 7.8
.target %s
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {
.reg .b32 %%r<99>; .reg .b64 %%rd<99>; .reg .f32 %%f<99>; .reg .f64 %%d<99>; .reg .pred %%p<9>;
.shared .align 4 .b8 x[20]; .shared .align 4 .b8 y[20]; .shared .align 4 .b8 z[8];
.shared .align 4 .b8 sh[4096];
ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b]; ld.param.u32 %%r9, [n]; mov.u32 %%r1, %%tid.x; mov.u32 %%r7, %%tid.y;
"""
END = """
add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f4; cvt.rn.f32.u32 %f5, %r4; add.f32 %f1, %f1, %f5;
cvt.rn.f32.f64 %f6, %d1; add.f32 %f1, %f1, %f6; cvt.rn.f32.f64 %f6, %d2; add.f32 %f1, %f1, %f6; st.global.f32 [%rd2+256], %f1; ret; }
"""
CODES = {0x981: 0, 0x984: 1} # LDG, LDS: the low 12 bits
WORDS = {5: 1, 6: 2}         # bits 73 to 75: 8 bytes, 16; else 4 or fewer


def print_accesses(arch, files, folder):
    def expanded(found):
        return "".join(found.group(2).replace("@", str(4 * k)) for k in range(int(found.group(1))))

    print(f"# Loads from global memory, and from shared memory of 4, 8 and 16 bytes, that ptxas {release()} makes of a kernel for {arch}: scripts/machine-code.py makes this file of its rows.")
    print("# body|global|4|8|16")
    with open(files[0]) as f:
        rows = [line.rstrip("\n").split("|")[0] for line in f if not line.startswith("#")]
    ptx, cubin = os.path.join(folder, "asked.ptx"), os.path.join(folder, "asked.cubin")
    for row in rows:
        with open(ptx, "w") as f:
            f.write(BEGIN % arch + re.sub(r"<(\d+):([^>]*)>", expanded, row) + END)
        subprocess.run([os.environ.get("PTXAS", "ptxas"), f"-arch={arch}", "-o", cubin, ptx], check=True)
        count = [0, 0, 0, 0]
        code = code_of(cubin)["k"]
        for low, high in instructions_of(code):
            if low & 0xFFF in CODES:
                count[CODES[low & 0xFFF] and 1 + WORDS.get(high >> 9 & 7, 0)] += 1
        print("|".join([row] + [str(n) for n in count]))


def main():
    what, arch, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not files:
        files = [f"tests/300-exec/machine/{what}.csv"] if what in ("operations", "accesses") else sorted(glob.glob("workloads/*/*.ptx"))
    with tempfile.TemporaryDirectory() as folder:
        {"order": print_order, "count": print_count, "stalls": print_stalls, "waits": print_waits, "jumps": print_jumps, "branches": print_branches, "operations": print_operations,
         "accesses": print_accesses}[what](arch, files, folder)


main()
