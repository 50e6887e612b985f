// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// After this, a .def file enters its bodies into the table `t` instead of defining them. (No include guard: it is
// included once by each file of bodies.)
#undef OP1
#undef OP2
#undef OP3
#undef COMPARE
#define OP1(name, ...) t->alu[WEIR_X_##name] = op_##name;
#define OP2(name, ...) t->alu[WEIR_X_##name] = op_##name;
#define OP3(name, ...) t->alu[WEIR_X_##name] = op_##name;
#define COMPARE(name, ...) t->alu[WEIR_X_##name] = op_##name;
