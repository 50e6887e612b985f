#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# recipes.sh SOURCE BUILD WEIR SAME: follows the recipes of CONTRIBUTING.md, from their own words, in a copy of the tree, builds weir
# there, and uses what they made. A step is "N. `FILE`, before `TEXT`: …" with a block behind it, which is inserted before
# the first line with that text; without "before" the block is a new file. That weir comes from the other compiler and is not
# optimised, and must compute what WEIR does.
set -eu
source=$1 work=$2/recipes weir=$3 same=$4
tree=$work/tree
command -v git >/dev/null && git -C "$source" rev-parse --is-inside-work-tree >/dev/null 2>&1 || exit 77
rm -rf "$work"
mkdir -p "$tree"
cd "$source"
git ls-files -z -co --exclude-standard -- . ':!tests' ':!fuzz' ':!bench' ':!docs' |
  tar --null --files-from=- --ignore-failed-read -cf - | tar -xf - -C "$tree"
cd "$tree"

# What the recipes do not come near, and what is compared does not run: studies, and workloads but two.
find studies workloads -mindepth 2 -name '*.c' ! -path 'workloads/cpu/*' ! -path 'workloads/nn/*' ! -path 'workloads/spmv/*' -delete
sed -i '/^STUDY/d' studies/table.def
sed -i '/^WORKLOAD/{/(nn)\|(spmv)/!d}' workloads/table.def

fail() {
  echo "$*"
  exit 1
}

# steps NAME PLACES: cuts the recipe into $work/N.text and a list of "N<tab>file<tab>text before which", and counts the files.
steps() {
  rm -f "$work"/*.text
  awk -v recipe="$1" -v work="$work" '
    /^#/ { inside = $0 == "### " recipe }
    !inside { next }
    /^[0-9]+\. `/ { split($0, part, "`"); print ++step "\t" part[2] "\t" (part[3] == ", before " ? part[4] : "") }
    /^ *```/ { fence = !fence; next }
    fence { sub(/^   /, ""); print >(work "/" step ".text") }' CONTRIBUTING.md >"$work/steps"
  [ "$(wc -l <"$work/steps")" = "$2" ] || fail "'$1' has $(wc -l <"$work/steps") steps, not $2"
}

# follow NAME PLACES
follow() {
  steps "$1" "$2"
  while IFS='	' read -r step file before; do
    [ -e "$work/$step.text" ] || continue # its words say what to do
    if [ -z "$before" ]; then
      cp "$work/$step.text" "$file"
      continue
    fi
    before=$before awk -v text="$work/$step.text" '
      !done && index($0, ENVIRON["before"]) { while ((getline line <text) > 0) print line; done = 1 }
      { print }
      END { exit !done }' "$file" >"$work/edited" || fail "'$1', step $step: no line with '$before' in $file"
    cp "$work/edited" "$file"
  done <"$work/steps"
}

follow "A PTX instruction" 2
follow "A counter" 2
follow "A key of launch files" 2
follow "A policy" 2
sed 's|policy/policy.h|policy/table.h|; s/static const struct weir_policy nru/const struct weir_policy weir_replace_nru/; /weir_plugin/d' \
  examples/plugin/mine.c >src/policy/replace_nru.c
follow "A chip" 1

# No more than weir itself, and its baseline of instructions: `determinism.sh jobs` compares the others.
for cc in clang-19 clang cc; do ! command -v $cc >/dev/null || break; done
cmake -G Ninja -S . -B build -DWEIR_TESTS=OFF -DWEIR_BENCH=OFF -DWEIR_FRONT_DOORS=OFF -DWEIR_WIDE=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_C_FLAGS="-O0 -w" >"$work/log" && ninja -C build -j2 weir >>"$work/log" || {
  tail -20 "$work/log"
  exit 1
}

# Four warps, three times. Thread i leaves the mean of i and 2³² − 1, which a sum of 32 bits would get wrong; its second load no lane executes.
cat >case.ptx <<'END'
.version 7.8
.target sm_50
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r2, [%rd1];
  setp.gt.u32 %p, %r1, 1000; @%p ld.global.u32 %r2, [%rd2];
  avg.u32 %r3, %r2, 0xffffffff; st.global.u32 [%rd2], %r3; ret;
}
END
cat >case.yaml <<'END'
module: case.ptx
buffers: {in: {bytes: 512, fill: iota}, out: {bytes: 512, fill: zero}}
launches: [{kernel: k, grid: [1], block: [128], repeat: 3, args: [in, out]}]
dump: [out]
END
made=$tree/build/weir
"$made" run case.yaml --chip gtx480-half --scheme lru,l1.replace=nru --json >run.json || fail "the run of all five failed"
od -An -v -tu4 -w4 case.out.bin | awk '$1 != int((NR - 1 + 4294967295) / 2) { wrong = 1 } END { exit wrong || NR != 128 }' ||
  fail "avg.u32 gives another result"
[ "$(grep -c '"masked_accesses": 4,' run.json)" = 3 ] || fail "the kernel does not run three times, or the counter does not count 4 of each"
grep -q '"masked_accesses": 12,' run.json || fail "the counter's total is not 12"
"$made" help --output-doc | grep -q 'masked_accesses' || fail "the counter is not in OUTPUT.md"
"$made" list policies | grep -q 'nru' || fail "the policy is not listed"
"$made" list chips | grep -q 'gtx480-half' || fail "the chip is not listed"
"$source/tests/900-project/determinism.sh" "$source" "$work" "$weir" "$same" "$made"
