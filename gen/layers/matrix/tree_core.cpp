// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/tree_core.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/layers/matrix/registered.h"

namespace kumiki::gen::matrix {
namespace {

constexpr std::size_t bits_of_a_block = 36, bits_of_a_word = 64;

}  // namespace

// The clock count of a set waits at 0 for the start.
TreeCore::TreeCore(Scope& s, const MatrixPlan& plan, const CoreIn& in)
    : s_(s), p_(plan), in_(in), done_(in.start) {
  if (p_.words == 1) return;
  Wire<Net> idle(s);
  const auto word = packing::position(s, p_.words, s.net(~idle | in.start), in.rst);
  idle.drive(word.first);
  first_ = word.first;
  done_ = word.last;
}

std::vector<UInt> TreeCore::pixels() {
  std::vector<UInt> all;
  for (const UInt& address : in_.pixel_addresses)
    for (const RingWrite& write : in_.ring) {
      const std::vector<Word> high_to_low(write.data.rbegin(), write.data.rend());
      const UInt data = cat(s_, high_to_low);
      const UInt word = Memory{.depth = 1u << p_.ring_bits,
                               .width = data.width(),
                               .style = ring_is_distributed(p_.ring_bits) ? ir::memory::distributed
                                                                          : ir::memory::block,
                               .read = read_of(p_),
                               .write_enable = write.enable,
                               .write_address = write.address,
                               .write_data = data,
                               .read_address = address}
                            .add_to(s_);
      std::uint32_t low = 0;
      for (const UInt& row : write.data) {
        all.push_back(word.slice(low, row.width()));
        low += row.width();
      }
    }
  return all;
}

std::vector<UInt> TreeCore::weights() {
  const auto width = static_cast<std::size_t>(p_.tree().weights.bits());
  const std::size_t depth = static_cast<std::size_t>(p_.weight_depth());
  const std::size_t most = p_.weights_are_distributed() ? bits_of_a_word : bits_of_a_block;
  // Every word of the memories, bit by bit.
  std::vector<std::vector<bool>> words(depth);
  for (std::size_t at = 0; at < depth; ++at)
    for (std::int64_t c = 0; c < p_.tile_channels(); ++c)
      for (std::int64_t row = 0; row < p_.rows; ++row) {
        const std::int64_t i = static_cast<std::int64_t>(at),
                           w = p_.weight(i / p_.words, i % p_.words, row, c);
        for (std::size_t bit = 0; bit < width; ++bit)
          words[at].push_back(p_.tree().weights.is_sign ? w < 0 : (w >> bit & 1) != 0);
      }
  std::vector<Net> nets;
  for (std::size_t first = 0; first < words[0].size(); first += most) {
    const std::size_t count = std::min(most, words[0].size() - first);
    std::vector<std::uint64_t> contents(depth, 0);
    for (std::size_t at = 0; at < depth; ++at)
      for (std::size_t bit = 0; bit < count; ++bit)
        contents[at] |= static_cast<std::uint64_t>(words[at][first + bit]) << bit;
    const UInt word = p_.weights_are_distributed()
                          ? weights_in_luts(s_, p_, contents, static_cast<std::uint32_t>(count),
                                            in_.weight_address)
                          : Memory{.depth = static_cast<std::uint32_t>(depth),
                                   .width = static_cast<std::uint32_t>(count),
                                   .read = read_of(p_),
                                   .contents = contents,
                                   .read_address = in_.weight_address}
                                .add_to(s_);
    nets.insert(nets.end(), word.nets().begin(), word.nets().end());
  }
  const UInt together = bits(s_, nets);
  std::vector<UInt> all;
  for (std::size_t low = 0; low < nets.size(); low += width)
    all.push_back(
        together.slice(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(width)));
  return all;
}

std::vector<Net> TreeCore::spread(Net n, int clocks) const {
  const Net before = later(s_, n, clocks - 1);
  std::vector<Net> all;
  for (std::int64_t c = 0; c < p_.columns; ++c) all.push_back(reg(s_, before));
  return all;
}

std::vector<std::vector<UInt>> TreeCore::columns() {
  const TreeColumn& column = p_.tree();
  const auto rows = static_cast<std::size_t>(p_.rows);
  std::vector<UInt> pixels = this->pixels();
  const std::vector<UInt> weights = this->weights();
  std::vector<Net> first, border;
  if (p_.words > 1) first = spread(first_, latency_of_heap(column));
  if (column.has_border) {
    border = spread(pixels.back()[0], latency_of_heap(column) - 1);
    pixels.pop_back();
  }
  for (std::size_t row = 0; row < rows; ++row) s_.named(fmt::format("x{}", row), pixels[row]);
  std::vector<std::vector<UInt>> results;
  for (std::size_t c = 0; c < static_cast<std::size_t>(p_.columns); ++c) {
    TreeColumnIn in{.first = {}, .border = {}, .pixels = pixels, .weights = {}};
    if (!first.empty()) in.first = {first[c]};
    if (!border.empty()) in.border = {border[c]};
    for (std::size_t row = 0; row < rows; ++row) {
      in.weights.push_back(weights[c * rows + row]);
      s_.named(fmt::format("w{}_{}", c, row), in.weights.back());
    }
    results.push_back(
        {instantiate(s_, build_tree_column, column, in, fmt::format("column{}", c)).sum});
  }
  return results;
}

}  // namespace kumiki::gen::matrix
