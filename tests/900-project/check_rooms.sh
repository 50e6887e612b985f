# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# A room (a folder under src/) includes its own headers and those of the rooms it may know; docs/ARCHITECTURE.md says why.
. "$(dirname "$0")/files.sh"
allowed='
base:
ptx:        base
exec:       base ptx
sl1:        base ptx exec
host:       base ptx exec sl1
trace:      base
policy:     base
stats:      base policy
mem:        base policy stats
energy:     base policy stats
cpu:        base policy mem stats trace
gpu:        base policy mem exec stats
chip:       base policy mem exec stats gpu host energy sl1 cpu trace
table:      base
experiment: base policy mem exec stats gpu host energy chip ptx table binary sl1 cpu trace
binary:     base ptx
device:     base exec stats host chip ptx experiment sl1
cudart:     base exec stats host chip ptx device binary
opencl:     base exec stats host chip ptx device experiment
driver:     base exec host ptx sl1
cli:        base policy mem exec stats gpu host energy chip ptx table experiment binary sl1 driver trace cpu
'
files '*.c' '*.h' '*.def' | sed -n '/^src\//p' | over grep -HoE '^ *# *include "[a-z0-9]*/' | sed 's/: *# *include "/ /; s/\/$//' | awk -v allowed="$allowed" '
  BEGIN {
    lines = split(allowed, line, "\n")
    for (i = 1; i <= lines; i++) {
      rooms = split(line[i], room, "[: ]+")
      known[room[1]] = 1
      for (j = 1; j <= rooms; j++) may[room[1], room[j]] = 1
    }
  }
  {
    split($1, part, "/")
    if (!(part[2] in known)) print "  " $1 ": room " part[2] " is not in the list of check_rooms.sh"
    else if (!((part[2], $2) in may)) print "  " $1 " includes a header of " $2
  }' | sort -u | verdict "Includes against the direction of the data's way:"
