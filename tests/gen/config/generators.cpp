// SPDX-License-Identifier: Apache-2.0
#include "tests/gen/config/generators.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>

namespace kumiki::gen::config {
namespace {

// Documents are not made smaller when a property fails, so their values are drawn one by one:
// combinators of generators take longer to compile than all the rest of the suites here.
int below(int end) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end)); }

int number(int low, int high) {
  // The ends more often than chance would have them.
  switch (below(8)) {
    case 0:
      return low;
    case 1:
      return high;
    default:
      return *rc::gen::inRange(low, high + 1);
  }
}

double fraction(double high) { return high * below(2147483647) / 2147483646.0; }

template <class T>
T one_of(const std::vector<T>& all) {
  return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
}

template <class Draw>
auto maybe(Draw draw) {
  return below(2) ? std::optional(draw()) : std::nullopt;
}

template <class Draw>
auto list(int shortest, int longest, Draw draw) {
  std::vector<decltype(draw())> all;
  for (int n = number(shortest, longest); n > 0; --n) all.push_back(draw());
  return all;
}

// Pieces that JSON, C strings or columns could stumble over.
std::string words() {
  static const std::vector<std::string> pieces{
      "a", "Z", "0", " ",  "\"", "\\",      "/",  "\n",   "\t",           "{",           "]",
      ",", ":", "é", "組", "😀",  "\\u0041", "//", "null", "\xE2\x80\xA8", "\xEF\xBB\xBF"};
  return fmt::format("{}", fmt::join(list(0, 20, [] { return one_of(pieces); }), ""));
}

FakeRequant requant() {
  FakeRequant r;
  r.scale = list(1, 5, [] { return fraction(1e6); });
  r.shift = number(1, 47);
  r.rounding = below(2) ? FakeRounding::away : FakeRounding::even;
  return r;
}

FakeStage stage() {
  FakeStage s;
  s.label = one_of<std::string>({"a", "B_9", "_", "Begin"});
  s.gain = static_cast<std::int8_t>(number(-128, 127));
  return s;
}

std::variant<int, std::vector<int>> stride() {
  const auto one = [] { return number(1, 4); };
  if (below(2)) return one();
  return list(2, 2, one);
}

FakeDot dot() {
  FakeDot d;
  d.terms = number(1, 65536);
  d.scheme = one_of<FakeScheme>({FakeScheme::plain, FakeScheme::wp487, FakeScheme::bias});
  d.pipelined = below(2);
  d.load = fraction(1.0);
  d.weights = maybe(
      [] { return list(1, 40, [] { return static_cast<std::int16_t>(number(-128, 127)); }); });
  d.kernel = {number(1, 11), number(1, 11)};
  d.stride = stride();
  const int columns = number(1, 8);
  d.taps = list(0, 8, [&] { return list(columns, columns, [] { return number(0, 100'000); }); });
  d.requant = maybe(requant);
  d.stages = list(0, 4, stage);
  d.file = maybe([] { return one_of<std::string>({"w.npy", "../a b/é"}); });
  d.note = words();
  // What the rules between keys want.
  if (d.weights) d.terms = static_cast<int>(d.weights->size());
  for (auto& row : d.taps) {
    for (int& tap : row) tap = std::min(tap, d.terms);
  }
  if (d.terms > 1024 && d.scheme == FakeScheme::plain) d.scheme = FakeScheme::wp487;
  return d;
}

FakeSum sum() {
  FakeSum s;
  s.operands = number(2, 1024);
  s.terms = number(1, 16);
  return s;
}

template <class Config>
Layer of_type(const char* type, Config config) {
  return {.type = fake_registry().find(type),
          .request = std::make_shared<Config>(std::move(config))};
}

Layer layer() { return below(2) ? of_type("dot", dot()) : of_type("sum", sum()); }

const char* part_of(ir::Family family) {
  switch (family) {
    case ir::Family::series7:
      return "xc7a35t";
    case ir::Family::ultrascale:
      return "XCKU040-ffva1156-2-e";
    default:
      return "xcku5p-ffvb676-2-e";
  }
}

}  // namespace

Document any_document() {
  Document d;
  d.name = one_of<std::string>({"top", "T", "t_1"});
  d.description = maybe(words);
  d.target.family = one_of<ir::Family>(
      {ir::Family::series7, ir::Family::ultrascale, ir::Family::ultrascale_plus});
  d.target.column_height = maybe([] { return number(1, 65536); });
  d.target.part = maybe([&] { return std::string(part_of(d.target.family)); });
  d.simulation.seed = *rc::gen::arbitrary<std::uint32_t>();
  d.simulation.cycles = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'001);
  d.simulation.stall = fraction(0.99);
  d.simulation.resets = number(0, 1000);
  d.layers = list(1, 6, layer);
  for (std::size_t i = 0; i < d.layers.size(); ++i) d.layers[i].name = fmt::format("layer{}", i);
  return d;
}

std::string damaged(const std::string& text) {
  static const std::vector<std::string> pieces = {"{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  ",",
                                                  ":",
                                                  "\"",
                                                  "\\",
                                                  "\\u",
                                                  "\\ud800",
                                                  "1e999",
                                                  "-",
                                                  "00",
                                                  ".",
                                                  "true",
                                                  "nul",
                                                  "//",
                                                  "/*",
                                                  "\n",
                                                  "\t",
                                                  "\xFF",
                                                  "\xC3",
                                                  "é",
                                                  "[[",
                                                  "{\"",
                                                  "\"a\"",
                                                  "-1e-99",
                                                  "NaN",
                                                  "\xEF\xBB\xBF",
                                                  "1.0",
                                                  "99999999999999999999",
                                                  std::string(1, '\0'),
                                                  std::string(70, '[')};
  std::string out = text;
  const int edits = number(1, 5);
  for (int i = 0; i < edits && !out.empty(); ++i) {
    const std::size_t at = static_cast<std::size_t>(below(static_cast<int>(out.size())));
    const std::size_t length = static_cast<std::size_t>(number(1, 11));
    switch (below(5)) {
      case 0:
        out[at] = static_cast<char>(below(256));
        break;
      case 1:
        out.erase(at, length);
        break;
      case 2:
        out.insert(at, std::string(out.substr(at, length)));
        break;
      case 3:
        out.insert(at, one_of(pieces));
        break;
      default:
        out.resize(at);
    }
  }
  return out;
}

}  // namespace kumiki::gen::config
