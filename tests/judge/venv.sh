# SPDX-License-Identifier: Apache-2.0
# For scripts: the virtual environment with the judge, one for all tests of this folder.

skip() {
  echo "NOT TESTED: $*"
  exit 77
}

# judge_venv FOLDER WHAT: installs it; WHAT is not tested where that cannot be.
judge_venv() {
  local list venv=$1/venv what=$2
  list=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/examples/walkthrough/requirements.txt
  grep -Eq '\bavx(512)?_vnni\b' /proc/cpuinfo ||
    skip "$what: this processor has no VNNI, and without it onnxruntime saturates sums of u8 times s8"
  mkdir -p "$1"
  # Two tests may begin at once.
  exec 9>"$1/venv.lock"
  flock 9
  # Made once; the list is kept beside it, so that another list makes it again.
  if ! cmp -s "$list" "$venv/requirements.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv" || skip "$what: python3 -m venv failed: package python3-venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 -r "$list" ||
      skip "$what: PyPI was not reached, or has no wheels for this machine"
    cp "$list" "$venv/requirements.txt"
  fi
  exec 9>&-
}
