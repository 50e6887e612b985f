# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# A folder under src/ includes its own headers and those of the folders that its row in src/rooms.txt names. Every folder
# whose files are part of a library has a row, every room a README and its line in the table of docs/ARCHITECTURE.md.
. "$(dirname "$0")/files.sh"
{
  files '*.c' '*.h' '*.def' | sed -n '/^src\//p' | over grep -HoE '^ *# *include "[a-z0-9_/]*/' | sed 's/: *# *include "/ /; s/\/$//' |
    awk '
      FILENAME == "src/rooms.txt" {
        if ($0 !~ /^[a-z]/) next
        rows = split($0, row, "[: ]+")
        known[row[1]] = 1
        for (i = 1; i <= rows; i++) may[row[1], row[i]] = 1
        next
      }
      # A folder without a row of its own (cudart/library) belongs to the one that it lies in.
      function owner(path) {
        while (!(path in known) && sub(/\/[^\/]*$/, "", path));
        return path
      }
      {
        from = $1
        sub(/^src\//, "", from)
        sub(/\/[^\/]*$/, "", from)
        from = owner(from)
        if (!(from in known)) print "  " $1 ": " from " has no row in src/rooms.txt"
        else if (!((from, owner($2)) in may)) print "  " $1 " includes a header of " $2
      }' src/rooms.txt - | sort -u
  sed -n 's/^\([a-z0-9]*\):.*/\1/p' src/rooms.txt | while read -r room; do
    [ -f "src/$room/README.md" ] || echo "  src/$room has no README.md"
    grep -q "^| $room |" docs/ARCHITECTURE.md || echo "  $room has no line in the table of docs/ARCHITECTURE.md"
  done
} | verdict "Includes that src/rooms.txt does not allow, or rooms that are not described:"
