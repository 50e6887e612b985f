// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Two phases, in turn: A of 300,000 instructions (100,000 rounds of 3), B of 100,000 (25,000 rounds of 4); four times
// each, so 1,600,000 instructions and a few around them. A is three quarters of all.
__asm__(".globl _start\n"
        "_start: mov $4, %ebx\n"
        "1:      mov $100000, %ecx\n"
        "2:      add $1, %rax\n"
        "        dec %ecx\n"
        "        jnz 2b\n"
        "        mov $25000, %ecx\n"
        "3:      imul %rdx, %rdx\n"
        "        mov %rdx, -8(%rsp)\n"
        "        dec %ecx\n"
        "        jnz 3b\n"
        "        dec %ebx\n"
        "        jnz 1b\n"
        "        mov $60, %eax\n"
        "        xor %edi, %edi\n"
        "        syscall\n"
        ".section .note.GNU-stack, \"\", @progbits\n");
