#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The checks of this folder find what they are there for: a small tree with one fault each.
#   refuses.sh WORK_DIR [CLANG_FORMAT]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$1 clang_format=${2-}
wrong=0

made() { # a tree without fault
  rm -rf "$work"
  mkdir -p "$work"/{ir,gen/cli,gen/layers/dot,backends,templates,tests,examples,third_party}
  cd "$work"
  local file
  for file in ir/net.h gen/layers/dot/plan.h backends/writer.cpp templates/templates.h; do
    printf '// SPDX-License-Identifier: Apache-2.0\n#include "ir/net.h"\n' >$file
  done
  printf '// SPDX-License-Identifier: Apache-2.0\n#include "backends/writer.h"\n' >gen/cli/main.cpp
  printf 'g++ | 12 | GPL | compiles\n' >third_party/packages.txt
  printf '| package | version | licence | what for |\n|---|---|---|---|\n| g++ | 12 | GPL | compiles |\n' \
    >third_party/README.md
  printf 'BasedOnStyle: Google\n' >.clang-format
  mkdir -p tests/house
  printf 'ir:\ntemplates:\nbackends: ir\ngen/layers/*: ir\ngen/cli: backends\n' >tests/house/arrows.txt
  printf '# file | what the line matches | what the number is\n' >tests/house/widths.txt
  printf '# dot\n' | tee gen/layers/README.md >gen/layers/dot/README.md
  mkdir -p docs/pictures
  printf '# One\n\n## Two, and `three`\n\n[dot](gen/layers/dot/README.md) [two](#two-and-three) [docs](docs)\n' >README.md
  printf '[up](../README.md#one), `[no](link)`, [far](https://example.org/x)\n' >docs/page.md
  python3 "$here/rooms.py" "$work" >docs/pictures/rooms.svg
}
made
rm -rf "$work.made"
cp -a "$work" "$work.made"
tree() { # the same again
  cd "$work.made"
  rm -rf "$work"
  cp -a "$work.made" "$work"
  cd "$work"
}

expect() { # accept or refuse, words of the finding, check
  local status=0 said
  said=$("${@:3}" 2>&1) || status=$?
  if { [ "$1" = accept ] && [ $status -eq 0 ]; } ||
    { [ "$1" = refuse ] && [ $status -eq 1 ] && [[ $said == *"$2"* ]]; }; then
    printf 'right  %-7s %s\n' "$1" "$2"
  else
    printf 'WRONG  %s "%s": exit %d\n%s\n' "$1" "$2" $status "$said"
    wrong=$((wrong + 1))
  fi
}
include() { printf '#include %s\n' "$2" >>"$1"; }

tree
expect accept layering python3 "$here/layering.py" "$work"
expect accept spdx "$here/spdx.sh" "$work"
expect accept readmes "$here/readmes.sh" "$work"
expect accept packages "$here/packages.sh" "$work"
expect accept links python3 "$here/links.py" "$work"
expect accept rooms python3 "$here/rooms.py" "$work" --check
include ir/net.h '<vector>'
include backends/writer.cpp '"verilated.h"'
expect accept layering python3 "$here/layering.py" "$work"

while IFS='|' read -r file included; do
  tree
  include "$file" "$included"
  expect refuse "$file:3: includes" python3 "$here/layering.py" "$work"
done <<'END'
ir/net.h|"gen/layers/dot/plan.h"
ir/net.h|"backends/writer.h"
ir/net.h|"templates/templates.h"
ir/net.h|"../gen/dot/plan.h"
ir/net.h|<gen/layers/dot/plan.h>
backends/writer.cpp|"gen/layers/dot/plan.h"
backends/writer.cpp|"tests/support/circuit.h"
gen/layers/dot/plan.h|"backends/writer.h"
gen/layers/dot/plan.h|  "gen/cli/main.h"
gen/layers/dot/plan.h|"templates/templates.h"
gen/cli/main.cpp|"tests/support/circuit.h"
END

tree
mkdir gen/layers/sum
printf '// SPDX-License-Identifier: Apache-2.0\n#include "gen/layers/dot/plan.h"\n' >gen/layers/sum/plan.h
include gen/layers/dot/plan.h '"gen/layers/sum/plan.h"'
sed -i 's#^gen/layers/.*#& gen/layers/*#' tests/house/arrows.txt
expect refuse 'a circle: gen/layers/dot -> gen/layers/sum -> gen/layers/dot' python3 "$here/layering.py" "$work"
tree
sed -i 's#^backends:#& templates#' tests/house/arrows.txt
expect refuse 'backends may include templates, and never does' python3 "$here/layering.py" "$work"
tree
printf '#include "ir/net.h"\n' >gen/lost.h
expect refuse 'gen/lost.h: lies in no room' python3 "$here/layering.py" "$work"

tree
printf '<heavy.h>, 2 sources: backends\n' >>tests/house/arrows.txt
include backends/writer.h '<heavy.h>'
include backends/writer.cpp '"backends/writer.h"'
expect accept layering python3 "$here/layering.py" "$work"
include gen/cli/main.h '<heavy.h>'
expect refuse 'gen/cli/main.h:1: includes <heavy.h>: only backends may' python3 "$here/layering.py" "$work"
tree
printf '<heavy.h>, 1 sources: backends\n' >>tests/house/arrows.txt
include backends/writer.h '<heavy.h>'
include backends/writer.cpp '"backends/writer.h"'
expect refuse '<heavy.h> is parsed by 2 sources' python3 "$here/layering.py" "$work"

for file in ir/bare.cpp templates/bare.v tests/CMakeLists.txt tests/bare.sh; do
  tree
  printf 'nothing\n// SPDX-License-Identifier: Apache-2.0\n' >$file
  expect refuse "$file: the first line" "$here/spdx.sh" "$work"
done
tree
printf '#!/usr/bin/env bash\necho\n' >run
expect refuse 'run: the first line' "$here/spdx.sh" "$work"

tree
rm gen/layers/dot/README.md
expect refuse 'gen/layers/dot: a generator explains' "$here/readmes.sh" "$work"

tree
while IFS='|' read -r line finding; do
  tree
  printf '\n%s\n' "$line" >>docs/page.md
  expect refuse "docs/page.md:3: $finding" python3 "$here/links.py" "$work"
done <<'END'
[x](nowhere.md)|nowhere.md leads nowhere
![x](pictures/none.svg)|pictures/none.svg leads nowhere
[x](../README.md#four)|../README.md#four has no heading
[x](#one)|#one has no heading
[x](../readme.md)|../readme.md leads nowhere
[x](../../x.md)|../../x.md leads out of the tree
[x](/README.md)|/README.md is no relative link
[x]: nowhere.md|nowhere.md leads nowhere
END
tree
printf '\n```\n[x](nowhere.md)\n```\n' >>docs/page.md
expect accept links python3 "$here/links.py" "$work"
printf 'word %.0s' {1..1500} >>README.md
expect refuse 'README.md has 150' python3 "$here/links.py" "$work"
tree
rm gen/layers/dot/README.md
expect refuse 'README.md:5: gen/layers/dot/README.md is not installed' python3 "$here/links.py" "$work" --installed
tree
printf '[x](../tests/x.sh) [y](../gen/layers/dot/none.h)\n' >>docs/page.md
expect accept links python3 "$here/links.py" "$work" --installed
printf '[x](../examples/x.json)\n' >>docs/page.md
expect refuse 'docs/page.md:3: ../examples/x.json is not installed' python3 "$here/links.py" "$work" --installed

tree
printf '<!-- drawn by hand -->\n' >>docs/pictures/rooms.svg
expect refuse 'docs/pictures/rooms.svg is not what' python3 "$here/rooms.py" "$work" --check
tree
sed -i 's#^gen/cli:.*#& ir#' tests/house/arrows.txt
include gen/cli/main.cpp '"ir/net.h"'
expect accept rooms python3 "$here/rooms.py" "$work" --check # the arrow follows from others
include backends/writer.cpp '"templates/templates.h"'
expect refuse 'docs/pictures/rooms.svg is not what' python3 "$here/rooms.py" "$work" --check

tree
printf 'cmake | 3 | BSD | configures\n' >>third_party/packages.txt
expect refuse '< | cmake' "$here/packages.sh" "$work"
tree
printf 'cmake\n' >>third_party/packages.txt
expect refuse 'not "package' "$here/packages.sh" "$work"

tree
expect accept writers "$here/writers.sh" "$work"
printf 'void f() { std::ofstream("mine"); }\n' >>backends/writer.cpp
expect refuse 'backends/writer.cpp:3: opens a file for writing' "$here/writers.sh" "$work"
tree
printf 'inline void f() { std::fstream("mine"); } // not by write_file\n' >>ir/net.h
expect refuse 'ir/net.h:3: opens a file for writing' "$here/writers.sh" "$work"
tree
expect accept messages "$here/messages.sh" "$work"
printf 'bool f(E e) { return std::string(e.what()).find("bias") == 0; }\n' >>ir/net.h
expect refuse 'ir/net.h:3: reads the text' "$here/messages.sh" "$work"
tree
printf 'void f(std::string what) { what.resize(3); }\n' >>backends/writer.cpp
expect refuse 'backends/writer.cpp:3: reads the text' "$here/messages.sh" "$work"
tree
printf 'const char* text = "9 weights are legal";\n' >>ir/net.h
expect refuse 'ir/net.h:3: say what must be' "$here/messages.sh" "$work"

tree
printf 'int a[] = {16, 0x30, 1.25, 1e-30}; /* 48 */ // 18\nauto t = "27" R"(30)";\n' >>gen/layers/dot/plan.h
expect accept widths python3 "$here/widths.py" "$work"
for number in 48 17u "1'8" {30}; do
  printf 'auto x = %s;\n' "$number" >gen/cli/width.cpp
  expect refuse 'gen/cli/width.cpp:1: ' python3 "$here/widths.py" "$work"
done
printf 'int x = 30;\nint most = 30;\n' >gen/cli/width.cpp
printf 'gen/cli/*.cpp | most = | bytes\n' >>tests/house/widths.txt
expect refuse 'gen/cli/width.cpp:1: 30 is a width' python3 "$here/widths.py" "$work"
printf 'int most = 30;\n' >gen/cli/width.cpp
expect accept widths python3 "$here/widths.py" "$work"
rm gen/cli/width.cpp
expect refuse 'no line needs the row of gen/cli/*.cpp, most =' python3 "$here/widths.py" "$work"

if [ -n "$clang_format" ]; then
  tree
  expect accept format "$here/format.sh" "$work" "$clang_format"
  printf 'int  x ;\n' >>ir/net.h
  expect refuse 'ir/net.h: run clang-format' "$here/format.sh" "$work" "$clang_format"
fi
exit "$wrong"
