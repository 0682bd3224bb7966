// SPDX-License-Identifier: Apache-2.0
// Which memories go into UltraRAM.
#include "gen/layers/pipeline/ultra_ram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/hdl/cells.h"
#include "gen/hdl/hierarchy.h"
#include "ir/resources.h"

namespace kumiki::gen::pipeline::ultra_ram_test {

struct Words {
  std::uint32_t depth = 0, width = 0;
  bool is_written = true, has_contents = false;
  std::string module_name() const { return "words"; }
  bool operator==(const Words&) const = default;
};

template <class R>
struct Asked {
  typename R::UInt address, word;
  static constexpr auto ports() {
    return std::tuple(port("address", &Asked::address), port("word", &Asked::word));
  }
};

template <class R>
struct Answer {
  typename R::UInt word;
  static constexpr auto ports() { return std::tuple(port("answer", &Answer::word)); }
};

Answer<Hardware> make_words(Scope& s, const Words& p, const Asked<Hardware>& in) {
  Memory memory{.depth = p.depth, .width = p.width, .read_address = in.address};
  if (p.is_written) {
    memory.write_enable = in.address[0];
    memory.write_address = in.address;
    memory.write_data = in.word;
  }
  if (p.has_contents) memory.contents = {1, 2, 3};
  return {memory.add_to(s)};
}

// A layer of memories that may take so many UltraRAM.
struct Layer {
  std::vector<Words> memories;
  std::int64_t urams = 0;
  std::string module_name() const { return "layer"; }
  bool operator==(const Layer&) const = default;
};

class Built {
 public:
  // The layers stand side by side.
  explicit Built(const std::vector<Layer>& layers) : top_(builder_.design().add_module("top")) {
    for (const Layer& layer : layers) add(layer);
    builder_.design().set_top(top_.id());
  }
  // Of every memory, in the order of the design's modules.
  std::vector<std::uint64_t> styles() const {
    std::vector<std::uint64_t> all;
    for (std::uint32_t m = 0; m < builder_.design().module_count(); ++m) {
      const ir::Module& module = builder_.design().module({m});
      for (const ir::Cell& cell : module.cells())
        if (cell.kind == ir::Kind::memory) all.push_back(module.params(cell)[ir::memory::style]);
    }
    return all;
  }
  ir::Cost cost() const { return ir::count_resources(builder_.design()).total; }

 private:
  void add(const Layer& layer) {
    ir::Module& module = builder_.design().add_module(builder_.free_module_name("layer"));
    Scope s(builder_, module);
    for (std::size_t i = 0; i < layer.memories.size(); ++i) {
      const Words& words = layer.memories[i];
      const Asked<Hardware> in{s.input<UInt>("a" + std::to_string(i), address_width(words.depth)),
                               s.input<UInt>("w" + std::to_string(i), words.width)};
      s.output("y" + std::to_string(i), instantiate(s, make_words, words, in).word);
    }
    if (layer.urams > 0) move_to_ultra_ram(s, layer.urams, module.id().value);
    s.finish();
    std::vector<Net> nets;
    for (std::uint32_t i = 0; i < module.input_bits(); ++i) nets.push_back(ir::net_zero);
    nets[0] = clk();
    top_.add_instance(module.id(), nets, {});
  }
  Net clk() {
    if (!clk_) clk_ = top_.add_input("clk", 1);
    return *clk_;
  }
  Builder builder_;
  ir::Module& top_;
  std::optional<Net> clk_;
};

using ::testing::ElementsAre;
constexpr auto block = std::uint64_t{ir::memory::block}, ultra = std::uint64_t{ir::memory::ultra};

TEST(UltraRam, WhatFreesMostComesFirst) {
  // 8, 16 and 4 block RAMs in an UltraRAM each.
  const std::vector<Words> memories{{2048, 72}, {4096, 72}, {1024, 72}};
  EXPECT_THAT(Built({{memories, 0}}).styles(), ElementsAre(block, block, block));
  EXPECT_THAT(Built({{memories, 1}}).styles(), ElementsAre(block, ultra, block));
  EXPECT_THAT(Built({{memories, 2}}).styles(), ElementsAre(ultra, ultra, block));
  const Built all({{memories, 9}});
  EXPECT_THAT(all.styles(), ElementsAre(ultra, ultra, ultra));
  EXPECT_EQ(all.cost().urams, 3u);
  EXPECT_EQ(all.cost().brams_18k, 0u);
}

TEST(UltraRam, WhatIsTooWideLeavesRoomForOthers) {
  // Of 144 bits, two UltraRAM.
  const std::vector<Words> memories{{4096, 144}, {2048, 72}};
  EXPECT_THAT(Built({{memories, 1}}).styles(), ElementsAre(block, ultra));
  EXPECT_THAT(Built({{memories, 2}}).styles(), ElementsAre(ultra, block));
}

TEST(UltraRam, MemoriesOfAModuleMoveInAllItsPlaces) {
  const std::vector<Words> memories{{4096, 72}, {4096, 72}};
  EXPECT_THAT(Built({{memories, 1}}).styles(), ElementsAre(block));
  const Built both({{memories, 2}});
  EXPECT_THAT(both.styles(), ElementsAre(ultra));
  EXPECT_EQ(both.cost().urams, 2u);
}

TEST(UltraRam, SomeStay) {
  // Two block RAMs are a RAMB36.
  EXPECT_THAT(Built({{{{1024, 36}}, 9}}).styles(), ElementsAre(block));
  EXPECT_THAT(Built({{{{1024, 37}}, 9}}).styles(), ElementsAre(ultra));
  EXPECT_THAT(Built({{{{4096, 60, false}}, 9}}).styles(), ElementsAre(block));
  EXPECT_THAT(Built({{{{4096, 60, true, true}}, 9}}).styles(), ElementsAre(block));
}

TEST(UltraRam, OtherLayersKeepTheirMemories) {
  const std::vector<Words> memories{{4096, 72}};
  // The second layer shares the machine of the first one.
  EXPECT_THAT(Built({{memories, 0}, {memories, 1}}).styles(), ElementsAre(block));
  EXPECT_THAT(Built({{memories, 1}, {memories, 0}}).styles(), ElementsAre(ultra, block));
}

}  // namespace kumiki::gen::pipeline::ultra_ram_test
