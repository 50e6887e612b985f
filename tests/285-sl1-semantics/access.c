// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads, stores and atomic operations of every size and form.
#include "maker.h"

uint32_t a_value(struct maker *m) {
  const uint32_t r = fresh(m, R);
  if (m->loop_count && chance(m, 25))
    say(m, "add.s32 %%r%u, %%v%u, %%r%u;", r, below(m, VALUES), m->loops[m->loop_count - 1].counter);
  else
    say(m, "mov.u32 %%r%u, %%v%u;", r, below(m, VALUES));
  return r;
}

void mix(struct maker *m, uint32_t r) {
  const uint32_t v = below(m, VALUES);
  if (chance(m, 50))
    say(m, "mad.lo.s32 %%v%u, %%v%u, %u, %%r%u;", v, v, 5 + 2 * below(m, 50), r);
  else
    say(m, "xor.b32 %%v%u, %%r%u, %%v%u;", v, r, v);
}

static void mix_wide(struct maker *m, uint32_t rd) {
  const uint32_t low = fresh(m, R), high = fresh(m, R);
  say(m, "mov.b64 {%%r%u, %%r%u}, %%rd%u;", low, high, rd);
  mix(m, low);
  mix(m, high);
}

// A register for data of a type, and its way to and from the values. Types of one letter and a size.
struct datum {
  const char *type;
  unsigned class;
  uint32_t number;
};

static const char *register_name(const struct datum *d) {
  static const char *const names[] = {"%r", "%rd", "%rs", "%f", "%fd", "%p"};
  return names[d->class];
}

static struct datum a_datum(struct maker *m, uint32_t bytes) {
  struct datum d = {0};
  switch (bytes) {
  case 1:
    d.type = pick(m, "u8", "s8", "b8");
    d.class = chance(m, 50) ? RS : R;
    break;
  case 2:
    d.type = pick(m, "u16", "s16", "b16");
    d.class = chance(m, 70) ? RS : R;
    break;
  case 4:
    d.type = pick(m, "u32", "s32", "b32", "f32");
    d.class = d.type[0] == 'f' ? F : R;
    break;
  default:
    d.type = pick(m, "u64", "s64", "b64", "f64");
    d.class = d.type[0] == 'f' ? FD : RD;
    break;
  }
  d.number = fresh(m, d.class);
  return d;
}

static void set(struct maker *m, const struct datum *d) {
  const uint32_t r = a_value(m);
  switch (d->class) {
  case R: say(m, "mov.b32 %%r%u, %%r%u;", d->number, r); break;
  case RS: say(m, "cvt.u16.u32 %%rs%u, %%r%u;", d->number, r); break;
  case F: say(m, "mov.b32 %%f%u, %%r%u;", d->number, r); break;
  case RD: say(m, "mov.b64 %%rd%u, {%%r%u, %%v%u};", d->number, r, below(m, VALUES)); break;
  default: say(m, "mov.b64 %%fd%u, {%%r%u, %%v%u};", d->number, r, below(m, VALUES)); break;
  }
}

static void use(struct maker *m, const struct datum *d) {
  const uint32_t r = fresh(m, R), rd = fresh(m, RD);
  switch (d->class) {
  case R: mix(m, d->number); break;
  case RS:
    say(m, "cvt.%s %%r%u, %%rs%u;", pick(m, "u32.u16", "s32.s16", "u32.u8"), r, d->number);
    mix(m, r);
    break;
  case F:
    say(m, "mov.b32 %%r%u, %%f%u;", r, d->number);
    mix(m, r);
    break;
  case RD: mix_wide(m, d->number); break;
  default:
    say(m, "mov.b64 %%rd%u, %%fd%u;", rd, d->number);
    mix_wide(m, rd);
    break;
  }
}

// Which bytes of a place, and of which type.
struct part {
  uint32_t bytes, vector, at;
};

static struct part a_part(struct maker *m, const struct place *p, uint32_t most) {
  struct part x = {.bytes = most < p->granule ? most : p->granule, .vector = 1};
  if (x.bytes > 8) x.bytes = 8;
  while (x.bytes > 1 && chance(m, 30)) x.bytes /= 2;
  const uint32_t vector = chance(m, 50) ? 4 : 2;
  if (most > 8 && x.bytes * vector <= p->granule && chance(m, 60)) x.vector = vector;
  const uint32_t all = x.bytes * x.vector;
  x.at = below(m, p->granule / all) * all;
  return x;
}

static const char *vector_of(uint32_t count) {
  return count == 4 ? ".v4" : count == 2 ? ".v2" : "";
}

static void operand(const struct datum *d, uint32_t count, char to[80]) {
  char *end = to;
  for (uint32_t i = 0; i < count; i++)
    end += snprintf(end, (size_t)(to + 80 - end), "%s%s%u",
                    i             ? ", "
                      : count > 1 ? "{"
                                  : "",
                    register_name(&d[i]), d[i].number);
  if (count > 1) snprintf(end, (size_t)(to + 80 - end), "}");
}

static void data(struct maker *m, const struct part *x, struct datum *d) {
  d[0] = a_datum(m, x->bytes);
  for (uint32_t i = 1; i < x->vector; i++) {
    d[i] = d[0];
    d[i].number = fresh(m, d[0].class);
  }
}

static const char *guard(struct maker *m, char to[24]) {
  to[0] = '\0';
  if (chance(m, 15)) snprintf(to, 24, "@%s%%p%u ", chance(m, 50) ? "!" : "", a_condition(m, false));
  return to;
}

static const char *space(struct maker *m) {
  return m->generic && chance(m, 30) ? "" : ".global";
}

void load(struct maker *m, const struct place *p) {
  const struct part x = a_part(m, p, 16);
  struct datum d[4];
  char list[80], when[24];
  data(m, &x, d);
  operand(d, x.vector, list);
  if (guard(m, when)[0])
    for (uint32_t i = 0; i < x.vector; i++) set(m, &d[i]);
  const char *how = "", *where = space(m);
  if (p->strong && x.vector == 1 && chance(m, 50)) {
    how = pick(m, ".volatile", ".relaxed.gpu", ".acquire.gpu", ".relaxed.sys");
  } else if (p->constant && chance(m, 25)) {
    where = ".global.nc";
  } else if (m->hints && chance(m, 20)) {
    where = pick(m, ".global.ca", ".global.cg", ".global.cs", ".global.cv", ".global.lu", ".global.L1::evict_last");
  }
  say(m, "%sld%s%s%s.%s %s, [%%rd%u+%lld];", when, how, where, vector_of(x.vector), d->type, list, p->rd,
      (long long)(p->offset + x.at));
  for (uint32_t i = 0; i < x.vector; i++) use(m, &d[i]);
}

void store(struct maker *m, const struct place *p) {
  const struct part x = a_part(m, p, 16);
  struct datum d[4];
  char list[80], when[24];
  data(m, &x, d);
  operand(d, x.vector, list);
  for (uint32_t i = 0; i < x.vector; i++) set(m, &d[i]);
  const char *how = "", *where = space(m);
  if (p->strong && x.vector == 1 && chance(m, 50))
    how = pick(m, ".volatile", ".relaxed.gpu", ".release.gpu");
  else if (m->hints && chance(m, 20))
    where = pick(m, ".global.wb", ".global.cg", ".global.cs", ".global.wt");
  guard(m, when);
  say(m, "%sst%s%s%s.%s [%%rd%u+%lld], %s;", when, how, where, vector_of(x.vector), d->type, p->rd,
      (long long)(p->offset + x.at), list);
}

void atomic(struct maker *m, const struct place *p) {
  if (p->granule < 4) return;
  const uint32_t r = a_value(m), d = fresh(m, R);
  const long long at = (long long)p->offset + 4 * below(m, p->granule / 4);
  switch (below(m, 4)) {
  case 0:
    say(m, "red.global.%s [%%rd%u+%lld], %%r%u;", pick(m, "add.u32", "xor.b32", "max.s32", "min.u32"), p->rd, at, r);
    return;
  case 1: say(m, "atom.global.cas.b32 %%r%u, [%%rd%u+%lld], %%v%u, %%r%u;", d, p->rd, at, below(m, VALUES), r); break;
  case 2: say(m, "atom.%sadd.u32 %%r%u, [%%rd%u+%lld], %%r%u;", m->generic ? "" : "global.", d, p->rd, at, r); break;
  default:
    say(m, "atom.global.%s %%r%u, [%%rd%u+%lld], %%r%u;", pick(m, "exch.b32", "and.b32", "or.b32", "inc.u32"), d, p->rd,
        at, r);
  }
  mix(m, d);
}

// Of all threads, so that only the sum is known.
void count_up(struct maker *m) {
  for (uint32_t i = 0; i < m->k->buffer_count; i++) {
    struct place p;
    const struct sl1_buffer *b = &m->k->buffers[i];
    if (b->role != SL1_COUNT || !a_place_of(m, i, NONE, an_index(m, b->count, RANDOM), &p)) continue;
    const uint32_t r = a_value(m), d = fresh(m, R);
    if (chance(m, 50))
      say(m, "red.global.add.u32 [%%rd%u+%lld], %%r%u;", p.rd, (long long)p.offset, r);
    else
      say(m, "atom.global.add.u32 %%r%u, [%%rd%u+%lld], %%r%u;", d, p.rd, (long long)p.offset, r);
    return;
  }
}

void access_something(struct maker *m) {
  struct place p;
  const bool write = chance(m, 40);
  if (!a_place(m, write, &p)) {
    if (!a_place(m, false, &p)) return;
    load(m, &p);
    return;
  }
  if (p.atomics && chance(m, 40)) {
    atomic(m, &p);
    return;
  }
  if (!write || chance(m, 30)) load(m, &p); // reads, writes, and reads what it then writes
  if (write) store(m, &p);
}
