// SPDX-License-Identifier: Apache-2.0
// Printing; the parser is in text_parser.cpp.
#include "ir/text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "ir/label.h"
#include "ir/primitives/memory.h"

namespace kumiki::ir {
namespace {

bool is_unused(const Pin& pin, std::span<const Net> nets) {
  if (pin.tie == Tie::required) return false;
  Net tied = pin.tie == Tie::zero ? net_zero : pin.tie == Tie::one ? net_one : net_open;
  return std::all_of(nets.begin(), nets.end(), [&](Net n) { return n == tied; });
}

class Printer {
 public:
  explicit Printer(TextOptions options) : options_(options) {}

  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void module(const Module& m);
  std::string take() { return std::move(out_); }

 private:
  void end_line(PlaceId place);
  void instance(const Module& m, const Cell& c);
  void primitive(const Module& m, const Cell& c);
  void param(const Param& p, std::uint64_t value);
  void contents(const Blob& blob);

  TextOptions options_;
  std::string out_;
};

void Printer::end_line(PlaceId place) {
  if (options_.places && place.index != 0) write("  # {}", to_string(place));
  out_ += '\n';
}

void Printer::instance(const Module& m, const Cell& c) {
  const Module& of = m.design().module({c.params});
  auto nets = m.inputs(c);
  for (const Port& p : of.ports()) {
    if (p.direction != Direction::input) continue;
    write(" {}=", bare_or_quoted(of.design().text(p.name)));
    append_nets(out_, nets.first(p.width));
    nets = nets.subspan(p.width);
  }
}

void Printer::param(const Param& p, std::uint64_t value) {
  if (p.type == Param::Type::text && value < p.choices.size())
    write(" {}={}", p.name, p.choices[value]);
  else if (p.type == Param::Type::bits)
    write(" {}={:#x}", p.name, value);
  else
    write(" {}={}", p.name, value);
}

void Printer::contents(const Blob& blob) {
  write(" CONTENTS={}:", blob.width);
  auto per = blob.limbs_per_word();
  auto words = per == 0 ? 0 : blob.limbs.size() / per;
  auto word = [&](std::size_t i) { return std::span(blob.limbs).subspan(i * per, per); };
  for (std::size_t i = 0, end = 0; i < words; i = end) {
    for (end = i + 1; end < words && std::ranges::equal(word(i), word(end));) ++end;
    if (i != 0) out_ += ',';
    bool leading = true;
    for (std::size_t l = per; l-- > 0;) {
      if (leading && l != 0 && word(i)[l] == 0) continue;
      if (leading)
        write("{:x}", word(i)[l]);
      else
        write("{:016x}", word(i)[l]);
      leading = false;
    }
    if (end > i + 1) write("*{}", end - i);
  }
}

void Printer::primitive(const Module& m, const Cell& c) {
  auto& proto = prototype(c.kind);
  auto view = m.view(c);
  auto nets = m.inputs(c);
  for (const Pin& pin : proto.inputs) {
    auto width = pin_width(pin, view);
    if (!is_unused(pin, nets.first(width))) {
      write(" {}=", pin.name);
      append_nets(out_, nets.first(width));
    }
    nets = nets.subspan(width);
  }
  for (std::size_t i = 0; i < proto.params.size(); ++i) {
    // Prints the contents of a memory, because their index has no meaning outside of this design.
    if (c.kind == Kind::memory && i == memory::contents) continue;
    if (view.params[i] != proto.params[i].fallback) param(proto.params[i], view.params[i]);
  }
  if (view.blob) contents(*view.blob);
}

void Printer::module(const Module& m) {
  auto text = [&](StringId id) { return m.design().text(id); };
  write("module {}\n", bare_or_quoted(m.name()));
  if (!m.about().empty()) write("  about {}\n", quoted(m.about()));
  for (const Port& p : m.ports()) {
    write("  {} {}{} = ", p.direction == Direction::input ? "input" : "output",
          bare_or_quoted(text(p.name)), p.is_signed ? " signed" : "");
    append_nets(out_, m.port_nets(p));
    end_line(p.place);
  }
  for (const NameHint& h : m.hints()) {
    write("  name {} = ", bare_or_quoted(text(h.name)));
    append_nets(out_, m.hint_nets(h));
    out_ += '\n';
  }
  std::vector<Net> driven;
  for (const Cell& c : m.cells()) {
    driven.resize(m.output_count(c));
    for (std::uint32_t i = 0; i < driven.size(); ++i) driven[i] = {c.out.index + i};
    out_ += "  ";
    append_nets(out_, driven);
    if (c.kind == Kind::instance)
      write(" = instance {}", bare_or_quoted(m.design().module({c.params}).name()));
    else
      write(" = {}", kind_label(m, c));
    CellId id{static_cast<std::uint32_t>(&c - m.cells().data())};
    if (auto name = m.cell_name(id); name.value != 0) write(" {}", quoted(text(name)));
    c.kind == Kind::instance ? instance(m, c) : primitive(m, c);
    if (const auto x = m.crossing(id); x != Crossing::none) write(" CROSSING={}", crossing_name(x));
    end_line(c.place);
  }
}

}  // namespace

std::string print(const Module& module, TextOptions options) {
  Printer p(options);
  p.module(module);
  return p.take();
}

std::string print(const Design& design, TextOptions options) {
  Printer p(options);
  p.write("design {}", family_name(design.family()));
  if (design.has_top()) p.write(" top {}", bare_or_quoted(design.top().name()));
  p.write("\n");
  for (std::uint32_t i = 0; i < design.module_count(); ++i) {
    p.write("\n");
    p.module(design.module({i}));
  }
  return p.take();
}

}  // namespace kumiki::ir
