// SPDX-License-Identifier: Apache-2.0
// Text of a netlist, up to hundreds of megabytes: appends without format strings, without zeroing
// and without a final copy.
#pragma once
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "ir/names.h"

namespace kumiki::backends {

class Text {
 public:
  Text() = default;
  explicit Text(std::string_view text) { put(text); }

  void put(char c) {
    need(1);
    data_.get()[size_++] = c;
  }
  void put(std::string_view s) {
    if (s.empty()) return;  // it may have no address, and memcpy requires one
    need(s.size());
    std::memcpy(data_.get() + size_, s.data(), s.size());
    size_ += s.size();
  }
  void decimal(std::uint64_t value) {
    need(20);
    char* at = data_.get() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(at, at + 20, value).ptr - at);
  }
  void hex(std::uint64_t value, unsigned digits) {
    need(digits);
    for (unsigned i = digits; i-- > 0; value >>= 4)
      data_.get()[size_ + i] = "0123456789abcdef"[value & 15];
    size_ += digits;
  }
  void put(const ir::Name& name) {
    put(name.text);
    if (name.numbered) decimal(name.number);
    put(name.suffix);
  }
  // put(name, 12, …, '\n')
  template <class First, class Second, class... Rest>
  void put(const First& first, const Second& second, const Rest&... rest) {
    put(first);
    put(second, rest...);
  }
  void put(std::uint32_t value) { decimal(value); }
  void put(const char* s) { put(std::string_view(s)); }
  void put(const std::string& s) { put(std::string_view(s)); }

  std::string_view view() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  void truncate(std::size_t size) { size_ = size; }

 private:
  void need(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
  }
  // Out of line: realloc moves pages instead of bytes for large texts.
  void grow(std::size_t more);

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace kumiki::backends
