#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""loads-first.py FROM TO: PTX as clang writes it, in another order: in each basic block the loads from global and shared memory go
first, with what their addresses need, as NVIDIA's assembler schedules the bodies of unrolled loops. What a register or memory
holds stays the same."""

import re
import sys

REGISTER = re.compile(r"%[A-Za-z_]\w*")
GUARD = re.compile(r"@!?(%\w+)\s+")
ACCESS = re.compile(r"(ld|st|atom|red)\.(?:\w+\.)*?(shared|global|local|param)")
ENDS_BLOCK = re.compile(r"(@!?%\w+\s+)?(bra|ret|exit|call|bar)\b")
WRITES_NOTHING = ("st.", "red.", "membar", "fence")
STAYS = ("membar", "fence", "vote", "shfl")


class Instruction:
    def __init__(self, line):
        self.line = line
        text = line.strip()
        guard = GUARD.match(text)
        if guard:
            text = text[guard.end() :]
        self.name = text.split(None, 1)[0]
        written, read = self.operands(text[len(self.name) :])
        # A guarded instruction may leave its result as it was.
        self.reads = set(read) | ({guard.group(1)} | set(written) if guard else set())
        self.writes = set(written)
        access = ACCESS.match(self.name)
        self.access, self.space = access.groups() if access else (None, None)
        self.is_load = self.access == "ld" and self.space in ("global", "shared")
        self.stays = self.name.startswith(STAYS) or (self.access not in (None, "ld") and not self.space)

    def operands(self, text):
        """The registers that are written, and those that are read."""
        names = REGISTER.findall(text)
        if self.name.startswith(WRITES_NOTHING):
            return [], names
        text = text.strip()
        results = len(REGISTER.findall(text[: text.index("}")])) if text.startswith("{") else 1
        if text.startswith(tuple("%")) and "|" in text.split(",")[0]:  # two results: %p|%q
            results = 2
        return names[:results], names[results:]


def must_follow(block):
    """Of each instruction, those before it that it cannot go before."""
    before = [set() for _ in block]
    for i, b in enumerate(block):
        for k, a in enumerate(block[:i]):
            registers = a.writes & (b.reads | b.writes) or a.reads & b.writes
            memory = a.space and a.space == b.space and not (a.access == "ld" and b.access == "ld")
            if registers or memory or a.stays or b.stays:
                before[i].add(k)
    return before


def loads_first(block):
    before = must_follow(block)
    wanted = [b.is_load for b in block]
    for i in reversed(range(len(block))):
        if wanted[i]:
            for k in before[i]:
                wanted[k] = True
    # How many loads' results an instruction waits for, one after the other.
    depth = [0] * len(block)
    for i in range(len(block)):
        depth[i] = max((depth[k] + block[k].is_load for k in before[i]), default=0)
    waiting = sorted(range(len(block)), key=lambda i: (depth[i], not wanted[i], i))
    done, order = set(), []
    while waiting:
        i = next(i for i in waiting if before[i] <= done)
        waiting.remove(i)
        done.add(i)
        order.append(block[i].line)
    return order


def rescheduled(lines):
    block, inside = [], False
    for line in lines:
        text = line.strip()
        if inside and (not text or text.startswith((".loc\t", ".loc ", "$L__tmp"))):
            continue  # lines of the source, which would end blocks
        is_code = inside and not text.startswith((".", "//", "$", "{", "}")) and not text.endswith(":")
        if is_code and not ENDS_BLOCK.match(text):
            block.append(Instruction(line))
            continue
        yield from loads_first(block)
        block = []
        inside = text == "{" or (inside and text != "}")
        yield line
    yield from loads_first(block)


with open(sys.argv[1]) as source:
    result = list(rescheduled(source.read().split("\n")))
with open(sys.argv[2], "w") as target:
    target.write("\n".join(result))
