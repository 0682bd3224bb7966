#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian package of a finished build: what is in it, what it says of itself, and that its program runs.
#   package.sh CPACK BUILD_DIR WORK
set -euo pipefail
cpack=$1 build=$2 work=$3
fail() { echo "package.sh: $*" && exit 1; }
rm -rf "$work"
mkdir -p "$work"
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
deb=$(find "$work" -maxdepth 1 -name 'kumiki_*.deb')
[ -f "$deb" ] || fail 'no package'
dpkg-deb --contents "$deb" >"$work/contents"
for file in bin/kumiki lib/libkumiki_ir.a lib/cmake/Kumiki/KumikiConfig.cmake include/kumiki/ir/design.h \
  share/man/man1/kumiki.1 share/bash-completion/completions/kumiki share/zsh/vendor-completions/_kumiki \
  share/fish/vendor_completions.d/kumiki.fish share/doc/kumiki/CHANGELOG.md share/doc/kumiki/copyright \
  share/kumiki-primitives/verilog/DSP48E2.v; do
  grep -qE " \./usr/$file\$" "$work/contents" || fail "not in the package: /usr/$file"
done
dpkg-deb -x "$deb" "$work/root"
program=$work/root/usr/bin/kumiki
version=$("$program" --version)
[ "kumiki $(dpkg-deb -f "$deb" Version)" = "$version" ] || fail "the package is not of version $version"
[ "$(dpkg-deb -f "$deb" Package)" = kumiki ] || fail 'not called kumiki'
depends=$(dpkg-deb -f "$deb" Depends)
for library in libc6 libstdc++6 libfmt9 libnettle8 coinor-libcbc3 libpng16-16; do
  [[ ", $depends," =~ ", $library"[\ ,] ]] || fail "does not depend on $library: $depends"
done
# Every library that the program loads is there on a machine that has the dependencies.
! ldd "$program" | grep 'not found' || fail 'libraries are missing'
echo '{"kumiki": 1, "name": "x", "layers": [{"type": "popcount", "bits": 8}]}' >"$work/x.json"
"$program" gen "$work/x.json" -o "$work/out" >/dev/null
[ -f "$work/out/x.v" ] || fail 'the program of the package wrote nothing'
