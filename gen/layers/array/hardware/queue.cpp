// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/queue.h"

#include <algorithm>

#include "gen/hdl/cells.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {

namespace {
constexpr std::uint32_t widest = 4096;  // bits of a memory
}

Queue::Queue(Scope& s, Net write, const UInt& word, Net rst, int late)
    : s_(s), there_(s, {.reset = rst}), taken_(s), read_(s, digits), rst_(rst), late_(late) {
  Reg<UInt> at(s, digits, {.enable = write, .reset = rst});
  at.next(increment(s, at.q()));
  written_ = at.q();
  // As wide as one memory may be.
  std::vector<Word> high_to_low;
  for (std::uint32_t low = 0; low < word.width(); low += widest) {
    const std::uint32_t width = std::min(widest, word.width() - low);
    high_to_low.insert(high_to_low.begin(), Memory{.depth = 1u << digits,
                                                   .width = width,
                                                   .style = ir::memory::distributed,
                                                   .read = ir::memory::asynchronous,
                                                   .write_enable = write,
                                                   .write_address = written_,
                                                   .write_data = word.slice(low, width),
                                                   .read_address = read_}
                                                .add_to(s));
  }
  front_ = cat(s, high_to_low);
}

void Queue::finish(Net taken) {
  Pointer read(s_, digits, taken, rst_);
  read.advance(s_);
  read_.drive(later(s_, read.at.q(), late_));
  const Net none = equals(s_, read.at.q(), written_), one = equals(s_, read.behind.q(), written_);
  there_.next(mux(taken, ~one, ~none));
}

Room::Room(Scope& s, Net rst)
    : s_(s), used_(s, 5, {.reset = rst}), left_(s, {.init = 1, .reset = rst}) {}

void Room::finish(Net begins, Net ends) {
  std::vector<Net> one_less(5, s_.net(~begins & ends));
  one_less[0] = s_.net(begins ^ ends);
  used_.next(add(s_, used_.q(), bits(s_, one_less)));
  // With 29 there is room for the one that may begin now and for one more.
  left_.next(look_up(
      s_, 1, [](unsigned n) { return n <= Queue::most - 2; }, used_.q().nets())[0]);
}

}  // namespace kumiki::gen::array
