// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets/wire.h"

#include <algorithm>
#include <array>

namespace kumiki::fuzz {
namespace {

bool varint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in[0]);
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool fixed(std::string_view& in, std::size_t bytes, std::uint64_t& value) {
  if (in.size() < bytes) return false;
  value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(in[i])) << 8 * i;
  in.remove_prefix(bytes);
  return true;
}

void put(std::string& out, std::uint64_t value) {
  for (; value > 127; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

class Mutator {
 public:
  Mutator(std::vector<Field>& all, std::mt19937_64& random) : random_(random) { walk(all); }

  void change() {
    if (lists_.empty()) return;
    auto& list = *lists_[below(lists_.size())];
    const std::size_t i = below(list.size());
    switch (below(8)) {
      case 0:
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 1: {
        const Field twice = list[i];
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(below(list.size() + 1)), twice);
        break;
      }
      case 2:
        std::swap(list[i], list[below(list.size())]);
        break;
      case 3: {  // another field's contents: other names, types and shapes
        const auto& from = *lists_[below(lists_.size())];
        const std::uint32_t number = list[i].number;
        const Field copy = from[below(from.size())];
        list[i] = copy;
        if (below(4) != 0) list[i].number = number;
        break;
      }
      case 4:
        outside(list);
        break;
      default:
        content(list[i]);
    }
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  void walk(std::vector<Field>& fields) {
    if (fields.empty()) return;
    lists_.push_back(&fields);
    for (Field& f : fields) walk(f.fields);
  }

  // As a TensorProto says that its numbers are in a file beside the model.
  void outside(std::vector<Field>& list) {
    static constexpr std::array<const char*, 7> places{
        "../../etc/passwd", "/etc/passwd", "", ".", "nowhere.bin", "a/../../b", "\xff\xfe"};
    const auto text = [](std::uint32_t number, std::string_view what) {
      return Field{.number = number, .type = 2, .bytes = std::string(what), .fields = {}};
    };
    list.push_back({.number = 13,
                    .type = 2,
                    .bytes = {},
                    .fields = {text(1, "location"), text(2, places[below(places.size())])},
                    .is_message = true});
    if (below(2) == 0)
      list.push_back(
          {.number = 13,
           .type = 2,
           .bytes = {},
           .fields = {text(1, "offset"), text(2, below(2) == 0 ? "-1" : "99999999999999")},
           .is_message = true});
    list.push_back({.number = 14, .type = 0, .value = 1, .bytes = {}, .fields = {}});
  }

  void content(Field& f) {
    static constexpr std::array<std::uint64_t, 14> numbers{0,
                                                           1,
                                                           2,
                                                           3,
                                                           5,
                                                           7,
                                                           127,
                                                           255,
                                                           65536,
                                                           0x7fffffff,
                                                           0xffffffff,
                                                           ~std::uint64_t{0},
                                                           ~std::uint64_t{0} << 63,
                                                           (std::uint64_t{1} << 32) + 1};
    static constexpr std::array<const char*, 21> texts{"",
                                                       "Conv",
                                                       "Gemm",
                                                       "MatMul",
                                                       "Add",
                                                       "Concat",
                                                       "Flatten",
                                                       "Reshape",
                                                       "Transpose",
                                                       "Slice",
                                                       "Gather",
                                                       "Pad",
                                                       "Shape",
                                                       "DepthToSpace",
                                                       "MaxPool",
                                                       "GlobalAveragePool",
                                                       "ArgMax",
                                                       "QuantizeLinear",
                                                       "DequantizeLinear",
                                                       "SAME_UPPER",
                                                       "com.microsoft"};
    if (f.type != 2) {
      f.value = below(2) == 0 ? numbers[below(numbers.size())] : f.value + below(9) - 4;
      if (f.type != 0 && below(2) == 0)
        f.value = std::array<std::uint64_t, 4>{0x7fc00000, 0x7f800000, 0x80000000, 1}[below(4)];
      return;
    }
    if (f.is_message) {
      f.fields.push_back({.number = static_cast<std::uint32_t>(1 + below(20)),
                          .type = 0,
                          .value = numbers[below(numbers.size())],
                          .bytes = {},
                          .fields = {}});
      return;
    }
    switch (below(4)) {
      case 0:
        f.bytes = texts[below(texts.size())];
        break;
      case 1:
        f.bytes.resize(f.bytes.size() / 2 + below(3));
        break;
      case 2:
        f.bytes += std::string(1 + below(9), static_cast<char>(below(256)));
        break;
      default:
        if (!f.bytes.empty()) f.bytes[below(f.bytes.size())] ^= static_cast<char>(1 << below(8));
    }
  }

  std::mt19937_64& random_;
  std::vector<std::vector<Field>*> lists_;
};

}  // namespace

bool parse_wire(std::string_view in, std::vector<Field>& fields, int depth) {
  while (!in.empty()) {
    std::uint64_t tag = 0, length = 0;
    Field f;
    if (!varint(in, tag) || tag >> 3 == 0 || tag >> 3 > 10'000) return false;
    f.number = static_cast<std::uint32_t>(tag >> 3);
    f.type = static_cast<int>(tag & 7);
    switch (f.type) {
      case 0:
        if (!varint(in, f.value)) return false;
        break;
      case 1:
        if (!fixed(in, 8, f.value)) return false;
        break;
      case 5:
        if (!fixed(in, 4, f.value)) return false;
        break;
      case 2: {
        if (!varint(in, length) || length > in.size()) return false;
        const std::string_view inner = in.substr(0, length);
        in.remove_prefix(length);
        // Numbers may look like a message too; written again it has to be the same.
        f.is_message = !inner.empty() && depth < 12 && parse_wire(inner, f.fields, depth + 1) &&
                       print_wire(f.fields) == inner;
        if (!f.is_message) f.fields.clear(), f.bytes = inner;
        break;
      }
      default:
        return false;
    }
    fields.push_back(std::move(f));
  }
  return true;
}

std::string print_wire(const std::vector<Field>& fields) {
  std::string out;
  for (const Field& f : fields) {
    put(out, std::uint64_t{f.number} << 3 | static_cast<std::uint64_t>(f.type));
    if (f.type == 0) put(out, f.value);
    for (std::size_t i = 0; i < (f.type == 1 ? 8U : f.type == 5 ? 4U : 0U); ++i)
      out += static_cast<char>(f.value >> 8 * i);
    if (f.type != 2) continue;
    const std::string inner = f.is_message ? print_wire(f.fields) : f.bytes;
    put(out, inner.size());
    out += inner;
  }
  return out;
}

std::string mutated(std::string_view message, std::mt19937_64& random) {
  std::vector<Field> fields;
  std::string bytes(message);
  if (parse_wire(message, fields)) {
    for (std::size_t n = 1 + random() % 3; n > 0; --n) Mutator(fields, random).change();
    bytes = print_wire(fields);
  }
  if (bytes.empty()) return bytes;
  if (random() % 16 == 0) bytes.resize(random() % bytes.size());
  if (random() % 16 == 0 && !bytes.empty())
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
  return bytes;
}

}  // namespace kumiki::fuzz
