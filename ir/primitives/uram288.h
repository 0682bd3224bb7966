// SPDX-License-Identifier: Apache-2.0
// URAM288: 4,096 words of 72 bits with two ports on one clock. Each port reads or writes in a
// clock; of an address that both use, port A goes first. It powers up at 0. The pins of cascades,
// of the error correction and of sleep are no pins here: unconnected, they are 0.
#pragma once

namespace kumiki::ir::uram288 {

// Parameters of port A, those of port B, and the clock's.
enum Parameter : unsigned {
  byte_mode,  // 0: parity bit 64 + i belongs to byte i, 1: the ninth enable has all of them
  input_register,
  invert_enable,
  invert_write,
  invert_reset,
  output_register,
  reset_mode,  // 0: SYNC, 1: ASYNC
  output_enable,
  port_parameters,
  invert_clock = 2 * port_parameters
};

// Order of the pins: the clock, those of port A, those of port B.
enum Input : unsigned { address, byte_enable, data, enable, register_enable, write, reset };
enum Output : unsigned { word, access };

}  // namespace kumiki::ir::uram288
