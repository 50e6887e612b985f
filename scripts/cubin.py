# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""Machine code in what NVIDIA's assembler writes, for the scripts beside this file."""

import struct

SECTION = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, …: of a 64-bit ELF file


def code_of(path):
    """{kernel or function: its machine code, bytes} of a cubin."""
    with open(path, "rb") as f:
        elf = f.read()
    at, count, names = *struct.unpack_from("<Q", elf, 0x28), *struct.unpack_from("<HH", elf, 0x3C)
    sections = [SECTION.unpack_from(elf, at + SECTION.size * k) for k in range(count)]
    found = {}
    for section in sections:
        start = sections[names][4] + section[0]
        name = elf[start : elf.index(b"\0", start)].decode()
        if name.startswith(".text."):
            found[name[len(".text.") :]] = elf[section[4] : section[4] + section[5]]
    return found


def instructions_of(code):
    """Those of such code, 16 bytes each, from Volta on: pairs of its low and high 8 bytes."""
    return list(struct.iter_unpack("<QQ", code))
