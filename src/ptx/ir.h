// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The intermediate form of a PTX module. Invariant: it keeps everything the text says, in the order it says it, so that
// printing what was parsed gives the text back up to white space and comments (ptx/print.h); what execution needs is
// decoded beside it once, by the parser. Everything lives in the module's arena. Nothing here knows of execution.
#ifndef WEIR_PTX_IR_H
#define WEIR_PTX_IR_H

#include "base/arena.h"
#include "ptx/opcode.h"

#include <stdbool.h>
#include <stdint.h>

// ---- types ----------------------------------------------------------------------------------------------------------

// name, spelling, bytes, class: u unsigned, s signed, b bits, f float, p predicate, o opaque
// clang-format off
#define WEIR_PTX_TYPES(X)                                                                                         \
  X(NONE, "", 0, 0) X(U8, "u8", 1, 'u') X(U16, "u16", 2, 'u') X(U32, "u32", 4, 'u') X(U64, "u64", 8, 'u')         \
  X(S8, "s8", 1, 's') X(S16, "s16", 2, 's') X(S32, "s32", 4, 's') X(S64, "s64", 8, 's')                           \
  X(B8, "b8", 1, 'b') X(B16, "b16", 2, 'b') X(B32, "b32", 4, 'b') X(B64, "b64", 8, 'b') X(B128, "b128", 16, 'b')  \
  X(F16, "f16", 2, 'f') X(F16X2, "f16x2", 4, 'f') X(BF16, "bf16", 2, 'f') X(BF16X2, "bf16x2", 4, 'f')             \
  X(TF32, "tf32", 4, 'f') X(F32, "f32", 4, 'f') X(F64, "f64", 8, 'f') X(F32X2, "f32x2", 8, 'f')                   \
  X(E4M3X2, "e4m3x2", 2, 'f') X(E5M2X2, "e5m2x2", 2, 'f') X(U16X2, "u16x2", 4, 'u') X(S16X2, "s16x2", 4, 's')     \
  X(E4M3, "e4m3", 1, 'f') X(E5M2, "e5m2", 1, 'f') X(U4, "u4", 1, 'u') X(S4, "s4", 1, 's') X(B1, "b1", 1, 'b')     \
  X(PRED, "pred", 1, 'p') X(TEXREF, "texref", 8, 'o') X(SAMPLERREF, "samplerref", 8, 'o')                         \
  X(SURFREF, "surfref", 8, 'o')
// clang-format on

enum weir_type {
#define X(name, spelling, bytes, class) WEIR_T_##name,
  WEIR_PTX_TYPES(X)
#undef X
    WEIR_TYPE_COUNT
};

const char *weir_type_name(enum weir_type t); // "u32"; "" for none
unsigned weir_type_bytes(enum weir_type t);   // 0 for none
char weir_type_class(enum weir_type t);       // as in the table above
// Of a matrix's elements alone (ptx/matrix.h), which no variable has.
static inline bool weir_type_is_element(enum weir_type t) {
  return t >= WEIR_T_E4M3 && t <= WEIR_T_B1;
}

enum weir_space {
  WEIR_SPACE_NONE, // of an instruction: generic; of a symbol: register
  WEIR_SPACE_GENERIC = WEIR_SPACE_NONE,
  WEIR_SPACE_REG,
  WEIR_SPACE_SREG,
  WEIR_SPACE_GLOBAL,
  WEIR_SPACE_SHARED, // also .shared::cta
  WEIR_SPACE_LOCAL,
  WEIR_SPACE_CONST,
  WEIR_SPACE_PARAM, // also .param::entry and .param::func
  WEIR_SPACE_TEX,
};

// ---- symbols --------------------------------------------------------------------------------------------------------

enum weir_symbol_kind {
  WEIR_SYM_REGISTER,
  WEIR_SYM_VARIABLE,
  WEIR_SYM_PARAM,
  WEIR_SYM_LABEL,
  WEIR_SYM_FUNCTION,
  WEIR_SYM_PROTOTYPE,
  WEIR_SYM_TARGETS
};

enum weir_linkage { WEIR_LINK_NONE, WEIR_LINK_EXTERN, WEIR_LINK_VISIBLE, WEIR_LINK_WEAK, WEIR_LINK_COMMON };

// One element of an initialiser: a number, or the address of a symbol plus an addend.
struct weir_initial {
  const struct weir_symbol *symbol; // NULL: a plain number
  uint64_t bits;                    // the number, or the addend
  uint64_t mask;                    // 0xff00(symbol): the byte of the address taken; 0: all of it
  bool generic;                     // generic(symbol)
  bool is_float;                    // bits is an f64 pattern to be narrowed to the element's type
};

struct weir_symbol {
  const char *name; // a parameterised register declaration `%r<30>` has one symbol, named "%r", with count 30
  enum weir_symbol_kind kind;
  enum weir_space space;
  enum weir_type type;
  enum weir_linkage linkage;
  uint32_t line, column;
  // Registers. A register is (symbol, index): index is 0 unless the declaration is parameterised. Each function numbers
  // its registers 0..register_count-1 over all declarations and scopes: number = first + index.
  uint32_t first, count;
  bool parameterised;
  uint8_t vector; // 1; 2, 4 or 8 for .v2 .v4 .v8
  // Variables and parameters.
  uint32_t align; // bytes; natural if not written (align_written says which)
  bool align_written;
  uint8_t dimensions; // 0: scalar; arrays: number of []
  uint64_t extent[4]; // elements per dimension; 0 = written as []
  uint64_t bytes;     // whole size (0 for an unsized extern array)
  bool managed;       // .attribute(.managed)
  bool ptr_written;   // `.ptr`, `.ptr .global .align 4` of a kernel parameter
  enum weir_space ptr_space;
  uint32_t ptr_align;           // 0: not written
  struct weir_initial *initial; // flattened, row-major; NULL: none
  uint32_t initial_count;
  const struct weir_opaque_initial *opaque; // of a texture's or sampler's reference; NULL: none
  const char *initial_text;                 // as written with its braces, for the printer
  const char *written; // the declaration as written, without its initialiser: what the printer prints
  // Labels: index into the function's statements. Functions: the function. Prototypes: their text.
  uint32_t statement;
  struct weir_function *function;
  const struct weir_symbol **targets; // .branchtargets / .calltargets
  uint32_t target_count;
  const char *text; // prototypes and target lists: as written after the name and its colon
};

// ---- instructions ---------------------------------------------------------------------------------------------------

enum weir_operand_kind {
  WEIR_OPERAND_REGISTER, // symbol + index (or a vector register's component in `component`)
  WEIR_OPERAND_INTEGER,  // bits
  WEIR_OPERAND_FLOAT,    // bits: f32 pattern (0f…) if type is F32, else f64 pattern
  WEIR_OPERAND_SPECIAL,  // special
  WEIR_OPERAND_SYMBOL,   // a variable's, parameter's, function's or label's name (+ offset): its address
  WEIR_OPERAND_ADDRESS,  // [base + offset]: base a register or a symbol (or neither: absolute)
  WEIR_OPERAND_VECTOR,   // {a, b, …}: parts
  WEIR_OPERAND_PAIR,     // p|q : parts[0], parts[1]
  WEIR_OPERAND_LIST,     // (a, b, …) of a call: parts
  WEIR_OPERAND_SINK,     // _
};

// name, spelling; an instruction that reads one of those from CURRENT_GRAPH_EXEC on is not runnable
// clang-format off
#define WEIR_PTX_SPECIALS(X)                                                                                        \
  X(TID_X, "%tid.x") X(TID_Y, "%tid.y") X(TID_Z, "%tid.z") X(NTID_X, "%ntid.x") X(NTID_Y, "%ntid.y")                \
  X(NTID_Z, "%ntid.z") X(CTAID_X, "%ctaid.x") X(CTAID_Y, "%ctaid.y") X(CTAID_Z, "%ctaid.z")                         \
  X(NCTAID_X, "%nctaid.x") X(NCTAID_Y, "%nctaid.y") X(NCTAID_Z, "%nctaid.z") X(LANEID, "%laneid")                   \
  X(WARPID, "%warpid") X(NWARPID, "%nwarpid") X(SMID, "%smid") X(NSMID, "%nsmid") X(GRIDID, "%gridid")              \
  X(LANEMASK_EQ, "%lanemask_eq") X(LANEMASK_LE, "%lanemask_le") X(LANEMASK_LT, "%lanemask_lt")                      \
  X(LANEMASK_GE, "%lanemask_ge") X(LANEMASK_GT, "%lanemask_gt") X(CLOCK, "%clock") X(CLOCK_HI, "%clock_hi")         \
  X(CLOCK64, "%clock64") X(GLOBALTIMER, "%globaltimer") X(GLOBALTIMER_LO, "%globaltimer_lo")                        \
  X(GLOBALTIMER_HI, "%globaltimer_hi") X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size")                                   \
  X(TOTAL_SMEM_SIZE, "%total_smem_size") X(RESERVED_SMEM_OFFSET_BEGIN, "%reserved_smem_offset_begin")               \
  X(ENVREG, "%envreg") X(PM, "%pm") X(WARP_SZ, "WARP_SZ")                                                           \
  X(CLUSTERID_X, "%clusterid.x") X(CLUSTERID_Y, "%clusterid.y") X(CLUSTERID_Z, "%clusterid.z")                      \
  X(NCLUSTERID_X, "%nclusterid.x") X(NCLUSTERID_Y, "%nclusterid.y") X(NCLUSTERID_Z, "%nclusterid.z")                \
  X(CLUSTER_CTAID_X, "%cluster_ctaid.x") X(CLUSTER_CTAID_Y, "%cluster_ctaid.y")                                     \
  X(CLUSTER_CTAID_Z, "%cluster_ctaid.z") X(CLUSTER_NCTAID_X, "%cluster_nctaid.x")                                   \
  X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y") X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z")                                 \
  X(CLUSTER_CTARANK, "%cluster_ctarank") X(CLUSTER_NCTARANK, "%cluster_nctarank")                                   \
  X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster") X(AGGR_SMEM_SIZE, "%aggr_smem_size")                               \
  X(RESERVED_SMEM_OFFSET_END, "%reserved_smem_offset_end") X(RESERVED_SMEM_OFFSET_CAP, "%reserved_smem_offset_cap") \
  X(RESERVED_SMEM_OFFSET_0, "%reserved_smem_offset_0") X(RESERVED_SMEM_OFFSET_1, "%reserved_smem_offset_1")         \
  X(CURRENT_GRAPH_EXEC, "%current_graph_exec")
// clang-format on

enum weir_special {
#define X(name, spelling) WEIR_SR_##name,
  WEIR_PTX_SPECIALS(X)
#undef X
    WEIR_SPECIAL_COUNT
};

struct weir_operand {
  const struct weir_symbol *symbol;
  uint64_t bits;    // INTEGER, FLOAT
  int64_t offset;   // ADDRESS, SYMBOL
  const char *text; // numbers, offsets (with their sign) and components as written, for the printer; NULL elsewhere
  struct weir_operand *parts;
  uint32_t part_count;
  uint32_t index; // REGISTER: index within its declaration
  uint32_t line, column;
  enum weir_operand_kind kind : 8;
  enum weir_special special : 8;
  enum weir_type type : 8; // FLOAT only: F32 or F64
  uint8_t special_index;   // of %envreg<n> and %pm<n>
  uint8_t component;       // REGISTER of vector type: 1 + component (.x .y .z .w), 0 = whole; 5.. = .b0-.h1 (video)
  bool negated;            // !p or -x before a register
  bool base_is_register;   // ADDRESS
};

// The register number (within its function) of a REGISTER operand or of an ADDRESS whose base is a register.
static inline uint32_t weir_operand_register(const struct weir_operand *o) {
  return o->symbol->first + o->index;
}

enum weir_compare {
  WEIR_CMP_NONE,
  WEIR_CMP_EQ,
  WEIR_CMP_NE,
  WEIR_CMP_LT,
  WEIR_CMP_LE,
  WEIR_CMP_GT,
  WEIR_CMP_GE,
  WEIR_CMP_LO,
  WEIR_CMP_LS,
  WEIR_CMP_HI,
  WEIR_CMP_HS,
  WEIR_CMP_EQU,
  WEIR_CMP_NEU,
  WEIR_CMP_LTU,
  WEIR_CMP_LEU,
  WEIR_CMP_GTU,
  WEIR_CMP_GEU,
  WEIR_CMP_NUM,
  WEIR_CMP_NAN
};

enum weir_rounding {
  WEIR_ROUND_NONE,
  WEIR_ROUND_RN,
  WEIR_ROUND_RZ,
  WEIR_ROUND_RM,
  WEIR_ROUND_RP,
  WEIR_ROUND_RNA,
  WEIR_ROUND_RNI,
  WEIR_ROUND_RZI,
  WEIR_ROUND_RMI,
  WEIR_ROUND_RPI
};

// The second word of an opcode that does several things: bool ops of setp/redux, atom and red operations, shfl, vote and
// match modes, bar kinds, fence kinds, testp, mul's half, prmt and shf modes.
enum weir_sub {
  WEIR_SUB_NONE,
  WEIR_SUB_AND,
  WEIR_SUB_OR,
  WEIR_SUB_XOR,
  WEIR_SUB_NOT,
  WEIR_SUB_ADD,
  WEIR_SUB_MIN,
  WEIR_SUB_MAX,
  WEIR_SUB_INC,
  WEIR_SUB_DEC,
  WEIR_SUB_EXCH,
  WEIR_SUB_CAS,
  WEIR_SUB_POPC,
  WEIR_SUB_LO,
  WEIR_SUB_HI,
  WEIR_SUB_WIDE,
  WEIR_SUB_UP,
  WEIR_SUB_DOWN,
  WEIR_SUB_BFLY,
  WEIR_SUB_IDX,
  WEIR_SUB_ALL,
  WEIR_SUB_ANY,
  WEIR_SUB_UNI,
  WEIR_SUB_BALLOT,
  WEIR_SUB_SYNC,
  WEIR_SUB_ARRIVE,
  WEIR_SUB_RED,
  WEIR_SUB_WARP_SYNC,
  WEIR_SUB_L,
  WEIR_SUB_R,
  WEIR_SUB_F4E,
  WEIR_SUB_B4E,
  WEIR_SUB_RC8,
  WEIR_SUB_ECL,
  WEIR_SUB_ECR,
  WEIR_SUB_RC16,
  WEIR_SUB_FINITE,
  WEIR_SUB_INFINITE,
  WEIR_SUB_NUMBER,
  WEIR_SUB_NOTANUMBER,
  WEIR_SUB_NORMAL,
  WEIR_SUB_SUBNORMAL,
  WEIR_SUB_CTA,
  WEIR_SUB_GL,
  WEIR_SUB_SYS,
  WEIR_SUB_COMMIT_GROUP,
  WEIR_SUB_WAIT_GROUP,
  WEIR_SUB_WAIT_ALL,
  WEIR_SUB_TO, // cvta.to
};

enum weir_cache_op {
  WEIR_CACHE_NONE,
  WEIR_CACHE_CA,
  WEIR_CACHE_CG,
  WEIR_CACHE_CS,
  WEIR_CACHE_LU,
  WEIR_CACHE_CV,
  WEIR_CACHE_WB,
  WEIR_CACHE_WT
};
enum weir_evict {
  WEIR_EVICT_NONE,
  WEIR_EVICT_NORMAL,
  WEIR_EVICT_UNCHANGED,
  WEIR_EVICT_FIRST,
  WEIR_EVICT_LAST,
  WEIR_EVICT_NO_ALLOCATE
};
enum weir_order {
  WEIR_ORDER_WEAK,
  WEIR_ORDER_VOLATILE,
  WEIR_ORDER_RELAXED,
  WEIR_ORDER_ACQUIRE,
  WEIR_ORDER_RELEASE,
  WEIR_ORDER_ACQ_REL,
  WEIR_ORDER_SC,
  WEIR_ORDER_MMIO
};
enum weir_scope { WEIR_SCOPE_NONE, WEIR_SCOPE_CTA, WEIR_SCOPE_CLUSTER, WEIR_SCOPE_GPU, WEIR_SCOPE_SYS };

// Images: how many coordinates an instruction gives (arrays: behind the layer), what becomes of a surface access
// outside, and what txq and suq ask for. The enumerations of filters and address modes are those that txq answers with.
enum weir_image_geometry {
  WEIR_GEOMETRY_NONE,
  WEIR_GEOMETRY_1D,
  WEIR_GEOMETRY_2D,
  WEIR_GEOMETRY_3D,
  WEIR_GEOMETRY_A1D,
  WEIR_GEOMETRY_A2D
};
enum weir_outside { WEIR_OUTSIDE_TRAP, WEIR_OUTSIDE_CLAMP, WEIR_OUTSIDE_ZERO };
enum weir_query {
  WEIR_QUERY_NONE,
  WEIR_QUERY_WIDTH,
  WEIR_QUERY_HEIGHT,
  WEIR_QUERY_DEPTH,
  WEIR_QUERY_DATA_TYPE,
  WEIR_QUERY_ORDER,
  WEIR_QUERY_NORMALIZED,
  WEIR_QUERY_LAYERS,
  WEIR_QUERY_LEVELS,
  WEIR_QUERY_SAMPLES,
  WEIR_QUERY_UNNORMALIZED,
  WEIR_QUERY_FILTER,
  WEIR_QUERY_ADDRESS_0,
  WEIR_QUERY_ADDRESS_1,
  WEIR_QUERY_ADDRESS_2
};
enum weir_ptx_filter { WEIR_PTX_NEAREST, WEIR_PTX_LINEAR };
enum weir_ptx_address {
  WEIR_PTX_WRAP,
  WEIR_PTX_MIRROR,
  WEIR_PTX_CLAMP_OGL,
  WEIR_PTX_CLAMP_TO_EDGE,
  WEIR_PTX_CLAMP_TO_BORDER
};

struct weir_opaque_initial { // of a .samplerref or .texref
  uint8_t address[3];        // enum weir_ptx_address
  uint8_t filter;            // enum weir_ptx_filter
  bool unnormalized;
};

enum { WEIR_FORM_TYPES = 4 }; // mma.….f32.f16.f16.f32 has as many

// A reading of the modifiers, by name, whatever their order.
struct weir_form {
  union {
    uint8_t types[WEIR_FORM_TYPES]; // in the order written, NONE behind the last
    struct {
      uint8_t type;        // the first: destination's for cvt, set and slct, the data's elsewhere
      uint8_t source_type; // the second (cvt, set, slct's selector, fma.f32.f16…)
    };
  };
  uint8_t vector;             // 1, 2, 4, 8
  uint8_t space;              // enum weir_space
  uint8_t to_space;           // of cp.async: destination; of cvta/isspacep: same as space
  uint8_t compare;            // enum weir_compare
  uint8_t boolean;            // enum weir_sub AND/OR/XOR of setp and set, or NONE
  uint8_t sub;                // enum weir_sub
  uint8_t rounding;           // enum weir_rounding
  uint8_t cache;              // enum weir_cache_op
  uint8_t l1_evict, l2_evict; // enum weir_evict
  uint16_t l2_prefetch_bytes; // .L2::64B .L2::128B .L2::256B, 0 = none
  uint8_t order;              // enum weir_order
  uint8_t scope;              // enum weir_scope
  uint8_t geometry;           // enum weir_image_geometry
  uint8_t outside;            // enum weir_outside
  uint8_t query;              // enum weir_query; of tld4 the component, 0 to 3
  bool formatted;             // sust.p
  bool ftz, sat, approx, full, uni, carry_out /* .cc */, wrap /* shf.wrap, else clamp */, non_coherent /* .nc */, sync,
    aligned, noinc, relu, nan, xorsign_abs, level_l1 /* prefetch.L1 */, level_l2, shiftamt /* bfind */,
    cache_hint /* .L2::cache_hint */, noftz;
};

struct weir_instruction {
  uint16_t opcode; // enum weir_opcode
  uint8_t modifier_count, operand_count;
  const char *const *modifiers; // interned spellings without dots, in source order: "global", "L1::evict_last", "u32"
  struct weir_form form;
  const struct weir_symbol *guard; // predicate register or NULL
  uint32_t guard_index;
  bool guard_negated;
  bool
    fresh; // of a copy with a guard: what it does not write of its results, the opposite guard's instruction writes before anyone reads it
  struct weir_operand *operands; // in source order (call: return list?, callee, argument list?, prototype?)
  uint32_t line, column;         // in the PTX text
  uint32_t source_file;          // of its line (ptx/source.c): file number, 0 = none
  uint32_t source_line, source_column;
  const char *runnable;                   // NULL, or why weir cannot run it (`weir check` prints it)
  const struct weir_instruction *written; // that it is a copy of (exec/assemble); NULL: it is as written
  uint8_t machine;                        // of a copy: machine instructions that cores take it for, plus 1; 0: not told
  uint8_t code_slots; // of a copy: machine instructions that the code has of it, plus 1; 0: not told
};

// It becomes none: it has no PC, and runs with the next instruction of its block that has one.
static inline bool weir_is_silent(const struct weir_instruction *in) {
  return in->machine == 1;
}

// The register number of its guard, where it has one.
static inline uint32_t weir_guard_register(const struct weir_instruction *in) {
  return in->guard->first + in->guard_index;
}

// A modifier that the instruction has, without its dot.
bool weir_has_modifier(const struct weir_instruction *in, const char *modifier);

// Whether the first operand, where it is a register or has some, is written.
bool weir_writes_first(const struct weir_instruction *in);
// Whether it reads its registers too, before it writes them: wgmma, unless it says that it never adds to them.
bool weir_reads_first(const struct weir_instruction *in);
// wgmma.wait_group, behind which registers hold what no instruction before it says that they do.
bool weir_waits_for_products(const struct weir_instruction *in);

// ---- functions and modules ------------------------------------------------------------------------------------------

enum weir_statement_kind {
  WEIR_STMT_INSTRUCTION,
  WEIR_STMT_LABEL,
  WEIR_STMT_DECLARATION,
  WEIR_STMT_OPEN,
  WEIR_STMT_CLOSE,
  WEIR_STMT_LOC,
  WEIR_STMT_PRAGMA,
  WEIR_STMT_TEXT
};

struct weir_statement {
  enum weir_statement_kind kind;
  union {
    struct weir_instruction *instruction;
    struct weir_symbol *symbol; // LABEL, DECLARATION (register, variable, prototype, targets)
    const char *text;           // LOC (everything after ".loc"), PRAGMA and TEXT: canonical text, for the printer
  };
  uint32_t line;
  bool joined; // DECLARATION: continues the previous one after a comma (`.reg .b32 a, b;`)
};

static inline bool weir_has_pc(const struct weir_statement *s) {
  return s->kind == WEIR_STMT_INSTRUCTION && !weir_is_silent(s->instruction);
}

struct weir_module;

struct weir_function {
  const struct weir_function *written; // that it was made of (exec/assemble); NULL: it is as written
  const struct weir_module *home;      // that was parsed: its path and text are those of the lines
  uint32_t index;                      // in its module's functions
  struct weir_symbol *symbol; // shared by all declarations of one name; its `function` is the one with the body, if any
  enum weir_linkage linkage;  // as written here
  bool entry;
  struct weir_symbol **returns, **params;
  uint32_t return_count, param_count;
  bool returns_written, params_written; // the parentheses are there, even if empty
  const char **directives;              // ".maxntid 256, 1, 1", ".noreturn", … as written, in order
  uint32_t directive_count;
  uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; // 0: not given
  uint32_t reqnctapercluster[3], maxclusterrank;          // 0: not given
  bool explicitcluster;
  bool has_body;
  struct weir_statement *statements;
  uint32_t statement_count;
  uint32_t register_count;
  const struct weir_symbol **registers; // [register number] → declaring symbol
};

enum weir_item_kind { WEIR_ITEM_FUNCTION, WEIR_ITEM_VARIABLE, WEIR_ITEM_TEXT };

// Module-level directives in order. TEXT: .file, .section { … }, .pragma, .alias, … kept as text for the printer.
struct weir_item {
  enum weir_item_kind kind;
  union {
    struct weir_function *function;
    struct weir_symbol *variable;
    const char *text;
  };
  uint32_t line;
  bool joined; // VARIABLE: continues the previous one after a comma
};

struct weir_module {
  struct weir_arena arena;
  const char *path;             // as given; for diagnostics
  const char *text;             // the source (owned by the arena)
  const char *version, *target; // as written: "7.8", "sm_35, texmode_independent"
  uint16_t version_number;      // 78 for 7.8; 85 for 8.5
  uint16_t target_number;       // 75 of sm_75, 90 of sm_90a: the least compute capability, times ten; 0: no sm_…
  char target_feature;          // 'a' of sm_90a, 'f' of sm_100f; 0: neither (weir_module_runs_on)
  uint32_t address_size;        // 64 (0: not written)
  struct weir_item *items;
  uint32_t item_count;
  const char **files; // [.file number] → path; may hold NULL
  uint32_t file_count;
  struct weir_function **functions;
  uint32_t function_count;
  void *names;                // module-scope symbol table, private to ptx (weir_module_find)
  struct weir_module **parts; // that this one was linked of, and owns (ptx/link.h)
  uint32_t part_count;
  const struct weir_module *written; // whose names it has, as it was made of it (exec/assemble); NULL: it was parsed
};

// A module-scope symbol by name, or NULL.
struct weir_symbol *weir_module_find(const struct weir_module *m, const char *name);

// Does a device of that compute capability (times ten) take the module? One that is not older than its target; with the letter
// a after it, that alone; with f, those of the same major version (PTX ISA, ".target").
bool weir_module_runs_on(const struct weir_module *m, unsigned capability);

void weir_module_free(struct weir_module *m);

#endif
