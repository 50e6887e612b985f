// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The parser's state, shared by its files; private to ptx. Invariant: `token` is the next token not yet taken; a
// parsing function that fails has reported why, and its caller goes on behind the next semicolon.
#ifndef WEIR_PTX_PARSER_H
#define WEIR_PTX_PARSER_H

#include "base/diag.h"
#include "ptx/ir.h"
#include "ptx/lex.h"
#include "ptx/names.h"

enum {
  WEIR_PTX_MAX_NESTING = 128,       // braces, parentheses
  WEIR_PTX_MAX_REGISTERS = 1 << 20, // per function
};

// A name used before it may be declared (a label ahead): bound when its scope closes.
struct weir_pending {
  const struct weir_symbol **slot;
  struct weir_token token;
};

struct weir_block_scope {
  uint32_t names, pending; // counts at its opening
};

struct weir_source {
  uint32_t file, line, column;
};

struct weir_loc {
  struct weir_source at, caller;
  bool inlined;   // from a function called at `caller`
  uint32_t outer; // … whose own .loc is this one, counted from 1; 0: none
};

struct weir_inlined {
  struct weir_instruction *instruction;
  uint32_t loc; // counted from 1
};

struct weir_mnemonic; // ptx/mnemonic.h

struct weir_parser {
  struct weir_module *m;
  struct weir_arena *arena; // the module's
  struct weir_sink *sink;
  size_t errors_before; // in the sink, of other files
  struct weir_lexer lexer;
  struct weir_token token;
  const char *behind; // end of the last token taken
  struct weir_names *names, mnemonics;
  struct weir_function *f;
  struct weir_block_scope scopes[WEIR_PTX_MAX_NESTING + 1];
  uint32_t depth; // 0: module scope
  struct weir_pending *pending;
  uint32_t pending_count, pending_capacity;
  struct weir_statement *statements;
  uint32_t statement_count, statement_capacity;
  struct weir_item *items;
  uint32_t item_count, item_capacity;
  bool in_angles; // a constant of <count>: > ends it
  enum weir_deferral { WEIR_DEFER_NONE, WEIR_DEFER_UNKNOWN, WEIR_DEFER_ALL } deferral; // names bound later: of labels
  struct weir_instruction **controls; // bra, brx and call of the module, to be checked when all names are bound
  uint32_t control_count, control_capacity;
  const char *obstacle; // why the instruction being parsed cannot run; NULL
  uint32_t nesting;     // of the operand being parsed
  // .loc directives so far; the last is in force, unless it came before this function's.
  struct weir_loc *locs;
  uint32_t loc_count, loc_capacity, function_locs;
  struct weir_inlined *inlined; // instructions of inlined functions, until the files' names are known
  uint32_t inlined_count, inlined_capacity;
};

// ---- tokens and errors (parser.c) ----
struct weir_token weir_parse_take(struct weir_parser *p); // takes the current token
bool weir_parse_accept(struct weir_parser *p, int kind);  // takes it if it is of this kind
bool weir_parse_expect(struct weir_parser *p, int kind, const char *what);
bool weir_parse_error(struct weir_parser *p, const struct weir_token *at, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
bool weir_parse_unexpected(struct weir_parser *p, const char *expected);
bool weir_parse_open_comment(
  struct weir_parser *p);                       // reports a comment that the text ends in, once; false: there is none
void weir_parse_recover(struct weir_parser *p); // behind the next ';', or before a block's brace
bool weir_parse_failed(const struct weir_parser *p);   // anything so far
bool weir_parse_suggests(const struct weir_parser *p); // few enough errors so far to look for near names
char *weir_parse_text(struct weir_parser *p, const struct weir_token *token);
// The text from `from` to the last token taken, without comments, each run of white space one blank or one newline.
char *weir_parse_written(struct weir_parser *p, const char *from);

// ---- names (scope.c) ----
bool weir_scope_open(struct weir_parser *p);
void weir_scope_close(struct weir_parser *p); // binds what it can, reports what no scope declares
// Adds a symbol to the current scope; an error if the scope has it already.
bool weir_scope_declare(struct weir_parser *p, struct weir_symbol *s, const struct weir_token *at);
// A name's symbol and, for a parameterised register, its index; NULL if there is none (yet).
struct weir_symbol *weir_scope_find(struct weir_parser *p, const struct weir_token *name, uint32_t *index);
// Lets `slot` be bound at the latest when the outermost scope of the function closes.
void weir_scope_defer(struct weir_parser *p, const struct weir_symbol **slot, const struct weir_token *name);
bool weir_scope_undeclared(struct weir_parser *p, const struct weir_token *name);

// ---- constants (constant.c) ----
struct weir_constant {
  bool is_float;
  enum weir_type type; // F32 or F64 of a float
  uint64_t bits;
};
bool weir_parse_constant(struct weir_parser *p, struct weir_constant *c);
bool weir_parse_integer(struct weir_parser *p, uint64_t *value); // a constant expression that is an integer

// ---- declarations (declare.c, initial.c) ----
bool weir_parse_is_declaration(const struct weir_token *directive);
// A declaration with all its names up to and with ';'; the symbols go to the module's items or the function's
// statements. `from`: where its text began, with its linkage.
bool weir_parse_declaration(struct weir_parser *p, enum weir_linkage linkage, const char *from);
// One parameter of a function, without what follows it.
struct weir_symbol *weir_parse_parameter(struct weir_parser *p);
bool weir_parse_initialiser(struct weir_parser *p, struct weir_symbol *s);
enum weir_type weir_type_named(const char *text, size_t length); // NONE if it is no type

// ---- source lines (source.c) ----
void weir_source_begin(struct weir_parser *p); // a function's body
void weir_source_loc(struct weir_parser *p, struct weir_source at,
                     const struct weir_source *caller);                   // NULL: not inlined
void weir_source_take(struct weir_parser *p, struct weir_instruction *i); // it belongs to the line in force
void weir_source_settle(struct weir_parser *p);                           // all files are known

// ---- functions (function.c, instruction.c, operand.c) ----
bool weir_parse_function(struct weir_parser *p, enum weir_linkage linkage);
struct weir_statement *weir_parse_statement(struct weir_parser *p, enum weir_statement_kind kind, uint32_t line);
bool weir_parse_instruction(struct weir_parser *p);
bool weir_parse_operand(struct weir_parser *p, struct weir_operand *o);
bool weir_parse_list(struct weir_parser *p, struct weir_operand *o, int close); // behind the opening bracket
// Copies operands to the arena, with the uses of them that wait for their names since `pending`.
struct weir_operand *weir_parse_settle(struct weir_parser *p, const struct weir_operand *operands, uint32_t count,
                                       uint32_t pending);

void weir_check_controls(struct weir_parser *p); // behind the last item

#endif
