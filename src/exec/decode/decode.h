// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From IR to decoded instructions, private to exec. One PTX instruction becomes one struct weir_insn; where it needs
// several bodies (a conversion of an operand's width, saturation, a form of its own), these become a sequence run as one.
// Invariant: a sequence writes its instruction's destination in its last body only, because a destination may share its
// slot with an operand.
#ifndef WEIR_EXEC_DECODE_H
#define WEIR_EXEC_DECODE_H

#include "base/diag.h"
#include "base/map.h"
#include "exec/assembler.h"
#include "exec/machine.h"
#include "exec/ops/ops.h"
#include "ptx/cfg.h"

// ---- where symbols lie ----------------------------------------------------------------------------------------------

enum weir_where {
  WEIR_AT_NOWHERE,
  WEIR_AT_ABSOLUTE,
  WEIR_AT_SHARED,
  WEIR_AT_EXTERN_SHARED,
  WEIR_AT_LOCAL,
  WEIR_AT_FRAME,
  WEIR_AT_KERNEL_PARAM,
  WEIR_AT_FUNCTION
};

struct weir_location {
  const struct weir_symbol *symbol;
  enum weir_where where;
  uint64_t
    value; // address, or offset in its space; FRAME and LOCAL: offset in the function's part; FUNCTION: its index
};

struct weir_locations {
  struct weir_location *all;
  uint32_t count, capacity;
  struct weir_map by_symbol; // number of its location
};

void weir_locations_free(struct weir_locations *l);
void weir_locations_put(struct weir_locations *l, const struct weir_symbol *s, enum weir_where where, uint64_t value);
struct weir_location weir_locations_get(const struct weir_locations *l, const struct weir_symbol *s);

// ---- constants ------------------------------------------------------------------------------------------------------

enum { WEIR_LANES_ID = 16, WEIR_LANES_EQ, WEIR_LANES_LE, WEIR_LANES_LT, WEIR_LANES_GE, WEIR_LANES_GT };

struct weir_constants {
  uint8_t *bytes;
  size_t size, capacity;
  struct weir_map offsets[WEIR_LANES_GT + 1]; // by width, or by what differs from lane to lane: of bits
  unsigned lanes;
};

void weir_constants_free(struct weir_constants *c);

// Offset of a vector of `width` (4, 8) bytes a lane that holds `bits` in every lane; width 1: a predicate.
uint32_t weir_constant(struct weir_constants *c, uint64_t bits, unsigned width);
// The same for a value that differs from lane to lane.
uint32_t weir_constant_lanes(struct weir_constants *c, unsigned which);

// ---- silent instructions --------------------------------------------------------------------------------------------

// Where what silent instructions write comes from, as far as the function is decoded: cores know nothing of them.
struct weir_silence {
  struct weir_origin {
    uint32_t first, count; // in `sources`
    bool known;            // the register's last writer is silent
  } * of;                  // [register]
  uint32_t *sources;       // register numbers
  uint32_t source_count, source_capacity;
  struct weir_insn *waiting; // silent instructions for the next one
  uint32_t waiting_count, waiting_capacity;
};

// ---- uniform registers (uniform.c) ----------------------------------------------------------------------------------

enum weir_constancy {
  WEIR_VARIES,
  WEIR_UNIFORM, // one value in the whole launch
  WEIR_COPIES,  // a special register's, which stays while a warp runs
};

// ---- the decoder ----------------------------------------------------------------------------------------------------

enum { WEIR_SEQUENCE_MAX = 24, WEIR_TEMPORARIES = 12 };

struct weir_decoder {
  struct weir_program *program;
  const struct weir_module *module;
  const struct weir_ops *ops;
  enum weir_assembler assembler; // that registers are estimated for
  struct weir_sink *sink;
  bool partly; // an instruction that cannot be run becomes a fault, instead of an error
  struct weir_locations locations;
  struct weir_constants constants;
  // The function being decoded.
  const struct weir_function *function;
  struct weir_function_code *code;
  struct weir_cfg cfg;
  uint32_t entry;  // its first PC
  uint32_t *pc_of; // [instruction] → PC, of a silent one that of the one it runs with
  struct weir_silence silence;
  uint32_t *slot;            // [register number] → offset in the frame, of a uniform one in the launch's values
  struct weir_ref *place;    // [register number] → where it is read
  uint8_t *constancy;        // [register number] → enum weir_constancy
  struct weir_insn *uniform; // in the order in which they are computed
  uint32_t uniform_count, uniform_capacity;
  uint32_t temporaries;      // offset of the first of WEIR_TEMPORARIES 64-bit slots at the frame's end
  uint32_t param_bytes;      // of the kernel
  unsigned temporaries_used; // by any instruction so far
  // The instruction being decoded.
  const struct weir_instruction *in;
  uint32_t index; // in the function
  struct weir_insn bodies[WEIR_SEQUENCE_MAX];
  unsigned count, temporary;
  bool failed;
  const char *obstacle; // of the instruction, if it failed and the program is built partly
  uint16_t body_of[WEIR_OPCODE_COUNT][WEIR_TYPE_COUNT][2]; // body.c: by opcode, type and .ftz; 0: not looked for
};

// An operand as a vector of 4 or 8 bytes a lane (or, width 1, as a predicate: *negated says it is to be inverted).
struct weir_ref weir_source(struct weir_decoder *d, const struct weir_operand *o, unsigned width);
struct weir_ref weir_source_predicate(struct weir_decoder *d, const struct weir_operand *o, bool *negated);
// An immediate of an f32 or f64 operation, a register, …: as weir_source, numbers brought to the type.
struct weir_ref weir_source_float(struct weir_decoder *d, const struct weir_operand *o, unsigned width);
// The frame offset that a result of `width` goes to. Where the register is wider, a temporary's; weir_widen_results
// then extends it, with its sign if is_signed.
uint32_t weir_result(struct weir_decoder *d, const struct weir_operand *o, unsigned width);
void weir_widen_result(struct weir_decoder *d, const struct weir_operand *o, unsigned width, uint32_t from,
                       bool is_signed);
uint32_t weir_temporary(struct weir_decoder *d);           // frame offset
unsigned weir_operand_width(const struct weir_operand *o); // of a register: 1, 4, 8 or 16; 0: no register
unsigned weir_width(unsigned type);                        // 4 or 8; 16 for b128

struct weir_insn *weir_emit(struct weir_decoder *d, unsigned op); // enum weir_alu_op; appended to the sequence
struct weir_insn *weir_emit_memory(struct weir_decoder *d, unsigned op);
struct weir_insn *weir_emit_kind(struct weir_decoder *d, enum weir_kind kind);
void weir_set_a(struct weir_insn *i, struct weir_ref r);
void weir_set_b(struct weir_insn *i, struct weir_ref r);
void weir_set_c(struct weir_insn *i, struct weir_ref r);
struct weir_ref weir_in_frame(uint32_t offset);
struct weir_ref weir_in_constants(uint32_t offset);
// An instruction form that has no body: reported with its text.
void weir_cannot(struct weir_decoder *d, const char *why);

// Each decodes d->in, of the opcodes whose rows in ptx/opcodes.def name it.
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms)                                \
  void weir_decode_##decoder(struct weir_decoder *d);
#include "ptx/opcodes.def"
#undef OPCODE

// Parts of weir_decode_arithmetic, by the type; and what moves and logic do with predicates.
void weir_decode_integer(struct weir_decoder *d);
void weir_decode_half(struct weir_decoder *d);
void weir_decode_predicates(struct weir_decoder *d);
void weir_unknown_form(struct weir_decoder *d);
void weir_decode_async(struct weir_decoder *d);         // st.async, red.async
void weir_decode_copies_arrive(struct weir_decoder *d); // cp.async.mbarrier.arrive

uint64_t weir_sampler_initial(const struct weir_opaque_initial *o); // the handle that a .samplerref begins with

// A memory instruction with the address operand `where`, in the space d->in names.
// The address operand as a, its offset as imm; the instruction's reach, where the name decides it.
void weir_set_address(struct weir_decoder *d, struct weir_insn *i, const struct weir_operand *o);
struct weir_insn *weir_emit_address(struct weir_decoder *d, unsigned op, const struct weir_operand *where);
// numeric forms used by more than one of these
struct weir_ref weir_half_to_f32(struct weir_decoder *d, struct weir_ref from, unsigned type);
void weir_convert_packed(struct weir_decoder *d);
bool weir_is_byte_pair(unsigned type); // .e4m3x2, .e5m2x2
void weir_convert_byte_pair(struct weir_decoder *d);
// An instruction that converts `from`; its destination is to be set.
struct weir_conversion;
struct weir_insn *weir_emit_conversion(struct weir_decoder *d, const struct weir_conversion *c, struct weir_ref from);

void weir_keep_formals(struct weir_decoder *d); // of d->function, once its registers have their slots
uint64_t weir_place_formal(uint64_t *offset, uint64_t bytes, uint32_t align);

// liveness.c: gives every register of the function its slot; how many are live at once.
void weir_pack_registers(struct weir_decoder *d);

// uniform.c: says which registers of a kernel vary, given those that may be read before they are written, as bits.
void weir_find_uniform(struct weir_decoder *d, const uint64_t *unwritten);
void weir_decode_copy_of_special(
  struct weir_decoder *d); // in place of the decoder of d->in, which writes one that is a copy
void weir_make_uniform(struct weir_decoder *d, struct weir_insn *i); // i, of d->in, writes a uniform one: warps pass it
void weir_finish_uniform(struct weir_decoder *d);                    // once the function's instructions are decoded

void weir_decode_function(struct weir_decoder *d, uint32_t index);

// layout.c: addresses of all variables and parameters, kernels' descriptions.
void weir_layout_module(struct weir_decoder *d);
void weir_layout_shared(struct weir_decoder *d); // layout_shared.c
// Where the module's shared variables lie when it is built, for its assembly: what that drops names them still.
struct weir_locations weir_shared_locations(const struct weir_module *m);
uint32_t weir_alignment(const struct weir_symbol *s);
struct weir_place weir_place_of(const struct weir_module *home, const struct weir_symbol *s); // where it is declared
uint64_t weir_take_address(struct weir_decoder *d, uint64_t function); // in code or in an initialiser
void weir_keep_variables(struct weir_decoder *d);                      // for weir_program_variable
void weir_layout_frame(struct weir_decoder *d, uint32_t function); // .local, .param of the function: fills locations

// stack.c: what kernels need with all that they call, once every function is decoded.
void weir_finish_kernels(struct weir_decoder *d);

// Registers that an instruction writes and reads, guard and address registers included. Vector registers count once
// per part. Returns false if there are more than the arrays hold. The most has wgmma: 128 that it reads and writes, and some that it reads.
enum { WEIR_MOST_REGISTERS = 160 };
struct weir_registers {
  uint32_t dst[WEIR_MOST_REGISTERS], src[WEIR_MOST_REGISTERS];
  unsigned dst_count, src_count, operand_count;
  bool keeps; // a guard, so that a destination may keep its old value
};
void weir_registers_of(const struct weir_instruction *in, struct weir_registers *r);
// Puts the number into such a list, once.
void weir_add_register(uint32_t *list, unsigned *count, uint32_t number);

// silence.c, of a function: begin, then for each of its instructions what follows, end. d->in is silent, and was decoded as `i`.
void weir_begin_silence(struct weir_decoder *d);
void weir_end_silence(struct weir_decoder *d);
void weir_pass_silent(struct weir_decoder *d, const struct weir_insn *i);
// d->in is not, and has `pc`: silent ones since the last such run with it, and of the registers that it reads, r, those that silent ones
// wrote become those that these were made of.
void weir_break_silence(struct weir_decoder *d, uint32_t pc, struct weir_registers *r);

// static.c: the timing model's half of the instruction d->in at `pc`.
void weir_fill_static(struct weir_decoder *d, uint32_t pc, uint32_t first_register);

#endif
