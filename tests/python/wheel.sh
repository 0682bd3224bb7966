#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel against an installed Kumiki by the command that a user types, and installs it.
#   wheel.sh PREFIX WORK COMPILER BUILD
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

# Without an installed Kumiki the libraries of a build folder serve, and only the binding is compiled.
rm -rf "$work/reused"
cmake -G Ninja -S "$root/gen/python" -B "$work/reused" -DCMAKE_CXX_COMPILER="$3" -DPython_EXECUTABLE="$venv/bin/python" \
  -Dnanobind_DIR="$("$venv/bin/python" -m nanobind --cmake_dir)" -DKUMIKI_BUILD="$4" >"$work/reused.txt" 2>&1 ||
  { cat "$work/reused.txt" >&2 && exit 1; }
grep -q "using the libraries of $4" "$work/reused.txt"
[ -e "$work/reused/installed/lib/libkumiki_gen.a" ]
ninja -C "$work/reused" -t commands >"$work/commands.txt"
[ "$(grep -c -- ' -c ' "$work/commands.txt")" = 1 ] || { cat "$work/commands.txt" >&2 && exit 1; }
touch "$venv/wheel.installed"
