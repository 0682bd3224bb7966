// SPDX-License-Identifier: Apache-2.0
// The table itself. Sources of the counts:
//   7 series: DS180 (Artix-7, Kintex-7), DS190 (Zynq-7000)
//   UltraScale and UltraScale+: DS890, Zynq UltraScale+ also DS891
//   Alveo: DS965 (U50), DS962 (U200, U250), DS963 (U280); Kria K26: DS987
// Columns: a clock region of UltraScale holds 24 DSP slices a column (UG579), one of the 7 series
// 20 (UG479), and no cascade leaves a die; the rows of clock regions are those of UG575 and UG472.
// It is the tallest column that counts: beside the processors of a Zynq some are shorter. ZU2 is a
// ZU3 of which a part is locked, and a 7A35T a 7A50T.
// Clocks: FMAX with all registers used of speed grade -2, DS892, DS923, DS925; an assumption
// wherever a figure rests on it. Those of the 7 series are left open.
// Intel: blocks and multipliers are those of UG 683461 and UG 683832.
#include "gen/device/device.h"

namespace kumiki::gen::device {
namespace {

constexpr auto s7 = ir::Family::series7;
constexpr auto us = ir::Family::ultrascale;
constexpr auto up = ir::Family::ultrascale_plus;

constexpr std::string_view ds892 = "DS892, FMAX with all registers, -2";
constexpr std::string_view ds923 = "DS923, FMAX with all registers, -2";
constexpr std::string_view ds925 = "DS925, FMAX with all registers, -2";

// clang-format off
constexpr Device all[] = {
    // name     parts                       series               family  dsps    luts  memory bram uram col  MHz
    {"7a35t",  "xc7a35t",                   "Artix-7",              s7,    90,   20800,   6400,   50,    0,  60,   0, {}},
    {"7a50t",  "xc7a50t",                   "Artix-7",              s7,   120,   32600,   9600,   75,    0,  60,   0, {}},
    {"7a100t", "xc7a100t",                  "Artix-7",              s7,   240,   63400,  19000,  135,    0,  80,   0, {}},
    {"7a200t", "xc7a200t",                  "Artix-7",              s7,   740,  134600,  46200,  365,    0,   0,   0, {}},
    {"7k325t", "xc7k325t",                  "Kintex-7",             s7,   840,  203800,  64000,  445,    0,   0,   0, {}},
    {"7k410t", "xc7k410t",                  "Kintex-7",             s7,  1540,  254200,  90600,  795,    0,   0,   0, {}},
    {"7z010",  "xc7z010",                   "Zynq-7000",            s7,    80,   17600,   6000,   60,    0,  40,   0, {}},
    {"7z020",  "xc7z020",                   "Zynq-7000",            s7,   220,   53200,  17400,  140,    0,  60,   0, {}},
    {"7z045",  "xc7z045",                   "Zynq-7000",            s7,   900,  218600,  70400,  545,    0,   0,   0, {}},
    {"ku115",  "xcku115",                   "Kintex UltraScale",    us,  5520,  663360, 293760, 2160,    0, 120, 661, ds892},
    {"vu9p",   "xcvu9p",                    "Virtex UltraScale+",   up,  6840, 1182240, 600960, 2160,  960, 120, 775, ds923},
    {"vu13p",  "xcvu13p",                   "Virtex UltraScale+",   up, 12288, 1728000, 791040, 2688, 1280,  96, 775, ds923},
    {"zu2",    "xczu2cg xczu2eg",           "Zynq UltraScale+",     up,   240,   47232,      0,  150,    0,   72, 775, ds925},
    {"zu3",    "xczu3cg xczu3eg",           "Zynq UltraScale+",     up,   360,   70560,  28800,  216,    0,  72, 775, ds925},
    {"zu5",    "xczu5cg xczu5eg xczu5ev",   "Zynq UltraScale+",     up,  1248,  117120,  57600,  144,   64,  96, 775, ds925},
    {"zu7",    "xczu7cg xczu7eg xczu7ev",   "Zynq UltraScale+",     up,  1728,  230400, 101760,  312,   96, 144, 775, ds925},
    {"zu9",    "xczu9cg xczu9eg",           "Zynq UltraScale+",     up,  2520,  274080, 144000,  912,    0, 168, 775, ds925},
    {"zu15",   "xczu15eg",                  "Zynq UltraScale+",     up,  3528,  341280, 184320,  744,  112, 168, 775, ds925},
    {"u50",    "xcu50",                     "Alveo",                up,  5952,  871680, 403200, 1344,  640,  96, 775, ds923},
    {"u200",   "xcu200",                    "Alveo",                up,  6840, 1182240, 600960, 2160,  960, 120, 775, ds923},
    {"u250",   "xcu250",                    "Alveo",                up, 12288, 1728000, 791040, 2688, 1280,  96, 775, ds923},
    {"u280",   "xcu280",                    "Alveo",                up,  9024, 1303680, 600960, 2016,  960,  96, 775, ds923},
    {"k26",    "xck26",                     "Kria",                 up,  1248,  117120,  57600,  144,   64,  96, 775, ds925},
};

// Arria 10: 450 MHz is what Intel's own peak floating-point figures imply (UG 683461: 1,231 GFLOPS
// of 1,368 blocks); we could not confirm the maximum of its fixed-point modes.
constexpr std::string_view a10 = "UG 683461, peak GFLOPS / (2 x blocks)";
constexpr std::string_view s10 = "DS 683181, 18 x 19 multiplication, -2";
constexpr Rival others[] = {
    {"arria10-gx1150",  "10ax115", 1518,  3036, 450, a10},
    {"arria10-sx220",   "10as022",  192,   384, 450, a10},
    {"arria10-sx270",   "10as027",  830,  1660, 450, a10},
    {"arria10-sx480",   "10as048", 1368,  2736, 450, a10},
    {"stratix10-gx2800", "1sg280", 5760, 11520, 771, s10},
};
// clang-format on

}  // namespace

std::span<const Device> devices() { return all; }
std::span<const Rival> rivals() { return others; }

}  // namespace kumiki::gen::device
