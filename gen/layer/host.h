// SPDX-License-Identifier: Apache-2.0
// What a host must know beyond names and widths of ports: the order of data, what a handshake
// promises, what a reset discards. A generator states it once; the plan, its JSON, the C header and
// the report show it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/config/writer.h"

namespace kumiki::gen {

struct HostFact {
  std::string topic;  // a port, or "reset"
  std::string text;
};
using HostFacts = std::vector<HostFact>;

// A word of 32 bits that a host reads at an address, through the layer's port `s_axi`.
struct HostRegister {
  std::string name;         // "frames_in"
  std::int64_t offset = 0;  // in bytes
  std::string text;
};
using HostRegisters = std::vector<HostRegister>;

// Lines below a heading, and {"topic": "text"}.
std::string to_text(const HostFacts& facts);
void write(config::Writer& w, const HostFacts& facts);
std::string to_text(const HostRegisters& registers);
void write(config::Writer& w, const HostRegister& one);

// "0 to 3: 0 to 3, 4 to 7: 3" for {0, 1, 2, 3, 3, 3, 3, 3}: runs that climb by one or are constant.
std::string runs(const std::vector<std::uint32_t>& values);

}  // namespace kumiki::gen
