// SPDX-License-Identifier: Apache-2.0
// Words are spans of nets with the sign in the C++ type. They are values of two pointers' size
// that live as long as the Builder; slicing is free. A word without nets is a shape: only a
// width.
#pragma once
#include <cstdint>

#include "ir/design.h"
#include "ir/net.h"
#include "ir/place.h"

namespace kumiki::gen {

using ir::Net;
using ir::PlaceId;
using ir::SourceLocation;

class Word {
 public:
  constexpr Word() = default;
  constexpr Word(const Net* nets, std::uint32_t width, PlaceId at)
      : nets_(nets), width_(width), place_(at) {}

  constexpr std::uint32_t width() const { return width_; }
  constexpr bool is_shape() const { return nets_ == nullptr; }
  constexpr PlaceId place() const { return place_; }
  Net operator[](std::uint32_t bit) const;  // bit 0 is the least significant; throws past the end
  Net msb() const { return (*this)[width_ - 1]; }
  std::span<const Net> nets() const { return {nets_, nets_ ? width_ : 0}; }

 protected:
  Word cut(std::uint32_t low, std::uint32_t count, SourceLocation here) const;
  const Net* nets_ = nullptr;
  std::uint32_t width_ = 0;
  PlaceId place_;
};

class UInt : public Word {
 public:
  using Word::Word;
  constexpr UInt() = default;
  constexpr explicit UInt(const Word& w) : Word(w) {}
  static constexpr UInt shape(std::uint32_t width) { return {nullptr, width, {}}; }
  UInt slice(std::uint32_t low, std::uint32_t count,
             SourceLocation here = SourceLocation::current()) const {
    return UInt(cut(low, count, here));
  }
};

class SInt : public Word {
 public:
  using Word::Word;
  constexpr SInt() = default;
  constexpr explicit SInt(const Word& w) : Word(w) {}
  static constexpr SInt shape(std::uint32_t width) { return {nullptr, width, {}}; }
  // A part of a two's complement word has no sign of its own.
  UInt slice(std::uint32_t low, std::uint32_t count,
             SourceLocation here = SourceLocation::current()) const {
    return UInt(cut(low, count, here));
  }
};

inline UInt as_unsigned(const Word& w) { return UInt(w); }
inline SInt as_signed(const Word& w) { return SInt(w); }

template <class W>
concept AnyWord = std::is_same_v<W, UInt> || std::is_same_v<W, SInt>;

// Throws DesignError naming both widths and both places.
void want_equal_widths(const char* what, const Word& a, const Word& b, SourceLocation here);
[[noreturn]] void refuse(SourceLocation here, Code code, const std::string& message);

}  // namespace kumiki::gen
