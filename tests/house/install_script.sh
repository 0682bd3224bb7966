#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# third_party/install with a package manager that only takes notes: with everything there it calls nothing,
# with something missing it asks for exactly that.
#   install_script.sh ROOT WORK_DIR
set -euo pipefail
root=$1 work=$2
rm -rf "$work"
mkdir -p "$work/bin"
export NOTES=$work/notes
PATH=$work/bin:$PATH

fake() { # name, body
  printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
# shellcheck disable=SC2016  # the fakes expand these themselves
{
  fake apt-get 'echo "apt-get $*" >>"$NOTES"; exit "${APT_STATUS:-0}"'
  fake sudo 'echo "sudo $*" >>"$NOTES"; exec "$@"'
  fake id 'echo "${FAKE_UID:-0}"'
  fake dpkg-query 'for p; do :; done
case " $ABSENT " in
  *" $p "*) echo "dpkg-query: no packages found matching $p" >&2; exit 1 ;;
  *) printf %s "${STATUS:-installed}" ;;
esac'
}

wrong=0
expect() { # what, exit status, the notes, a part of what is said; then the command
  local what=$1 status=$2 notes=$3 said=$4 got=0 text
  shift 4
  : >"$NOTES"
  text=$("$@" 2>&1) || got=$?
  if [ "$got" -ne "$status" ] || [ "$(cat "$NOTES")" != "$notes" ] || [[ $text != *"$said"* ]]; then
    printf 'WRONG  %s: exit %d, said "%s", called "%s"\n' "$what" "$got" "$text" "$(cat "$NOTES")"
    wrong=$((wrong + 1))
  else
    printf 'right  %s\n' "$what"
  fi
}
install=$root/third_party/install
update='apt-get update -q'
get='apt-get install -q -y --no-install-recommends'
mapfile -t all < <(sed -E '/^#/d; s/ *\|.*//' "$root/third_party/packages.txt")

export ABSENT='' STATUS APT_STATUS FAKE_UID
expect 'everything there: nothing is called' 0 '' 'are installed' "$install"
expect 'everything there, no rights: nothing is called' 0 '' 'are installed' env FAKE_UID=1000 "$install"
expect 'everything there, --check' 0 '' 'are installed' "$install" --check
export ABSENT='yosys libfmt-dev'
expect 'two missing: these two' 0 "$update"$'\n'"$get libfmt-dev yosys" 'libfmt-dev yosys' "$install"
expect 'two missing, a user: through sudo' 0 "sudo $update"$'\n'"$update"$'\n'"sudo env DEBIAN_FRONTEND=noninteractive $get libfmt-dev yosys"$'\n'"$get libfmt-dev yosys" '' \
  env FAKE_UID=1000 "$install"
expect 'two missing, --check: only said' 1 '' 'libfmt-dev yosys' "$install" --check
expect 'no network: said' 1 "$update" 'is there a network' env APT_STATUS=100 "$install"
export ABSENT='chromium-headless-shell'
expect 'a browser missing: the program needs none' 0 '' 'are installed' "$install" --program
expect 'a browser missing: the tests do' 1 '' 'chromium-headless-shell' "$install" --check
export ABSENT=''
expect 'removed but configured counts as missing' 0 "$update"$'\n'"$get ${all[*]}" '' \
  env STATUS=config-files "$install"
expect 'unknown argument' 2 '' 'usage:' "$install" --chekc
exit "$wrong"
