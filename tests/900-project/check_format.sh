# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Every C file is as clang-format 14 writes it by .clang-format; another release words some lines differently and is not asked.
. "$(dirname "$0")/files.sh"
format=${CLANG_FORMAT:-clang-format}
case $($format --version 2>/dev/null) in
*"version 14."*) ;;
*)
  echo "$format is not clang-format 14: skipped"
  exit 77
  ;;
esac
files '*.c' '*.h' | over "$format" --dry-run -Werror 2>&1 | sed -n 's/: error: code should be clang-formatted.*//p' |
  awk -F: '!seen[$1]++ {print "  " $1 ":" $2}' |
  verdict "Not as .clang-format has it (run: make format):"
