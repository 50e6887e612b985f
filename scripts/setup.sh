#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# scripts/setup.sh build|test|fuzz|ptx|record|slurm|browser|python|deb|debootstrap: makes sure that what the build, the tests, the
# fuzz harnesses, `make ptx`, `make cpu-traces`, `make slurm-test`, the tests of pages or of the Python package (which are skipped
# without a browser, without pandas), `make deb` or `make deb-test` need is installed. On Debian and its kin the missing packages
# are installed by apt-get after saying which and why; where that is not possible (no root, no password-free sudo, another system)
# it says what to do and exits with 2.
set -eu

usage() {
  echo "usage: scripts/setup.sh build|test|fuzz|ptx|record|slurm|browser|python|deb|debootstrap" >&2
  exit 2
}

missing=
report=

# need PACKAGE WHAT-IT-IS-FOR COMMAND…: the package is missing if the command fails.
need() {
  package=$1 purpose=$2
  shift 2
  "$@" >/dev/null 2>&1 && return
  missing="$missing $package"
  report="$report  $package: $purpose
"
}

on_path() { command -v "$1"; }
compiles() { echo '#include <stdio.h>' | cc -fsyntax-only -x c -; }
library() { pkg-config --exists "$1"; }
links_fuzzer() {
  echo 'int LLVMFuzzerTestOneInput(void *p, unsigned long n); int LLVMFuzzerTestOneInput(void *p, unsigned long n) { return !p && n; }' |
    clang -fsanitize=fuzzer -x c - -o /dev/null
}

need_build() {
  need gcc "the C compiler" on_path cc
  need libc6-dev "the C library's headers" compiles
  need cmake "makes the build" on_path cmake
  need ninja-build "runs the build" on_path ninja
  need pkg-config "finds the libraries" on_path pkg-config
  need libyaml-dev "reads launch, chip and scheme files" library yaml-0.1
  need libjansson-dev "writes results as JSON" library jansson
  need libsqlite3-dev "keeps results" library sqlite3
  need zlib1g-dev "reads gzipped inputs" library zlib
  need libelf-dev "looks into programs" library libelf
  need libzstd-dev "unpacks CUDA programs' device code" library libzstd
  need liblz4-dev "unpacks CUDA programs' device code" library liblz4
  need liblzma-dev "reads packed CPU traces" library liblzma
  need libxxhash-dev "names results in the store" library libxxhash
  need opencl-c-headers "declares OpenCL's functions" test -e /usr/include/CL/cl_icd.h
}

# A program's OpenCL C is compiled as it runs.
need_compiler() {
  need clang-19 "compiles OpenCL C to PTX" on_path "${CLANG:-clang-19}"
  need libclc-19 "OpenCL C's built-in functions" test -e "${LIBCLC:-/usr/lib/clc/nvptx64--nvidiacl.bc}"
}

case ${1-} in
build) need_build ;;
test)
  need_build
  need_compiler
  need libcmocka-dev "the tests' framework" library cmocka
  need libmpfr-dev "rounds as arithmetic is held to" library mpfr
  need lld "links their programs quickly" on_path ld.lld
  need ocl-icd-opencl-dev "the OpenCL loader that tests link" library OpenCL
  need clinfo "asks an OpenCL device everything" on_path clinfo
  need python3-jsonschema "holds run objects to their schema" /usr/bin/python3 -c 'import jsonschema'
  need gnuplot-nox "draws the charts of --svg, as the tour does" on_path gnuplot
  need clang-format "checks the form of C files" on_path "${CLANG_FORMAT:-clang-format}"
  ;;
fuzz)
  need_build
  if command -v clang >/dev/null 2>&1; then
    need "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev" "libFuzzer" links_fuzzer
  else
    need clang "compiles for libFuzzer" false
  fi
  ;;
ptx) need_compiler ;;
record)
  need_build
  need qemu-user "runs the CPU programs that are recorded" on_path "${WEIR_QEMU:-qemu-x86_64}"
  need libcapstone-dev "tells the recorder what instructions do" library capstone
  ;;
slurm)
  need_build
  need munge "lets Slurm's parts trust one another" test -x /usr/sbin/munged
  need slurmctld "Slurm's scheduler" test -x /usr/sbin/slurmctld
  need slurmd "runs Slurm's jobs" test -x /usr/sbin/slurmd
  need slurm-client "submits jobs" on_path sbatch
  ;;
browser) need chromium-headless-shell "opens pages as a reader does" "$(dirname "$0")/browser.sh" ;;
python) need python3-pandas "holds what the Python package reads" /usr/bin/python3 -c 'import pandas' ;;
deb)
  need_build
  need dpkg-dev "finds what the packages depend on" on_path dpkg-shlibdeps
  need file "tells programs from data" on_path file
  ;;
debootstrap)
  need debootstrap "makes the bare Debian that the packages are tried in" test -x /usr/sbin/debootstrap
  need dpkg-dev "makes a repository of the packages" on_path dpkg-scanpackages
  ;;
*) usage ;;
esac

[ -n "$missing" ] || exit 0
echo "weir needs, for its $1 step:"
printf %s "$report"

if ! command -v apt-get >/dev/null 2>&1; then
  echo "This system has no apt-get: please install the above under the names your system gives them (C17 compiler (gcc 12" >&2
  echo "or clang 14 at least), CMake 3.22, Ninja, pkg-config, libyaml, jansson, SQLite, zlib, libelf, zstd, LZ4, xz, xxHash, OpenCL headers; for tests cmocka, MPFR, clang 19 and libclc, an OpenCL loader, clinfo)." >&2
  exit 2
fi

# Answers no question, even where a terminal is there to ask on.
install="env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
  as_root=
elif sudo -n true 2>/dev/null; then
  as_root="sudo -n "
else
  echo "Please run this, then try again:" >&2
  echo "  sudo apt-get install --no-install-recommends$missing" >&2
  exit 2
fi

# The package lists of a fresh image are empty, and those of an old one may name files that are gone.
echo "Installing them: ${as_root}apt-get install$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! $as_root $install </dev/null >"$log" 2>&1; then
  { $as_root apt-get update && $as_root $install; } </dev/null >"$log" 2>&1 || {
    cat "$log" >&2
    echo "scripts/setup.sh: the packages could not be installed; the lines above say why" >&2
    exit 2
  }
fi
# A clang just installed may still want its run-time library, which is named after its version.
[ "$1" != fuzz ] || links_fuzzer >/dev/null 2>&1 || [ -n "${WEIR_SETUP_AGAIN-}" ] || WEIR_SETUP_AGAIN=1 "$0" fuzz
