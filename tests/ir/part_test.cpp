// SPDX-License-Identifier: Apache-2.0
// Ordering codes of the vendor's selection guides, by the family of their data sheet.
#include "ir/part.h"

#include <gtest/gtest.h>

namespace kumiki::ir {
namespace part_test {

TEST(Part, TheFamilyOfAnOrderingCode) {
  for (const char* part :
       {"xc7a35tcpg236-1", "XC7A200T", "xc7k325tffg900-2", "xc7vx485tffg1761-2", "xc7vh580t",
        "xc7v2000tflg1925-1", "xc7z020clg400-1", "xc7s50csga324-1", "xa7a100tfgg484-1", "xq7k410t",
        "xc7a100ticsg324-1L", "xa7z010clg225-1I"})
    EXPECT_EQ(family_of_part(part), Family::series7) << part;
  for (const char* part : {"xcku040-ffva1156-2-e", "xcku115", "xcvu440-flga2892-2-e", "xcvu095",
                           "xqku060-rfa1156-1-m", "xqrku060-cna1509-1-m"})
    EXPECT_EQ(family_of_part(part), Family::ultrascale) << part;
  for (const char* part : {"xcku5p-ffvb676-2-e", "xcvu9p-flga2104-2L-e", "xcvu37p",
                           "xczu9eg-ffvb1156-2-e", "xczu28dr-ffvg1517-2-e", "xazu3eg-sfvc784-1-i",
                           "xqzu21dr", "xcau25p-ffvb676-2-e", "xcsu200p", "xck26-sfvc784-2LV-c",
                           "xck24", "xcu50-fsvh2104-2-e", "XCU280", "xcux35-vsva1365-3-e"})
    EXPECT_EQ(family_of_part(part), Family::ultrascale_plus) << part;
}

TEST(Part, WhatIsNoneOfThreeFamilies) {
  for (const char* part : {"",           "x",        "xc",
                           "zu9",        "ku115",    "xc6slx45",
                           "xc5vlx110t", "xcvc1902", "xcvm1802-vsva2197-2MP-e-S",
                           "xcvp1202",   "xcve2302", "xcv80-lsva4737",
                           "xc7",        "xc7a",     "xcku",
                           "xcvuxp",     "xczu",     "xcu",
                           "10ax115",    "banana"})
    EXPECT_EQ(family_of_part(part), std::nullopt) << part;
}

}  // namespace part_test
}  // namespace kumiki::ir
