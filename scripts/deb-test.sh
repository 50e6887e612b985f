#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# deb-test.sh FOLDER: installs the packages of FOLDER into a bare Debian in a folder of its own (debootstrap's minbase of the release
# that runs here, from where this machine has its packages), and uses them there: a run, the manual, a plugin built against
# weir-dev, pandas. Needs root.
set -eu
packages=$(realpath "$1")
[ "$(id -u)" = 0 ] || {
  echo "deb-test.sh: a bare Debian is made, and entered, by root alone" >&2
  exit 2
}
here=$(dirname "$(realpath "$0")")
. /etc/os-release
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || :; rm -rf "$root"' EXIT

echo "== a bare $VERSION_CODENAME"
debootstrap --variant=minbase "$VERSION_CODENAME" "$root" "$mirror" >"$root.log" 2>&1 || {
  tail "$root.log"
  exit 1
}
rm -f "$root.log"
rm -rf "$root/etc/apt"
cp -a /etc/apt "$root/etc/apt"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
(cd "$root/packages" && dpkg-scanpackages -m . >Packages 2>/dev/null)
echo "deb [trusted=yes] file:/packages ./" >"$root/etc/apt/sources.list.d/weir.list"
cp "$here/../examples/plugin/mine.c" "$root/root/mine.c"

log=$root/packages/log
install() { inside apt-get install -y --no-install-recommends "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }; }
mount -t proc proc "$root/proc" # where a program learns where it lies
inside() { chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
echo "== apt-get install weir, nothing else"
inside apt-get update >"$log" 2>&1 || { cat "$log"; exit 1; }
install weir
inside weir run nn --scheme pcbp >"$root/result"
grep -q passed "$root/result"
[ -s "$root/usr/share/man/man1/weir-run.1" ] && [ -s "$root/usr/share/bash-completion/completions/weir" ]

echo "== weir-dev and a compiler"
install weir-dev gcc libc6-dev pkg-config
inside sh -ec 'cd /root && cc -std=gnu17 -shared -fPIC $(pkg-config --cflags weir) mine.c -o mine.so && weir check --plugin ./mine.so'

echo "== python3-weir"
install python3-weir
inside python3 -c '
import weir
t = weir.compare(["nn"], ["lru", "pcbp"])
print(t[["program", "scheme", "cycles", "speedup"]])
assert sorted(weir.store().cycles) == sorted(t.cycles)'

echo "== gone again"
inside apt-get purge -y weir weir-dev python3-weir >"$log" 2>&1
left=$(cd "$root" && find usr -path '*weir*' | head)
[ -z "$left" ] || {
  echo "left behind: $left"
  exit 1
}
echo "1 passed, 0 failed"
