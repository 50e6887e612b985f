// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Local memory and registers of a function and everything below it. Functions that may come back to themselves are the
// strongly connected components of the call graph (Tarjan, SIAM J. Comput. 1972), found without recursion of the host's, for
// a chain of calls may be as long as the module.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/decode/decode.h"
#include "exec/limits.h"

// The node behind the functions stands for a call by pointer: it may come to any function whose address is taken.
struct graph {
  struct weir_program *p;
  uint32_t pointer; // that node
  uint32_t *callee, count, capacity;
  uint32_t *first;       // [node] → in `callee`; one more for the end
  uint32_t *order, *low; // Tarjan's numbers, from 1; 0: not met
  bool *open;            // in a component that is not complete
  uint32_t *members, member_count;
  struct visit {
    uint32_t node, next; // in `callee`
  } * visits;
  uint32_t visit_count;
  struct below *below; // [node]
  uint32_t met;
};

struct below {
  uint64_t bytes; // of the deepest chain of calls, each function counted once
  uint32_t registers;
  bool recurses, served, clocked, multiplies;
};

static void find_callees(struct graph *g) {
  const struct weir_program *p = g->p;
  for (uint32_t f = 0; f < p->function_count; f++) {
    const struct weir_function_code *code = &p->functions[f];
    g->first[f] = g->count;
    for (uint32_t k = 0; k < code->pcs; k++) {
      const struct weir_insn *i = &p->code[code->entry + k];
      if (i->kind == WEIR_KIND_CALL)
        *weir_push(g->callee, g->count, g->capacity) = i->call->target == WEIR_PC_NONE ? g->pointer : i->call->target;
    }
  }
  g->first[g->pointer] = g->count;
  for (uint32_t f = 0; f < p->function_count; f++)
    if (p->functions[f].address_taken) *weir_push(g->callee, g->count, g->capacity) = f;
  g->first[g->pointer + 1] = g->count;
}

static uint64_t own_bytes(const struct graph *g, uint32_t node) {
  return node == g->pointer ? 0 : g->p->functions[node].local_bytes;
}

// Adds what the members of a component call to what is known of it. True: one of them calls another, or itself.
static bool add_callees(const struct graph *g, uint32_t node, uint32_t root, struct below *all, uint64_t *deepest) {
  bool inside = false;
  for (uint32_t k = g->first[node]; k < g->first[node + 1]; k++) {
    const uint32_t callee = g->callee[k];
    if (g->open[callee] && g->low[callee] == root) {
      inside = true;
      continue;
    }
    const struct below *b = &g->below[callee];
    if (b->bytes > *deepest) *deepest = b->bytes;
    if (b->registers > all->registers) all->registers = b->registers;
    all->recurses |= b->recurses;
    all->served |= b->served;
    all->clocked |= b->clocked;
    all->multiplies |= b->multiplies;
  }
  return inside;
}

// The members of the component that the node closes lie on top.
static void close_component(struct graph *g, uint32_t root) {
  struct below all = {0};
  uint64_t deepest = 0;
  uint32_t from = g->member_count;
  do {
    g->low[g->members[--from]] = g->order[root];
  } while (g->members[from] != root);
  for (uint32_t k = from; k < g->member_count; k++) {
    const uint32_t node = g->members[k];
    all.recurses |= add_callees(g, node, g->order[root], &all, &deepest);
    all.bytes += own_bytes(g, node);
    if (node == g->pointer) continue;
    const struct weir_function_code *code = &g->p->functions[node];
    all.served |= code->builtin;
    all.clocked |= code->clocked;
    all.multiplies |= code->multiplies;
    if (code->registers > all.registers) all.registers = code->registers;
  }
  all.bytes += deepest;
  for (uint32_t k = from; k < g->member_count; k++) {
    g->below[g->members[k]] = all;
    g->open[g->members[k]] = false;
  }
  g->member_count = from;
}

static void meet(struct graph *g, uint32_t node) {
  g->order[node] = g->low[node] = ++g->met;
  g->open[node] = true;
  g->members[g->member_count++] = node;
  g->visits[g->visit_count++] = (struct visit){node, g->first[node]};
}

static void lower(struct graph *g, uint32_t node, uint32_t to) {
  if (to < g->low[node]) g->low[node] = to;
}

static void visit_from(struct graph *g, uint32_t start) {
  meet(g, start);
  while (g->visit_count) {
    struct visit *v = &g->visits[g->visit_count - 1];
    const uint32_t node = v->node;
    if (v->next < g->first[node + 1]) {
      const uint32_t callee = g->callee[v->next++];
      if (!g->order[callee])
        meet(g, callee);
      else if (g->open[callee])
        lower(g, node, g->order[callee]);
      continue;
    }
    g->visit_count--;
    if (g->low[node] == g->order[node]) close_component(g, node);
    if (g->visit_count && g->open[node]) lower(g, g->visits[g->visit_count - 1].node, g->low[node]);
  }
}

// A kernel that may recurse has a stack of fixed size below its own frame.
static void finish_kernel(struct weir_decoder *d, struct weir_kernel *kernel, const struct below *b) {
  const struct weir_function_code *code = &d->program->functions[kernel->function];
  const struct weir_function *f = d->module->functions[kernel->function];
  const uint64_t least = code->local_bytes + (b->recurses ? WEIR_RECURSIVE_STACK : 0);
  const uint64_t bytes = b->bytes > least ? b->bytes : least;
  if (bytes > WEIR_MAX_LOCAL_BYTES)
    weir_fail(d->sink, weir_place_of(f->home, f->symbol),
              "kernel '%s' and the functions it calls have more than %d bytes of "
              "local memory for a thread",
              kernel->name, WEIR_MAX_LOCAL_BYTES);
  kernel->entry = d->program->first_pc + code->entry;
  kernel->local_bytes = bytes > WEIR_MAX_LOCAL_BYTES ? 0 : (uint32_t)bytes;
  kernel->registers = b->registers;
  kernel->recurses = b->recurses;
  kernel->served = b->served;
  kernel->clocked = b->clocked;
  kernel->multiplies = b->multiplies;
}

void weir_finish_kernels(struct weir_decoder *d) {
  struct weir_program *p = d->program;
  const size_t nodes = (size_t)p->function_count + 1;
  struct graph g = {.p = p, .pointer = p->function_count};
  g.first = weir_new_array(uint32_t, nodes + 1);
  g.order = weir_new_array(uint32_t, nodes);
  g.low = weir_new_array(uint32_t, nodes);
  g.open = weir_new_array(bool, nodes);
  g.members = weir_new_array(uint32_t, nodes);
  g.visits = weir_new_array(struct visit, nodes);
  g.below = weir_new_array(struct below, nodes);
  find_callees(&g);
  for (uint32_t k = 0; k < p->kernel_count; k++) {
    if (!g.order[p->kernels[k].function]) visit_from(&g, p->kernels[k].function);
    finish_kernel(d, &p->kernels[k], &g.below[p->kernels[k].function]);
  }
  weir_free(g.callee);
  weir_free(g.first);
  weir_free(g.order);
  weir_free(g.low);
  weir_free(g.open);
  weir_free(g.members);
  weir_free(g.visits);
  weir_free(g.below);
}
