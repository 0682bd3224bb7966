// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/flow/sets/host.h"
#include "gen/flow/slots.h"
#include "gen/flow/trained/messages.h"
#include "gen/flow/usage.h"

namespace kumiki::flow {
namespace {

// Numbers are passed as signed 64-bit integers.
constexpr int most_bits = 63;
constexpr std::size_t most_numbers = 16'000'000;  // in a set

class Shaper {
 public:
  Shaper(const gen::NamedLayer& layer, const ir::PortLayout& ports) : layer_(layer) {
    s_.ports = ports;
  }

  SetShape shaped() {
    for (const gen::Beat& b : layer_.layer->beats()) add(b);
    if (s_.in.empty() || s_.out.empty()) refuse("it has no operands or no results with numbers");
    enters();
    for (const ir::PortSlot& p : s_.ports.inputs) control(p);
    for (const Operand& o : s_.out) leaves(o);
    return std::move(s_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(
        code::option_needs_layer,
        fmt::format("{} ({}) takes no sets of numbers: {}; use layers whose operands enter "
                    "together and alone: combinational ones, those with rst, en, in_valid and "
                    "out_valid, and matvec, matmul and conv2d with embedded weights",
                    layer_.name, layer_.type, why));
  }

  void add(const gen::Beat& b) {
    const ir::PortSlot* in = find_slot(s_.ports.inputs, b.port);
    const ir::PortSlot* out = find_slot(s_.ports.outputs, b.port);
    if (!in && !out) refuse(fmt::format("{} is not a port of it", b.port));
    Operand o{.name = b.part.empty() ? b.port : b.part, .beat = b, .slot = in ? *in : *out};
    std::size_t all = 1;
    for (const gen::Coordinate& c : b.of) {
      if (!c.given.port.empty())
        refuse(fmt::format("the size of {} is known only at run time", b.port));
      o.axes.push_back(c.name);
      o.shape.push_back(static_cast<std::size_t>(c.count));
      all *= o.shape.back();
      if (all > most_numbers)
        refuse(fmt::format("{} has more than {} numbers", b.port, most_numbers));
    }
    o.formats.resize(all);
    for (std::int64_t w = 0; w < b.word_count(); ++w) {
      auto& row = o.place.emplace_back();
      for (std::int64_t e = 0; e < b.element_count(); ++e) row.push_back(placed(o, w, e));
    }
    o.range = o.formats[0].range();
    for (const auto& f : o.formats) {
      if (f.bits > most_bits) refuse(fmt::format("{} has numbers of {} bits", b.port, f.bits));
      o.range = gen::arith::hull(o.range, f.range());
    }
    for (const std::uint32_t l : b.late) s_.latest = std::max<std::size_t>(s_.latest, l);
    (in ? s_.in : s_.out).push_back(std::move(o));
  }

  static std::int64_t placed(Operand& o, std::int64_t word, std::int64_t element) {
    const auto at = gen::coordinates(o.beat, word, element);
    if (!at) return -1;
    std::int64_t number = 0;
    for (std::size_t c = 0; c < at->size(); ++c) number = number * o.beat.of[c].count + (*at)[c];
    o.formats[static_cast<std::size_t>(number)] = o.beat.format_of(element);
    return number;
  }

  // All operands share one valid bit; operands without words of their own come with each word.
  void enters() {
    const std::vector<std::string>& when = s_.in[0].beat.when;
    for (const Operand& o : s_.in) {
      if (o.beat.when != when)
        refuse(fmt::format("{} does not arrive together with {}", o.name, s_.in[0].name));
      s_.words = std::max(s_.words, o.place.size());
      s_.runs_on |= o.beat.runs_on;
    }
    for (const Operand& o : s_.in)
      if (o.place.size() != 1 && o.place.size() != s_.words)
        refuse(fmt::format("{} has {} words a set, others {}", o.name, o.place.size(), s_.words));
    for (std::size_t i = 0; i < when.size(); ++i) {
      const ir::PortSlot* in = find_slot(s_.ports.inputs, when[i]);
      if (const ir::PortSlot* ready = find_slot(s_.ports.outputs, when[i]))
        s_.ready.push_back(*ready);
      else if (in && i == 0)
        s_.valid = *in;
      else if (in)
        s_.ones.push_back(*in);
    }
    if (s_.latest > 0 && !s_.ready.empty()) refuse("its operands enter askew and may have to wait");
  }

  void control(const ir::PortSlot& p) {
    const auto is = [&](const ir::PortSlot& other) { return other.name == p.name; };
    const auto of = [&](const Operand& o) { return o.slot.name == p.name; };
    if (std::ranges::any_of(s_.in, of) || (s_.valid && is(*s_.valid)) || p.name == "rst") return;
    if (std::ranges::any_of(s_.ones, is)) return;
    if (p.name != "aresetn" && p.name != "en" && !p.name.ends_with("ready"))
      refuse(fmt::format("its input {} is not an operand of a set", p.name));
    s_.ones.push_back(p);
  }

  // The valid of a result must be a visible port.
  void leaves(const Operand& o) const {
    for (const std::string& name : o.beat.when)
      if (!find_slot(s_.ports.inputs, name) && !find_slot(s_.ports.outputs, name))
        refuse(fmt::format("{} is not a port of it", name));
    if (o.beat.runs_on) refuse(fmt::format("{} leaves in an endless sequence of words", o.name));
  }

  const gen::NamedLayer& layer_;
  SetShape s_;
};

}  // namespace

SetShape shape_of_sets(const gen::NamedLayer& layer, const ir::PortLayout& ports) {
  return Shaper(layer, ports).shaped();
}

}  // namespace kumiki::flow
