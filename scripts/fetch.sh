# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# For bash, to be sourced. fetch REPOSITORY COMMIT PATH...: puts these paths of a repository on GitHub, as of a commit, into a folder of the
# repository's name below the current one, unless there is such a folder.
fetch() {
  local to
  to=$(basename "$1")
  [ ! -d "$to" ] || return 0
  rm -rf "$to.new"
  git clone -q --filter=blob:none --no-checkout "https://github.com/$1" "$to.new"
  git -C "$to.new" sparse-checkout set --no-cone "${@:3}"
  git -C "$to.new" checkout -q "$2"
  mv "$to.new" "$to"
}
