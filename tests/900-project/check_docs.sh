# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Every command, chip and room is mentioned where a reader looks for it, and every file that the documents link to is there.
. "$(dirname "$0")/files.sh"
{
  grep -o '&command_[a-z]*' src/cli/main.c | sed 's/&command_//' | sort -u | grep -vx help | while read -r command; do
    grep -qE "weir $command|\`$command\`" README.md docs/*.md || echo "  command $command: in neither README.md nor docs/"
  done
  for chip in chips/*.yaml; do
    name=$(basename "$chip" .yaml)
    grep -q "$name" docs/CHIPS.md || echo "  chip $name: not in docs/CHIPS.md"
  done
  for room in src/*/; do
    room=$(basename "$room")
    grep -q "^| $room |" docs/ARCHITECTURE.md || echo "  room $room: not in docs/ARCHITECTURE.md"
    [ -s "src/$room/README.md" ] || echo "  room $room: no src/$room/README.md"
  done
  for page in README.md CONTRIBUTING.md docs/*.md docs/*/*.md src/*/README.md; do
    folder=$(dirname "$page")
    grep -oE '\]\([^)#: ]+[)#]' "$page" | sed 's/^](//; s/[)#]$//' | while read -r target; do
      [ -e "$folder/$target" ] || echo "  $page links to $target, which is not there"
    done
  done
} 2>&1 | verdict "The documents do not cover the project:"
