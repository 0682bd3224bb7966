#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel against an installed Kumiki by the command that a user types, and installs it.
#   wheel.sh PREFIX WORK COMPILER
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
prefix=$1 work=$2 what='the Python package'
make_venv "$work" "$what" "$(judge_list)" "$here/requirements.txt"
venv=$work/venv
include=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || skip "$what: $include/Python.h is missing: package python3-dev"
rm -rf "$work/wheel" "$venv/wheel.installed"
CXX=$3 CMAKE_PREFIX_PATH=$prefix CMAKE_GENERATOR=Ninja "$venv/bin/pip" wheel "$root/gen/python" --quiet --no-deps \
  --disable-pip-version-check --no-build-isolation --wheel-dir "$work/wheel" --config-settings "build-dir=$work/binding"
ls "$work/wheel"
# One file for CPython 3.10 and later, and nothing in it that names this tree.
ls "$work/wheel"/kumiki-*-cp310-abi3-linux_*.whl >/dev/null
"$venv/bin/pip" install --quiet --no-deps --no-index --force-reinstall --disable-pip-version-check "$work/wheel"/*.whl
"$venv/bin/python" "$here/wheel.py" "$work/wheel"/*.whl "$root"
touch "$venv/wheel.installed"
