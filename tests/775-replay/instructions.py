# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Run by command.sh. A program's recorded instructions count what the program itself does, under the recording's scheme and under another,
# and on another chip; and a trace of Accel-Sim's tracer, written here by hand, counts what is derived from it by hand.
import json
import lzma
import subprocess
import sys

WEIR = sys.argv[1]
FERMI = ["--chip=fermi-gtx480"]


def weir(*words, status=0):
    done = subprocess.run([WEIR, *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def run(program, *words):
    return json.loads(weir("run", program, *words, "--json"))


def says(text, *words):
    said = weir(*words, status=2)
    assert text in said, (words, said)


# What a recording does not know: the place of an access among those of its line, and which hints it takes.
UNKNOWN = {"source_column", "number", "takes", "allocation"}


def counted(r):
    lists = {k: [{m: v for m, v in i.items() if m not in UNKNOWN} for i in r[k]] for k in ("loads", "stores", "atomics")}
    return r["total"], r["kernels"], lists, r["shared"], r["load_groups"]


weir("record", "nn", "--instructions", *FERMI, "--output=nn.wrec")
for scheme in "lru", "pcbp":
    assert counted(run("nn", *FERMI, "--scheme", scheme)) == counted(run("nn.wrec", *FERMI, "--scheme", scheme)), scheme

# Two blocks of two warps. Each warp loads 128 bytes of its own, adds, puts them into shared memory, waits, does what weir does not
# know, and half of it stores every other word of 128 bytes.
HEAD = """-kernel name = _Z3addPfS_
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 256
-nregs = 16
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f8000000000
-local mem base_addr = 0x00007f9000000000
-nvbit version = 1.5.5
-accelsim tracer version = 4
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate

"""


def warp(block, number):
    words = 0x7F0000000000 + 128 * (2 * block + number)
    every_other = " ".join(["8"] * 15)
    return [
        "0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0",
        f"0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x{words:x} 4 0",
        "0020 ffffffff 1 R5 FADD 2 R4 R4 0 0",
        f"0030 ffffffff 0 STS 2 R0 R5 4 1 0x{0x7F8000000000 + 128 * number:x} 4 0",
        "0040 ffffffff 0 BAR.SYNC 0 0 0",
        "0050 ffffffff 1 R6 HGMMA.64x64x16.F32 3 R4 R5 R6 0 0",
        f"0060 0000ffff 0 STG.E.SYS 2 R2 R5 4 2 0x{words + 0x100000:x} {every_other} 0",
        "0070 ffffffff 0 EXIT 0 0 0",
    ]


def block(number):
    lines = ["#BEGIN_TB", "", f"thread block = {number},0,0", ""]
    for w in range(2):
        lines += [f"warp = {w}", "insts = 8", *warp(number, w), ""]
    return "\n".join([*lines, "#END_TB", "", ""])


text = HEAD + block(0) + block(1)
with lzma.open("kernel-1.traceg.xz", "wt") as f:
    f.write(text)
open("kernel-1.traceg", "w").write(text)
open("kernelslist.g", "w").write("MemcpyHtoD,0x00007f0000000000,512\nkernel-1.traceg.xz\n")

copied, alone = run("kernelslist.g", *FERMI)["total"], run("kernel-1.traceg", *FERMI)["total"]
for total in copied, alone:
    assert total["blocks"] == 2 and total["warp_instructions"] == 2 * 2 * 8
    assert total["thread_instructions"] == 4 * (7 * 32 + 16)
    assert total["global_load_requests"] == total["global_store_requests"] == 4
    # 128 bytes from a multiple of 128 are one access; 16 words, 8 bytes apart, lie in one line, too. Each line is another.
    assert total["l1"]["loads"]["accesses"] == total["l1"]["loads"]["misses"] == total["l1"]["stores"]["accesses"] == 4
    assert total["shared_accesses"] == 4 and total["shared_bank_conflicts"] == 0 and total["replays"] == 0
# What the host copied is in the second level: four lines of four sectors, which DRAM reads if it did not.
assert copied["l2"]["loads"]["hits"] == 16 and alone["l2"]["loads"]["hits"] == 0
assert alone["dram"]["reads"] == copied["dram"]["reads"] + 16
# On Volta's chip, an access is a sector of 32 bytes.
volta = run("kernelslist.g", "--chip=volta-gv100")
assert volta["total"]["l1"]["loads"]["accesses"] == 16 and [k["registers"] for k in volta["kernels"]] == [16]
assert "HGMMA.64x64x16.F32 (4)" in subprocess.run([WEIR, "run", "kernelslist.g", *FERMI], capture_output=True, text=True).stderr
# Kept runs are of what the files hold: others of the same names are others.
for registers in "16", "17", "17":
    open("kernel-1.traceg", "w").write(text.replace("-nregs = 16", "-nregs = " + registers))
    open("kernelslist-plain.g", "w").write("kernel-1.traceg\n")
    weir("compare", "kernelslist-plain.g", *FERMI, "--schemes=lru,srrip", "--store=s.db")
assert weir("store", "--store=s.db", "list", "--csv").count("kernelslist-plain.g") == 4
# Recorded once more, it is the same program.
weir("record", "kernelslist.g", "--instructions", *FERMI, "--output=traced.wrec")
assert run("traced.wrec", *FERMI)["total"] == copied

# What cannot be: the head has 16 lines, a block four before its first warp, a warp two before and one behind its instructions.
open("kernel-1.traceg", "w").write(text.replace("0x7f0000000080", "x"))
says("kernel-1.traceg:35: error: the access's addresses cannot be read", "run", "kernel-1.traceg", *FERMI)
says("is of warps of 32 threads; the chip's have 64", "run", "nn.wrec", "--chip=gcn-apu")
says("nn.wrec: error: is a recording: S-L1 has no meaning for it", "run", "nn.wrec", "--sl1", *FERMI)
says("is a recording, and has no PTX", "run", "nn.wrec", "--ptxas", "--chip=turing-2080ti")
says("is a recording of instructions, not of memory accesses: weir run takes it", "replay", "nn.wrec")
weir("record", "nn", *FERMI, "--output=accesses.wrec")
weir("record", "nn.wrec", *FERMI, "--output=again.wrec")  # the same accesses as of the program itself
assert weir("replay", "again.wrec", "--export=csv") == weir("replay", "accesses.wrec", "--export=csv")
says("then weir record FILE", "record", "--output=x.wrec", "--", "./nothing")
says("is a recording of memory accesses, not of instructions: weir replay takes it", "run", "accesses.wrec", *FERMI)
says("its instructions are not recorded", "record", "nn", "--instructions", "--sl1", *FERMI, "--output=sl1.wrec")
