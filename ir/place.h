// SPDX-License-Identifier: Apache-2.0
// Where something was made: file, line and function of the C++, and the JSON pointer of its layer.
// A place is interned: four bytes are stored with a cell.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kumiki::ir {

// std::source_location for compilers whose library lacks it (clang 14), over the same builtins.
struct SourceLocation {
  const char* file = "";
  std::uint32_t line = 0;
  const char* function = "";
  static constexpr SourceLocation current(const char* f = __builtin_FILE(),
                                          std::uint32_t l = __builtin_LINE(),
                                          const char* n = __builtin_FUNCTION()) {
    return {f, l, n};
  }
};

struct PlaceId {
  std::uint32_t index = 0;  // 0 is "nowhere"
  friend constexpr bool operator==(PlaceId, PlaceId) = default;
};

// The process has one table of places and strings. They are read back only for messages, so their
// numbers never reach an output.
struct OriginId {
  std::uint32_t index = 0;  // 0 is "no configuration"
  friend constexpr bool operator==(OriginId, OriginId) = default;
};
OriginId origin(std::string_view text);  // "cfg.json: /layers/3"
std::string to_string(OriginId id);

PlaceId place(SourceLocation here, OriginId from = {});
PlaceId place(std::string_view file, std::uint32_t line, OriginId from = {});
OriginId origin_of(PlaceId id);
std::string function_of(PlaceId id);  // "build_loader"; "" when it is not known, or has no name
// "gen/hdl/lut.cpp:41", with an origin "gen/hdl/lut.cpp:41 (cfg.json: /layers/3)",
// "" for nowhere
std::string to_string(PlaceId id);

}  // namespace kumiki::ir
