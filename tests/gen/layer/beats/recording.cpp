// SPDX-License-Identifier: Apache-2.0
#include "tests/gen/layer/beats/recording.h"

#include <algorithm>
#include <random>

#include "gen/flow/axi_stream/place.h"
#include "gen/flow/axi_stream/wrap.h"

namespace kumiki::gen::beats::test {
namespace {

constexpr auto family = ir::Family::ultrascale_plus;

const ir::PortSlot* find_slot(const std::vector<ir::PortSlot>& slots, const std::string& name) {
  const auto at = std::ranges::find(slots, name, &ir::PortSlot::name);
  return at == slots.end() ? nullptr : &*at;
}

bool bit(const ir::Frame& frame, const ir::PortSlot& slot, std::uint32_t i) {
  return frame[slot.limb + i / 64] >> i % 64 & 1;
}

}  // namespace

std::int64_t Recording::at(std::size_t clock, const std::string& port, std::uint32_t low,
                           const arith::Format& format) const {
  const auto* slot = find_slot(ports.inputs, port);
  const auto& frame = slot ? in[clock] : out[clock];
  if (!slot) slot = find_slot(ports.outputs, port);
  const auto width = static_cast<std::uint32_t>(format.bits);
  if (!slot || low + width > slot->width)
    throw std::out_of_range("bit " + std::to_string(low) + " of " + port);
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i) value |= std::uint64_t{bit(frame, *slot, low + i)} << i;
  return arith::value_of(value, format);
}

const Beat& Recording::beat(const std::string& port, const std::string& part) const {
  for (const Beat& b : beats)
    if (b.port == port && b.part == part) return b;
  throw std::out_of_range("no beat of " + port + " " + part);
}

std::shared_ptr<const Layer> layer_of(const std::string& json, bool axi_stream) {
  const auto document = config::parse_document(
      R"({"kumiki": 1, "name": "n", "defaults": {"effort": 0}, "layers": [)" + json + "]}",
      "cfg.json", registry());
  auto layer = std::move(layers_of(document, "cfg.json").at(0).layer);
  if (axi_stream) {
    EXPECT_TRUE(axi_stream::wrap(layer, family));
  }
  return layer;
}

void put(const ir::PortLayout& ports, ir::Frame& in, const std::string& port, std::uint64_t value) {
  const auto* slot = find_slot(ports.inputs, port);
  ASSERT_TRUE(slot) << port;
  in[slot->limb] = value;
}

bool is_one(const std::vector<ir::PortSlot>& slots, const ir::Frame& frame,
            const std::string& port) {
  const auto* slot = find_slot(slots, port);
  return slot && bit(frame, *slot, 0);
}

Recording record(const Layer& layer, std::size_t clocks, const Steer& drive, const Watch& watch) {
  Recording r{axi_stream::layout_of(layer, family), {}, {}, layer.beats()};
  const auto model = layer.model();
  model->power_up();
  std::mt19937_64 random(11);
  for (std::size_t clock = 0; clock < clocks; ++clock) {
    ir::Frame in(r.ports.input_limbs), out;
    for (const ir::PortSlot& p : r.ports.inputs)
      for (std::uint32_t i = 0; i < p.width; ++i)
        in[p.limb + i / 64] |= (random() >> 20 & 1) << i % 64;
    layer.constrain(in);
    for (const ir::PortSlot& p : r.ports.inputs) {
      if (p.name == "rst") in[p.limb] = 0;
      if (p.name == "aresetn") in[p.limb] = 1;
      if (p.name == "en" || p.name.ends_with("valid") || p.name.ends_with("ready"))
        in[p.limb] = random() % 4 != 0;
    }
    if (drive) drive(r.ports, in);
    model->step(in, out);
    if (watch) watch(r.ports, in, out);
    r.in.push_back(std::move(in));
    r.out.push_back(std::move(out));
  }
  return r;
}

std::vector<Set> decoded(const Recording& r, const Beat& b, const GivenCounts& given) {
  std::int64_t words = 1;
  for (const Index& i : b.words) {
    const auto at = given.find(i.given.port);
    words *= at == given.end() ? i.count : (at->second + i.given.per - 1) / i.given.per;
  }
  // Clocks in which all but the first of `when` are 1 count for what comes later.
  std::vector<std::size_t> clocks;
  for (std::size_t c = 0; c < r.in.size(); ++c) {
    bool all = true;
    for (std::size_t i = 1; i < b.when.size(); ++i) all = all && r.is_one(c, b.when[i]);
    if (all) clocks.push_back(c);
  }
  std::vector<Set> sets;
  std::int64_t word = 0;
  for (std::size_t k = 0; k < clocks.size(); ++k) {
    const bool there = b.when.empty() || r.is_one(clocks[k], b.when[0]);
    if (!there && !(b.runs_on && word > 0)) continue;
    if (word == 0) sets.emplace_back();
    for (std::int64_t e = 0; e < b.element_count(); ++e) {
      const auto what = coordinates(b, word, e, given);
      if (!what) continue;
      const auto spot = find(b, *what, given);
      EXPECT_EQ(std::pair(spot.word, spot.element), std::pair(word, e)) << b.port;
      const auto inner = b.elements.empty() ? 1 : b.elements.back().count;
      const std::size_t late = b.is_late() ? b.late[static_cast<std::size_t>(e % inner)] : 0;
      if (k + late >= clocks.size()) return sets.pop_back(), sets;
      sets.back()[*what] = r.at(clocks[k + late], b.port, b.low_of(e), b.format_of(e));
    }
    word = (word + 1) % words;
  }
  if (word != 0) sets.pop_back();
  return sets;
}

}  // namespace kumiki::gen::beats::test
