// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/queue.h"

#include "gen/hdl/cells.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {

Queue::Queue(Scope& s, Net write, const UInt& word, Net rst, int late)
    : s_(s), there_(s, {.reset = rst}), taken_(s), read_(s, digits), rst_(rst), late_(late) {
  Reg<UInt> at(s, digits, {.enable = write, .reset = rst});
  at.next(increment(s, at.q()));
  written_ = at.q();
  front_ = Memory{.depth = 1u << digits,
                  .width = word.width(),
                  .style = ir::memory::distributed,
                  .read = ir::memory::asynchronous,
                  .write_enable = write,
                  .write_address = written_,
                  .write_data = word,
                  .read_address = read_}
               .add_to(s);
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
  // Up to 29: room for the one that may begin now and for one more.
  left_.next(look_up(
      s_, 1, [](unsigned n) { return n <= Queue::most - 2; }, used_.q().nets())[0]);
}

}  // namespace kumiki::gen::array
