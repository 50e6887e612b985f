# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# hold BUILD PROGRAM SOURCE CHIP RESULT [PRELOAD]: runs a program that checks its own results under the launcher, keeps its
# run objects and output in RESULT.json, .out and .err, and holds them to what its source says: a line `// options: …` is
# given to weir run, `// status: N` is the exit status (0 unless told), `// says: TEXT` must be among what comes out on
# stderr, and facts (tests/850-cudart/facts.c) must be those of the run objects, and events
# (tests/850-cudart/trace_events.py) those of the time line. `// again: …`: with these options, too, the time line is equal to the
# byte. Exits with 1 if anything is otherwise.
told() { # SOURCE KEY
  sed -n "s|^// $2: ||p" "$1"
}

fail() { # RESULT REASON
  echo "$2"
  echo "--- its output"
  tail -n 30 "$1.out"
  echo "--- its errors"
  tail -n 30 "$1.err"
  exit 1
}

# RESULT [OPTION...]: of the hold_* below.
hold_run() {
  hold_to=$1
  shift
  # Programs may end with objects that they have not released: that is no leak of ours.
  # shellcheck disable=SC2046 # options are several words
  env ${hold_preload:+LD_PRELOAD="$hold_preload"} ASAN_OPTIONS=detect_leaks=0 \
    "$hold_build/weir" run --chip="$hold_chip" --json="$hold_to.json" $(told "$hold_source" options) "$@" \
    -- "$hold_program" >"$hold_to.out" 2>"$hold_to.err"
}

hold() {
  hold_build=$1 hold_program=$2 hold_source=$3 hold_chip=$4 hold_result=$5 hold_preload=${6-} hold_status=0
  hold_events=$(told "$hold_source" 'event.*') hold_again=$(told "$hold_source" again)
  hold_line=${hold_events:+$hold_result.timeline}
  [ -z "$hold_again" ] || hold_line=$hold_result.timeline
  hold_run "$hold_result" ${hold_line:+--timeline="$hold_line"} || hold_status=$?
  hold_wanted=$(told "$hold_source" status)
  [ "$hold_status" = "${hold_wanted:-0}" ] || fail "$hold_result" "exit status $hold_status, not ${hold_wanted:-0}"
  told "$hold_source" says | while read -r text; do
    grep -qF -- "$text" "$hold_result.err" || fail "$hold_result" "nothing on stderr says: $text"
  done
  "$hold_build/cudart_facts" "$hold_result.json" "$hold_source" ||
    fail "$hold_result" "the run object is not what the source derives"
  [ -z "$hold_events" ] || "$(dirname "$hold_source")/../trace_events.py" "$hold_result.timeline" "$hold_source" ||
    fail "$hold_result" "the time line is not what the source derives"
  [ "$hold_again" ] && [ -z "$hold_preload" ] || return 0 # under sanitizers once, for its time
  # shellcheck disable=SC2086 # options are several words
  hold_run "$hold_result.again" --timeline="$hold_line.again" $hold_again ||
    fail "$hold_result.again" "exit status $? with $hold_again"
  cmp "$hold_line" "$hold_line.again" || fail "$hold_result.again" "the time line is another with $hold_again"
}
