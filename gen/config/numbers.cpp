// SPDX-License-Identifier: Apache-2.0
#include "gen/config/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "gen/config/array_file.h"
#include "gen/config/messages.h"
#include "gen/config/source.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

constexpr std::size_t most_entries = 16'000'000;

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name, const NumbersWanted& wanted)
      : bytes_(bytes), name_(name), wanted_(wanted) {}

  Numbers npy() const;
  Numbers quantised_from(const Array& array) const;
  Numbers csv();
  Numbers hex();
  Numbers raw() const;

 private:
  [[noreturn]] void wrong(Code code, const std::string& what, const std::string& legal) const {
    throw FileError({.code = code, .wrong = name_ + " " + what, .required = legal});
  }

  // The next line without its comment and its blanks, or nothing at the end.
  std::optional<std::string_view> line();
  void add_row(std::size_t count);
  void add_word(std::string_view word);
  std::vector<bool> bits_of(std::string_view digits) const;

  std::string_view bytes_;
  const std::string& name_;
  const NumbersWanted& wanted_;
  Numbers out_;
  std::size_t line_ = 0;
};

// Its entries, in the order in which the last dimension runs fastest.
Numbers taken_from(const Array& array) {
  Numbers out{.shape = array.shape};
  const std::size_t all = count(array.shape);
  out.values.reserve(all);
  for (std::size_t i = 0; i < all; ++i) out.values.push_back(array.integer(i));
  return out;
}

Numbers Parser::npy() const {
  if (wanted_.scale == 0)
    return taken_from(parse_npy(bytes_, name_, {.most_entries = most_entries}));
  const Array array = parse_npy(bytes_, name_, {.reals = true, .most_entries = most_entries});
  if (!array.type.is_real())
    wrong(code::key_without_use, "holds integers, which have no \"scale\"", "omit \"scale\"");
  return quantised_from(array);
}

// In float32, to the nearest, ties to even.
Numbers Parser::quantised_from(const Array& array) const {
  constexpr float most = 0x1p53F;  // far beyond every weight
  Numbers out{.shape = array.shape};
  const std::size_t all = count(array.shape);
  out.values.reserve(all);
  for (std::size_t i = 0; i < all; ++i) {
    const float number = std::nearbyint(static_cast<float>(array.real(i)) / wanted_.scale);
    if (!(std::abs(number) < most))
      wrong(code::not_a_number,
            fmt::format("{} is {}, {} of scale {}", place_in(array.shape, i), array.real(i), number,
                        wanted_.scale),
            "every number must be below 2^53 in that scale");
    out.values.push_back(static_cast<std::int64_t>(number));
  }
  return out;
}

Numbers Parser::raw() const {
  static const std::pair<std::string_view, NumberType> types[] = {
      {"int8", {'i', 1}},  {"uint8", {'u', 1}},  {"int16", {'i', 2}}, {"uint16", {'u', 2}},
      {"int32", {'i', 4}}, {"uint32", {'u', 4}}, {"int64", {'i', 8}}, {"uint64", {'u', 8}}};
  for (const auto& [name, type] : types) {
    if (name != wanted_.type) continue;
    if (bytes_.size() % type.size != 0)
      wrong(code::wrong_file_size, fmt::format("has {} bytes", bytes_.size()),
            fmt::format("it must have a multiple of {} for type {}", type.size, name));
    if (bytes_.size() / type.size > most_entries)
      wrong(code::too_many_entries, "is too long",
            fmt::format("it must have at most {} entries", most_entries));
    return taken_from(
        {.name = name_, .type = type, .shape = {bytes_.size() / type.size}, .data = bytes_});
  }
  wrong(code::unknown_number_type,
        wanted_.type.empty()
            ? "does not say what its numbers are"
            : fmt::format("cannot have numbers of type {}", in_quotes(wanted_.type)),
        "give \"type\" as int8, uint8, int16, uint16, int32, uint32, int64 or uint64");
}

std::optional<std::string_view> Parser::line() {
  while (!bytes_.empty()) {
    const auto end = std::min(bytes_.find('\n'), bytes_.size());
    auto text = bytes_.substr(0, end);
    bytes_.remove_prefix(std::min(end + 1, bytes_.size()));
    ++line_;
    text = trimmed(text.substr(0, std::min(text.find('#'), text.find("//"))));
    if (!text.empty()) return text;
  }
  return {};
}

void Parser::add_row(std::size_t count) {
  if (out_.shape.empty()) out_.shape = {0, count};
  ++out_.shape[0];
  if (count != out_.shape[1])
    wrong(code::ragged_list, fmt::format("has a row of {} in line {}", count, line_),
          fmt::format("every row must have {}, as the first one has", out_.shape[1]));
  if (out_.values.size() > most_entries)
    wrong(code::too_many_entries, "is too long",
          fmt::format("it must have at most {} entries", most_entries));
}

Numbers Parser::csv() {
  while (auto text = line()) {
    std::size_t count = 0;
    for (std::string_view rest = *text; count == 0 || rest.data() != nullptr; ++count) {
      const auto end = rest.find(',');
      const auto number = trimmed(rest.substr(0, end));
      std::int64_t v = 0;
      const char* first = number.data() + (number.starts_with("+") ? 1 : 0);
      auto [stop, error] = std::from_chars(first, number.data() + number.size(), v);
      if (number.empty() || error != std::errc() || stop != number.data() + number.size())
        wrong(code::malformed_number, fmt::format("has {} in line {}", in_quotes(number), line_),
              "write integers between commas");
      out_.values.push_back(v);
      rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    }
    add_row(count);
  }
  return std::move(out_);
}

// The bits that count, from low to high.
std::vector<bool> Parser::bits_of(std::string_view digits) const {
  std::vector<bool> bits;
  for (auto d = digits.rbegin(); d != digits.rend(); ++d) {
    if (*d == '_') continue;
    unsigned v = 16;
    std::from_chars(&*d, &*d + 1, v, 16);
    if (v > 15)
      wrong(code::malformed_number, fmt::format("has {} in line {}", in_quotes(digits), line_),
            "write hexadecimal digits");
    for (unsigned i = 0; i < 4; ++i) bits.push_back(v >> i & 1);
  }
  if (bits.empty())
    wrong(code::malformed_number, fmt::format("has {} in line {}", in_quotes(digits), line_),
          "write hexadecimal digits");
  const std::size_t count = wanted_.bits == 0 ? bits.size() : wanted_.bits;
  if (std::find(bits.begin() + static_cast<std::ptrdiff_t>(std::min(count, bits.size())),
                bits.end(), true) != bits.end())
    wrong(code::number_too_large, fmt::format("has {} in line {}", in_quotes(digits), line_),
          fmt::format("every word must have {} bits", count));
  bits.resize(count);
  return bits;
}

void Parser::add_word(std::string_view word) {
  const auto bits = bits_of(word);
  if (wanted_.single_bits) {
    for (bool b : bits) out_.values.push_back(b);
    return add_row(bits.size());
  }
  if (bits.size() > 63)
    wrong(code::number_too_large, fmt::format("has {} in line {}", in_quotes(word), line_),
          "a word must have at most 63 bits");
  std::int64_t v = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) v |= std::int64_t{bits[i]} << i;
  if (wanted_.is_signed && bits.back()) v |= -(std::int64_t{1} << (bits.size() - 1));
  out_.values.push_back(v);
}

Numbers Parser::hex() {
  while (auto text = line()) {
    std::size_t count = 0;
    for (std::string_view rest = *text; !rest.empty(); ++count) {
      const auto end = std::min(rest.find_first_of(" \t"), rest.size());
      add_word(rest.substr(0, end));
      rest = trimmed(rest.substr(end));
    }
    if (!wanted_.single_bits) add_row(count);
  }
  return std::move(out_);
}

}  // namespace

std::size_t Numbers::rows() const {
  return shape.size() > 1 ? shape[0] : values.empty() && shape.empty() ? 0 : 1;
}
std::size_t Numbers::columns() const {
  std::size_t count = 1;
  for (std::size_t d = shape.size() > 1 ? 1 : 0; d < shape.size(); ++d) count *= shape[d];
  return rows() == 0 && shape.empty() ? 0 : count;
}
bool Numbers::is_flat() const {
  return std::count_if(shape.begin(), shape.end(), [](std::size_t n) { return n != 1; }) <= 1;
}

Numbers parse_numbers(std::string_view bytes, const std::string& name,
                      const NumbersWanted& wanted) {
  const bool hex = name.ends_with(".hex"), raw = name.ends_with(".bin") || name.ends_with(".raw");
  if (wanted.bits != 0 && !hex)
    throw FileError({.code = code::key_without_use,
                     .wrong = fmt::format("{} has no words of {} bits", name, wanted.bits),
                     .required = "omit \"bits\", which is for .hex"});
  if (!wanted.type.empty() && !raw)
    throw FileError({.code = code::key_without_use,
                     .wrong = name + " already contains the type of its numbers",
                     .required = "omit \"type\", which is for .bin and .raw"});
  Parser parser(bytes, name, wanted);
  if (name.ends_with(".npy")) return parser.npy();
  if (name.ends_with(".csv")) return parser.csv();
  if (hex) return parser.hex();
  if (raw) return parser.raw();
  throw FileError({.code = code::unknown_suffix,
                   .wrong = name + " has no known suffix",
                   .required = "it must be .npy, .csv, .hex, .bin or .raw"});
}

Numbers read_numbers(const std::filesystem::path& path, const NumbersWanted& wanted) {
  const std::string bytes = load_text(path);
  const std::string name = path.filename().string();
  if (bytes.size() > max_bytes)
    throw FileError({.code = code::file_too_long,
                     .wrong = name + " is too long",
                     .required = fmt::format("it must have at most {} bytes", max_bytes)});
  return parse_numbers(bytes, name, wanted);
}

}  // namespace kumiki::gen::config
