#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# writers.sh ROOT: which sources open files for writing, or move them. What a user has named is written by write_named_file
# or an OutputSet (backends/support/files.h); the sources below write into folders of their own, or are those functions.
set -euo pipefail
cd "$1"
allowed='backends/support/((durable|file)\.h|(durable|files?|lock|cache|roll_back|temporary|staging|cache_entry)\.cpp)
gen/flow/(tree_cache|sweep/point)\.cpp
gen/cli/(script|naive|streams)\.cpp
gen/blocks/compressor/solver/apart\.cpp
backends/support/supervisor\.cpp
backends/formal/(joint|reach|circuit|solve)\.cpp
backends/emit/(diagram/draw|verilog_netlist|yosys/yosys)\.cpp
backends/sim/(verilator/toolchain|verilator/model|icarus/icarus)\.cpp'
opens='\b(write_file|write_new_file|fopen|fopencookie|freopen|creat|copy_file|rename|renameat2?|mkstemp)\(|::f?truncate\(|std::(basic_)?(ofstream|fstream|filebuf)|filesystem::copy\(|fs::copy\(|backends::(move|exchange)\(|O_(WRONLY|RDWR|CREAT)'
found=$(grep -rnE --include='*.cpp' --include='*.h' "$opens" gen backends ir | grep -vE '^[^:]*:[0-9]+:\s*//' |
  grep -vE "^($(paste -sd'|' <<<"$allowed")):" | grep -vE 'gen/layer/beats/|rename\((beat|port|i\.given|c\.given)' || true)
[ -z "$found" ] || {
  sed 's/^\([^:]*:[0-9]*\):.*/\1: opens a file for writing; use write_named_file or an OutputSet (backends\/support\/files.h)/' \
    <<<"$found" >&2
  exit 1
}
