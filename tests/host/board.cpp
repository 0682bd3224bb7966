// SPDX-License-Identifier: Apache-2.0
// A board that answers on a pipe: registers and memory of a DMA with the netlist of a
// configuration's only layer between its streams, or those of an engine. A line is one of
//   read OFFSET | write OFFSET VALUE | peek OFFSET BYTES | poke OFFSET HEX | stall | quit
// with decimal numbers, offsets of memory from its beginning; an answer is a line too.
#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/project.h"
#include "gen/layers/engine/layer.h"
#include "tests/support/board.h"
#include "tests/support/engine_board.h"

namespace {

using kumiki::test::Board;
using kumiki::test::EngineBoard;

// Of the beats that the host sends.
std::size_t bytes_of_beat(const kumiki::gen::Layer& layer) {
  const kumiki::test::Wired netlist(layer);
  return netlist.width_of("s_axis_in_tdata") / 8;
}

class OfDma {
 public:
  explicit OfDma(const kumiki::gen::Layer& layer) : board_(bytes_of_beat(layer), &layer) {}
  std::uint32_t read(std::uint32_t offset) { return board_.read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) { board_.dma.write(offset, value); }
  std::span<std::uint8_t> memory() { return board_.dma.memory(); }
  void stall() { board_.dma.stays_in_reset = true; }

 private:
  Board board_;
};

class OfEngine {
 public:
  explicit OfEngine(const kumiki::gen::engine::PortsPlan& plan) : board_(plan, Board::base) {}
  std::uint32_t read(std::uint32_t offset) {
    board_.between();
    return board_.read(offset);
  }
  void write(std::uint32_t offset, std::uint32_t value) { board_.write(offset, value); }
  std::span<std::uint8_t> memory() { return {static_cast<std::uint8_t*>(all_.data), all_.bytes}; }
  void stall() { board_.halted = 1; }

 private:
  EngineBoard board_;
  kumiki_engine_buffer all_ = board_.buffer(1 << 20, true);
};

template <class B>
std::string answer(B& board, const std::string& line) {
  std::istringstream words(line);
  std::string what, hex;
  std::size_t offset = 0, more = 0;
  words >> what >> offset;
  auto memory = board.memory();
  if (what == "read") return fmt::format("{}", board.read(static_cast<std::uint32_t>(offset)));
  if (what == "write") {
    words >> more;
    board.write(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(more));
  } else if (what == "peek") {
    words >> more;
    for (const std::uint8_t byte : memory.subspan(offset, more)) hex += fmt::format("{:02x}", byte);
    return hex;
  } else if (what == "poke") {
    words >> hex;
    for (std::size_t i = 0; 2 * i < hex.size(); ++i)
      memory[offset + i] = static_cast<std::uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  } else if (what == "stall") {
    board.stall();
  } else {
    throw std::runtime_error("no such line: " + line);
  }
  return "done";
}

template <class B>
int serve(B board) {
  for (std::string line; std::getline(std::cin, line) && line != "quit";)
    std::cout << answer(board, line) << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  kumiki::flow::Plans plans(argv[1]);
  auto layer = plans.layers.at(0).layer;
  if (const auto* engine = kumiki::gen::engine::engine_of(*layer); engine && engine->has_ports) {
    OfEngine board(engine->ports());
    return serve<OfEngine&>(board);
  }
  if (!kumiki::gen::axi_stream::wrap(layer, kumiki::ir::Family::ultrascale_plus)) return 3;
  OfDma board(*layer);
  return serve<OfDma&>(board);
}
