# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# The two-line header within the first three lines (a script's first is its interpreter).
. "$(dirname "$0")/files.sh"
files '*.c' '*.h' '*.def' '*.cl' '*.sh' '*.cmake' '*.awk' CMakeLists.txt Makefile run '*.yaml' | while read -r file; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' &&
    head -n 3 "$file" | grep -q 'Copyright the weir authors' || echo "  $file"
done | verdict "These files do not open with the two-line SPDX header of the others:"
