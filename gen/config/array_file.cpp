// SPDX-License-Identifier: Apache-2.0
#include "gen/config/array_file.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/config/messages.h"
#include "gen/config/source.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
// Three bytes that say "unsigned bytes"; the fourth is the number of dimensions.
constexpr std::string_view idx_magic("\0\0\x08", 3);

std::size_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

class NpyParser {
 public:
  NpyParser(std::string_view bytes, const std::string& name, const ArrayWanted& wanted)
      : bytes_(bytes), wanted_(wanted) {
    out_.name = name;
  }

  Array array() {
    read_header();
    read_type();
    const std::string order = value("fortran_order");
    if (!order.starts_with("False") && !order.starts_with("True"))
      wrong(code::malformed_npy, "does not say whether it is in Fortran order",
            "write it with numpy.save");
    out_.is_fortran_order = order.starts_with("True");
    read_shape();
    const std::size_t entries = count(out_.shape), size = out_.type.size;
    if (bytes_.size() != entries * size)
      wrong(code::wrong_file_size, fmt::format("has {} bytes of data", bytes_.size()),
            fmt::format("it must have {}, for its {} entries", entries * size, entries));
    out_.data = bytes_;
    return std::move(out_);
  }

 private:
  [[noreturn]] void wrong(Code code, const std::string& what, const std::string& legal) const {
    throw FileError({.code = code, .wrong = out_.name + " " + what, .required = legal});
  }

  void read_header() {
    if (!is_npy(bytes_) || bytes_.size() < 10)
      wrong(code::malformed_npy, "is not a .npy file", "write it with numpy.save");
    const auto byte = [&](std::size_t i) { return byte_at(bytes_, i); };
    if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)
      wrong(code::malformed_npy, fmt::format("is in version {}.{} of the format", byte(6), byte(7)),
            "it must be 1.0, 2.0 or 3.0, as numpy.save writes them");
    const bool is_long = byte(6) > 1;
    const std::size_t start = is_long ? 12 : 10;
    if (bytes_.size() < start)
      wrong(code::malformed_npy, "is cut off in its header", "give the whole file");
    const std::size_t size =
        is_long ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
    if (bytes_.size() - start < size)
      wrong(code::malformed_npy, "is cut off in its header", "give the whole file");
    header_ = bytes_.substr(start, size);
    bytes_.remove_prefix(start + size);
  }

  // The value behind 'key' in the header, which is a Python dictionary.
  std::string value(std::string_view key) const {
    const auto at = header_.find(fmt::format("'{}':", key));
    if (at == header_.npos)
      wrong(code::malformed_npy, fmt::format("has no '{}' in its header", key),
            "write it with numpy.save");
    return std::string(trimmed(header_.substr(at + key.size() + 3)));
  }

  void read_type() {
    std::string d = value("descr");
    d = d.substr(0, d.find_first_of(",}"));
    std::erase_if(d, [](char c) { return c == '\'' || c == ' '; });
    if (!is_legal_type(d))
      wrong(code::unknown_number_type, fmt::format("has entries of type {}", in_quotes(d)),
            wanted_.reals
                ? "entries must be booleans, little-endian integers of 1, 2, 4 or 8 bytes and "
                  "floats of "
                  "4 or 8 bytes"
                : "entries must be booleans or little-endian integers of 1, 2, 4 or 8 bytes");
    out_.type = {d[1], static_cast<unsigned>(d[2] - '0')};
  }

  bool is_legal_type(std::string_view d) const {
    if (d.size() != 3 || (d[0] != '<' && d[0] != '|')) return false;
    const char kind = d[1], size = d[2];
    if (d[0] == '|' && size != '1') return false;
    if (kind == 'f') return wanted_.reals && (size == '4' || size == '8');
    if (kind == 'b') return size == '1';
    return (kind == 'i' || kind == 'u') && std::string_view("1248").find(size) != d.npos;
  }

  void read_shape() {
    std::string s = value("shape");
    if (!s.starts_with("(") || s.find(')') == s.npos)
      wrong(code::malformed_npy, "has no shape", "write it with numpy.save");
    s = s.substr(1, s.find(')') - 1);
    std::size_t entries = 1;
    for (std::string_view rest = s; !trimmed(rest).empty();) {
      const auto end = std::min(rest.find(','), rest.size());
      const auto number = trimmed(rest.substr(0, end));
      std::int64_t n = 0;
      const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), n);
      const bool too_large = error == std::errc::result_out_of_range && !number.starts_with('-');
      if (!too_large && (error != std::errc() || stop != number.data() + number.size() || n < 0))
        wrong(code::malformed_npy,
              fmt::format("has the shape ({}), of which {} is not a size", s, in_quotes(number)),
              "sizes must be 0 or more");
      if (too_large || (n > 0 && entries > wanted_.most_entries / static_cast<std::size_t>(n)))
        wrong(code::too_many_entries, fmt::format("has the shape ({})", s),
              fmt::format("it must have at most {} entries", wanted_.most_entries));
      out_.shape.push_back(static_cast<std::size_t>(n));
      entries *= static_cast<std::size_t>(n);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  std::string_view bytes_, header_;
  const ArrayWanted& wanted_;
  Array out_;
};

}  // namespace

std::string to_string(NumberType type) {
  if (type.kind == 'b') return "bool";
  return fmt::format("{}{}",
                     type.is_real()     ? "float"
                     : type.kind == 'u' ? "uint"
                                        : "int",
                     8 * type.size);
}

std::size_t count(const ArrayShape& shape) {
  std::size_t all = 1;
  for (const std::size_t n : shape) all *= n;
  return all;
}

std::string to_string(const ArrayShape& shape) {
  return shape.empty() ? "()" : fmt::format("{}", fmt::join(shape, "x"));
}

std::string place_in(const ArrayShape& shape, std::size_t at) {
  std::string text;
  for (std::size_t d = shape.size(); d-- > 0; at /= shape[d])
    text = fmt::format("[{}]{}", at % shape[d], text);
  return text;
}

std::uint64_t Array::raw(std::size_t at) const {
  if (is_fortran_order) {
    std::size_t rest = at, step = count(shape);
    at = 0;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
      step /= shape[d];
      at += rest % shape[d] * step;
    }
  }
  std::uint64_t v = 0;
  for (unsigned i = 0; i < type.size; ++i)
    v |= std::uint64_t{byte_at(data, at * type.size + i)} << (8 * i);
  return v;
}

std::int64_t Array::integer(std::size_t at) const {
  const std::uint64_t v = raw(at);
  const unsigned unused = 64 - 8 * type.size;
  if (type.kind == 'i') return static_cast<std::int64_t>(v << unused) >> unused;
  if (v > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    throw FileError({.code = code::number_too_large,
                     .wrong = fmt::format("{} has the entry {}", name, v),
                     .required = fmt::format("entries must be at most {}",
                                             std::numeric_limits<std::int64_t>::max())});
  return static_cast<std::int64_t>(v);
}

double Array::real(std::size_t at) const {
  const std::uint64_t v = raw(at);
  return type.size == 4 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(v))}
                        : std::bit_cast<double>(v);
}

bool is_npy(std::string_view bytes) { return bytes.starts_with(npy_magic); }

bool is_idx(std::string_view bytes) { return bytes.starts_with(idx_magic); }

Array parse_npy(std::string_view bytes, const std::string& name, const ArrayWanted& wanted) {
  return NpyParser(bytes, name, wanted).array();
}

Array parse_idx(std::string_view bytes, const std::string& name, std::size_t most_entries) {
  const auto wrong = [&](Code code, const std::string& what, const std::string& legal) {
    throw FileError({.code = code, .wrong = name + " " + what, .required = legal});
  };
  Array out{.name = name, .type = {'u', 1}};
  const std::size_t dimensions = bytes.size() > 3 ? byte_at(bytes, 3) : 0;
  if (!is_idx(bytes) || dimensions == 0 || bytes.size() < 4 + 4 * dimensions)
    wrong(code::malformed_idx, "is not a whole IDX file of unsigned bytes",
          "give one as MNIST has them");
  std::size_t entries = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | byte_at(bytes, 4 + 4 * d + i);
    if (n > 0 && entries > most_entries / n)
      wrong(code::too_many_entries, fmt::format("has a dimension of {}", n),
            fmt::format("it must have at most {} entries", most_entries));
    out.shape.push_back(n);
    entries *= n;
  }
  out.data = bytes.substr(4 + 4 * dimensions);
  if (out.data.size() != entries)
    wrong(code::wrong_file_size, fmt::format("has {} bytes of data", out.data.size()),
          fmt::format("it must have {}, as its header says", entries));
  return out;
}

std::string npy_header(NumberType type, const ArrayShape& shape) {
  constexpr std::size_t prefix = 10, alignment = 64, room = 21;
  std::string header =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  type.size == 1 ? '|' : '<', type.kind, type.size, fmt::join(shape, ", "),
                  shape.size() == 1 ? "," : "");
  // numpy leaves room for the most digits that the first dimension can ever have.
  if (!shape.empty()) header.append(room - fmt::format("{}", shape[0]).size(), ' ');
  header.append(alignment - (prefix + header.size() + 1) % alignment, ' ');
  header += '\n';
  std::string file(npy_magic);
  file += {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return file + header;
}

}  // namespace kumiki::gen::config
