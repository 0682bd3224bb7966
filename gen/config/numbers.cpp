// SPDX-License-Identifier: Apache-2.0
#include "gen/config/numbers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "gen/config/source.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t most_entries = 16'000'000;

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name, const NumbersWanted& wanted)
      : bytes_(bytes), name_(name), wanted_(wanted) {}

  Numbers npy();
  Numbers csv();
  Numbers hex();
  Numbers raw();

 private:
  struct Type {
    char kind;  // b, i or u
    unsigned size;
  };

  [[noreturn]] void wrong(Code code, const std::string& what, const std::string& legal) const {
    throw FileError(code, fmt::format("{} {}: {}", name_, what, legal));
  }
  std::string npy_header();
  std::string npy_value(const std::string& header, std::string_view key) const;
  Type npy_type(const std::string& header) const;
  void npy_shape(const std::string& header);
  std::int64_t entry(Type type, std::size_t at) const;
  void entries(Type type);
  void turn_round();

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

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r");
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

std::string Parser::npy_header() {
  if (!bytes_.starts_with(npy_magic) || bytes_.size() < 10)
    wrong(Code::malformed_npy, "is no .npy file", "one that numpy.save wrote is legal");
  auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes_[i])}; };
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)
    wrong(Code::malformed_npy, fmt::format("is in version {}.{} of the format", byte(6), byte(7)),
          "1.0, 2.0 and 3.0 are legal, as numpy.save writes them");
  const bool is_long = byte(6) > 1;
  const std::size_t start = is_long ? 12 : 10;
  if (bytes_.size() < start)
    wrong(Code::malformed_npy, "is cut off in its header", "a whole file is legal");
  const std::size_t size =
      is_long ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
  if (bytes_.size() - start < size)
    wrong(Code::malformed_npy, "is cut off in its header", "a whole file is legal");
  std::string header(bytes_.substr(start, size));
  bytes_.remove_prefix(start + size);
  return header;
}

// The value behind 'key' in the header, which is a Python dictionary.
std::string Parser::npy_value(const std::string& header, std::string_view key) const {
  const auto at = header.find(fmt::format("'{}':", key));
  if (at == header.npos)
    wrong(Code::malformed_npy, fmt::format("has no '{}' in its header", key),
          "one that numpy.save wrote is legal");
  return std::string(trimmed(std::string_view(header).substr(at + key.size() + 3)));
}

Parser::Type Parser::npy_type(const std::string& header) const {
  std::string d = npy_value(header, "descr");
  d = d.substr(0, d.find_first_of(",}"));
  std::erase_if(d, [](char c) { return c == '\'' || c == ' '; });
  const bool known = d.size() == 3 && (d[0] == '<' || d[0] == '|') &&
                     std::string_view("biu").find(d[1]) != std::string_view::npos &&
                     std::string_view("1248").find(d[2]) != std::string_view::npos;
  if (!known || (d[0] == '|' && d[2] != '1') || (d[1] == 'b' && d[2] != '1'))
    wrong(Code::unknown_number_type, fmt::format("has entries of type {}", in_quotes(d)),
          "booleans and little-endian integers of 1, 2, 4 or 8 bytes are legal");
  return {d[1], static_cast<unsigned>(d[2] - '0')};
}

void Parser::npy_shape(const std::string& header) {
  std::string s = npy_value(header, "shape");
  if (!s.starts_with("(") || s.find(')') == s.npos)
    wrong(Code::malformed_npy, "has no shape", "one that numpy.save wrote is legal");
  s = s.substr(1, s.find(')') - 1);
  std::size_t count = 1;
  for (std::string_view rest = s; !trimmed(rest).empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto number = trimmed(rest.substr(0, end));
    std::int64_t n = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), n);
    const bool too_large = error == std::errc::result_out_of_range && !number.starts_with('-');
    if (!too_large && (error != std::errc() || stop != number.data() + number.size() || n < 0))
      wrong(Code::malformed_npy,
            fmt::format("has the shape ({}), of which {} is no size", s, in_quotes(number)),
            "sizes from 0 on are legal");
    if (too_large || (n > 0 && count > most_entries / static_cast<std::size_t>(n)))
      wrong(Code::too_many_entries, fmt::format("has the shape ({})", s),
            fmt::format("no more than {} entries are legal", most_entries));
    out_.shape.push_back(static_cast<std::size_t>(n));
    count *= static_cast<std::size_t>(n);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::int64_t Parser::entry(Type type, std::size_t at) const {
  std::uint64_t v = 0;
  for (unsigned i = 0; i < type.size; ++i)
    v |= std::uint64_t{static_cast<unsigned char>(bytes_[at * type.size + i])} << (8 * i);
  const unsigned unused = 64 - 8 * type.size;
  if (type.kind == 'i') return static_cast<std::int64_t>(v << unused) >> unused;
  if (v > std::uint64_t{INT64_MAX})
    wrong(Code::number_too_large, fmt::format("has the entry {}", v),
          fmt::format("{} at most is legal", INT64_MAX));
  return static_cast<std::int64_t>(v);
}

// As many as the shape has.
void Parser::entries(Type type) {
  std::size_t count = 1;
  for (const std::size_t n : out_.shape) count *= n;
  if (bytes_.size() != count * type.size)
    wrong(Code::wrong_file_size, fmt::format("has {} bytes of data", bytes_.size()),
          fmt::format("{}, for its {} entries, are legal", count * type.size, count));
  out_.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out_.values.push_back(entry(type, i));
}

// Values in Fortran order, whose first dimension runs fastest, into C order.
void Parser::turn_round() {
  std::vector<std::int64_t> turned;
  turned.reserve(out_.values.size());
  std::vector<std::size_t> at(out_.shape.size(), 0);
  for (std::size_t i = 0; i < out_.values.size(); ++i) {
    std::size_t from = 0;
    for (std::size_t d = at.size(); d-- > 0;) from = from * out_.shape[d] + at[d];
    turned.push_back(out_.values[from]);
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == out_.shape[d];) at[d] = 0;
  }
  out_.values = std::move(turned);
}

Numbers Parser::npy() {
  const std::string header = npy_header();
  const Type type = npy_type(header);
  const std::string order = npy_value(header, "fortran_order");
  if (!order.starts_with("False") && !order.starts_with("True"))
    wrong(Code::malformed_npy, "does not say whether it is in Fortran order",
          "one that numpy.save wrote is legal");
  npy_shape(header);
  entries(type);
  if (order.starts_with("True")) turn_round();
  return std::move(out_);
}

Numbers Parser::raw() {
  static const std::pair<std::string_view, Type> types[] = {
      {"int8", {'i', 1}},  {"uint8", {'u', 1}},  {"int16", {'i', 2}}, {"uint16", {'u', 2}},
      {"int32", {'i', 4}}, {"uint32", {'u', 4}}, {"int64", {'i', 8}}, {"uint64", {'u', 8}}};
  for (const auto& [name, type] : types) {
    if (name != wanted_.type) continue;
    if (bytes_.size() % type.size != 0)
      wrong(
          Code::wrong_file_size, fmt::format("has {} bytes", bytes_.size()),
          fmt::format("a multiple of {}, for whole numbers of type {}, is legal", type.size, name));
    if (bytes_.size() / type.size > most_entries)
      wrong(Code::too_many_entries, "is too long",
            fmt::format("no more than {} entries are legal", most_entries));
    out_.shape = {bytes_.size() / type.size};
    entries(type);
    return std::move(out_);
  }
  wrong(Code::unknown_number_type,
        wanted_.type.empty()
            ? "does not say what its numbers are"
            : fmt::format("cannot have numbers of type {}", in_quotes(wanted_.type)),
        "\"type\" with int8, uint8, int16, uint16, int32, uint32, int64 or uint64 is legal");
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
    wrong(Code::ragged_list, fmt::format("has a row of {} in line {}", count, line_),
          fmt::format("{}, as in the first one, are legal", out_.shape[1]));
  if (out_.values.size() > most_entries)
    wrong(Code::too_many_entries, "is too long",
          fmt::format("no more than {} entries are legal", most_entries));
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
        wrong(Code::malformed_number, fmt::format("has {} in line {}", in_quotes(number), line_),
              "integers between commas are legal");
      out_.values.push_back(v);
      rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    }
    add_row(count);
  }
  return std::move(out_);
}

// Low to high, as many as count.
std::vector<bool> Parser::bits_of(std::string_view digits) const {
  std::vector<bool> bits;
  for (auto d = digits.rbegin(); d != digits.rend(); ++d) {
    if (*d == '_') continue;
    unsigned v = 16;
    std::from_chars(&*d, &*d + 1, v, 16);
    if (v > 15)
      wrong(Code::malformed_number, fmt::format("has {} in line {}", in_quotes(digits), line_),
            "hexadecimal digits are legal");
    for (unsigned i = 0; i < 4; ++i) bits.push_back(v >> i & 1);
  }
  if (bits.empty())
    wrong(Code::malformed_number, fmt::format("has {} in line {}", in_quotes(digits), line_),
          "hexadecimal digits are legal");
  const std::size_t count = wanted_.bits == 0 ? bits.size() : wanted_.bits;
  if (std::find(bits.begin() + static_cast<std::ptrdiff_t>(std::min(count, bits.size())),
                bits.end(), true) != bits.end())
    wrong(Code::number_too_large, fmt::format("has {} in line {}", in_quotes(digits), line_),
          fmt::format("words of {} bits are legal", count));
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
    wrong(Code::number_too_large, fmt::format("has {} in line {}", in_quotes(word), line_),
          "63 bits at most are legal");
  std::int64_t v = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) v |= std::int64_t{bits[i]} << i;
  if (wanted_.is_signed && bits.back()) v -= std::int64_t{1} << bits.size();
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
    throw FileError(
        Code::key_without_use,
        fmt::format("{} has no words of {} bits: \"bits\" is legal for .hex", name, wanted.bits));
  if (!wanted.type.empty() && !raw)
    throw FileError(Code::key_without_use,
                    fmt::format("{} says itself what its numbers are: \"type\" is legal for .bin "
                                "and .raw",
                                name));
  Parser parser(bytes, name, wanted);
  if (name.ends_with(".npy")) return parser.npy();
  if (name.ends_with(".csv")) return parser.csv();
  if (hex) return parser.hex();
  if (raw) return parser.raw();
  throw FileError(
      Code::unknown_suffix,
      fmt::format("{} has no known suffix: .npy, .csv, .hex, .bin or .raw is legal", name));
}

Numbers read_numbers(const std::filesystem::path& path, const NumbersWanted& wanted) {
  const std::string bytes = load_text(path);
  const std::string name = path.filename().string();
  if (bytes.size() > max_bytes)
    throw FileError(Code::file_too_long,
                    fmt::format("{} is too long: {} bytes at most are legal", name, max_bytes));
  return parse_numbers(bytes, name, wanted);
}

}  // namespace kumiki::gen::config
