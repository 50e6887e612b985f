#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# registers-tables.sh [ROOT]: puts the error of weir's estimate of registers per thread (studies/registers/kernels.csv, which
# scripts/registers-public.py makes), and how many loads stand in code (loads.csv, of scripts/loads-public.py), into docs/VALIDATION.md, as
# scripts/marks.awk says; nothing runs:
#
#     <!-- registers error -->
#     …
#     <!-- end -->
#
#     <!--registers sm_80.1.within_4-->74 %<!--/-->
#
# The error is that of the half 0 or 1, or, with a program's name in its place, of all of the program's kernels.
set -eu
root=$(cd "${1:-$(dirname "$0")/..}" && pwd)
marks=$(cat "$(dirname "$0")/marks.awk" "$(dirname "$0")/marks-made.awk")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
page=$root/docs/VALIDATION.md

# Tables as files NAME, numbers as lines NAME<tab>VALUE of the file `values`.
awk -F, -v to="$work/" '
  function value(name, text) { print name "\t" text >(to "values") }
  function row(table, line) { print line >(to table) }
  function add(set, arch, error) {
    n[set, arch]++
    if (error < 0) { error = -error; low[set, arch] += error > 4 } else high[set, arch] += error > 4
    at[set, arch, error]++
    if (error > most) most = error
  }
  function within(set, arch, limit,   e, sum) {
    for (e = 0; e <= limit; e++) sum += at[set, arch, e]
    return sum + 0
  }
  function share(set, arch, limit) { return n[set, arch] ? sprintf("%.0f %%", 100 * within(set, arch, limit) / n[set, arch]) : "–" }
  # The least error that so large a part of the kernels has at most.
  function part(set, arch, of,   e) {
    for (e = 0; e < most && within(set, arch, e) < of * n[set, arch]; e++) ;
    return e
  }
  function line(table, text, set, what,   a, out) {
    for (a = 1; a <= archs; a++)
      out = out " " (what == "kernels" ? n[set, arch[a]] + 0 : what == "median" ? part(set, arch[a], 0.5) : \
                     what == "nine" ? part(set, arch[a], 0.9) : what == "signs" ? low[set, arch[a]] + 0 ", " high[set, arch[a]] + 0 : share(set, arch[a], what)) " |"
    row(table, "| " text " |" out)
  }
  /^#/ { next }
  !archs { for (i = 5; i <= NF; i += 2) arch[++archs] = $i; next }
  {
    for (a = 1; a <= archs; a++) {
      counted = $(3 + 2 * a); here = $(4 + 2 * a)
      if (counted == "" || here == "") continue
      add($4, arch[a], here - counted)
      add($4 (counted > 32 ? "more" : "few"), arch[a], here - counted)
      add($1, arch[a], here - counted)
      add("all", arch[a], here - counted)
    }
    different++
    if (!seen[$1]++) program[++programs] = $1
  }
  END {
    head = "| |"; rule = "|---|"
    for (a = 1; a <= archs; a++) { head = head " " arch[a] " |"; rule = rule "---|" }
    row("error", head); row("error", rule)
    line("error", "fitted: kernels", 0, "kernels")
    line("error", "fitted: within 4", 0, 4)
    line("error", "fitted: within 2", 0, 2)
    line("error", "fitted: median error", 0, "median")
    line("error", "held out: kernels", 1, "kernels")
    line("error", "**held out: within 4**", 1, 4)
    line("error", "held out: within 2", 1, 2)
    line("error", "held out: median error", 1, "median")
    line("error", "held out: nine in ten within", 1, "nine")
    line("error", "held out, of at most 32 registers: within 4", "1few", 4)
    line("error", "held out, of more: within 4", "1more", 4)
    line("error", "held out: too low, too high by more than 4", 1, "signs")
    row("programs", head); row("programs", rule)
    for (p = 1; p <= programs; p++) {
      line("programs", program[p] ": kernels", program[p], "kernels")
      line("programs", program[p] ": within 4", program[p], 4)
    }
    value("kernels", different)
    for (a = 1; a <= archs; a++)
      for (h = 0; h <= 1; h++) {
        value(arch[a] "." h ".kernels", n[h, arch[a]] + 0)
        value(arch[a] "." h ".within_4", share(h, arch[a], 4))
        value(arch[a] "." h ".median", part(h, arch[a], 0.5))
      }
  }
' "$root/studies/registers/kernels.csv"

# Loads in the code: program, kernels; as many of each kind, and the mean of |ln| of all; as weir executes the PTX, and as it is written.
awk -F, -v to="$work/" '
  function far(here, machine) { here = log((here ? here : 1) / machine); return here < 0 ? -here : here }
  function add(set, as, global, shared) {
    same[set, as] += global == $4 && shared == $5
    error[set, as] += far(global + shared, $4 + $5)
  }
  function line(text, set) {
    printf "| %s | %d | %d | %.3f | %d | %.3f |\n", text, n[set], same[set, 1], error[set, 1] / n[set], same[set, 0], error[set, 0] / n[set] >(to "loads")
  }
  /^#/ || /^program,/ { next }
  {
    if (!n[$1]++) program[++programs] = $1
    if ($1 != "bundled") n["public"]++
    for (k = 0; k < ($1 != "bundled") + 1; k++) { add(k ? "public" : $1, 1, $6, $7); add(k ? "public" : $1, 0, $8, $9) }
  }
  END {
    print "| | kernels | as many loads | error, mean of \\|ln\\| | PTX as written | error |" >(to "loads")
    print "|---|---|---|---|---|---|" >(to "loads")
    for (p = 1; p <= programs; p++) line(program[p], program[p])
    line("**public**", "public")
    print "loads.kernels\t" n["public"] >(to "loadvalues")
    print "loads.same\t" same["public", 1] >(to "loadvalues")
    printf "loads.error\t%.3f\n", error["public", 1] / n["public"] >(to "loadvalues")
  }
' "$root/studies/registers/loads.csv"
cat "$work/loadvalues" >>"$work/values"

awk -v from="$work/" -v page="$page" -v number_mark='<!--registers ' -v table_mark='<!-- registers ' "$marks" "$page" >"$work/page"
cmp -s "$work/page" "$page" || cat "$work/page" >"$page"
