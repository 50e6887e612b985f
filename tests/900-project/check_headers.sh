# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# The two-line header within the first three lines (a script's first is its interpreter).
. "$(dirname "$0")/files.sh"
files '*.c' '*.h' '*.def' '*.cl' '*.sh' '*.cmake' '*.awk' CMakeLists.txt Makefile run '*.yaml' | over awk '
  function end() { if (name && !(licence && copyright)) print "  " name }
  FNR == 1 { end(); name = FILENAME; licence = copyright = 0 }
  FNR <= 3 && /SPDX-License-Identifier: Apache-2.0/ { licence = 1 }
  FNR <= 3 && /Copyright the weir authors/ { copyright = 1 }
  END { end() }' | verdict "These files do not open with the two-line SPDX header of the others:"
