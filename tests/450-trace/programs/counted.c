// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program whose instructions are counted by hand:
//   2 to begin, 1000 rounds of 5, a call, 3 in the function, 3 to end: 2 + 5000 + 1 + 3 + 3 = 5009
//   loads: 1000 in the rounds, pop and ret: 1002; stores: 1000, call and push: 1002
//   branches: 1000 conditional ones, of which 999 are taken; 1 call; 1 return: taken are 999 + 1 + 1 = 1001
__asm__(".globl _start\n"
        "_start: lea cell(%rip), %rsi\n"
        "        mov $1000, %ecx\n"
        "1:      mov (%rsi), %rax\n"
        "        add $1, %rax\n"
        "        mov %rax, 8(%rsi)\n"
        "        dec %ecx\n"
        "        jnz 1b\n"
        "        call 2f\n"
        "        mov $60, %eax\n"
        "        xor %edi, %edi\n"
        "        syscall\n"
        "2:      push %rbx\n"
        "        pop %rbx\n"
        "        ret\n"
        ".local cell\n"
        ".comm cell, 16, 16\n"
        ".section .note.GNU-stack, \"\", @progbits\n");
