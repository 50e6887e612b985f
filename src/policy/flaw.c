// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What makes a descriptor unusable, found before any cache runs it.
#include "policy/host.h"

#include <math.h>
#include <string.h>

// Names go into scheme files and command lines, where ',', '=' and blanks separate.
static bool is_name(const char *name) {
  return name && *name && strlen(name) < 32 && name[0] >= 'a' && name[0] <= 'z' &&
    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(name);
}

static bool is_text(const char *text) {
  return text && *text && !strchr(text, '\n');
}

static const char *choices_flaw(const struct weir_knob *knob) {
  if (!knob->choices) return "a choice knob has no choices";
  unsigned count = 0;
  for (; knob->choices[count]; count++)
    if (!is_name(knob->choices[count])) return "a choice's name must be lower-case letters, digits, '-' and '_'";
  return knob->lowest == 0 && knob->highest == (double)count - 1 ? NULL
                                                                 : "a choice knob's range must be that of its choices";
}

// Whether a value lies in the knob's range, and is integral and a power of two where it must be.
static bool takes(const struct weir_knob *knob, double value) {
  if (!(value >= knob->lowest && value <= knob->highest)) return false;
  if (knob->type == WEIR_KNOB_REAL) return true;
  return value == floor(value) && (!knob->power_of_two || weir_is_pow2((uint64_t)value));
}

static const char *knob_flaw(const struct weir_policy *p, unsigned index) {
  const struct weir_knob *knob = &p->knobs[index];
  if (index >= WEIR_MAX_KNOBS) return "more knobs than WEIR_MAX_KNOBS";
  if (!is_name(knob->name) || !is_text(knob->help))
    return "a knob needs a name of lower-case letters, digits, '-' and '_', and a line of help";
  for (unsigned i = 0; i < index; i++)
    if (!strcmp(p->knobs[i].name, knob->name)) return "two knobs have the same name";
  if ((unsigned)knob->type > WEIR_KNOB_CHOICE) return "a knob's type is unknown";
  if (knob->type == WEIR_KNOB_BOOL && (knob->lowest != 0 || knob->highest != 1))
    return "a bool knob's range must be 0 to 1";
  if (knob->power_of_two && knob->type != WEIR_KNOB_INT) return "only an integer knob can be a power of two";
  if (!takes(knob, knob->initial)) return "a knob's initial value is outside its range";
  return knob->type == WEIR_KNOB_CHOICE ? choices_flaw(knob) : NULL;
}

static const char *counter_flaw(const struct weir_policy *p, unsigned index) {
  const struct weir_policy_counter *counter = &p->counters[index];
  if (index >= WEIR_MAX_POLICY_COUNTERS) return "more counters than WEIR_MAX_POLICY_COUNTERS";
  if (!is_name(counter->name) || !is_text(counter->unit) || !is_text(counter->help))
    return "a counter needs a name of lower-case letters, digits, '-' and '_', a unit and a line of help";
  for (unsigned i = 0; i < index; i++)
    if (!strcmp(p->counters[i].name, counter->name)) return "two counters have the same name";
  return NULL;
}

static const char *bypass_flaw(const struct weir_policy *p) {
  if (p->victim) return "a bypass policy cannot have the hook victim: it may name dead lines by the hook dead";
  return !p->reorder != !p->enqueue || !p->reorder != !p->drain
    ? "reorder, enqueue and drain come together or not at all"
    : NULL;
}

static const char *replace_flaw(const struct weir_policy *p) {
  if (!p->victim) return "a replace policy needs the hook victim";
  return p->load || p->miss || p->store_miss || p->stall || p->reply || p->dead || p->reorder
    ? "a replace policy cannot have the hooks load, miss, store_miss, stall, reply, dead or reorder"
    : NULL;
}

static const char *throttle_flaw(const struct weir_policy *p) {
  if (!p->allowed) return "a throttle policy needs the hook allowed";
  return p->victim || p->load || p->store_miss || p->keep || p->stall || p->reply || p->dead || p->reorder
    ? "a throttle policy cannot have the hooks victim, load, store_miss, keep, stall, reply, dead or reorder"
    : NULL;
}

// A throttle's cache is its core's own: its knob of that name, if it has one, is about other things.
static const char *scope_flaw(const struct weir_policy *p) {
  const struct weir_knob *scope = p->kind == WEIR_POLICY_THROTTLE ? NULL : weir_policy_knob(p, "scope");
  if (!scope)
    return p->scope_bytes || p->scope_bits ? "scope_bytes and scope_bits need the knob scope (WEIR_SCOPE_KNOB)" : NULL;
  for (unsigned i = 0; i <= WEIR_SCOPE_LEVEL; i++)
    if (scope->type != WEIR_KNOB_CHOICE || !scope->choices[i] || strcmp(scope->choices[i], weir_scope_names[i]) != 0)
      return "a knob called scope must be WEIR_SCOPE_KNOB: a choice of part and level";
  return p->scope_bytes || p->epoch ? NULL : "the knob scope needs scope_bytes or epoch, or it does nothing";
}

static const char *hooks_flaw(const struct weir_policy *p) {
  if (!p->cost_bits) return "cost_bits is missing: every policy says what it would cost in hardware";
  if (!p->epoch != !p->epoch_cycles) return "epoch and epoch_cycles come together or not at all";
  const char *scope = scope_flaw(p);
  if (scope) return scope;
  if (p->kind != WEIR_POLICY_THROTTLE && (p->allowed || p->issued || p->start || p->end))
    return "only a throttle policy can have the hooks allowed, issued, start and end";
  switch (p->kind) {
  case WEIR_POLICY_REPLACE: return replace_flaw(p);
  case WEIR_POLICY_BYPASS: return bypass_flaw(p);
  case WEIR_POLICY_THROTTLE: break;
  }
  return throttle_flaw(p);
}

const char *weir_policy_flaw(const struct weir_policy *p) {
  if (!p) return "there is no descriptor";
  if (p->abi != WEIR_POLICY_ABI)
    return "it was built for another version of the policy contract (its abi is not WEIR_POLICY_ABI)";
  if ((unsigned)p->kind > WEIR_POLICY_THROTTLE) return "its kind is unknown";
  if (!is_name(p->name))
    return "its name must be lower-case letters, digits, '-' and '_', at most 31 of them, with a letter first";
  if (!is_text(p->summary) || !is_text(p->citation)) return "it needs a summary and a citation, one line each";
  for (unsigned i = 0; p->knobs && p->knobs[i].name; i++) {
    const char *flaw = knob_flaw(p, i);
    if (flaw) return flaw;
  }
  for (unsigned i = 0; p->counters && p->counters[i].name; i++) {
    const char *flaw = counter_flaw(p, i);
    if (flaw) return flaw;
  }
  return hooks_flaw(p);
}
