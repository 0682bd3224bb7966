// SPDX-License-Identifier: Apache-2.0
// The table of devices agrees with itself and with the configuration; fits and peaks are
// arithmetic.
#include "gen/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "gen/device/fit.h"
#include "gen/layers/catalog.h"
#include "ir/error.h"
#include "ir/part.h"
#include "tests/bench/tables/peak.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::device {
namespace device_device_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Device, NamesAndPartsAreUnique) {
  std::set<std::string> seen;
  for (const Device& d : devices()) {
    EXPECT_TRUE(seen.insert(std::string(d.name)).second) << d.name;
    std::string parts(d.parts);
    for (std::size_t at = 0; at < parts.size();) {
      const std::size_t end = std::min(parts.find(' ', at), parts.size());
      EXPECT_TRUE(seen.insert(parts.substr(at, end - at)).second) << parts;
      at = end + 1;
    }
  }
  for (const Rival& r : rivals()) {
    EXPECT_TRUE(seen.insert(std::string(r.name)).second) << r.name;
    EXPECT_EQ(r.multipliers, 2 * r.blocks) << r.name;
  }
}

// Two tables about families, one of names and one of devices.
TEST(Device, PartsAreOfItsFamily) {
  for (const Device& d : devices()) {
    std::istringstream parts{std::string(d.parts)};
    for (std::string part; parts >> part;) EXPECT_EQ(ir::family_of_part(part), d.family) << part;
  }
}

TEST(Device, IsFoundByNamePartAndOrderingCode) {
  for (const char* name : {"zu9", "ZU9", "xczu9eg", "XCZU9CG", "xczu9eg-ffvb1156-2-e"}) {
    ASSERT_NE(find_device(name), nullptr) << name;
    EXPECT_EQ(find_device(name)->name, "zu9") << name;
  }
  for (const char* name : {"", "zu", "zu99", "xczu9ev", "-", " ", "zu9 "})
    EXPECT_EQ(find_device(name), nullptr) << name;
  EXPECT_EQ(device("xcku115-flva1517-2-e").dsps, 5520u);
}

std::string refusal(const char* name) {
  return test::refusal<DesignError>([&] { device(name); });
}

TEST(Device, AnUnknownNameIsRefusedWithWhatMayBeMeant) {
  EXPECT_THAT(refusal("ku15"), HasSubstr("did you mean \"ku115\"?"));
  EXPECT_THAT(refusal("vu9"), HasSubstr("did you mean \"vu9p\"?"));
  EXPECT_THAT(refusal("stratix"), AllOf(HasSubstr("7a35t, "), HasSubstr(" or k26")));
  EXPECT_THAT(refusal("arria10-sx480"), HasSubstr("for comparisons only"));
}

TEST(Device, NumbersAgreeWithEachOther) {
  for (const Device& d : devices()) {
    EXPECT_GT(d.dsps, 0u) << d.name;
    EXPECT_LT(d.memory_luts, d.luts) << d.name;
    EXPECT_EQ(d.luts % 4, 0u) << d.name;
    EXPECT_EQ(d.dsp_mhz == 0, d.clock_source.empty()) << d.name;
    EXPECT_EQ(d.column_height % (d.has_dsp48e2() ? 24 : 20), 0u) << d.name;  // of a clock region
    EXPECT_LE(d.column_height, d.dsps) << d.name;
    if (d.has_dsp48e2()) {
      EXPECT_GT(d.column_height, 0u) << d.name;
      EXPECT_EQ(d.dsps % 24, 0u) << d.name;
      EXPECT_EQ(d.luts % 8, 0u) << d.name;
    }
  }
  auto same_die = [](const char* board, const char* part) {
    const Device &a = device(board), &b = device(part);
    EXPECT_EQ(a.dsps, b.dsps);
    EXPECT_EQ(a.luts, b.luts);
    EXPECT_EQ(a.memory_luts, b.memory_luts);
    EXPECT_EQ(a.brams_36k, b.brams_36k);
    EXPECT_EQ(a.urams, b.urams);
    EXPECT_EQ(a.column_height, b.column_height);
  };
  same_die("u200", "vu9p");
  same_die("u250", "vu13p");
  same_die("k26", "zu5");
}

// What the table says of a device is what a configuration may say as its target.
TEST(Device, EveryDeviceIsALegalTarget) {
  for (const Device& d : devices()) {
    const std::string height =
        d.column_height ? fmt::format(", \"column_height\": {}", d.column_height) : "";
    const auto document = config::parse_document(
        fmt::format(R"({{"kumiki": 1, "name": "x", "target": {{"family": "{}"{}}},
                         "layers": [{{"type": "popcount", "bits": 8}}]}})",
                    ir::family_name(d.family), height),
        "cfg.json", registry());
    EXPECT_EQ(document.target.family, d.family);
    EXPECT_EQ(static_cast<std::uint32_t>(document.target.column_height.value_or(0)),
              d.column_height);
  }
}

const Use& use(const Fit& fit, std::string_view resource) {
  for (const Use& u : fit.uses)
    if (u.resource == resource) return u;
  throw std::out_of_range(std::string(resource));
}

TEST(Fit, EveryResourceEndsExactlyWhereTheDeviceEnds) {
  const Device& d = device("zu5");
  const ir::Cost full{.luts = d.luts - d.memory_luts,
                      .lut_rams = d.memory_luts,
                      .ffs = d.ffs(),
                      .carry_bits = d.luts,
                      .dsps = d.dsps,
                      .brams_18k = d.brams_18k(),
                      .urams = d.urams};
  EXPECT_TRUE(fit(d, full).fits());
  EXPECT_EQ(fit(d, full).copies()->number, 1u);
  EXPECT_EQ(use(fit(d, full), "LUT").used, d.luts);
  EXPECT_DOUBLE_EQ(use(fit(d, full), "DSP").percent(), 100);
  const std::pair<const char*, std::uint32_t ir::Cost::*> members[] = {
      {"DSP", &ir::Cost::dsps},  {"LUT", &ir::Cost::luts},         {"LUTMEM", &ir::Cost::lut_rams},
      {"FF", &ir::Cost::ffs},    {"CARRY", &ir::Cost::carry_bits}, {"BRAM18", &ir::Cost::brams_18k},
      {"URAM", &ir::Cost::urams}};
  for (const auto& [resource, member] : members) {
    ir::Cost more = full;
    ++(more.*member);
    EXPECT_FALSE(fit(d, more).fits()) << resource;
    EXPECT_FALSE(use(fit(d, more), resource).fits()) << resource;
    EXPECT_EQ(fit(d, more).copies()->number, 0u) << resource;
  }
}

TEST(Fit, CopiesEndAtTheScarcestResource) {
  const Device& d = device("zu9");  // 2520 DSP, 274080 LUT
  const auto copies = fit(d, {.luts = 30000, .ffs = 1, .dsps = 100}).copies();
  EXPECT_EQ(copies->number, 9u);
  EXPECT_EQ(copies->limit, "LUT");
  EXPECT_EQ(fit(d, {.dsps = 1261}).copies()->number, 1u);
  EXPECT_EQ(fit(d, {.dsps = 1260}).copies()->number, 2u);
  EXPECT_FALSE(fit(d, {}).copies());
}

TEST(Fit, WhatIsNotKnownEndsNothing) {
  const Fit f = fit(device("zu2"), {.lut_rams = 40000});
  EXPECT_TRUE(f.fits());
  EXPECT_FALSE(use(f, "LUTMEM").known);
  EXPECT_EQ(f.copies()->limit, "LUT");
  EXPECT_FALSE(fit(device("zu2"), {.lut_rams = 50000}).fits());  // LUTs all the same
}

TEST(Fit, NothingAvailableIsMoreThanFull) {
  EXPECT_TRUE(std::isinf((Use{"DSP", 1, 0}).percent()));
  EXPECT_EQ((Use{"DSP", 0, 0}).percent(), 0);
  EXPECT_TRUE((Use{"DSP", 0, 0}).fits());
  EXPECT_FALSE((Use{"DSP", 1, 0}).fits());
}

TEST(Peak, IsSlicesTimesRatioTimesTwoTimesClock) {
  // WP487's 7 products in 4 slices' time, at the clock of the table.
  EXPECT_DOUBLE_EQ(peak(device("ku115")).gops(661), 5520 * 1.75 * 2 * 0.661);
  EXPECT_DOUBLE_EQ(peak(device("vu13p")).gops(500), 21504);
  EXPECT_DOUBLE_EQ(peak(device("zu9")).macs_per_cycle(), 4410);
  EXPECT_DOUBLE_EQ(peak(device("7k325t")).macs_per_cycle(), 840);  // DSP48E1: one product
  EXPECT_DOUBLE_EQ(gops(512, 500), 512);
  for (const Rival& r : rivals()) {
    EXPECT_DOUBLE_EQ(peak(r).macs_per_cycle(), r.multipliers);
    EXPECT_DOUBLE_EQ(peak(device("ku115")).ratio() / peak(r).ratio(), 1.75);  // the papers' figure
  }
  EXPECT_EQ(peaks().size(), devices().size() + rivals().size());
}

}  // namespace device_device_test
}  // namespace kumiki::gen::device
