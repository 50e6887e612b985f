# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# awk -v tolerance=T -f agree.awk OURS THEIRS: exits with 0 if both say the same, word by word: two numbers may differ by
# T of the greater one (below 1: by T), all other words are to be equal. Prints the first words that differ. Nothing to
# compare is a failure.
function number(word) {
  return word ~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/
}
function size(value) {
  return value < 0 ? -value : value
}
function same(a, b,   scale) {
  if (a == b) return 1
  if (!number(a) || !number(b)) return 0
  scale = size(a) > size(b) ? size(a) : size(b)
  return size(a - b) <= tolerance * (scale > 1 ? scale : 1)
}
BEGIN { ours = theirs = failed = 0 }
{
  gsub(/[][(){},:;=]/, " ")
  $0 = $0 ""
  for (i = 1; i <= NF; i++) {
    if (FILENAME == ARGV[1]) word[ours++] = $i
    else if (theirs >= ours || !same(word[theirs] "", $i "")) { differ(); exit }
    else theirs++
  }
}
function differ() {
  printf "word %d is '%s', not '%s' (their line %d)\n", theirs + 1, theirs < ours ? word[theirs] : "", $i, FNR
  failed = 1
}
END {
  if (!failed && theirs != ours) { printf "%d words, not %d\n", ours, theirs; failed = 1 }
  if (!failed && !ours) { print "nothing to compare"; failed = 1 }
  exit failed
}
