// SPDX-License-Identifier: Apache-2.0
// A board that answers on a pipe: registers and memory of a DMA with the netlist of a
// configuration's only layer between its streams. A line is one of
//   read OFFSET | write OFFSET VALUE | peek OFFSET BYTES | poke OFFSET HEX | stall | quit
// with decimal numbers, offsets of memory from its beginning; an answer is a line too.
#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/project.h"
#include "tests/support/board.h"

namespace {

using kumiki::test::Board;

// Of the beats that the host sends.
std::size_t bytes_of_beat(const kumiki::gen::Layer& layer) {
  const kumiki::test::Wired netlist(layer);
  return netlist.width_of("s_axis_in_tdata") / 8;
}

std::string answer(Board& board, const std::string& line) {
  std::istringstream words(line);
  std::string what, hex;
  std::size_t offset = 0, more = 0;
  words >> what >> offset;
  auto memory = board.dma.memory();
  if (what == "read") return fmt::format("{}", board.read(static_cast<std::uint32_t>(offset)));
  if (what == "write") {
    words >> more;
    board.dma.write(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(more));
  } else if (what == "peek") {
    words >> more;
    for (const std::uint8_t byte : memory.subspan(offset, more)) hex += fmt::format("{:02x}", byte);
    return hex;
  } else if (what == "poke") {
    words >> hex;
    for (std::size_t i = 0; 2 * i < hex.size(); ++i)
      memory[offset + i] = static_cast<std::uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  } else if (what == "stall") {
    board.dma.stays_in_reset = true;
  } else {
    throw std::runtime_error("no such line: " + line);
  }
  return "done";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  kumiki::flow::Plans plans(argv[1]);
  auto layer = plans.layers.at(0).layer;
  if (!kumiki::gen::axi_stream::wrap(layer, kumiki::ir::Family::ultrascale_plus)) return 3;
  Board board(bytes_of_beat(*layer), &*layer);
  for (std::string line; std::getline(std::cin, line) && line != "quit";)
    std::cout << answer(board, line) << std::endl;
}
