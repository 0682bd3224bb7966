# SPDX-License-Identifier: Apache-2.0
# For scripts: the environment of these tests.
. "$(dirname "${BASH_SOURCE[0]}")/../judge/venv.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

# require_wheel WORK WHAT: python.wheel has installed the package.
require_wheel() { [ -e "$1/venv/wheel.installed" ] || skip "$2: the package is not installed, python.wheel says why"; }
