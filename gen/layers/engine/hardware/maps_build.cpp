// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"

namespace kumiki::gen::engine {

std::vector<std::vector<UInt>> build_maps(Scope& s, const CorePlan& p, const Issued& issued,
                                          const MapWrite& write) {
  constexpr auto pixels = static_cast<std::size_t>(EngineShape::pixels);
  const auto parts = static_cast<std::size_t>(p.parts()),
             columns = static_cast<std::size_t>(p.shape.columns);
  std::vector<UInt> words;  // of the banks
  for (std::size_t bank = 0; bank < pixels; ++bank) {
    std::vector<Word> high_to_low;
    for (std::size_t part = parts; part-- > 0;) {
      std::vector<Word> bytes;
      for (std::size_t c = columns; c-- > 0;) bytes.push_back(write.data[part * columns + c]);
      high_to_low.push_back(Memory{.depth = static_cast<std::uint32_t>(p.bank_rows()),
                                   .width = static_cast<std::uint32_t>(columns * 8),
                                   .style = p.has_ultra_ram ? ir::memory::ultra : ir::memory::block,
                                   .read = ir::memory::twice_registered,
                                   .write_enable = write.enable[bank * parts + part],
                                   .write_address = write.row,
                                   .write_data = cat(s, bytes),
                                   .read_address = issued.rows[bank]}
                                .add_to(s));
    }
    words.push_back(cat(s, high_to_low));
  }
  // Pixel i is in bank (i + rotation) mod 4. A copy of the rotation for every eight channels.
  const UInt before = reg(s, issued.rotation);
  std::vector<std::vector<UInt>> feed(pixels);
  UInt rotation = before;
  for (std::uint32_t channel = 0; channel < static_cast<std::uint32_t>(p.shape.rows); ++channel) {
    if (channel % 8 == 0) rotation = reg(s, before);
    std::vector<UInt> bytes;
    for (const UInt& word : words) bytes.push_back(word.slice(8 * channel, 8));
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      std::vector<UInt> turned;
      for (std::size_t r = 0; r < pixels; ++r) turned.push_back(bytes[(pixel + r) % pixels]);
      feed[pixel].push_back(reg(s, select(s, rotation, std::span<const UInt>(turned))));
    }
  }
  return feed;
}

}  // namespace kumiki::gen::engine
