// SPDX-License-Identifier: Apache-2.0
// Who drives each net of a module: one word a net.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/design.h"

namespace kumiki::ir {

class Driver {
 public:
  constexpr Driver() = default;  // nobody
  static constexpr Driver of_cell(std::uint32_t cell) { return Driver(cell); }
  static constexpr Driver of_input(std::uint32_t bit) { return Driver(input_flag | bit); }
  static constexpr Driver of_constant() { return Driver(constant_code); }

  constexpr bool is_none() const { return code_ == none_code; }
  constexpr bool is_constant() const { return code_ == constant_code; }
  constexpr bool is_cell() const { return code_ < input_flag; }
  constexpr bool is_input() const { return code_ >= input_flag && code_ < constant_code; }
  constexpr std::uint32_t cell() const { return code_; }
  constexpr std::uint32_t input_bit() const { return code_ & ~input_flag; }
  friend constexpr bool operator==(Driver, Driver) = default;

 private:
  static constexpr std::uint32_t input_flag = 0x8000'0000, constant_code = 0xffff'fffe,
                                 none_code = 0xffff'ffff;
  constexpr explicit Driver(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = none_code;
};

// Drivers by net. A net keeps its first driver; `clash(net, first, second)` is called for every
// further one. Driving a constant or "open" is a clash too.
template <class Clash>
std::vector<Driver> find_drivers(const Module& m, Clash clash) {
  std::vector<Driver> driver(m.net_count());
  for (std::uint32_t n = 0; n < 2; ++n) driver[n] = Driver::of_constant();
  auto drive = [&](std::uint32_t net, Driver by) {
    if (net >= first_free_net && driver[net].is_none())
      driver[net] = by;
    else
      clash(Net{net}, driver[net], by);
  };
  std::uint32_t bit = 0;
  for (const Port& p : m.ports())
    if (p.direction == Direction::input)
      for (Net n : m.port_nets(p)) drive(n.index, Driver::of_input(bit++));
  std::uint32_t index = 0;
  for (const Cell& c : m.cells()) {
    for (std::uint32_t i = 0, count = m.output_count(c); i < count; ++i)
      drive(c.out.index + i, Driver::of_cell(index));
    ++index;
  }
  return driver;
}

}  // namespace kumiki::ir
