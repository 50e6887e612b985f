#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# cpu-traces.sh WEIR OWN FOLDER [NAME…]: records the CPU programs of src/trace/programs.def (or those named) into
# FOLDER, as far as they are installed, and says what kind of program each is by its measured misses. OWN is where our own
# programs are. CPU_TRACE_OPTIONS says what is recorded (weir trace --help); by default the interval of 50 million
# instructions that stands best for the whole run. CPU_TRACE_WARM instructions of it (4 million) only fill the caches whose
# misses are counted then.
set -eu
weir=$(realpath "$1") programs=$(realpath "$2")
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$3/input"
cd "$3" # a trace holds its command: with paths that are the same anywhere
shift 3
ln -sfn "$programs" own
folder=. own=own input=input
options=${CPU_TRACE_OPTIONS---phases=1 --interval 50000000}
warm=${CPU_TRACE_WARM-4000000}
PATH=$PATH:/usr/games # where Debian has gnugo

# ---- inputs, made of what is at hand, the same each time ------------------------------------------------------------------

cat "$source"/src/*/*.[ch] >"$input/text"

# One large function, as an interpreter's or a scanner's is, of 300 cases in no order.
awk 'function any(n) { s = (s * 1103 + 12345) % 65536; return s % n }
BEGIN {
  s = 7
  print "long run(const unsigned short *code, long *s, long n) {\n  long a = 0, b = 1, c = 2;"
  print "  while (n-- > 0)\n    switch (*code++) {"
  for (i = 0; i < 300; i++) {
    p = any(97); q = any(89); k = any(13)
    printf "    case %d:\n      if (s[%d] > a + %d) a += s[%d] * b, s[%d] ^= c >> %d;\n", i, p, i, q, p + q, k
    printf "      else if (b %% %d) c = s[a & %d] - b, s[%d] = c;\n", k + 3, p, q
    printf "      else for (long i = %d; i < c; i++) b += s[i & 127] ^ a;\n      break;\n", k
  }
  print "    default: a = b;\n    }\n  return a ^ b ^ c;\n}"
}' >"$input/unit.i"

cat >"$input/words.pl" <<'END'
my ($limit, @words, %count) = (shift);
while (<>) { push @words, /\w+/g; last if @words >= $limit }
$#words = $limit - 1;
my $state = 1;
for my $round (1 .. 8) {
  for (my $i = @words; --$i; ) {
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    my $j = ($state >> 8) % ($i + 1);
    @words[$i, $j] = @words[$j, $i];
  }
  my @sorted = sort @words;
  $count{substr $_, 0, 1 + $round}++ for @sorted;
}
print "$_ $count{$_}\n" for sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
END

cat >"$input/lp.mod" <<'END'
set I := 1..80;
set J := 1..110;
param cost{i in I, j in J} := 1 + (i * 7919 + j * 104729 + i * i * j) mod 997;
param supply{i in I} := 100 + (i * 31) mod 17;
param demand{j in J} := 50 + (j * 37) mod 13;
var x{I, J} >= 0;
minimize total: sum{i in I, j in J} cost[i, j] * x[i, j];
s.t. sent{i in I}: sum{j in J} x[i, j] <= supply[i];
s.t. got{j in J}: sum{i in I} x[i, j] >= demand[j];
s.t. mixed{i in I, j in J: (i + j) mod 5 = 0}: x[i, j] + x[(i mod 80) + 1, j] <= 40;
end;
END

printf 'boardsize 13\nkomi 6.5\n' >"$input/game.gtp"
for turn in 1 2 3 4 5 6; do printf 'genmove black\ngenmove white\n'; done >>"$input/game.gtp"
echo quit >>"$input/game.gtp"

# Frames of drifting patterns and some noise; proteins of twenty letters; a family of them, of which some have a mutated copy.
perl -e '
  my $s = 12345;
  sub r { $s = ($s * 1103515245 + 12345) & 0x7fffffff; ($s >> 8) % $_[0] }
  open my $v, ">:raw", "$ARGV[0]/video.y4m";
  print $v "YUV4MPEG2 W256 H192 F25:1 Ip A1:1 C420jpeg\n";
  for my $f (0 .. 39) {
    print $v "FRAME\n";
    for my $y (0 .. 191) { print $v pack "C*", map { (128 + 60 * sin(($_ + 3 * $f) / 17) + 50 * cos(($y - 2 * $f) / 23) + r(9)) & 255 } 0 .. 255 }
    print $v chr(128) x (128 * 96 * 2);
  }
  my @letters = split //, "ACDEFGHIKLMNPQRSTVWY";
  my $ancestor = join "", map { $letters[r(20)] } 1 .. 120;
  sub child { join "", map { r(10) < 3 ? $letters[r(20)] : $_ } split //, $ancestor }
  open my $a, ">", "$ARGV[0]/family.sto";
  print $a "# STOCKHOLM 1.0\n", (map { "s$_ " . child() . "\n" } 1 .. 20), "//\n";
  open my $p, ">", "$ARGV[0]/proteins.fa";
  for (1 .. 4000) {
    print $p ">p$_\n", join("", map { $letters[r(20)] } 1 .. 50 + r(300)), (r(50) ? "" : child()), "\n";
  }' "$input"
if command -v hmmbuild >/dev/null; then hmmbuild "$input/family.hmm" "$input/family.sto" >/dev/null; fi

# ---- recording ------------------------------------------------------------------------------------------------------------

wanted() { # NAME NAMES…: no names are all
  name=$1
  shift
  [ $# -gt 0 ] || return 0
  for one in "$@"; do [ "$one" != "$name" ] || return 0; done
  return 1
}

# The table as lines of name|spec|class|package|command.
table() {
  {
    echo '#define WEIR_CPU_PROGRAM(name, spec, paper, measured, package, command, summary) name|spec|paper|package|command'
    cat "$source/src/trace/programs.def"
  } | cc -E -P -undef -x c - | sed -n 's/"//g; s/ *| */|/gp'
}

: >"$folder/classes.txt"
table >"$folder/table.txt"
while IFS='|' read -r name like class package command; do
  wanted "$name" "$@" || continue
  before=${command%%-- *} command=${command#*-- }
  program=$(eval "echo ${command%% *}")
  command -v "$program" >/dev/null || {
    echo "$name: $program is not installed (package ${package:-none: made by the target cpu_programs}): left out"
    continue
  }
  echo "== $name (as $like): $command"
  eval "\"\$weir\" trace $options -o \"\$folder/\$name.wtrace\" -- $command ${before:-</dev/null} >/dev/null 2>\"\$folder/\$name.log\"" || {
    tail -n 3 "$folder/$name.log"
    echo "$name: not recorded"
    continue
  }
  bytes=$("$weir" trace --info "$folder/$name.wtrace" | sed -n 's/.* bytes, \(.*\) per instruction/\1/p')
  measured=$("$weir" trace --misses --skip "$warm" "$folder/$name.wtrace" |
    sed -n '/^last/,$ { s/^ *[0-9]* KiB.* //p; s/^class: //p; }' | tr '\n' ' ')
  printf '%-10s %-15s %s bytes per instruction; MPKI of 512 KiB, 1, 2, 4, 8 MiB: %s (the paper: %s)\n' \
    "$name" "$like" "$bytes" "$measured" "$class" | tee -a "$folder/classes.txt"
done <"$folder/table.txt"

# ---- streaming programs on threads of a CPU: a trace of each of four threads, whose chunk is one and a half times an L2 of 256 KiB ---------

for name in wc opinion dna affinity assemble1 assemble16; do
  case $name in assemble*) command="own/assemble ${name#assemble}" ;; *) command="own/streams $name" ;; esac
  wanted "$name" "$@" && [ -x "${command%% *}" ] || continue
  echo "== $name on four threads"
  # shellcheck disable=SC2086 # the command is several words
  "$weir" trace -o "$folder/$name.all" -- $command 4 1536 >/dev/null
  for thread in 1 2 3 4; do "$weir" trace --thread $thread "$folder/$name.all" -o "$folder/$name-$thread.wtrace"; done
  rm "$folder/$name.all"
done
echo
cat "$folder/classes.txt"
