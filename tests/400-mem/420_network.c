// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The crossbar to the cycle: latency, serialisation of packets, one flit per cycle and port, round robin, head-of-line
// blocking, queues that fill, groups of outputs, order between a pair of ports.
#include "mem_test.h"

#include "mem/network.h"

enum { MAX_PORTS = 1024, LATENCY = 5, FLIT = 32, HEADER = 8, MAX_SENT = 4096 };

struct net {
  struct weir_mreq_pool pool;
  struct weir_network n;
  weir_cycle now;
  weir_cycle told[MAX_PORTS]; // last arrival announced, per output
};

// The token's low byte is the way.
static uint32_t route(const void *context, const struct weir_mreq *r) {
  (void)context;
  return r->slice;
}

static struct net *net_with(uint32_t inputs, uint32_t outputs, uint32_t input_flits, uint32_t output_packets,
                            bool queue_per_output) {
  struct net *t = calloc(1, sizeof *t);
  assert_non_null(t);
  struct weir_network_params p = {.inputs = inputs,
                                  .outputs = outputs,
                                  .flit_bytes = FLIT,
                                  .header_bytes = HEADER,
                                  .latency_cycles = LATENCY,
                                  .input_flits = input_flits,
                                  .output_packets = output_packets,
                                  .flits_per_input = 1,
                                  .flits_per_output = 1,
                                  .queue_per_output = queue_per_output};
  weir_network_init(&t->n, &p, route, NULL);
  t->now = START;
  return t;
}

static struct net *net_new(uint32_t inputs, uint32_t outputs, uint32_t input_flits, uint32_t output_packets) {
  return net_with(inputs, outputs, input_flits, output_packets, false);
}

// It is empty.
static void net_remake(struct net *t, struct weir_network_params p) {
  weir_network_free(&t->n);
  weir_network_init(&t->n, &p, route, NULL);
}

static void net_free(struct net *t) {
  weir_mreq_pool_free(&t->pool);
  weir_network_free(&t->n);
  free(t);
}

static void arrives(void *context, uint32_t output, weir_cycle when) {
  struct net *t = context;
  assert_true(when >= t->told[output]);
  t->told[output] = when;
}

static void put(struct net *t, uint32_t input, uint32_t output, enum weir_mreq_kind kind, uint32_t bytes,
                uint32_t token) {
  struct weir_mreq *r = weir_mreq_new(&t->pool);
  r->kind = kind & 7;
  r->slice = (uint16_t)output;
  r->bytes = (uint16_t)bytes;
  r->token = token;
  assert_true(weir_network_accepts(&t->n, input, r));
  weir_network_send(&t->n, input, r);
}

// The packet whose last flit is there this cycle or before; its token, or -1.
static int get(struct net *t, uint32_t output) {
  if (!weir_network_peek(&t->n, output, t->now)) return -1;
  struct weir_mreq *r = weir_network_receive(&t->n, output);
  int token = (int)r->token;
  weir_mreq_release(&t->pool, r);
  return token;
}

static void tick(struct net *t) {
  weir_network_tick(&t->n, t->now, arrives, t);
}

// Ticks until a packet is at the output; the cycle.
static weir_cycle wait_for(struct net *t, uint32_t output, int token) {
  for (int i = 0; i < 1000; i++, t->now++) {
    tick(t);
    int got = get(t, output);
    if (got < 0) continue;
    assert_int_equal(got, token);
    return t->now;
  }
  fail();
  return 0;
}

// Headers alone for loads and for the answers to stores, data with stores, atomics, write-backs and the answers to loads.
static void what_is_on_the_wire(void **state) {
  (void)state;
  struct net *t = net_new(1, 1, 64, 8);
  static const struct {
    enum weir_mreq_kind kind;
    uint32_t request, answer;
  } cases[] = {
    {WEIR_MREQ_LOAD, HEADER, HEADER + 100},         {WEIR_MREQ_STORE, HEADER + 100, HEADER},
    {WEIR_MREQ_ATOMIC, HEADER + 100, HEADER + 100}, {WEIR_MREQ_INSTRUCTION, HEADER, HEADER + 100},
    {WEIR_MREQ_CONSTANT, HEADER, HEADER + 100},     {WEIR_MREQ_WRITEBACK, HEADER + 100, HEADER + 100},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_mreq r = {.kind = cases[i].kind & 7, .bytes = 100};
    assert_int_equal(weir_network_bytes(&t->n, &r), cases[i].request);
    r.is_reply = true;
    if (cases[i].kind != WEIR_MREQ_WRITEBACK) assert_int_equal(weir_network_bytes(&t->n, &r), cases[i].answer);
  }
  net_free(t);
}

// Without headers the answer to a store has no bytes. It takes its turn nevertheless: a flit, and a cycle of its ports.
static void every_packet_is_a_flit(void **state) {
  (void)state;
  struct net *t = net_new(1, 1, 64, 8);
  struct weir_network_params p = t->n.params;
  p.header_bytes = p.latency_cycles = 0;
  net_remake(t, p);
  const weir_cycle start = t->now;
  for (uint32_t i = 0; i < 3; i++) put(t, 0, 0, WEIR_MREQ_LOAD, 100, i); // a request: no data
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(wait_for(t, 0, (int)i), start + i);
  assert_int_equal(t->n.flits_moved, 3);
  assert_int_equal(t->n.bytes_moved, 0);
  net_free(t);
}

// Granted at the first tick, one flit is there after the latency, and not a cycle sooner; each further flit adds a cycle.
static void latency_and_serialisation(void **state) {
  (void)state;
  for (uint32_t data = 0; data <= 128; data += 8) {
    struct net *t = net_new(2, 2, 64, 8);
    uint32_t flits = (HEADER + data + FLIT - 1) / FLIT;
    put(t, 1, 0, WEIR_MREQ_STORE, data, 7);
    assert_int_equal(wait_for(t, 0, 7), START + LATENCY + flits - 1);
    assert_int_equal(t->told[0], START + LATENCY + flits - 1);
    assert_int_equal(t->n.flits_moved, flits);
    assert_int_equal(t->n.bytes_moved, HEADER + data);
    net_free(t);
  }
}

// Packets of f flits leave one input, or reach one output, f cycles apart.
static void a_port_moves_one_flit_per_cycle(void **state) {
  (void)state;
  for (int one_output = 0; one_output < 2; one_output++) {
    struct net *t = net_new(4, 4, 64, 8);
    weir_cycle at[3];
    for (uint32_t i = 0; i < 3; i++)
      put(t, one_output ? i : 0, one_output ? 0 : i, WEIR_MREQ_STORE, 3 * FLIT - HEADER, i); // 3 flits each
    for (uint32_t i = 0; i < 3; i++) at[i] = wait_for(t, one_output ? 0 : i, (int)i);
    assert_int_equal(at[0], START + LATENCY + 2);
    assert_int_equal(at[1], at[0] + 3);
    assert_int_equal(at[2], at[1] + 3);
    net_free(t);
  }
}

// Pairs that share no port do not disturb each other.
static void disjoint_pairs_move_together(void **state) {
  (void)state;
  struct net *t = net_new(4, 4, 64, 8);
  for (uint32_t i = 0; i < 4; i++) put(t, i, (i + 1) % 4, WEIR_MREQ_LOAD, 128, i);
  for (weir_cycle c = 0; c < LATENCY; c++, t->now++) {
    tick(t);
    for (uint32_t o = 0; o < 4; o++) assert_int_equal(get(t, o), -1);
  }
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(get(t, (i + 1) % 4), (int)i);
  net_free(t);
}

// Three inputs that always have a packet for one output are served in turn.
static void round_robin(void **state) {
  (void)state;
  struct net *t = net_new(3, 1, 64, 64);
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t i = 0; i < 3; i++) put(t, i, 0, WEIR_MREQ_LOAD, 128, i);
  for (int k = 0; k < 12; k++) wait_for(t, 0, k % 3);
  // One that comes late does not catch up: after input 0, input 2 is next whether or not 1 is there.
  put(t, 0, 0, WEIR_MREQ_LOAD, 128, 0);
  put(t, 0, 0, WEIR_MREQ_LOAD, 128, 0);
  put(t, 2, 0, WEIR_MREQ_LOAD, 128, 2);
  wait_for(t, 0, 0);
  put(t, 1, 0, WEIR_MREQ_LOAD, 128, 1);
  wait_for(t, 0, 2);
  wait_for(t, 0, 0);
  wait_for(t, 0, 1);
  net_free(t);
}

// The turn goes through all ports of a wide network, over every 64 of them, and begins anew after the last; disjoint pairs
// move together however far apart they are.
static void more_ports_than_a_word_has_bits(void **state) {
  (void)state;
  enum { PORTS = 200 };
  static const uint32_t turn[] = {0, 5, 63, 64, 65, 127, 128, 199};
  struct net *t = net_new(PORTS, PORTS, 64, 64);
  for (unsigned round = 0; round < 2; round++)
    for (size_t k = 0; k < sizeof turn / sizeof *turn; k++) put(t, turn[k], 150, WEIR_MREQ_LOAD, 128, turn[k]);
  for (unsigned round = 0; round < 2; round++)
    for (size_t k = 0; k < sizeof turn / sizeof *turn; k++) wait_for(t, 150, (int)turn[k]);
  put(t, 130, 150, WEIR_MREQ_LOAD, 128, 130); // after 199 the turn is at 0 again: 3 before 130, though in another word
  put(t, 3, 150, WEIR_MREQ_LOAD, 128, 3);
  wait_for(t, 150, 3);
  put(t, 2, 150, WEIR_MREQ_LOAD, 128, 2); // its turn has passed: after 130
  wait_for(t, 150, 130);
  wait_for(t, 150, 2);
  for (uint32_t i = 0; i < PORTS; i++) put(t, i, PORTS - 1 - i, WEIR_MREQ_LOAD, 128, i);
  for (weir_cycle c = 0; c < LATENCY; c++, t->now++) tick(t);
  for (uint32_t i = 0; i < PORTS; i++) assert_int_equal(get(t, PORTS - 1 - i), (int)i);
  assert_int_equal(t->n.waiting, 0);
  net_free(t);
}

// A packet for a free output waits behind one whose output is busy.
static void the_head_of_the_line_blocks(void **state) {
  (void)state;
  struct net *t = net_new(2, 2, 64, 8);
  put(t, 0, 0, WEIR_MREQ_STORE, 10 * FLIT - HEADER, 1); // holds output 0 for ten cycles
  put(t, 1, 0, WEIR_MREQ_LOAD, 128, 2);
  put(t, 1, 1, WEIR_MREQ_LOAD, 128, 3);
  assert_int_equal(wait_for(t, 0, 1), START + LATENCY + 9);
  assert_int_equal(wait_for(t, 0, 2), START + 10 + LATENCY);
  assert_int_equal(wait_for(t, 1, 3), START + 11 + LATENCY);
  net_free(t);
}

// With a queue for each output it does not: it goes as if it were alone. What the input moves stays one flit per cycle.
static void queues_per_output_pass_by(void **state) {
  (void)state;
  struct net *t = net_with(2, 2, 64, 8, true);
  put(t, 0, 0, WEIR_MREQ_STORE, 10 * FLIT - HEADER, 1); // holds output 0 for ten cycles
  tick(t);
  put(t, 1, 0, WEIR_MREQ_LOAD, 128, 2);
  put(t, 1, 1, WEIR_MREQ_LOAD, 128, 3);
  t->now++;
  assert_int_equal(wait_for(t, 1, 3), START + 1 + LATENCY);
  assert_int_equal(wait_for(t, 0, 1), START + LATENCY + 9);
  assert_int_equal(wait_for(t, 0, 2), START + 10 + LATENCY);
  for (uint32_t o = 0; o < 2; o++) put(t, 0, o, WEIR_MREQ_LOAD, 128, 4 + o);
  const weir_cycle from = t->now;
  weir_cycle at[2] = {0};
  for (; !at[0] || !at[1]; t->now++) {
    tick(t);
    for (uint32_t o = 0; o < 2; o++)
      if (get(t, o) == (int)(4 + o)) at[o] = t->now;
  }
  assert_int_equal(at[0] < at[1] ? at[0] : at[1], from + LATENCY);
  assert_int_equal(at[0] < at[1] ? at[1] : at[0], from + LATENCY + 1);
  net_free(t);
}

static struct net *net_of_wide_ports(uint32_t inputs, uint32_t outputs, uint32_t flits_per_input,
                                     uint32_t flits_per_output) {
  struct net *t = net_with(inputs, outputs, 64, 64, true);
  struct weir_network_params p = t->n.params;
  p.flits_per_input = flits_per_input;
  p.flits_per_output = flits_per_output;
  net_remake(t, p);
  return t;
}

// Of packets of one flit, five of which wait, so many arrive in each cycle, of different inputs.
static void an_output_may_move_several_flits(void **state) {
  (void)state;
  enum { INPUTS = 5 };
  for (uint32_t width = 1; width <= 3; width++) {
    struct net *t = net_of_wide_ports(INPUTS, 1, 1, width);
    for (uint32_t i = 0; i < INPUTS; i++) put(t, i, 0, WEIR_MREQ_LOAD, 128, i);
    uint32_t next = 0;
    for (; next < INPUTS; t->now++) {
      tick(t);
      const uint32_t before = next;
      while (get(t, 0) == (int)next) next++; // in turn; once no packet is there, -1
      const uint32_t left = INPUTS - before;
      const bool begun = t->now >= START + LATENCY;
      assert_int_equal(next - before, !begun ? 0 : left < width ? left : width);
    }
    net_free(t);
  }
}

// A packet of two flits fills an output of two for a cycle, though its own input moves one flit per cycle: the second begins in the cycle
// behind the first, and a third, of one flit, behind that, so that both end together.
static void a_wide_output_counts_flits(void **state) {
  (void)state;
  struct net *t = net_of_wide_ports(3, 1, 1, 2);
  put(t, 0, 0, WEIR_MREQ_STORE, 2 * FLIT - HEADER, 0);
  put(t, 1, 0, WEIR_MREQ_STORE, 2 * FLIT - HEADER, 1);
  put(t, 2, 0, WEIR_MREQ_LOAD, 128, 2);
  assert_int_equal(wait_for(t, 0, 0), START + LATENCY + 1);
  assert_int_equal(get(t, 0), -1);
  assert_int_equal(wait_for(t, 0, 1), START + LATENCY + 2);
  assert_int_equal(wait_for(t, 0, 2), START + LATENCY + 2);
  for (uint32_t k = 0; k < 2; k++) put(t, 0, 0, WEIR_MREQ_LOAD, 128, 3 + k);
  const weir_cycle from = t->now;
  assert_int_equal(wait_for(t, 0, 3), from + LATENCY);
  assert_int_equal(get(t, 0), -1);
  assert_int_equal(wait_for(t, 0, 4), from + LATENCY + 1);
  net_free(t);
}

// The other way about: an input with a packet for each of five outputs sends so many in each cycle.
static void an_input_may_move_several_flits(void **state) {
  (void)state;
  enum { OUTPUTS = 5 };
  for (uint32_t width = 1; width <= 3; width++) {
    struct net *t = net_of_wide_ports(1, OUTPUTS, width, 1);
    for (uint32_t o = 0; o < OUTPUTS; o++) put(t, 0, o, WEIR_MREQ_LOAD, 128, o);
    uint32_t got = 0;
    for (; got < OUTPUTS; t->now++) {
      tick(t);
      const uint32_t before = got, left = OUTPUTS - before;
      for (uint32_t o = 0; o < OUTPUTS; o++) got += get(t, o) == (int)o;
      assert_int_equal(got - before, t->now < START + LATENCY ? 0 : left < width ? left : width);
    }
    net_free(t);
  }
}

// `first` has the outputs with which the groups begin, and where the last ends.
static struct net *net_of_groups(uint32_t outputs, uint32_t groups, const uint32_t *first, uint32_t flits_per_group) {
  struct net *t = net_with(outputs, outputs, 64, 64, true);
  struct weir_network_params p = t->n.params;
  p.groups = groups;
  p.group_first = first;
  p.flits_per_group = flits_per_group;
  p.copies = true;
  net_remake(t, p);
  return t;
}

// Of packets of one flit a group of three outputs takes two in a cycle, of each output in turn; a group of two takes one of each, and an
// output of no group one.
static void a_group_takes_its_flits_in_turn(void **state) {
  (void)state;
  enum { OUTPUTS = 6, EACH = 6 };
  static const uint32_t first[] = {0, 3, 5};
  struct net *t = net_of_groups(OUTPUTS, 2, first, 2);
  for (uint32_t k = 0; k < EACH; k++)
    for (uint32_t o = 0; o < OUTPUTS; o++) put(t, o, o, WEIR_MREQ_LOAD, 128, k);
  for (uint32_t c = 0; c < LATENCY; c++, t->now++) tick(t);
  uint32_t got[OUTPUTS] = {0};
  for (uint32_t c = 0; c < EACH; c++, t->now++) {
    tick(t);
    bool is_here[OUTPUTS] = {[3] = true, [4] = true, [5] = true};
    is_here[2 * c % 3] = is_here[(2 * c + 1) % 3] = true;
    for (uint32_t o = 0; o < OUTPUTS; o++) assert_int_equal(get(t, o), is_here[o] ? (int)got[o]++ : -1);
  }
  net_free(t);
}

// Packets of three flits to the two outputs of a group of two flits per cycle: the first fills it for a cycle and a half, so that the second
// begins in the cycle behind, and the third in the third, when its own output is free again, too.
static void a_group_counts_flits(void **state) {
  (void)state;
  static const uint32_t first[] = {0, 2}, begins[] = {0, 1, 3, 4, 6};
  enum { PACKETS = sizeof begins / sizeof *begins };
  struct net *t = net_of_groups(2, 1, first, 2);
  for (uint32_t k = 0; k < PACKETS; k++) put(t, k % 2, k % 2, WEIR_MREQ_STORE, 3 * FLIT - HEADER, k);
  for (uint32_t k = 0; k < PACKETS; k++) assert_int_equal(wait_for(t, k % 2, (int)k), START + begins[k] + LATENCY + 2);
  net_free(t);
}

static struct weir_mreq *copy_for(struct net *t, uint32_t output, enum weir_mreq_kind kind, uint32_t bytes,
                                  uint32_t token, struct weir_mreq *behind) {
  struct weir_mreq *r = weir_mreq_new(&t->pool);
  *r = (struct weir_mreq){
    .next = behind, .slice = (uint16_t)output, .kind = kind & 7, .bytes = (uint16_t)bytes, .token = token};
  return r;
}

// A packet of three flits for output 0 has copies for 1 and 2. They are there when it is; but output 1 takes two flits of another packet
// first. The input is held for the flits of one: the packet behind is there three cycles later. All that outputs take counts.
static void copies_go_along(void **state) {
  (void)state;
  enum { THREE = 3 * FLIT - HEADER, TWO = 2 * FLIT - HEADER };
  for (unsigned q = 0; q < 2; q++) {
    struct net *t = net_with(2, 3, 64, 8, q);
    struct weir_network_params p = t->n.params;
    p.copies = true;
    net_remake(t, p);
    put(t, 1, 1, WEIR_MREQ_STORE, TWO, 9);
    tick(t);
    assert_int_equal(t->n.flits_moved, 2);
    struct weir_mreq *copies =
      copy_for(t, 1, WEIR_MREQ_STORE, THREE, 1, copy_for(t, 2, WEIR_MREQ_STORE, THREE, 2, NULL));
    weir_network_send_copied(&t->n, 0, copy_for(t, 0, WEIR_MREQ_STORE, THREE, 0, NULL), copies);
    put(t, 0, 0, WEIR_MREQ_STORE, THREE, 3);
    tick(t); // in the same cycle: output 1 has no room for a packet of its own
    static const struct {
      uint32_t output, after; // cycles after the first flit's way
      int token;
    } comes[] = {{1, 1, 9}, {0, 2, 0}, {2, 2, 2}, {1, 4, 1}, {0, 5, 3}};
    for (unsigned k = 0; k < sizeof comes / sizeof *comes; k++) {
      assert_int_equal(wait_for(t, comes[k].output, comes[k].token), START + LATENCY + comes[k].after);
    }
    assert_int_equal(t->n.flits_moved, 2 + 4 * 3);
    assert_int_equal(t->n.waiting, 0);
    net_free(t);
  }
}

// A group of one flit per cycle takes a packet of one flit and its copies in a cycle, and the next packet in the next.
static void copies_are_none_of_the_group_s(void **state) {
  (void)state;
  static const uint32_t first[] = {0, 3};
  struct net *t = net_of_groups(3, 1, first, 1);
  struct weir_mreq *copies = copy_for(t, 1, WEIR_MREQ_LOAD, 128, 1, copy_for(t, 2, WEIR_MREQ_LOAD, 128, 2, NULL));
  weir_network_send_copied(&t->n, 0, copy_for(t, 0, WEIR_MREQ_LOAD, 128, 0, NULL), copies);
  put(t, 1, 1, WEIR_MREQ_LOAD, 128, 3);
  for (uint32_t o = 0; o < 3; o++) assert_int_equal(wait_for(t, o, (int)o), START + LATENCY);
  assert_int_equal(wait_for(t, 1, 3), START + LATENCY + 1);
  net_free(t);
}

// Several inputs, each with packets for every output: pairs keep their order, and a matching that is maximal in every cycle takes at
// most twice the n × k cycles of a perfect one.
static void full_matching(void **state) {
  (void)state;
  enum { N = 3, K = 8 };
  struct net *t = net_with(N, N, 4096, 4096, true);
  for (uint32_t k = 0; k < K; k++)
    for (uint32_t i = 0; i < N; i++)
      for (uint32_t o = 0; o < N; o++) put(t, i, o, WEIR_MREQ_LOAD, 128, k * N + i);
  unsigned got = 0, last[N][N] = {{0}};
  for (unsigned c = 0; c < 2 * N * K + LATENCY; c++, t->now++) {
    tick(t);
    for (uint32_t o = 0; o < N; o++) {
      const int token = get(t, o);
      if (token < 0) continue;
      const unsigned i = (unsigned)token % N, k = (unsigned)token / N;
      assert_int_equal(k, last[i][o]++); // order of the pair
      got++;
    }
  }
  assert_int_equal(got, N * N * K);
  assert_int_equal(t->n.waiting, 0);
  net_free(t);
}

// An input queue counts flits; an output queue counts packets, those on the way too.
static void queues_fill(void **state) {
  (void)state;
  struct net *t = net_new(1, 1, 4, 2);
  struct weir_mreq two = {.kind = WEIR_MREQ_STORE, .bytes = 2 * FLIT - HEADER}, one = {.kind = WEIR_MREQ_LOAD};
  put(t, 0, 0, WEIR_MREQ_STORE, 3 * FLIT - HEADER, 1);
  assert_false(weir_network_accepts(&t->n, 0, &two));
  assert_true(weir_network_accepts(&t->n, 0, &one));
  put(t, 0, 0, WEIR_MREQ_LOAD, 128, 2);
  assert_false(weir_network_accepts(&t->n, 0, &one));
  for (int i = 0; i < 20; i++, t->now++) tick(t);
  put(t, 0, 0, WEIR_MREQ_LOAD, 128, 3); // both have left the input, and fill the output
  for (int i = 0; i < 20; i++, t->now++) tick(t);
  assert_int_equal(t->n.out[0].queue.count, 2);
  assert_int_equal(t->n.waiting, 1);
  assert_int_equal(get(t, 0), 1);
  weir_cycle freed = t->now;
  tick(t);
  assert_int_equal(get(t, 0), 2);
  assert_int_equal(wait_for(t, 0, 3), freed + LATENCY);
  assert_int_equal(weir_network_tick(&t->n, t->now, arrives, t), WEIR_NEVER);
  net_free(t);
}

// Random traffic: nothing is lost, every pair of ports keeps its order, no output gets more than a flit per cycle.
static void order_per_pair(void **state) {
  (void)state;
  enum { IN = 5, OUT = 3 };
  struct net *t = net_new(IN, OUT, 12, 3);
  struct weir_rng rng = weir_rng_seed(11, 0);
  uint32_t next[IN][OUT] = {{0}}, seen[IN][OUT] = {{0}}, sent = 0, got = 0;
  uint64_t flits = 0;
  for (; got < MAX_SENT; t->now++) {
    assert_true(t->now < START + 100000);
    uint32_t i = (uint32_t)weir_rng_below(&rng, IN), o = (uint32_t)weir_rng_below(&rng, OUT);
    struct weir_mreq probe = {.kind = WEIR_MREQ_STORE, .bytes = (uint16_t)weir_rng_below(&rng, 150)};
    if (sent < MAX_SENT && weir_network_accepts(&t->n, i, &probe)) {
      put(t, i, o, WEIR_MREQ_STORE, probe.bytes, i << 20 | next[i][o]++);
      flits += (uint64_t)(probe.bytes + HEADER + FLIT - 1) / FLIT;
      sent++;
    }
    tick(t);
    int token = weir_rng_below(&rng, 4) ? get(t, o) : -1;
    if (token < 0) continue;
    assert_int_equal(token & 0xFFFFF, seen[token >> 20][o]++);
    got++;
  }
  assert_int_equal(t->n.flits_moved, flits);
  assert_true(flits <= OUT * (t->now - START));
  net_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_on_the_wire),
    cmocka_unit_test(every_packet_is_a_flit),
    cmocka_unit_test(latency_and_serialisation),
    cmocka_unit_test(a_port_moves_one_flit_per_cycle),
    cmocka_unit_test(disjoint_pairs_move_together),
    cmocka_unit_test(round_robin),
    cmocka_unit_test(more_ports_than_a_word_has_bits),
    cmocka_unit_test(the_head_of_the_line_blocks),
    cmocka_unit_test(queues_per_output_pass_by),
    cmocka_unit_test(an_output_may_move_several_flits),
    cmocka_unit_test(a_wide_output_counts_flits),
    cmocka_unit_test(an_input_may_move_several_flits),
    cmocka_unit_test(a_group_takes_its_flits_in_turn),
    cmocka_unit_test(a_group_counts_flits),
    cmocka_unit_test(copies_go_along),
    cmocka_unit_test(copies_are_none_of_the_group_s),
    cmocka_unit_test(full_matching),
    cmocka_unit_test(queues_fill),
    cmocka_unit_test(order_per_pair),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
