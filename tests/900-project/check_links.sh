# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# No circle of calls between the source files of a room: one can be read, and tested, before those that use it. A file uses
# another if its object leaves a symbol undefined that an object of the same room defines.
#   check_links.sh SOURCE-FOLDER NM LIST    LIST names the objects, one a line: …/weir_ROOM.dir/ROOM/FILE.c.o
. "$(dirname "$0")/files.sh"
[ -s "$3" ] || { echo "$3 names no objects"; exit 1; }
symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
over "$2" -A -g <"$3" >"$symbols" 2>&1 || { echo "$2 cannot list the symbols:"; tail -3 "$symbols"; exit 1; }
awk '
  # OBJECT:ADDRESS TYPE SYMBOL, or OBJECT: U SYMBOL
  {
    file = $0
    sub(/\.o:[^:]*$/, "", file)
    sub(/^.*\/weir_[a-z0-9]*\.dir\/(\.\/)?/, "", file)
    room = file
    sub(/\/.*/, "", room)
  }
  $(NF - 1) == "U" { user[++wanted] = file; symbol[wanted] = room SUBSEP $NF; next }
  $(NF - 1) ~ /^[A-Z]$/ { definer[room, $NF] = file }
  END {
    for (i = 1; i <= wanted; i++) {
      if (!(symbol[i] in definer) || (user[i], definer[symbol[i]]) in seen) continue
      seen[user[i], definer[symbol[i]]] = 1
      from[++edges] = user[i]
      to[edges] = definer[symbol[i]]
      split(symbol[i], name, SUBSEP)
      why[edges] = name[2]
    }
    # A file that uses none, or that none uses, is in no circle. Without it the same may be said of others, until circles are
    # left, and what lies between two of them.
    do {
      split("", uses)
      split("", used)
      for (i = 1; i <= edges; i++) if (!gone[i]) { uses[from[i]] = 1; used[to[i]] = 1 }
      changed = 0
      for (i = 1; i <= edges; i++) if (!gone[i] && !(to[i] in uses && from[i] in used)) changed = gone[i] = 1
    } while (changed)
    for (i = 1; i <= edges; i++) if (!gone[i]) print "  " from[i] " uses " to[i] " (" why[i] ")"
  }' "$symbols" | sort | verdict "Source files of a room that use one another in a circle:"
