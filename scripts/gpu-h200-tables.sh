#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# gpu-h200-tables.sh [ROOT]: puts the tables and numbers of the comparison with an NVIDIA H200 (studies/silicon/workloads/*.csv) into
# README.md and the documents, wherever they stand between such marks; nothing runs:
#
#     <!-- h200 speedups -->
#     …
#     <!-- end -->
#
#     <!--h200 l1.judged.rank-->0.70<!--/-->
set -eu
root=$(cd "${1:-$(dirname "$0")/..}" && pwd)
marks=$(cat "$(dirname "$0")/marks.awk" "$(dirname "$0")/marks-made.awk")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$root/studies/silicon/workloads"

# Tables as files NAME, numbers as lines NAME<tab>VALUE of the file `values`. The rules are those of README.md there.
awk -F, -v to="$work/" '
  # ---- numbers as text ----
  function minus(text) { sub(/^-/, "−", text); return text }
  function abs(x) { return x < 0 ? -x : x }
  function ratio(x) { return sprintf("%.2f", x) }
  function share(x) { return sprintf("%.1f %%", 100 * x) }
  function distance(x) { return minus(sprintf("%+.1f %%", 100 * (x - 1))) }
  function value(name, text) { print name "\t" text >(to "values") }
  function row(table, line) { print line >(to table) }

  # ---- statistics: over x[1..n], y[1..n] ----
  function ranks(v, n, r,   i, j, below, same) {
    for (i = 1; i <= n; i++) {
      below = same = 0
      for (j = 1; j <= n; j++) { below += v[j] < v[i]; same += v[j] == v[i] }
      r[i] = below + (same + 1) / 2
    }
  }
  function correlation(x, y, n,   i, mx, my, xy, xx, yy) {
    for (i = 1; i <= n; i++) { mx += x[i] / n; my += y[i] / n }
    for (i = 1; i <= n; i++) { xy += (x[i] - mx) * (y[i] - my); xx += (x[i] - mx) ^ 2; yy += (y[i] - my) ^ 2 }
    return xy / sqrt(xx * yy)
  }
  function rank_correlation(x, y, n,   rx, ry) { ranks(x, n, rx); ranks(y, n, ry); return correlation(rx, ry, n) }
  function geometric(x, n,   i, sum) { for (i = 1; i <= n; i++) sum += log(x[i]); return exp(sum / n) }
  function mean_distance(x, y, n,   i, sum) { for (i = 1; i <= n; i++) sum += abs(y[i] / x[i] - 1); return sum / n }
  function agrees(m, w) { return (m > 1 && w > 1) || (m < 1 && w < 1) || (abs(m - 1) <= 0.02 && abs(w - 1) <= 0.02) }

  # As docs/DIFFERENCES.md says it of a published effect.
  function verdict(there, here) {
    if (there * here <= 0 || abs(here) < abs(there) / 10) return "**fails**"
    return abs(here - there) <= abs(there) / 2 ? "agrees" : "sign only"
  }

  # ---- reading ----
  FNR == 1 { file++; split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
  file == 1 {
    if (!($1 in known)) { known[$1] = 1; names[++count] = $1 }
    ours[$1, $2] = $at["milliseconds"]
    measured[$1, $2] = $at["measured_milliseconds"]
    launches[$1] = $at["measured_launches"]
    if ($2 == "no L1") launches_here[$1] = $at["launches"]
    if ($2 == "S-L1") { lines[$1] = $at["lines"] + 0; measured_lines[$1] = $at["measured_lines"] }
    if ($2 == "no L1") per_launch[$1] = $at["measured_milliseconds"] != "" ? 1000 * $at["measured_milliseconds"] / $at["measured_launches"] : 0
    next
  }
  file == 2 {
    w = $1
    if (!n_profiled[w]++) profiled[++profiles] = w
    for (name in at) if (at[name] > 3) { sum[w, name] += $at[name] }
    k = w FS $3
    if (!n_kernel[k]++) kernels[++kernel_count] = k
    for (name in at) if (at[name] > 3) kernel_sum[k, name] += $at[name]
    next
  }
  file == 3 { written[$1, $2] = $at["milliseconds"]; next }
  file == 4 {
    kernel_ns[$1] += $at["nanoseconds"]
    split($at["grid"], sides, "x"); number = 1
    for (side in sides) number *= sides[side]
    block_count[$1 FS $3] += number
    next
  }
  file == 5 { code_instructions[$1, $2] = $at["warp_instructions"]; code_cycles[$1, $2] = $at["cycles"]; next }
  file == 6 { code[$1 FS $2] = $at["code_bytes"]; next }
  {
    if (!choice_rows[$1]++) choices[++choice_count] = $1
    if (!shared_rows[$2]++) shared[++shared_count] = $2
    if ($1 == choices[1]) board_reads[$2] += $at["measured"]
    reads[$1, $2] += $at["l2_read_sectors"]
    if ($2 != "lud" || $4 != "perimeter") next
    blocks = 19 - perimeters[$1]++ # one fewer each time, and each reads 64 sectors of its own
    tiles[$1] = tiles[$1] (blocks < 19 ? ", " : "") ($at["l2_read_sectors"] - 64 * blocks) / 32
    if ($1 == choices[1]) board_tiles = board_tiles (blocks < 19 ? ", " : "") ($at["measured"] - 64 * blocks) / 32
  }

  # ---- times ----
  function speedup(w, over, of) { return measured[w, over] / measured[w, of] }
  function speedup_here(w, over, of) { return ours[w, over] / ours[w, of] }
  function is_in(w, set) {
    if (!per_launch[w]) return 0
    if (set == "judged") return per_launch[w] >= 20
    if (set == "long") return per_launch[w] >= 100
    if (set == "paper") return index(" upper wc dna opinion invindex pageview affinity matmul grep ", " " w " ")
    return 1
  }
  function word(m, w) { return agrees(m, w) ? "agrees" : "**differs**" }
  function speedup_row(table, w,   l, s, lh, sh, judged) {
    l = speedup(w, "no L1", "hardware L1"); lh = speedup_here(w, "no L1", "hardware L1")
    s = speedup(w, "no L1", "S-L1"); sh = speedup_here(w, "no L1", "S-L1")
    judged = is_in(w, "judged")
    row(table, "| " w " | " launches[w] " | " sprintf("%.1f", per_launch[w]) " | " \
      sprintf("%.1f", 1000 * ours[w, "no L1"] / launches_here[w]) " | " ratio(l) " | " ratio(lh) " | " (judged ? word(l, lh) " | " : "") \
      ratio(s) " | " ratio(sh) " | " (judged ? word(s, sh) " | " : "") measured_lines[w] " |")
  }
  function summary_row(pair, over, of, set,   i, n, m, h, good) {
    for (i = 1; i <= count; i++) if (is_in(names[i], set)) {
      m[++n] = speedup(names[i], over, of)
      h[n] = speedup_here(names[i], over, of)
      good += agrees(m[n], h[n])
    }
    value(pair "." set ".count", n)
    value(pair "." set ".measured", ratio(geometric(m, n)))
    value(pair "." set ".weir", ratio(geometric(h, n)))
    value(pair "." set ".agree", good)
    value(pair "." set ".verdict", verdict(geometric(m, n) - 1, geometric(h, n) - 1))
    value(pair "." set ".rank", minus(ratio(rank_correlation(m, h, n))))
    value(pair "." set ".error", share(mean_distance(m, h, n)))
    return " | " n " | " ratio(geometric(m, n)) " | " ratio(geometric(h, n)) " | " good " | " \
      minus(ratio(rank_correlation(m, h, n))) " | " share(mean_distance(m, h, n)) " |"
  }
  function extremes(pair, over, of, set,   i, w, x, low, high) {
    for (i = 1; i <= count; i++) if (is_in(w = names[i], set)) {
      x = speedup(w, over, of)
      if (low == "" || x < speedup(low, over, of)) low = w
      if (high == "" || x > speedup(high, over, of)) high = w
    }
    value(pair "." set ".lowest", ratio(speedup(low, over, of)) " (" low ")")
    value(pair "." set ".highest", ratio(speedup(high, over, of)) " (" high ")")
  }
  function wins(pair, over, of, set,   i, n) {
    for (i = 1; i <= count; i++) if (is_in(names[i], set)) n += speedup(names[i], over, of) > 1
    value(pair "." set ".wins", n + 0)
  }
  function summary(   p, s, over, of, pairs, sets, what, set_name, pair) {
    over[1] = "no L1"; of[1] = "hardware L1"; pair[1] = "l1"; what[1] = "hardware L1 over no L1"
    over[2] = "no L1"; of[2] = "S-L1"; pair[2] = "sl1"; what[2] = "S-L1 over no L1"
    over[3] = "hardware L1"; of[3] = "S-L1"; pair[3] = "sl1_over_l1"; what[3] = "S-L1 over hardware L1"
    sets[1] = "judged"; set_name[1] = "20 µs per launch or more"
    sets[2] = "long"; set_name[2] = "100 µs or more"
    sets[3] = "all"; set_name[3] = "all"
    sets[4] = "paper"; set_name[4] = "the paper\047s programs"
    row("summary", "| | workloads | | H200 | weir | direction agrees | rank correlation | error |")
    row("summary", "|---|---|---|---|---|---|---|---|")
    for (p = 1; p <= 3; p++) for (s = 1; s <= 4; s++) {
      row("summary", "| " what[p] " | " set_name[s] summary_row(pair[p], over[p], of[p], sets[s]))
      extremes(pair[p], over[p], of[p], sets[s])
      wins(pair[p], over[p], of[p], sets[s])
    }
  }
  function brief() {
    row("brief", "| | H200 | weir | direction agrees |")
    row("brief", "|---|---|---|---|")
    brief_row("hardware L1 over no L1", "no L1", "hardware L1")
    brief_row("S-L1 over no L1", "no L1", "S-L1")
    brief_row("S-L1 over hardware L1", "hardware L1", "S-L1")
  }
  function brief_row(what, over, of,   i, n, m, h, good, w, low, high) {
    for (i = 1; i <= count; i++) if (is_in(w = names[i], "judged")) {
      m[++n] = speedup(w, over, of); h[n] = speedup_here(w, over, of)
      good += agrees(m[n], h[n])
      if (low == "" || m[n] < low) low = m[n]
      if (m[n] > high) high = m[n]
    }
    row("brief", "| " what " | " ratio(geometric(m, n)) " (" ratio(low) " to " ratio(high) ") | " ratio(geometric(h, n)) " | " good " of " n " |")
  }
  function times(   v, i, n, m, h, x, y, variant, unit) {
    variant[1] = "no L1"; variant[2] = "hardware L1"; variant[3] = "S-L1"
    row("times", "| | weir over H200 | mean error | PTX as written: weir over H200 | mean error |")
    row("times", "|---|---|---|---|---|")
    for (v = 1; v <= 3; v++) {
      n = 0
      for (i = 1; i <= count; i++) if (is_in(names[i], "judged")) {
        m[++n] = measured[names[i], variant[v]]; h[n] = ours[names[i], variant[v]]; x[n] = h[n] / m[n]
        y[n] = written[names[i], variant[v]] / m[n]
        unit[n] = 1
      }
      row("times", "| " variant[v] " | " ratio(geometric(x, n)) " | " share(mean_distance(unit, x, n)) " | " \
        ratio(geometric(y, n)) " | " share(mean_distance(unit, y, n)) " |")
    }
  }
  function same_lines(   i, n, same) {
    for (i = 1; i <= count; i++) if (per_launch[names[i]]) { n++; same += lines[names[i]] == measured_lines[names[i]] }
    value("lines.count", n); value("lines.same", same)
  }
  function orders(   i, w, n, m, h, f, s, sh, sf) {
    row("orders", "| workload | no L1, µs: H200 | weir | as written | hardware L1: H200 | weir | as written | speedup: H200 | weir | as written |")
    row("orders", "|---|---|---|---|---|---|---|---|---|---|")
    for (i = 1; i <= count; i++) if (is_in(w = names[i], "judged")) {
      m[++n] = speedup(w, "no L1", "hardware L1"); h[n] = speedup_here(w, "no L1", "hardware L1")
      f[n] = written[w, "no L1"] / written[w, "hardware L1"]
      s[n] = speedup(w, "no L1", "S-L1"); sf[n] = written[w, "no L1"] / written[w, "S-L1"]
      row("orders", "| " w " | " micro(measured[w, "no L1"]) " | " micro(ours[w, "no L1"]) " | " micro(written[w, "no L1"]) " | " \
        micro(measured[w, "hardware L1"]) " | " micro(ours[w, "hardware L1"]) " | " micro(written[w, "hardware L1"]) " | " \
        ratio(m[n]) " | " ratio(h[n]) " | " ratio(f[n]) " |")
    }
    row("orders", "| geometric mean; error | | | | | | | " ratio(geometric(m, n)) " | " ratio(geometric(h, n)) "; " share(mean_distance(m, h, n)) \
      " | " ratio(geometric(f, n)) "; " share(mean_distance(m, f, n)) " |")
    value("written.l1.error", share(mean_distance(m, f, n))); value("written.l1.weir", ratio(geometric(f, n)))
    value("written.l1.rank", minus(ratio(rank_correlation(m, f, n))))
    value("written.sl1.error", share(mean_distance(s, sf, n))); value("written.sl1.weir", ratio(geometric(sf, n)))
    value("written.sl1.rank", minus(ratio(rank_correlation(s, sf, n))))
  }
  function micro(ms) { return sprintf("%.0f", 1000 * ms) }

  # ---- counters ----
  function cell(w, name, most,   m, h) { # bold beyond `most`
    m = sum[w, "measured_" name]; h = sum[w, name]
    if (!m) return h ? sprintf("%d for none", h) : "none"
    error_sum[name] += abs(h / m - 1); error_count[name]++
    if (h == m) { equal[name]++; return "equal" }
    if (abs(h / m - 1) > most) { beyond[name]++; return "**" distance(h / m) "**" }
    return distance(h / m)
  }
  function hit_rate(w, prefix, level) {
    return 100 * sum[w, prefix level "_hit_sectors"] / sum[w, prefix level "_sectors"]
  }
  function rate_cell(w, level,   points) {
    if (!sum[w, "measured_" level "_sectors"]) return "none"
    points = hit_rate(w, "", level) - hit_rate(w, "measured_", level)
    rate_sum[level] += abs(points); rate_count[level]++
    if (abs(points) > 5) rate_beyond[level]++
    if (abs(points) > abs(rate_most[level])) rate_most[level] = points
    return (abs(points) > 5 ? "**" : "") minus(sprintf("%+.1f", points)) (abs(points) > 5 ? "**" : "")
  }
  function mean(name) { return share(error_sum[name] / error_count[name]) }
  function counters(   i, w, long, text, cycles, n) {
    row("counters", "| workload | launches | L1 loads | L1 hit rate, H200 | points | L1 stores | L2 reads | L2 hit rate, points | L2 writes | DRAM reads | warp instructions | cycles per launch, H200 | cycles |")
    row("counters", "|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for (i = 1; i <= profiles; i++) {
      w = profiled[i]
      cycles = sum[w, "measured_cycles"] / n_profiled[w]
      long = cycles >= 20000
      text = long ? cell(w, "cycles", 0.2) : "(" distance(sum[w, "cycles"] / sum[w, "measured_cycles"]) ")"
      row("counters", "| " w " | " n_profiled[w] " | " cell(w, "l1_load_sectors", 0.05) " | " \
        sprintf("%.1f %%", hit_rate(w, "measured_", "l1_load")) " | " rate_cell(w, "l1_load") " | " cell(w, "l1_store_sectors", 0.05) " | " \
        cell(w, "l2_read_sectors", 0.05) " | " rate_cell(w, "l2_read") " | " cell(w, "l2_write_sectors", 0.05) " | " \
        cell(w, "dram_read_bytes", 0.05) " | " cell(w, "warp_instructions", 1e9) " | " sprintf("%.0f", cycles) " | " text " |")
    }
    row("counters", "| mean error | | " mean("l1_load_sectors") " | | " sprintf("%.1f", rate_sum["l1_load"] / rate_count["l1_load"]) " | " \
      mean("l1_store_sectors") " | " mean("l2_read_sectors") " | " sprintf("%.1f", rate_sum["l2_read"] / rate_count["l2_read"]) " | " mean("l2_write_sectors") " | " mean("dram_read_bytes") " | " \
      mean("warp_instructions") " | | " mean("cycles") " |")
    value("counters.count", profiles)
    for (name in error_count) {
      value(name ".error", mean(name)); value(name ".equal", equal[name] + 0)
      value(name ".beyond", beyond[name] + 0); value(name ".count", error_count[name])
    }
    value("l1_rate.error", sprintf("%.1f", rate_sum["l1_load"] / rate_count["l1_load"]))
    value("l1_rate.beyond", rate_beyond["l1_load"] + 0)
    value("l1_rate.most", minus(sprintf("%.1f", rate_most["l1_load"])))
    value("l2_rate.error", sprintf("%.1f", rate_sum["l2_read"] / rate_count["l2_read"]))
    value("cycles.verdict", error_sum["cycles"] / error_count["cycles"] <= 0.2 ? "agrees" : "**fails**")
    value("l1_loads.verdict", beyond["l1_load_sectors"] ? "**fails** for " beyond["l1_load_sectors"] : "agrees")
    value("l1_rate.verdict", rate_beyond["l1_load"] ? "**fails** for " rate_beyond["l1_load"] : "agrees")
    value("l2_reads.verdict", beyond["l2_read_sectors"] ? "**fails** for " beyond["l2_read_sectors"] : "agrees")
    value("dram_reads.verdict", beyond["dram_read_bytes"] ? "**fails** for " beyond["dram_read_bytes"] : "agrees")
    for (i = 1; i <= profiles; i++) details(profiled[i])
  }
  # What the text says of single workloads.
  function details(w,   misses) {
    misses = sum[w, "measured_l1_load_sectors"] - sum[w, "measured_l1_load_hit_sectors"]
    value(w ".l1_misses", misses); value(w ".l1_misses_here", sum[w, "l1_load_sectors"] - sum[w, "l1_load_hit_sectors"])
    value(w ".l2_distance", distance(sum[w, "l2_read_sectors"] / sum[w, "measured_l2_read_sectors"]))
    value(w ".l2_reads", sum[w, "measured_l2_read_sectors"]); value(w ".l2_reads_here", sum[w, "l2_read_sectors"])
    value(w ".l2_rate", sprintf("%.1f %%", hit_rate(w, "measured_", "l2_read"))); value(w ".l2_rate_here", sprintf("%.1f %%", hit_rate(w, "", "l2_read")))
    value(w ".dram", sum[w, "measured_dram_read_bytes"]); value(w ".dram_here", sum[w, "dram_read_bytes"])
    value(w ".l1_stores", sum[w, "measured_l1_store_sectors"]); value(w ".l1_stores_here", sum[w, "l1_store_sectors"])
    value(w ".l2_writes", sum[w, "measured_l2_write_sectors"]); value(w ".l2_writes_here", sum[w, "l2_write_sectors"])
    value(w ".event_us", sprintf("%.1f", per_launch[w])); value(w ".kernel_us", sprintf("%.1f", kernel_ns[w] / 1000 / n_profiled[w]))
    value(w ".cycles", distance(sum[w, "cycles"] / sum[w, "measured_cycles"]))
  }
  function machine_code(   i, w, m, error, assembled, machine, n) {
    for (i = 1; i <= profiles; i++) {
      w = profiled[i]; m = sum[w, "measured_cycles"]
      error += abs(code_instructions[w, "assembled"] / sum[w, "measured_warp_instructions"] - 1) / profiles
      value(w ".warp_instructions", distance(sum[w, "warp_instructions"] / sum[w, "measured_warp_instructions"]))
      value(w ".assembled_instructions", distance(code_instructions[w, "assembled"] / sum[w, "measured_warp_instructions"]))
      if (m / n_profiled[w] < 20000) continue
      assembled += abs(code_cycles[w, "assembled"] / m - 1); machine += abs(code_cycles[w, "machine"] / m - 1); n++
    }
    value("assembled_instructions.error", share(error))
    value("assembled_cycles.error", share(assembled / n)); value("uncounted_cycles.error", share(machine / n))
  }
  # What a launch reads of DRAM there and not here.
  function code_reads(   i, k, n, more, least, most, sum_more) {
    for (i = 1; i <= kernel_count; i++) {
      k = kernels[i]
      more = (kernel_sum[k, "measured_dram_read_bytes"] - kernel_sum[k, "dram_read_bytes"]) / n_kernel[k]
      if (k == "nw" FS "upper_left") { value("nw.more", sprintf("%.1f KB", more / 1000)); continue }
      sum_more += more
      if (!n++) least = most = more
      if (more < least) least = more
      if (more > most) most = more
    }
    value("code.kernels", n); value("code.more", sprintf("%.1f KB", sum_more / n / 1000))
    value("code.range", minus(sprintf("%.1f to %.1f KB", least / 1000, most / 1000)))
    value("nw.code", sprintf("%.1f KB", code["nw" FS "upper_left"] / 1000))
    value("lud.code", sprintf("%.1f KB", code["lud" FS "diagonal"] / 1000))
  }
  # Cycles of a block on its SM, as far as these are busy, of kernels whose blocks take less than 3000.
  function short_blocks(   i, k, there, here, n, error, sum_more) {
    for (i = 1; i <= kernel_count; i++) {
      k = kernels[i]
      there = 132 * kernel_sum[k, "measured_active_cycles"] / block_count[k]; here = 132 * kernel_sum[k, "active_cycles"] / block_count[k]
      if (k == "nw" FS "upper_left") { value("nw.block", sprintf("%.0f", there)); value("nw.block_here", sprintf("%.0f", here)) }
      if (there >= 3000) continue
      n++; error += abs(here - there); sum_more += here - there
    }
    value("blocks.kernels", n); value("blocks.error", sprintf("%.0f", error / n)); value("blocks.more", minus(sprintf("%+.0f", sum_more / n)))
  }
  # Reads of the L2 by how many are one, of the workloads whose SMs read the same data at once.
  function coalesced(   i, c, part, line, rule, boards) {
    line = "| |"; rule = "|---|"; boards = "| H200 |"
    for (i = 1; i <= shared_count; i++) {
      line = line " " shared[i] " |"
      rule = rule "---|"
      boards = boards " " board_reads[shared[i]] " |"
    }
    row("coalesced", line " tile |"); row("coalesced", rule "---|"); row("coalesced", boards " " board_tiles " |")
    for (c = 1; c <= choice_count; c++) {
      split(choices[c], part, ":")
      line = "| " (part[1] == 1 ? "each its own |" : part[1] ", " (part[2] < 10000 ? part[2] : "until answered") ", " part[3] " |")
      for (i = 1; i <= shared_count; i++) line = line " " distance(reads[choices[c], shared[i]] / board_reads[shared[i]]) " |"
      row("coalesced", line " " tiles[choices[c]] " |")
    }
  }
  function per_kernel(   i, k, parts, n, off, same, near) {
    row("kernels", "| workload | kernel | registers, H200 | weir | carve-out, KiB, H200 | weir |")
    row("kernels", "|---|---|---|---|---|---|")
    for (i = 1; i <= kernel_count; i++) {
      k = kernels[i]; n = n_kernel[k]
      split(k, parts, FS)
      off = abs(kernel_sum[k, "registers"] - kernel_sum[k, "measured_registers"]) / n
      same += !off; near += off <= 4
      row("kernels", "| " parts[1] " | `" parts[2] "` | " kernel_sum[k, "measured_registers"] / n " | " kernel_sum[k, "registers"] / n " | " \
        kernel_sum[k, "measured_carveout_bytes"] / n / 1024 " | " kernel_sum[k, "carveout_bytes"] / n / 1024 " |")
    }
    value("registers.kernels", kernel_count); value("registers.same", same); value("registers.near", near)
  }

  END {
    heading = "| workload | launches | µs per launch without L1, H200 | weir | L1 over none, H200 | weir |"
    row("speedups", heading " | S-L1 over none, H200 | weir | | lines |")
    row("speedups", "|---|---|---|---|---|---|---|---|---|---|---|")
    row("short", heading " S-L1 over none, H200 | weir | lines |")
    row("short", "|---|---|---|---|---|---|---|---|---|")
    for (i = 1; i <= count; i++) {
      if (per_launch[names[i]]) speedup_row(is_in(names[i], "judged") ? "speedups" : "short", names[i])
      else stopped = stopped (stopped ? ", " : "") names[i]
    }
    value("stopped", stopped)
    summary(); brief(); times(); same_lines(); orders(); counters(); machine_code(); code_reads(); short_blocks(); coalesced(); per_kernel()
  }
' hopper-h200.csv hopper-h200-counters.csv written.csv h200-counters.csv variants.csv code.csv coalesced.csv

for page in "$root"/README.md "$root"/docs/*.md "$root"/docs/*/*.md; do
  grep -qE '^<!-- h200 |<!--h200 ' "$page" || continue
  awk -v from="$work/" -v page="$page" -v number_mark='<!--h200 ' -v table_mark='<!-- h200 ' "$marks" "$page" >"$work/page"
  cmp -s "$work/page" "$page" || cat "$work/page" >"$page"
done
