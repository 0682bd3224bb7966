#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves the Verilog models of the fabric primitives equal to Yosys' own models of the same name.
# For every primitive one Yosys run holds its model, in the form for Verilator and in the other one, against
# Yosys' at many parameter points at once, and the LUTs also with INIT as an unknown constant. Registers are
# proved by induction over cycles from power-up, with the clock itself as an input, so that edges count.
#   prove.sh MODELS_DIR WORK_DIR [PRIMITIVE...]     exit: 0 all equal, 1 a model differs, 2 no proof was made
set -euo pipefail

readonly all=(LUT1 LUT2 LUT3 LUT4 LUT5 LUT6 LUT6_2 CARRY4 CARRY8 MUXF7 MUXF8 FDRE FDSE SRL16E SRLC32E)

fail() {
  printf 'prove.sh: %s\n' "$*" >&2
  exit 2
}

[ $# -ge 2 ] || fail "usage: prove.sh MODELS_DIR WORK_DIR [PRIMITIVE...]"
models=$1 work=$2
shift 2
[ $# -gt 0 ] || set -- "${all[@]}"
yosys=$(readlink -f "$(command -v yosys)") || fail "yosys is not installed"
reference=$(dirname "$yosys")/../share/yosys/xilinx/cells_sim.v
[ -r "$reference" ] || fail "Yosys' models are not at $reference"
mkdir -p "$work"

# INIT values of n bits: every single bit, none, all, and 32 drawn from a fixed seed.
inits() {
  local n=$1 i word
  local digits=$(((n + 3) / 4))
  for ((i = 0; i < n; i++)); do printf ".INIT(%d'h%0*x)\n" "$n" "$digits" $((1 << i)); done
  printf ".INIT({%d{1'b0}})\n.INIT({%d{1'b1}})\n" "$n" "$n"
  RANDOM=2718
  for ((i = 0; i < 32; i++)); do
    printf -v word '%04x' $((RANDOM << 1 & 65535 ^ RANDOM)) $((RANDOM << 1 & 65535 ^ RANDOM)) \
      $((RANDOM << 1 & 65535 ^ RANDOM)) $((RANDOM << 1 & 65535 ^ RANDOM))
    printf ".INIT(%d'h%s)\n" "$n" "$(printf '%x' $((0x$word & (n == 64 ? -1 : (1 << n) - 1))))"
  done
}

# All combinations of one-bit parameters.
combinations() {
  local count=$# i k names=("$@") text
  for ((i = 0; i < 1 << count; i++)); do
    text=
    for ((k = 0; k < count; k++)); do text+="${text:+, }.${names[k]}(1'b$((i >> k & 1)))"; done
    printf '%s\n' "$text"
  done
}

# Shift registers: INIT is only where they start, so it is enough that every bit of it has a code of its own
# over the points (bit b of its index at point b, and the complement). On both clock edges.
shift_points() {
  local n=$1 b i word edge
  for ((b = 0; 1 << b < n; b++)); do
    word=0
    for ((i = 0; i < n; i++)); do word=$((word | (i >> b & 1) << i)); done
    for edge in 0 1; do
      printf ".INIT(%d'h%x), .IS_CLK_INVERTED(1'b%d)\n" "$n" "$word" $edge
      printf ".INIT(~%d'h%x), .IS_CLK_INVERTED(1'b%d)\n" "$n" "$word" $edge
    done
  done
}

set_points() { # command that prints them
  local text
  text=$("$@")
  mapfile -t points <<<"$text"
}

# Sets pins (name:width), points (a parameter list a line) and, for shift registers, the name of the hidden
# state in Yosys' model and in ours: outputs alone show one bit of it, which is too little for induction.
describe() {
  outputs=(O:1) points=() state=() symbolic=no
  case $1 in
    LUT[1-6])
      local n=${1#LUT} i
      inputs=()
      for ((i = 0; i < n; i++)); do inputs+=("I$i:1"); done
      set_points inits $((1 << n))
      symbolic=yes ;;
    LUT6_2)
      inputs=(I0:1 I1:1 I2:1 I3:1 I4:1 I5:1) outputs=(O5:1 O6:1) symbolic=yes
      set_points inits 64 ;;
    CARRY4) inputs=(CI:1 CYINIT:1 DI:4 S:4) outputs=(CO:4 O:4) ;;
    CARRY8)
      inputs=(CI:1 CI_TOP:1 DI:8 S:8) outputs=(CO:8 O:8)
      points=('.CARRY_TYPE("SINGLE_CY8")' '.CARRY_TYPE("DUAL_CY4")') ;;
    MUXF[78]) inputs=(I0:1 I1:1 S:1) ;;
    FD[RS]E)
      local reset=${1:2:1}
      inputs=(C:1 CE:1 D:1 "$reset:1") outputs=(Q:1)
      set_points combinations INIT IS_C_INVERTED IS_D_INVERTED "IS_${reset}_INVERTED" ;;
    SRL16E)
      inputs=(A0:1 A1:1 A2:1 A3:1 CE:1 CLK:1 D:1) outputs=(Q:1) state=(r bits)
      set_points shift_points 16 ;;
    SRLC32E)
      inputs=(A:5 CE:1 CLK:1 D:1) outputs=(Q:1 Q31:1) state=(r bits)
      set_points shift_points 32 ;;
    *) fail "no proof is described for $1" ;;
  esac
  points=('' "${points[@]}") # the first point takes every default
}

# One instance: module, instance name, prefix of its output wires, parameters, further connections.
instance() {
  local text="  $1 #($4) $2 ($5" pin
  for pin in "${inputs[@]}"; do text+=".${pin%:*}(${pin%:*}), "; done
  for pin in "${outputs[@]}"; do text+=".${pin%:*}($3${pin%:*}), "; done
  printf '%s);\n' "${text%, }"
}

# The module `proof`: all points side by side on the same inputs; `differs` has a bit a point and form.
wrapper() {
  local pin ports='' point form i differs=() bits
  for pin in "${inputs[@]}"; do ports+="input [$((${pin#*:} - 1)):0] ${pin%:*}, "; done
  if [ "$symbolic" = yes ]; then ports+="input [$(((1 << (${#inputs[@]})) - 1)):0] any_init, "; fi
  bits=$(((${#points[@]} + 1) * ${#forms[@]}))
  printf "module proof (%soutput [%d:0] differs);\n" "$ports" $((bits - 1))
  compare() { # instance suffix, module prefix, parameters, further connections
    local gold='' mine pin prefix
    for prefix in gold "${forms[@]}"; do
      for pin in "${outputs[@]}"; do
        printf '  wire [%d:0] %s%s_%s;\n' $((${pin#*:} - 1)) "$prefix" "$1" "${pin%:*}"
      done
      instance "$2${prefix}_$name" "${prefix}_cell$1" "$prefix$1_" "$3" "$4"
    done
    for pin in "${outputs[@]}"; do gold+="gold$1_${pin%:*}, "; done
    for form in "${forms[@]}"; do
      mine=${gold//gold/$form}
      differs+=("{${gold%, }} != {${mine%, }}")
    done
  }
  i=0
  for point in "${points[@]}"; do
    compare $i '' "$point" ''
    i=$((i + 1))
  done
  if [ "$symbolic" = yes ]; then compare _any any_ '' '.INIT(any_init), '; fi
  printf '  assign differs = {'
  (IFS=,; printf '%s' "${differs[*]}")
  printf '};\nendmodule\n'
}

# A model with its parameter INIT turned into an input, as module any_FORM_NAME.
any_init() { # form
  if [ "$1" = gold ]; then
    perl -0ne "/^(module $name\\b.*?^endmodule)/ms and print \"\$1\\n\"" "$reference" |
      perl -0pe "s/module $name\\s*\\(([^)]*)\\);\\s*parameter (\\[[^]]*\\]) INIT = 0;/module any_gold_$name(input \$2 INIT, \$1);/"
  else
    perl -0pe "s/module $name #\\(\\s*parameter (\\[[^]]*\\]) INIT = [^)]*\\) \\(/module any_$1_$name (input \$1 INIT,/" \
      "$models/$name.v"
  fi
}

prove() {
  local name=$1 forms=(plain) dir=$work/$1 script proofs='-prove differs 0' what i form defines
  local inputs outputs points state symbolic
  describe "$name"
  [ -r "$models/$name.v" ] || fail "no model $models/$name.v"
  if grep -q VERILATOR "$models/$name.v"; then forms+=(fast); fi
  mkdir -p "$dir"
  wrapper >"$dir/proof.v"
  script="read_verilog +/xilinx/cells_sim.v; rename $name gold_$name"
  if [ "$symbolic" = yes ]; then
    any_init gold >"$dir/any_gold.v"
    script+="; read_verilog $dir/any_gold.v"
  fi
  for form in "${forms[@]}"; do
    defines=
    if [ "$form" = fast ]; then defines=-DVERILATOR; fi
    script+="; read_verilog $defines $models/$name.v; rename $name ${form}_$name"
    if [ "$symbolic" = yes ]; then
      any_init "$form" >"$dir/any_$form.v"
      script+="; read_verilog $defines $dir/any_$form.v"
    fi
  done
  script+="; read_verilog $dir/proof.v; hierarchy -check -top proof; proc; flatten; opt_clean"
  what=combinational
  if [[ $name == FD* || $name == SRL* ]]; then
    what=induction
    script+='; clk2fflogic'
    proofs+=' -tempinduct -maxsteps 6'
    if [ ${#state[@]} -gt 0 ]; then
      for ((i = 0; i < ${#points[@]}; i++)); do
        for form in "${forms[@]}"; do
          proofs+=" -prove gold_cell$i.${state[0]} ${form}_cell$i.${state[1]}"
        done
      done
    fi
  fi
  if ! yosys -q -l "$dir/yosys.log" -p "$script; sat -verify $proofs" >/dev/null 2>&1; then
    grep -q 'model found' "$dir/yosys.log" || fail "$name: Yosys made no proof, see $dir/yosys.log"
    row "$name" "${forms[*]}" ${#points[@]} "$symbolic" "$what" DIFFERS
    return 1
  fi
  grep -q 'SUCCESS!' "$dir/yosys.log" || fail "$name: Yosys reported no proof, see $dir/yosys.log"
  row "$name" "${forms[*]}" ${#points[@]} "$symbolic" "$what" equal
}

row() { printf '%-9s %-11s %6s  %-8s %-14s %s\n' "$@"; }

row primitive forms points 'any INIT' method result
status=0
for primitive; do prove "$primitive" || status=1; done
exit $status
