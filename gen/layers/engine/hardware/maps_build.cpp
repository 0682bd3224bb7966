// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"

namespace kumiki::gen::engine {

std::vector<std::vector<UInt>> build_maps(Scope& s, const CorePlan& p, const Issued& issued,
                                          const MapWrite& write) {
  constexpr auto pixels = static_cast<std::size_t>(EngineShape::pixels);
  const auto parts = static_cast<std::size_t>(p.parts()),
             columns = static_cast<std::size_t>(p.shape.columns);
  std::vector<std::vector<UInt>> words(pixels);
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
    const UInt word = cat(s, high_to_low);
    for (std::uint32_t from = 0; from < word.width(); from += 8)
      words[bank].push_back(word.slice(from, 8));
  }
  return words;
}

}  // namespace kumiki::gen::engine
