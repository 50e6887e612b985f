# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Reports, tables and studies read what weir counts by the fields of src/run/numbers.h, and caches by their role: a path into
# a run object finds nothing, without a word, where a name is misspelt or a chip calls its first cache otherwise.
. "$(dirname "$0")/files.sh"
files '*.c' '*.h' | grep -E '^(src|studies)/' |
  grep -v '^src/report/study_check.c$' | # asks rows of results files, whose columns are paths
  over grep -nHE '"(total|kernels|load_groups|host|mix\.[a-z]+|traffic|shared)\.[a-z%]|"(l1|l2|llc)\.(loads|stores|fills)' |
  cut -c 1-160 | sed 's/^/  /' | verdict "Numbers of run objects read by paths:"
