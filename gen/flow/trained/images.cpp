// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/images.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/support/image/image.h"
#include "backends/support/image/messages.h"
#include "gen/config/messages.h"
#include "gen/config/source.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/trained/messages.h"
#include "gen/flow/usage.h"
#include "gen/graph/quantise.h"
#include "ir/activity.h"
#include "ir/interrupt.h"
#include "ir/limits.h"

namespace kumiki::flow {
namespace {

using gen::config::Array;
using gen::config::ArrayShape;
using gen::graph::Tensor;

constexpr std::size_t most_bytes_of_a_file = std::size_t{1} << 30, most_entries = 1 << 30;

std::string read_whole(const std::string& name, std::string_view wanted) {
  std::string bytes = gen::config::load_text(name, most_bytes_of_a_file, wanted);
  if (bytes.starts_with("\x1f\x8b"))
    throw FileError(code::unknown_input,
                    fmt::format("{} is compressed; unpack it with gunzip", name));
  if (bytes.size() > most_bytes_of_a_file)
    throw FileError(
        code::file_too_long,
        fmt::format("{} is too long; it must have at most {} bytes", name, most_bytes_of_a_file));
  return bytes;
}

bool is_picture(std::string_view bytes) {
  return bytes.starts_with("\x89PNG") ||
         (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7' &&
          std::string_view(" \t\r\n#").find(bytes[2]) != std::string_view::npos);
}

ArrayShape without_ones(ArrayShape shape) {
  while (!shape.empty() && shape.back() == 1) shape.pop_back();
  const auto first = std::ranges::find_if(shape, [](std::size_t n) { return n != 1; });
  shape.erase(shape.begin(), first);
  return shape;
}

std::string plural(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// The kind of numbers in a file.
enum class Kind { integers, reals, pixels };

std::string_view in_words(Kind kind) {
  return kind == Kind::integers ? "integers" : kind == Kind::reals ? "real numbers" : "pixels";
}

class Reader {
 public:
  // `input` is the number of an input, and `before` how many numbers those before it have.
  Reader(const gen::graph::Graph& graph, const ImageOptions& options, std::size_t input = 0,
         std::size_t before = 0)
      : graph_(graph),
        number_(input),
        before_(before),
        input_(graph.tensors[all_inputs(graph)[input]]),
        legal_(numbers_of_input(graph, all_inputs(graph)[input])),
        options_(options),
        size_(gen::graph::count(input_.shape)) {}

  Images all() {
    for (const std::string& file : options_.files) read(file);
    for (const Array& a : options_.arrays) array(a);
    if (options_.asked && *options_.asked > out_.there)
      throw UsageError(
          code::image_count,
          fmt::format("--images {} is more than the files of --input hold, {}; it must be 1 to {}",
                      *options_.asked, plural(out_.there, "image"), out_.there));
    const auto [least, most] = std::ranges::minmax(out_.numbers);
    out_.range = {least, most};
    out_.rule = rule();
    out_.doubt = doubt();
    return std::move(out_);
  }

 private:
  void read(const std::string& file) {
    const ir::Activity doing("reading " + file);
    ir::stop_if_interrupted();
    const std::string bytes = read_whole(file, "a file of images");
    if (gen::config::is_npy(bytes)) {
      array(gen::config::parse_npy(bytes, file, {.reals = true, .most_entries = most_entries}));
    } else if (gen::config::is_idx(bytes)) {
      array(gen::config::parse_idx(bytes, file, most_entries), true);
    } else if (is_picture(bytes)) {
      picture(backends::decode_image(bytes, file), file);
    } else {
      throw FileError(
          code::unknown_input,
          fmt::format("{} is not a file of images; give .npy, PNG, PGM, PPM or IDX", file));
    }
  }

  // All files must be of one kind, so that one rule holds for all images.
  void is(Kind kind, const std::string& file) {
    if (kind_ && *kind_ != kind)
      throw FileError(
          code::mixed_inputs,
          fmt::format("{} holds {}, but {} before it holds {}; all files must be of one kind", file,
                      in_words(kind), first_file_, in_words(*kind_)));
    if (kind_) return;
    kind_ = kind;
    first_file_ = file;
    for (const auto& [option, values] :
         {std::pair("--mean", &options_.mean), std::pair("--std", &options_.deviation)}) {
      if (values->empty()) continue;
      if (kind != Kind::pixels)
        throw UsageError(
            code::option_needs,
            fmt::format(
                "{} is for pixels, but {} holds {}, which are not scaled; remove the option",
                option, file, in_words(kind)));
      if (values->size() != 1 && values->size() != channels())
        throw UsageError(code::option_value,
                         fmt::format("{} has {}; it must have 1{}, because the input {} is {}",
                                     option, plural(values->size(), "value"),
                                     channels() == 1 ? "" : fmt::format(" or {}", channels()),
                                     input_.name, gen::graph::to_string(input_.shape)));
    }
  }

  std::size_t channels() const {
    return input_.shape.size() == 3 ? static_cast<std::size_t>(input_.shape[0]) : 1;
  }

  // Returns how many of `more` images are used, and makes room for them.
  std::size_t taken(std::size_t more) {
    out_.there += more;
    more = std::min(more, options_.asked.value_or(options_.enough) - out_.count);
    const std::uint64_t bytes = (out_.count + more) * size_ * sizeof(std::int32_t);
    if (bytes > most_bytes_of_a_run)
      throw ir::LimitError(
          code::too_many_images,
          fmt::format("{} images take {} bytes, more than {}; use --images {} or fewer",
                      out_.count + more, bytes, most_bytes_of_a_run,
                      most_bytes_of_a_run / (size_ * sizeof(std::int32_t))));
    out_.numbers.reserve((out_.count + more) * size_);
    return more;
  }

  void array(const Array& a, bool pixels = false) {
    const ArrayShape image = shape_of(input_);
    const auto there = images_in(a.shape, image);
    if (!there)
      throw FileError(
          code::array_shape,
          fmt::format("{} is {}; it must be Nx{}, N images of the input {}", a.name,
                      gen::config::to_string(a.shape), gen::config::to_string(image), input_.name));
    if (*there == 0)
      throw FileError(code::image_count,
                      fmt::format("{} is {}, which holds no image; give at least one", a.name,
                                  gen::config::to_string(a.shape)));
    is(pixels ? Kind::pixels : a.type.is_real() ? Kind::reals : Kind::integers, a.name);
    const std::size_t take = taken(*there);
    if (*kind_ == Kind::integers && is_within(a)) {
      take_bytes(a, take * size_);
      out_.count += take;
      return;
    }
    for (std::size_t i = 0; i < take; ++i) {
      ir::stop_if_interrupted();
      for (std::size_t k = 0; k < size_; ++k) out_.numbers.push_back(number(a, i, k));
      ++out_.count;
    }
  }

  // Whether every byte is a valid number of the input, so that no check is needed.
  bool is_within(const Array& a) const {
    if (a.type.size != 1 || a.is_fortran_order || (a.type.kind != 'i' && a.type.kind != 'u'))
      return false;
    const gen::arith::Format format{8, a.type.kind == 'i'};
    return format.range().within(legal_);
  }
  void take_bytes(const Array& a, std::size_t count) {
    const char* from = a.data.data();
    const std::size_t begin = out_.numbers.size();
    out_.numbers.resize(begin + count);
    std::int32_t* to = out_.numbers.data() + begin;
    if (a.type.kind == 'i')
      for (std::size_t i = 0; i < count; ++i)
        to[i] = std::int32_t{static_cast<std::int8_t>(from[i])};
    else
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(from[i]);
  }

  // The number of entry `k` of an image.
  std::int32_t number(const Array& a, std::size_t image, std::size_t k) {
    const std::size_t at = image * size_ + k;
    if (*kind_ == Kind::pixels)
      return quantised(scaled(static_cast<std::uint8_t>(a.integer(at)), channel_of(k)), k);
    const auto place = [&] {
      return fmt::format("{}: image {}, {}", a.name, image,
                         gen::config::place_in(shape_of(input_), k));
    };
    if (*kind_ == Kind::reals) {
      const double value = a.real(at);
      if (std::isnan(value))
        throw FileError(code::not_a_number,
                        fmt::format("{} is nan; it must be a real number", place()));
      return quantised(static_cast<float>(value), k);
    }
    const std::int64_t value = a.integer(at);
    if (!legal_.contains(value))
      throw FileError(code::image_range, fmt::format("{} is {}, but the input {} holds {}", place(),
                                                     value, input_.name, to_string(legal_)));
    return static_cast<std::int32_t>(value);
  }

  // The number of entry `k` of an image.
  std::int32_t quantised(float value, std::size_t k) {
    const auto q = gen::graph::quantised(input_, gen::graph::prepared(graph_, before_ + k, value));
    out_.saturated += q.saturated;
    return q.number;
  }

  std::size_t channel_of(std::size_t entry) const { return entry / (size_ / channels()); }

  // As torchvision's ToTensor and Normalize: each step in float32.
  float scaled(std::uint8_t pixel, std::size_t channel) const {
    const auto of = [&](const std::vector<double>& values) {
      return static_cast<float>(values[values.size() == 1 ? 0 : channel]);
    };
    float value = static_cast<float>(pixel) / 255.0f;
    if (!options_.mean.empty()) value -= of(options_.mean);
    if (!options_.deviation.empty()) value /= of(options_.deviation);
    return value;
  }

  void picture(const backends::Image& p, const std::string& file) {
    const auto& s = input_.shape;
    if (s.size() != 3 || (s[0] != 1 && s[0] != 3))
      throw FileError(code::array_shape,
                      fmt::format("{} is a picture, but the input {} is {}; pictures need an input "
                                  "of 1 or 3 channels, rows and columns",
                                  file, input_.name, gen::graph::to_string(s)));
    if (p.channels != s[0])
      throw FileError(
          code::picture_channels,
          fmt::format("{} is {}: the input {}, {}, takes {}", file,
                      p.channels == 1 ? "grey" : "in colour", input_.name, gen::graph::to_string(s),
                      s[0] == 1 ? "grey pictures" : "colours"));
    if (p.height != s[1] || p.width != s[2])
      throw FileError(
          code::array_shape,
          fmt::format("{} is {} x {} pixels; it must be {} x {}, because the input {} is {}", file,
                      p.width, p.height, s[2], s[1], input_.name, gen::graph::to_string(s)));
    if (p.maximum != 255)
      throw FileError(code::picture_white,
                      fmt::format("{}: white is {}; it must be 255", file, p.maximum));
    is(Kind::pixels, file);
    if (taken(1) == 0) return;
    std::size_t entry = 0;
    for (int c = 0; c < p.channels; ++c)
      for (int y = 0; y < p.height; ++y)
        for (int x = 0; x < p.width; ++x)
          out_.numbers.push_back(
              quantised(scaled(p.at(x, y, c), static_cast<std::size_t>(c)), entry++));
    ++out_.count;
  }

  // Unscaled numbers may not be those of the input, for example pixels with another scale. Warns if
  // all values use less than a quarter of the input range. Numbers that stand for themselves, as a
  // mask, are what they are.
  std::string doubt() const {
    const gen::arith::Interval& all = legal_;
    const gen::arith::Exact used = out_.range.span() + 1;
    const bool is_itself = input_.scale == 1 && input_.zero_point == 0;
    if (input_.format.bits < 5 || is_itself || 4 * used >= all.span() + 1) return "";
    return fmt::format(
        "the numbers are {} to {}, less than a quarter of the {} to {} that {} holds for {:.6g} to "
        "{:.6g}{}",
        static_cast<std::int64_t>(out_.range.lo), static_cast<std::int64_t>(out_.range.hi),
        static_cast<std::int64_t>(all.lo), static_cast<std::int64_t>(all.hi), input_.name,
        gen::graph::real_value(input_, static_cast<std::int64_t>(all.lo)),
        gen::graph::real_value(input_, static_cast<std::int64_t>(all.hi)),
        *kind_ == Kind::integers ? ": are they pixels of another scale? A file of float32, scaled "
                                   "as in the training, is "
                                   "quantised"
                                 : "");
  }

  std::string rule() const {
    if (*kind_ == Kind::integers)
      return fmt::format("numbers as they are, {} to {}", static_cast<std::int64_t>(out_.range.lo),
                         static_cast<std::int64_t>(out_.range.hi));
    std::string text = *kind_ == Kind::pixels ? "pixels / 255" : "real numbers";
    if (!options_.mean.empty())
      text = fmt::format("({} - {})", text, fmt::join(options_.mean, ","));
    if (!options_.deviation.empty())
      text = fmt::format("{} / {}", text, fmt::join(options_.deviation, ","));
    for (const auto& p : graph_.preparation) {
      if (p.input != number_) continue;
      text += fmt::format(", {} {}", name_of(p.kind),
                          p.values.size() == 1 ? fmt::format("{}", p.values[0])
                                               : fmt::format("a number a channel"));
    }
    return fmt::format("{}, quantised with scale {} and zero point {}", text, input_.scale,
                       input_.zero_point);
  }

  const gen::graph::Graph& graph_;
  const std::size_t number_, before_;
  const Tensor& input_;
  const gen::arith::Interval legal_;  // the numbers of the input
  const ImageOptions& options_;
  const std::size_t size_;
  std::optional<Kind> kind_;
  std::string first_file_;
  Images out_;
};

}  // namespace

namespace {

// The files of an input, from NAME=FILE.
std::vector<std::string> files_of(const std::string& input, const ImageOptions& options) {
  std::vector<std::string> files;
  for (const std::string& given : options.files)
    if (given.starts_with(input + "=")) files.push_back(given.substr(input.size() + 1));
  return files;
}

// Images of all inputs, those with the same number side by side.
Images read_inputs(const gen::graph::Graph& graph, const ImageOptions& options) {
  std::vector<std::string> names;
  std::size_t given = 0;
  for (const auto id : all_inputs(graph)) {
    names.push_back(graph.tensors[id].name);
    given += files_of(names.back(), options).size();
  }
  if (given != options.files.size() || !options.arrays.empty())
    throw UsageError(code::option_needs,
                     fmt::format("the network has the inputs {}; write --input NAME=FILE for each "
                                 "of them",
                                 fmt::join(names, ", ")));
  Images all;
  std::vector<Images> inputs;
  std::size_t before = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ImageOptions own = options;
    own.files = files_of(names[i], options);
    if (own.files.empty())
      throw UsageError(
          code::option_needs,
          fmt::format("no --input gives the input {}; write --input {}=FILE", names[i], names[i]));
    inputs.push_back(Reader(graph, own, i, before).all());
    before += gen::graph::count(graph.tensors[all_inputs(graph)[i]].shape);
    const Images &first = inputs[0], &last = inputs[i];
    if (last.count != first.count)
      throw FileError(
          code::image_count,
          fmt::format("{} has {}, but {} has {}; they must be as many", names[i],
                      plural(last.count, "image"), names[0], plural(first.count, "image")));
    all.rule += fmt::format("{}{}: {}", i == 0 ? "" : "; ", names[i], last.rule);
    if (!last.doubt.empty()) all.doubt += (all.doubt.empty() ? "" : "; ") + last.doubt;
    all.saturated += last.saturated;
    all.range = i == 0 ? last.range : hull(all.range, last.range);
    all.there = first.there;
    all.count = first.count;
  }
  for (std::size_t image = 0; image < all.count; ++image)
    for (const Images& input : inputs) {
      const auto size = static_cast<std::ptrdiff_t>(input.numbers.size() / all.count);
      const auto from = input.numbers.begin() + static_cast<std::ptrdiff_t>(image) * size;
      all.numbers.insert(all.numbers.end(), from, from + size);
    }
  return all;
}

// The name of the only input may stand before a file.
std::string without_name(const std::string& given, const std::string& input) {
  if (given.starts_with(input + "=")) return given.substr(input.size() + 1);
  const auto name = given.find('=');
  if (name != given.npos && !std::filesystem::exists(given) &&
      std::filesystem::exists(given.substr(name + 1)))
    throw UsageError(
        code::unknown_name,
        fmt::format("--input {}: the network has no input {}; write {}={} or the file alone", given,
                    given.substr(0, name), input, given.substr(name + 1)));
  return given;
}

}  // namespace

Images read_images(const gen::graph::Graph& graph, const ImageOptions& options) {
  if (!graph.more_inputs.empty()) return read_inputs(graph, options);
  ImageOptions files = options;
  for (std::string& file : files.files) file = without_name(file, graph.tensors[graph.input].name);
  return Reader(graph, files).all();
}

NumbersFile::NumbersFile(const std::string& name, bool reals)
    : bytes_(read_whole(name, "a file of numbers")),
      array_(gen::config::is_idx(bytes_)
                 ? gen::config::parse_idx(bytes_, name, most_entries)
                 : gen::config::parse_npy(bytes_, name,
                                          {.reals = reals, .most_entries = most_entries})) {}

ArrayShape shape_of(const Tensor& tensor) { return {tensor.shape.begin(), tensor.shape.end()}; }

bool is_same_shape(ArrayShape a, ArrayShape b) {
  return without_ones(std::move(a)) == without_ones(std::move(b));
}

std::optional<std::size_t> images_in(const ArrayShape& given, const ArrayShape& image) {
  if (!given.empty() && is_same_shape({given.begin() + 1, given.end()}, image)) return given[0];
  if (is_same_shape(given, image)) return 1;
  return std::nullopt;
}

}  // namespace kumiki::flow
