# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# For marks.awk: numbers and tables that were made before. In the folder `from` (its name ends with /) the file `values` has the number of a
# mark on each line, behind the mark's text and a tab; a table's mark has its file as the third word.
function table(mark,   words, line, lines) {
  split(mark, words, " ")
  while ((getline line <(from words[3])) > 0) { print line; lines++ }
  close(from words[3])
  if (!lines) fail("there is no table " words[3])
}
function number(mark) {
  if (!(mark in values)) fail("there is no number " mark)
  return values[mark]
}
BEGIN { while ((getline line <(from "values")) > 0) { split(line, part, "\t"); values[part[1]] = part[2] } }
