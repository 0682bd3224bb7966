// SPDX-License-Identifier: Apache-2.0
// Protobuf's wire format as a tree of fields, and changes of it that leave the lengths right: what
// reads such files is reached behind its parser too.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::fuzz {

struct Field {
  std::uint32_t number = 0;
  int type = 0;               // 0 varint, 1 64 bits, 2 bytes, 5 32 bits
  std::uint64_t value = 0;    // of the types that are numbers
  std::string bytes;          // of type 2, when they are no message
  std::vector<Field> fields;  // when they are
  bool is_message = false;
};

// Fields of a message; false: it is none.
bool parse_wire(std::string_view bytes, std::vector<Field>& fields, int depth = 0);
std::string print_wire(const std::vector<Field>& fields);

// The message with some of its fields changed, left out, twice, exchanged, its numbers and texts
// turned into awkward ones; now and then cut short or with a byte flipped.
std::string mutated(std::string_view message, std::mt19937_64& random);

}  // namespace kumiki::fuzz
