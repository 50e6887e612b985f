// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Readers of sparse matrices and graphs on hand-written files, and what they say about malformed ones.
#include "host_test.h"

#include "host/graph.h"

#include <zlib.h>

static struct weir_graph *parse(const char *text, struct weir_sink *sink) {
  return weir_graph_parse("g", text, strlen(text), sink);
}

static struct weir_graph *parse_good(const char *text) {
  struct weir_sink sink = {0};
  struct weir_graph *g = parse(text, &sink);
  assert_clean(&sink);
  assert_non_null(g);
  return g;
}

static void assert_bad(const char *text, const char *message) {
  struct weir_sink sink = {0};
  assert_null(parse(text, &sink));
  assert_message(&sink, 0, message);
  weir_sink_free(&sink);
}

#define assert_row(g, r, ...)                                                                                          \
  do {                                                                                                                 \
    const uint32_t want[] = {__VA_ARGS__};                                                                             \
    assert_int_equal((g)->start[(r) + 1] - (g)->start[r], sizeof want / sizeof want[0]);                               \
    assert_memory_equal((g)->column + (g)->start[r], want, sizeof want);                                               \
  } while (0)

static void matrix_market_general(void **state) {
  (void)state;
  struct weir_graph *g = parse_good("%%MatrixMarket matrix coordinate real general\n% a comment\n\n"
                                    "3 4 4\n3 4 -2.5e1\n1 3 1\n1 1 .5\n3 1 7\n");
  assert_int_equal(g->rows, 3);
  assert_int_equal(g->columns, 4);
  assert_int_equal(g->entries, 4);
  assert_row(g, 0, 0, 2); // columns ascend, whatever the file's order
  assert_int_equal(g->start[2] - g->start[1], 0);
  assert_row(g, 2, 0, 3);
  assert_memory_equal(g->value, ((float[]){0.5f, 1, 7, -25}), 4 * sizeof(float));
  weir_graph_free(g);
}

static void matrix_market_symmetric(void **state) {
  (void)state;
  struct weir_graph *g =
    parse_good("%%MatrixMarket MATRIX Coordinate Integer Symmetric\r\n3 3 3\r\n1 1 4\r\n2 1 5\r\n3 2 6\r\n");
  assert_int_equal(g->entries, 5); // the diagonal once, the others twice
  assert_row(g, 0, 0, 1);
  assert_row(g, 1, 0, 2);
  assert_row(g, 2, 1);
  assert_memory_equal(g->value, ((float[]){4, 5, 5, 6, 6}), 5 * sizeof(float));
  weir_graph_free(g);
  g = parse_good("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n");
  assert_memory_equal(g->value, ((float[]){-3, 3}), 2 * sizeof(float));
  weir_graph_free(g);
}

static void matrix_market_pattern(void **state) {
  (void)state;
  struct weir_graph *g = parse_good("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n1 2\n");
  assert_null(g->value);
  assert_row(g, 0, 1);
  assert_row(g, 1, 0);
  weir_graph_free(g);
}

static void matrix_market_malformed(void **state) {
  (void)state;
#define HEAD "%%MatrixMarket matrix coordinate real general\n"
  assert_bad("%%MatrixMarket matrix array real general\n", "g:1:23: error: the format must be coordinate, not 'array'");
  assert_bad("%%MatrixMarket matrix coordinate complex general\n",
             "g:1:34: error: the field must be one of real, integer, pattern, double, not 'complex'");
  assert_bad("%%MatrixMarket matrix coordinate real hermitian\n", "g:1:39: error: the symmetry must be one of ");
  assert_bad("%%MatrixMarket matrix\n", "g:1:22: error: the format is missing");
  assert_bad(HEAD, "the line of sizes is missing");
  assert_bad(HEAD "2 2\n", "g:2:4: error: the number of entries is missing");
  assert_bad(HEAD "2 x 1\n", "g:2:3: error: the number of columns must be an integer");
  assert_bad(HEAD "2 2 1\n0 1 1\n", "g:3:1: error: the row must be an integer from 1 to 2");
  assert_bad(HEAD "2 2 1\n1 3 1\n", "g:3:3: error: the column must be an integer from 1 to 2");
  assert_bad(HEAD "2 2 1\n1 1\n", "g:3:4: error: the value is missing");
  assert_bad(HEAD "2 2 1\n1 1 one\n", "g:3:5: error: the value must be a number");
  assert_bad(HEAD "2 2 1\n1 1 inf\n", "g:3:5: error: the value must be a number");
  assert_bad(HEAD "2 2 1\n1 1 1 9\n", "g:3:7: error: nothing more is expected");
  assert_bad(HEAD "2 2 2\n1 1 1\n", "the file ends after 1 of 2 entries");
  assert_bad(HEAD "2 2 1\n1 1 1\n2 2 1\n", "g:4:1: error: more entries than the 1 announced");
  assert_bad(HEAD "2 2 1\n99999999999999999999 1 1\n", "g:3:1: error: the row");
  assert_bad("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", "square");
  assert_bad("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "above its diagonal");
  assert_bad(HEAD "1048577 1 1\n1 1 1\n", "g:2:1: error: the number of rows must be an integer from 0 to 1048576");
#undef HEAD
}

static void every_malformed_line_is_named(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  assert_null(parse("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n9 1\n1 1\n1 z\n", &sink));
  assert_int_equal(sink.errors, 2);
  assert_message(&sink, 0, "g:3:1:");
  assert_message(&sink, 1, "g:5:3:");
  assert_message(&sink, 1, "1 z\n    ^"); // the caret below the column
  weir_sink_free(&sink);
}

static void dimacs(void **state) {
  (void)state;
  struct weir_graph *g = parse_good("c a road network\np sp 3 3\na 1 2 10\nc\na 3 1 7\na 1 3 2\n");
  assert_int_equal(g->rows, 3);
  assert_row(g, 0, 1, 2);
  assert_row(g, 2, 0);
  assert_memory_equal(g->value, ((float[]){10, 2, 7}), 3 * sizeof(float));
  weir_graph_free(g);
  assert_bad("c x\na 1 2 3\n", "g:2:2: error: an arc before the problem line");
  assert_bad("p max 3 3\n", "g:1:6: error: the problem is 'max'");
  assert_bad("p sp 3 1\np sp 3 1\n", "g:2:2: error: a second problem line");
  assert_bad("p sp 3 1\na 1 4 1\n", "g:2:5: error: the arc's end must be an integer from 1 to 3");
  assert_bad("p sp 3 1\na 1 2\n", "g:2:6: error: the arc's weight is missing");
  assert_bad("p sp 3 1\nq 1 2\n", "g:2:1: error: a line begins with c, p or a, not 'q'");
  assert_bad("p sp 3 2\na 1 2 1\n", "the file has 1 arcs instead of the 2 announced");
  assert_bad("c only a comment\n", "the problem line (p sp NODES ARCS) is missing");
}

static void snap(void **state) {
  (void)state;
  // Nodes 7, 100 and 4000000000 become 0, 1 and 2.
  struct weir_graph *g = parse_good("# Directed graph\n# FromNodeId\tToNodeId\n100\t4000000000\n7 100\n100\t7\n");
  assert_int_equal(g->rows, 3);
  assert_int_equal(g->columns, 3);
  assert_null(g->value);
  assert_row(g, 0, 1);
  assert_row(g, 1, 0, 2);
  weir_graph_free(g);
  assert_bad("1 2\n3\n", "g:2:2: error: the edge's end is missing");
  assert_bad("1 -2\n", "g:1:3: error: the edge's end must be an integer");
  assert_bad("1 2 3\n", "g:1:5: error: nothing more is expected");
  assert_bad("GIF89a\nx\ny\n", "g:1:1: error: the edge's start must be an integer");
  struct weir_sink sink = {0};
  assert_null(weir_graph_parse("g", "GIF89a\nx\ny\n", 11, &sink));
  assert_int_equal(sink.errors, 1);
  assert_message(&sink, 1, "g: note: is read as an edge list");
  weir_sink_free(&sink);
  assert_bad("", "the edge list has no edge");
  assert_bad("# nothing\n", "the edge list has no edge");
}

static void undirected(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_graph *g = parse_good("1 2\n2 1\n1 1\n2 3\n2 3\n"); // doubled edges and a loop
  struct weir_graph *both = weir_graph_undirected(g, "g", &sink);
  assert_int_equal(both->entries, 4);
  assert_row(both, 0, 1);
  assert_row(both, 1, 0, 2);
  assert_row(both, 2, 1);
  weir_graph_free(both);
  weir_graph_free(g);
  g = parse_good("%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1\n");
  assert_null(weir_graph_undirected(g, "g", &sink));
  assert_message(&sink, 0, "square");
  weir_graph_free(g);
  weir_sink_free(&sink);
}

static void gzipped(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *path = test_path("edges.gz");
  gzFile f = gzopen(path, "wb");
  gzputs(f, "1 2\n2 3\n");
  gzclose(f);
  struct weir_graph *g = weir_graph_read(path, &sink);
  assert_clean(&sink);
  assert_int_equal(g->entries, 2);
  weir_graph_free(g);
  assert_null(weir_graph_read("no-such-file", &sink));
  assert_message(&sink, 0, "no-such-file: error: cannot be read");
  weir_sink_free(&sink);
  weir_free(path);
}

// The bundled graph against what its own header says.
static void bundled(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_graph *g = weir_graph_read(WEIR_SOURCE_DIR "/workloads/data/debian12-depends.mtx.gz", &sink);
  assert_clean(&sink);
  assert_true(g->rows > 60000 && g->rows == g->columns && !g->value);
  for (uint32_t r = 0; r < g->rows; r++)
    for (uint32_t i = g->start[r] + 1; i < g->start[r + 1]; i++) assert_true(g->column[i - 1] < g->column[i]);
  weir_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrix_market_general),
    cmocka_unit_test(matrix_market_symmetric),
    cmocka_unit_test(matrix_market_pattern),
    cmocka_unit_test(matrix_market_malformed),
    cmocka_unit_test(every_malformed_line_is_named),
    cmocka_unit_test(dimacs),
    cmocka_unit_test(snap),
    cmocka_unit_test(undirected),
    cmocka_unit_test(gzipped),
    cmocka_unit_test(bundled),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
