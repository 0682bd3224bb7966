#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a finished build into a fresh prefix, whole and without a trace of where it was built.
#   install.sh CMAKE BUILD_DIR PREFIX SOURCE_DIR
set -euo pipefail
cmake=$1 build=$2 prefix=$3 source=$4
rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix" >/dev/null
"$prefix/bin/kumiki" --version
# As a path of its own: /kumiki is no part of include/kumiki.
if grep -rlP "(?<![\\w.~-])\\Q$source\\E(?![\\w.-])" "$prefix"; then
  echo "these installed files name the folder they were built in"
  exit 1
fi
missing=0
for folder in ir gen backends; do
  while IFS= read -r header; do
    case $header in gen/cli/* | gen/python/*) continue ;; esac
    [ -f "$prefix/include/kumiki/$header" ] || { echo "not installed: $header" && missing=1; }
  done < <(cd "$source" && find $folder -name '*.h')
done
# The pages and the examples; that their links lead to what is installed. Sources are not: links.py says which links to
# them are let be, and house.links that they lead somewhere in the tree.
doc=$prefix/share/doc/kumiki
for page in README.md gen/hdl/README.md gen/layers/dot/README.md examples/quickstart.json examples/neuron/main.cpp; do
  [ -f "$doc/$page" ] || { echo "not installed: doc/kumiki/$page" && missing=1; }
done
while IFS= read -r page; do
  [ -f "$doc/$page" ] || { echo "not installed: doc/kumiki/$page" && missing=1; }
done < <(cd "$source" && find docs -type f)
python3 "$(dirname "${BASH_SOURCE[0]}")/links.py" "$doc" --installed || missing=1
for room in cli python; do
  [ ! -e "$prefix/include/kumiki/gen/$room" ] || { echo "gen/$room is not for users of the library" && missing=1; }
done
exit $missing
