// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/lut_rom.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "gen/hdl/cells.h"
#include "gen/hdl/lut.h"
#include "gen/hdl/messages.h"
#include "gen/hdl/state.h"

namespace kumiki::gen {
namespace {

constexpr std::uint32_t most_inputs = 6;

class Rom {
 public:
  Rom(Scope& s, const UInt& index, std::uint32_t width, Net enable, SourceLocation here)
      : s_(s), index_(index), enable_(enable), here_(here), made_(width, ir::net_open) {}

  UInt of(std::span<const std::uint64_t> words) {
    const std::size_t entries = std::size_t{1} << index_.width();
    for (std::uint32_t bit = 0; bit < made_.size(); ++bit) {
      std::uint64_t table = 0;
      for (std::size_t i = 0; i < entries; ++i)
        table |= (words[std::min(i, words.size() - 1)] >> bit & 1) << i;
      bits_of_[table].push_back(bit);
    }
    const std::uint64_t ones =
        entries == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << entries) - 1;
    std::optional<std::uint64_t> waiting;
    for (const auto& [table, of] : bits_of_) {
      if (table == 0 || table == ones) {
        put(table, ir::constant(table != 0));
      } else if (index_.width() == most_inputs) {
        alone(table);
      } else if (!waiting) {
        waiting = table;
      } else {
        both(*waiting, table);
        waiting.reset();
      }
    }
    if (waiting) alone(*waiting);
    return bits(s_, made_, here_);
  }

 private:
  std::vector<Net> inputs() const { return {index_.nets().begin(), index_.nets().end()}; }
  void put(std::uint64_t table, Net made) {
    const Net n = made.is_constant() ? made : reg(s_, made, {.enable = enable_}, here_);
    for (const std::uint32_t bit : bits_of_[table]) made_[bit] = n;
  }
  void alone(std::uint64_t table) {
    const Table t{.bits = table, .inputs = index_.width()};
    put(table, detail::lut_net(s_, t, inputs(), s_.at(here_)));
  }
  void both(std::uint64_t one, std::uint64_t other) {
    const auto out =
        Lut6_2{.init = {.bits = other << 32 | one, .inputs = index_.width(), .both = true},
               .in = inputs()}
            .add_to(s_, here_);
    put(one, out.o5);
    put(other, out.o6);
  }

  Scope& s_;
  const UInt& index_;
  Net enable_;
  SourceLocation here_;
  std::vector<Net> made_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> bits_of_;  // by what they are
};

}  // namespace

UInt lut_rom(Scope& s, std::span<const std::uint64_t> words, std::uint32_t width, const UInt& index,
             Net enable, SourceLocation here) {
  if (index.width() > most_inputs)
    refuse(here, code::lut_inputs, "a LUT must have at most six inputs");
  return Rom(s, index, width, enable, here).of(words);
}

}  // namespace kumiki::gen
