// SPDX-License-Identifier: Apache-2.0
#include "tests/gen/config/generators.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::gen::config {
namespace {

template <class T>
rc::Gen<std::optional<T>> maybe(rc::Gen<T> one) {
  return rc::gen::oneOf(rc::gen::just(std::optional<T>()), rc::gen::map(std::move(one), [](T v) {
                          return std::optional<T>(std::move(v));
                        }));
}

template <class T>
rc::Gen<std::vector<T>> list(rc::Gen<T> one, std::size_t shortest, std::size_t longest) {
  return rc::gen::mapcat(rc::gen::inRange(shortest, longest + 1), [one](std::size_t n) {
    return rc::gen::container<std::vector<T>>(n, one);
  });
}

rc::Gen<int> number(int low, int high) {
  // The ends more often than chance would have them.
  return rc::gen::weightedOneOf<int>(
      {{1, rc::gen::just(low)}, {1, rc::gen::just(high)}, {6, rc::gen::inRange(low, high + 1)}});
}

rc::Gen<double> fraction(double high) {
  return rc::gen::map(rc::gen::arbitrary<std::uint32_t>(),
                      [high](std::uint32_t v) { return high * v / 4294967295.0; });
}

// Pieces that JSON, C strings or columns could stumble over.
rc::Gen<std::string> words() {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{
      "a", "Z", "0", " ",  "\"", "\\",      "/",  "\n",   "\t",           "{",           "]",
      ",", ":", "é", "組", "😀",  "\\u0041", "//", "null", "\xE2\x80\xA8", "\xEF\xBB\xBF"});
  return rc::gen::map(list(piece, 0, 20), [](const std::vector<std::string>& all) {
    return fmt::format("{}", fmt::join(all, ""));
  });
}

rc::Gen<FakeRequant> requant() {
  return rc::gen::build<FakeRequant>(
      rc::gen::set(&FakeRequant::scale, list(fraction(1e6), 1, 5)),
      rc::gen::set(&FakeRequant::shift, number(1, 47)),
      rc::gen::set(&FakeRequant::rounding,
                   rc::gen::element(FakeRounding::away, FakeRounding::even)));
}

rc::Gen<FakeStage> stage() {
  return rc::gen::build<FakeStage>(
      rc::gen::set(&FakeStage::label, rc::gen::element<std::string>("a", "B_9", "_", "Begin")),
      rc::gen::set(&FakeStage::gain, rc::gen::arbitrary<std::int8_t>()));
}

rc::Gen<std::array<int, 2>> kernel() {
  return rc::gen::map(rc::gen::pair(number(1, 11), number(1, 11)), [](const auto& both) {
    return std::array<int, 2>{both.first, both.second};
  });
}

rc::Gen<std::variant<int, std::vector<int>>> stride() {
  using Either = std::variant<int, std::vector<int>>;
  return rc::gen::oneOf(rc::gen::map(number(1, 4), [](int one) { return Either(one); }),
                        rc::gen::map(list(number(1, 4), 2, 2),
                                     [](const std::vector<int>& two) { return Either(two); }));
}

rc::Gen<FakeDot> dot() {
  const auto row_length = rc::gen::inRange<std::size_t>(1, 9);
  const auto taps = rc::gen::mapcat(row_length, [](std::size_t columns) {
    return list(list(number(0, 100'000), columns, columns), 0, 8);
  });
  const auto weight = rc::gen::map(number(-128, 127), [](int w) { return std::int16_t(w); });
  const auto any = rc::gen::build<FakeDot>(
      rc::gen::set(&FakeDot::terms, number(1, 65536)),
      rc::gen::set(&FakeDot::scheme,
                   rc::gen::element(FakeScheme::plain, FakeScheme::wp487, FakeScheme::bias)),
      rc::gen::set(&FakeDot::pipelined), rc::gen::set(&FakeDot::load, fraction(1.0)),
      rc::gen::set(&FakeDot::weights, maybe(list(weight, 1, 40))),
      rc::gen::set(&FakeDot::kernel, kernel()), rc::gen::set(&FakeDot::stride, stride()),
      rc::gen::set(&FakeDot::taps, taps), rc::gen::set(&FakeDot::requant, maybe(requant())),
      rc::gen::set(&FakeDot::stages, list(stage(), 0, 4)),
      rc::gen::set(&FakeDot::file, maybe(rc::gen::element<std::string>("w.npy", "../a b/é"))),
      rc::gen::set(&FakeDot::note, words()));
  // What the rules between keys want.
  return rc::gen::map(any, [](FakeDot d) {
    if (d.weights) d.terms = static_cast<int>(d.weights->size());
    for (auto& row : d.taps) {
      for (int& tap : row) tap = std::min(tap, d.terms);
    }
    if (d.terms > 1024 && d.scheme == FakeScheme::plain) d.scheme = FakeScheme::wp487;
    return d;
  });
}

rc::Gen<FakeSum> sum() {
  return rc::gen::build<FakeSum>(rc::gen::set(&FakeSum::operands, number(2, 1024)),
                                 rc::gen::set(&FakeSum::terms, number(1, 16)));
}

rc::Gen<Layer> layer() {
  auto of_type = [](const char* type) {
    return [type](const auto& config) {
      return Layer{.type = fake_registry().find(type),
                   .request = std::make_shared<std::decay_t<decltype(config)>>(config)};
    };
  };
  return rc::gen::oneOf(rc::gen::map(dot(), of_type("dot")), rc::gen::map(sum(), of_type("sum")));
}

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

rc::Gen<Document> any_document() {
  const auto target = rc::gen::build<Target>(
      rc::gen::set(&Target::family, rc::gen::element(ir::Family::series7, ir::Family::ultrascale,
                                                     ir::Family::ultrascale_plus)),
      rc::gen::set(&Target::column_height, maybe(number(1, 65536))),
      rc::gen::set(&Target::part, maybe(rc::gen::just<std::string>({}))));
  const auto simulation = rc::gen::build<Simulation>(
      rc::gen::set(&Simulation::seed),
      rc::gen::set(&Simulation::cycles, rc::gen::positive<std::int64_t>()),
      rc::gen::set(&Simulation::stall, fraction(0.99)),
      rc::gen::set(&Simulation::resets, number(0, 1000)));
  const auto any = rc::gen::build<Document>(
      rc::gen::set(&Document::name, rc::gen::element<std::string>("top", "T", "t_1")),
      rc::gen::set(&Document::description, maybe(words())), rc::gen::set(&Document::target, target),
      rc::gen::set(&Document::simulation, simulation),
      rc::gen::set(&Document::layers, list(layer(), 1, 6)));
  return rc::gen::map(any, [](Document d) {
    if (d.target.part) d.target.part = part_of(d.target.family);
    d.simulation.cycles = d.simulation.cycles % 1'000'000'000'000 + 1;
    for (std::size_t i = 0; i < d.layers.size(); ++i) d.layers[i].name = fmt::format("layer{}", i);
    return d;
  });
}

rc::Gen<std::string> damaged(std::string text) {
  return rc::gen::exec([text] {
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
    const int edits = *rc::gen::inRange(1, 6);
    for (int i = 0; i < edits && !out.empty(); ++i) {
      const std::size_t at = *rc::gen::inRange<std::size_t>(0, out.size());
      const std::size_t length = *rc::gen::inRange<std::size_t>(1, 12);
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          out[at] = *rc::gen::arbitrary<char>();
          break;
        case 1:
          out.erase(at, length);
          break;
        case 2:
          out.insert(at, std::string(out.substr(at, length)));
          break;
        case 3:
          out.insert(at, *rc::gen::elementOf(pieces));
          break;
        default:
          out.resize(at);
      }
    }
    return out;
  });
}

}  // namespace kumiki::gen::config
