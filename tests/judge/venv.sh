# SPDX-License-Identifier: Apache-2.0
# For scripts: the virtual environment with the judge, one for all tests of this folder and of tests/python.

skip() {
  echo "NOT TESTED: $*"
  exit 77
}

# Lists have one name, so their folders tell them apart.
stamp_of() { basename "$(dirname "$1")"; }

# make_venv FOLDER WHAT LIST...: FOLDER/venv with what the lists name; WHAT is not tested where that cannot be.
make_venv() {
  local venv=$1/venv what=$2 list stamp
  mkdir -p "$1"
  # Several tests may begin at once.
  exec 9>"$1/venv.lock"
  flock 9
  # Made once; each list is kept beside it. Another first list makes all of it again, another later one is added.
  cmp -s "$3" "$venv/$(stamp_of "$3")" || rm -rf "$venv"
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || skip "$what: python3 -m venv failed: package python3-venv"
  for list in "${@:3}"; do
    stamp=$venv/$(stamp_of "$list")
    cmp -s "$list" "$stamp" && continue
    "$venv/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 -r "$list" ||
      skip "$what: PyPI was not reached, or has no wheels for this machine"
    cp "$list" "$stamp"
  done
  exec 9>&-
}

# judge_list: what the judge is made of.
judge_list() { echo "$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/examples/walkthrough/requirements.txt"; }

# judge_venv FOLDER WHAT: installs the judge; WHAT is not tested where that cannot be.
judge_venv() {
  make_venv "$1" "$2" "$(judge_list)"
}
