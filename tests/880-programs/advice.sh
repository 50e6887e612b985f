#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# advice.sh BUILD [SUITE/NAME…]: advice for the public programs of advice.txt (all, or those named) by BUILD/weir, and what comes of it
# when it is followed: by --hints, by hints written into the PTX (weir hint), and into the CUDA source (--patch), both compiled again.
# A row of CSV for each program and chip, on stdout (docs/ADVISE.md says what the columns are). The folder that WEIR_PROGRAMS names has
# a folder SUITE/NAME of each program with its sources and inputs, and an executable file `build` that makes `program` of them by the
# nvcc on PATH, with -lineinfo and PTX, and has done so (sources.sh); skipped (77) without it. Work stays in BUILD/advice.
# WEIR_ADVICE_CHIPS: other chips.
set -euo pipefail
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${WEIR_PROGRAMS:-}" ] || { echo "WEIR_PROGRAMS does not name a folder with programs"; exit 77; }
for tool in jq nvcc patch; do command -v $tool >/dev/null || { echo "$tool is not there"; exit 77; }; done
programs=$(cd "$WEIR_PROGRAMS" && pwd)
work=$build/advice
TIMEFORMAT='%U %S'

# A toolkit of links whose fatbinary first writes the hints of ADVICE_HINTS into each PTX file that comes from a file which they name.
toolkit() {
  local cuda to=$work/cuda
  cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
  mkdir -p "$to/bin"
  ln -sfn "$cuda"/* "$to" 2>/dev/null || true
  ln -sf "$cuda"/bin/* "$to/bin"
  rm "$to/bin/nvcc" "$to/bin/fatbinary"
  cp "$cuda/bin/nvcc" "$to/bin" # it looks for the others where it is itself
  cat >"$to/bin/fatbinary" <<FATBINARY
#!/bin/sh
for word; do
  case \$word in *kind=ptx*) ptx=\${word##*file=} ;; *) continue ;; esac
  while read -r hint; do
    if grep -qE "^[[:space:]]*\\.file.*[/\"]\${hint%%:*}\"" "\$ptx"; then echo "\$hint"; fi
  done <"\$ADVICE_HINTS" >"\$ptx.hints"
  if [ -s "\$ptx.hints" ]; then
    '$build/weir' hint "\$ptx" --hints "\$ptx.hints" -o "\$ptx.hinted" || exit
    mv "\$ptx.hinted" "\$ptx"
    ptxas -arch=\$(sed -n 's/^\\.target *\\([a-z0-9_]*\\).*/\\1/p' "\$ptx") -o /dev/null "\$ptx" || exit
  fi
  rm "\$ptx.hints"
done
exec '$cuda/bin/fatbinary' "\$@"
FATBINARY
  chmod +x "$to/bin/fatbinary"
}

# again NAME SUITE/NAME: a copy of the program's folder beside links to what stands beside it, with the diff $patch if there is one,
# built anew. Its place is then in $folder.
again() {
  local at=$work/$1
  folder=$at/$2
  rm -rf "$at"
  mkdir -p "$at"
  ln -s "$programs"/* "$at"
  rm "$at/${2%/*}"
  mkdir "$at/${2%/*}"
  ln -s "$programs/${2%/*}"/* "$at/${2%/*}"
  rm "$folder"
  cp -R "$programs/$2" "$folder"
  rm "$folder/program"
  (cd "$folder" && { [ -z "${patch:-}" ] || patch -s -p1 <"$patch"; } && ./build) >"$at.log" 2>&1 ||
    { echo "$2 cannot be built: $(tail -1 "$at.log")" >&2; return 1; }
}

# cycles FOLDER OPTIONS…: of the program run there, and its processor seconds in $seconds.
cycles() {
  local folder=$1 text
  shift
  text=$(cd "$folder" && { time "$build/weir" run --chip "$chip" --scheme lru --json="$work/run.json" "$@" -- ./program $arguments \
    >"$work/out" 2>"$work/err" </dev/null; } 2>&1) || { tail -3 "$work/err" >&2; return 1; }
  seconds=$(awk '{ print $1 + $2 }' <<<"${text##*$'\n'}")
  count=$(jq '[.[] | .total.cycles] | add' "$work/run.json")
}

# The hints of stdin that the patch has: all but those of which advise's notes ($1) say that they are not written.
written() {
  local hint
  while read -r hint; do
    grep -qE "(^|/)${hint%%[\[#=]*}: note: .* is not written as ${hint##*=}:" "$1" || echo "$hint"
  done
}

row() {
  local p=$1 plain=$programs/$1 is base first costs hints patched by_hints='' by_ptx='' by_some='' by_patch='' folder patch=''
  is=$work/${p/\//-}-$chip
  cycles "$plain" || return
  base=$count first=$seconds
  costs=$(cd "$plain" && { time "$build/weir" advise --chip "$chip" --scheme lru --jobs 1 --json -o "$is.hints" --patch "$is.patch" \
    -- ./program $arguments >"$is.json" 2>"$is.notes" </dev/null; } 2>&1) || { tail -3 "$is.notes" >&2; return; }
  costs=$(awk '{ print $1 + $2 }' <<<"${costs##*$'\n'}")
  cycles "$plain" # again: a mean of two is the processor time
  written "$is.notes" <"$is.hints" >"$is.written"
  hints=$(wc -l <"$is.hints") patched=$(wc -l <"$is.written")
  if [ "$hints" != 0 ]; then
    cycles "$plain" --hints "$is.hints" && by_hints=$count
    ADVICE_HINTS=$is.hints PATH=$work/cuda/bin:$PATH again ptx "$p" && cycles "$folder" && by_ptx=$count
  fi
  if [ "$patched" != 0 ]; then
    cycles "$plain" --hints "$is.written" && by_some=$count
    patch=$is.patch again patch "$p" && cycles "$folder" && by_patch=$count
  fi
  jq -r --arg p "$p" --arg arguments "$arguments" --arg seconds "$first $seconds $costs" --arg advice "$(paste -sd' ' "$is.hints")" \
    --arg counts "$hints $patched" --arg cycles "$base,$by_hints,$by_ptx,$by_some,$by_patch" '
    def over(a; b): if a and b then (a / b * 1000000 | round / 1000000) else "" end;
    ($cycles / "," | map(tonumber? // null)) as $c | ($seconds / " " | map(tonumber)) as $s | .together.outcome.cycles as $told
    | [$p, $arguments, .chip, $c[0], $told, $c[1], $c[2], $c[3], $c[4],
       over($c[0]; $told), over($c[0]; $c[1]), over($c[0]; $c[2]), over($c[0]; $c[3]), over($c[0]; $c[4]),
       ($counts / " ")[], .runs, (.cost * 1000 | round / 1000), .tried, .untried, (($s[0] + $s[1]) * 500 | round / 1000), $s[2], $advice]
    | map(. // "" | tostring) | join(",")' "$is.json"
}

mkdir -p "$work"
toolkit
echo "program,arguments,chip,cycles,predicted_cycles,hints_cycles,ptx_cycles,written_cycles,patch_cycles,predicted,\
by_hints,by_ptx,written_by_hints,by_patch,hints,hints_in_patch,runs,cost,tried,untried,run_seconds,advise_seconds,advice"
while read -r name arguments; do
  [[ $name = '#'* || -z $name ]] && continue
  [[ $# = 0 || " $* " = *" $name "* ]] || continue
  for chip in ${WEIR_ADVICE_CHIPS:-fermi-gtx480 ampere-a40}; do row "$name" || echo "$name on $chip: no row" >&2; done
done <"$here/advice.txt"
