# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Rewrites what stands between marks in a page. Whoever uses it defines number(mark), the text of a number, and table(mark), which prints
# a table's lines, and sets `page`, the page's name, and two beginnings of marks, `number_mark` and `table_mark`:
#
#     <!-- table …-->
#     …
#     <!-- end -->
#
#     <!--=…-->+26.7 %<!--/-->
function fail(what) { print page ":" NR ": " what | "cat >&2"; failed = 1; exit 1 }
function numbers(line,   out, from, rest, mark, to) {
  while ((from = index(line, number_mark))) {
    rest = substr(line, from + length(number_mark))
    to = index(rest, "-->")
    mark = substr(rest, 1, to - 1)
    rest = substr(rest, to + 3)
    to = index(rest, "<!--/-->")
    if (!to) fail("a number has no end <!--/-->")
    out = out substr(line, 1, from - 1) number_mark mark "-->" number(mark) "<!--/-->"
    line = substr(rest, to + 8)
  }
  return out line
}
/^<!-- end -->/ { inside = 0 }
inside { next }
index($0, table_mark) == 1 { print; table($0); inside = 1; next }
{ print numbers($0) }
END { if (!failed && inside) fail("a table has no end <!-- end -->") }
