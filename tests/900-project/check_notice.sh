# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# NOTICE names every file of data that was recorded or fetched, every program that a CPU trace was recorded from with its
# package and licence, every library that the build asks for, and whose functions are compiled into PTX.
. "$(dirname "$0")/files.sh"
named() { grep -qE "(^|[^a-z0-9_-])$1([^a-z0-9_-]|\$)" NOTICE; }
{
  files '*.wtrace' '*.gz' '*.xz' '*.zst' '*.mtx' '*.gr' '*.bin' | while read -r file; do
    case $file in
    workloads/cpu/traces/*) named "$(basename "$file" .wtrace)" || echo "  $file" ;;
    *) grep -qF "$file" NOTICE || echo "  $file" ;;
    esac
  done
  traces=$(find workloads/cpu/traces -name '*.wtrace' | wc -l)
  grep -qF "workloads/cpu/traces/*.wtrace, $traces files" NOTICE || echo "  that there are $traces CPU traces"
  sed -n 's/^WEIR_CPU_PROGRAM(\([a-z0-9]*\), "[^"]*", [A-Z]*, [A-Z]*, "\([^"]*\)", .*/\1 \2/p' src/trace/programs.def |
    while read -r name package; do
      [ -z "$package" ] || grep -qE "^ +$name +[a-z0-9]+ +$package +[A-Z]" NOTICE || echo "  $name, of the package $package, with its licence"
    done
  files CMakeLists.txt '*.cmake' | xargs grep -hoE 'IMPORTED_TARGET [a-zA-Z0-9.-]+' | sort -u | while read -r _ module; do
    grep -qE "^ +[A-Za-z0-9]+ +$module +[A-Z]?[a-z]*" NOTICE || echo "  the library $module"
  done
  grep -q 'libclc' NOTICE || echo "  libclc, whose functions are in the workloads' PTX"
} 2>&1 | verdict "NOTICE does not name:"
