# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# A file that grows beyond 800 lines has a wall to draw inside; the median stays at 150 or below.
. "$(dirname "$0")/files.sh"
{
  files '*.c' '*.h' '*.cl' '*.sh' | over wc -l | awk '$1 > 800 && $2 != "total" {print "  " $2 ": " $1 " lines"}'
  files '*.c' '*.h' | over wc -l | awk '$2 != "total" {print $1}' | sort -n | awk '{n[NR] = $1} END {m = n[int((NR + 1) / 2)]; if (m > 150) print "  the median file: " m " lines"}'
} | verdict "Longer than CONTRIBUTING.md allows (800 lines; median 150):"
