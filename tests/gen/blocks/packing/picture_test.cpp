// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/picture.h"

#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_picture_test {

TEST(Picture, WordAndChainOfWp487) {
  const PackingPlan plan =
      packing::plan({.packed = S(8), .shared = S(8), .terms = 14}, Scheme::Wp487Int8Dsp);
  EXPECT_EQ(picture_text(plan),
            R"(wp487-int8-dsp, the word of P (p product, g guard, k canary, c carries)
  |ggggggggggggggpppppppppppppppp|ggpppppppppppppppp|
                               18                  0 
ports (0, 1, .. packed, a, b, .. shared operands, s sign)
  A |ssssssssssssssssssss0000000|
  D |ss1111111..................|
  B |sssssssssssaaaaaaa|
slices, 16 in all, the wave enters at the top (^ from the PCOUT above)
        0  first              x1     00_000_01_01
  ^     1  middle             x6     00_001_01_01
        7  first              x1     00_000_01_01
  ^     8  middle             x6     00_001_01_01
       14  adder              x1     00_000_11_11, P of 6, P of 13
       15  increment          x1     00_011_00_00, P of 14
)");
}

TEST(Picture, LanesOfACanaryAndLongChainsCutShort) {
  const PackingPlan canary =
      packing::plan({.packed = S(4),
                     .shared = U(4),
                     .terms = 64,
                     .tuning = {.guard = 7, .segment = 2, .packed_count = 2, .shared_count = 3}},
                    Scheme::Canary);
  EXPECT_NE(picture_text(canary).find("|gggggppppppkk|pppppkk|ppppppk|pppppkk|pppppkk|ppppppp|"),
            std::string::npos);
  const PackingPlan carry =
      packing::plan({.packed = S(8), .shared = S(8), .terms = 256}, Scheme::CarryLaneDrain);
  const std::string text = picture_text(carry);
  EXPECT_NE(text.find("|cccccc|ggggggggpppppppppppppppp|ggpppppppppppppppp|"), std::string::npos);
  EXPECT_NE(text.find("slices ..\n"), std::string::npos);
  EXPECT_NE(text.find("drain"), std::string::npos);
}

// Tags that open close again, and every picture is the same twice.
TEST(Picture, SvgIsWellFormedAndStable) {
  for (const auto& plan : enumerate({.packed = S(4), .shared = U(4), .terms = 20})) {
    const std::string svg = picture_svg(plan);
    EXPECT_EQ(svg, picture_svg(plan));
    EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
    std::size_t open = 0;
    std::size_t close = 0;
    for (std::size_t at = 0; (at = svg.find("<text", at)) != std::string::npos; ++at) ++open;
    for (std::size_t at = 0; (at = svg.find("</text>", at)) != std::string::npos; ++at) ++close;
    EXPECT_EQ(open, close);
    EXPECT_EQ(std::count(svg.begin(), svg.end(), '<'), std::count(svg.begin(), svg.end(), '>'));
    for (const auto& lane : plan.lanes)
      EXPECT_NE(svg.find(">" + std::to_string(lane.offset) + "</text>"), std::string::npos);
  }
}

TEST(Text, SaysAllThatABuilderNeeds) {
  const PackingPlan plan =
      packing::plan({.packed = S(8), .shared = S(8), .terms = 8}, Scheme::OffsetBinary);
  EXPECT_EQ(to_text(plan),
            R"(scheme offset-binary
operands 2 x S8 packed, 1 x S8 shared, 8 terms, ultrascale+
slices 8, MAC 16 in 1 cycles, 2/1 = 2.000 MAC per slice and cycle, latency 13
G = 18, N = 8, 1 segments, 8 terms a cycle, 1 words, 1 rounds
separation wires, drain none
ports (x1 = a, x0 = d, y0 = b)
  A = {{20{x0[7]}}, x0[6:0]}
  D = {{2{x1[7]}}, x1[6:0], 18'b0}
  B = {{11{y0[7]}}, y0[6:0]}
lanes
  P[47:18]   sum of x1*y0, a product in [-16256, 16384], 14 guard bits
  P[17:0]    sum of x0*y0, a product in [-16256, 16384], 2 guard bits, R = 130048
kinds of slices
  first            OPMODE 10_000_01_01, INMODE 00100, AMULTSEL AD, BREG 2, BCASCREG 2, RND 48'h00000001FC00
  middle           OPMODE 00_001_01_01, INMODE 00100, AMULTSEL AD, BREG 2, BCASCREG 2
results
  sum of x0*y0 = slice7.P[17:0] + -130048, 19 bits, in [-130048, 131072]
  sum of x1*y0 = slice7.P[36:18]s, 19 bits, in [-130048, 131072]
outside the slices: 5 LUT
certificate
  bits of a packed operand: 8 at most 18
  packed word on the 27-bit side: [-33554560, 33292415] within [-67108864, 67108863]
  shared word on the 18-bit side: [-128, 127] within [-131072, 131071]
  lane at 0 after 8 terms, R = 130048: [0, 261120] within [0, 262143]
  lane at 18 after 8 terms: [-130048, 131072] within [-536870912, 536870911]
  slices in one cascade: 8 at most 96
)");
}

}  // namespace packing_picture_test
}  // namespace kumiki::gen::packing
