# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Nothing unfinished, and no path of one developer's machine. (The brackets keep this file out of its own net.)
. "$(dirname "$0")/files.sh"
files '*.c' '*.h' '*.def' '*.cl' '*.sh' '*.cmake' '*.md' '*.yaml' '*.ptx' '*.json' '*.txt' Makefile run |
  over grep -nHE -e '(^|[^A-Za-z0-9_])(T[O]DO|F[I]XME|X[X]X|H[A]CK)([^A-Za-z0-9_]|$)|not [i]mplemented|un[i]mplemented' \
    -e '(^|[^A-Za-z0-9_.}])/(w[o]rk|h[o]me|r[o]ot)/' | cut -c 1-160 | sed 's/^/  /' | verdict "Unfinished marks, or paths of one machine:"
