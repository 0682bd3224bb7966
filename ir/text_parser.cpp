// SPDX-License-Identifier: Apache-2.0
// Two passes: first modules with their ports, so that an instance may come before its module, then
// the cells.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/label.h"
#include "ir/primitives/memory.h"
#include "ir/text.h"
#include "ir/text_cursor.h"

namespace kumiki::ir {
namespace {

constexpr std::uint64_t pin_limit = 1u << 20;

template <class Items>
std::string names_of(const Items& items) {
  std::vector<std::string_view> names;
  for (auto& item : items) names.push_back(item.name);
  return fmt::format("{}", fmt::join(names, " "));
}

template <class Items>
std::size_t index_of(const Items& items, std::string_view name) {
  auto it = std::find_if(items.begin(), items.end(), [&](auto& i) { return i.name == name; });
  return static_cast<std::size_t>(it - items.begin());
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}
  std::unique_ptr<Design> run();

 private:
  struct CellLine {
    TextCursor line;
    ModuleId module;
  };
  struct Given {  // the nets of one pin and where they were written
    std::vector<Net> nets;
    std::size_t at = 0;
    bool present = false;
  };

  struct Primitive {  // the content of its line
    const Prototype* proto = nullptr;
    std::uint32_t width = 1;
    std::string name;
    std::vector<Given> pins;
    std::vector<std::uint64_t> params;
    std::vector<bool> param_given;
    std::optional<Blob> blob;
    Crossing crossing = Crossing::none;
  };

  void line(TextCursor c);
  void header(TextCursor& c);
  void module_line(TextCursor& c);
  void port(TextCursor& c, Direction direction);
  void hint(TextCursor& c);
  Module& module(TextCursor& c);
  void cell(CellLine& l);
  void instance(TextCursor& c, Module& m, std::span<const Net> driven);
  void primitive(TextCursor& c, Module& m, std::span<const Net> driven);
  Primitive primitive_head(TextCursor& c);
  void pin_or_param(TextCursor& c, Module& m, Primitive& p);
  static void crossing(TextCursor& c, Primitive& p, std::size_t start);
  std::vector<Net> primitive_inputs(TextCursor& c, const Primitive& p);
  std::uint64_t param(TextCursor& c, const Param& p);
  Blob contents(TextCursor& c);
  void gather(TextCursor& c, std::string_view what, std::uint64_t width, const Given& given,
              std::vector<Net>& inputs);
  Net first_of(TextCursor& c, std::string_view what, std::span<const Net> driven,
               std::uint32_t count);
  std::vector<Net> nets(TextCursor& c, Module& m);
  PlaceId place_of(const TextCursor& c) const {
    return place(file_.empty() ? std::string_view("text") : file_, c.number());
  }

  std::string_view text_, file_;
  std::unique_ptr<Design> design_;
  std::string top_;
  std::optional<TextCursor> top_at_;
  std::optional<ModuleId> module_;
  std::vector<CellLine> cells_;
  std::vector<std::uint32_t> highest_;  // the highest net met in each module
};

std::unique_ptr<Design> Parser::run() {
  std::uint32_t number = 0;
  for (std::size_t start = 0; start < text_.size();) {
    auto end = std::min(text_.find('\n', start), text_.size());
    TextCursor c(file_, ++number, text_.substr(start, end - start));
    if (!c.at_end()) line(c);
    start = end + 1;
  }
  if (!design_)
    TextCursor(file_, number + 1, "")
        .fail(code::design_line, "the first line must be \"design <family> [top <module>]\"");
  if (top_at_) {
    const Module* top = design_->find_module(top_);
    if (!top)
      top_at_->fail(code::unknown_module,
                    fmt::format("there is no module {} in this text", bare_or_quoted(top_)));
    design_->set_top(top->id());
  }
  for (CellLine& l : cells_) cell(l);
  for (std::uint32_t i = 0; i < design_->module_count(); ++i) {
    Module& m = design_->module({i});
    if (highest_[i] >= m.net_count()) m.fresh_nets(highest_[i] + 1 - m.net_count());
    m.shrink();
  }
  return std::move(design_);
}

void Parser::line(TextCursor c) {
  auto start = c.here();
  auto word = c.word();
  if (!design_ && word != "design")
    c.fail_at(start, code::design_line,
              "the first line must be \"design <family> [top <module>]\"");
  if (word == "design") return header(c);
  if (word == "module") return module_line(c);
  if (word == "about") {
    module(c).set_about(c.quoted("what the module is about"));
    return c.expect_end("a module is about one text");
  }
  if (word == "input") return port(c, Direction::input);
  if (word == "output") return port(c, Direction::output);
  if (word == "name") return hint(c);
  if (!word.empty())
    c.fail_at(start, code::unknown_word,
              fmt::format("unknown word {}; a line must begin with design, module, about, input, "
                          "output, name or the nets that a cell drives",
                          word));
  cells_.push_back({c, module(c).id()});
}

void Parser::header(TextCursor& c) {
  if (design_)
    c.fail_at(0, code::design_line, "a text is one design: this line stands there already");
  auto start = c.here();
  for (Family f : {Family::ultrascale_plus, Family::ultrascale, Family::series7})
    if (!design_ && c.accept(family_name(f))) design_ = std::make_unique<Design>(f);
  if (!design_)
    c.fail_at(start, code::unknown_family,
              "unknown family; use 7series, ultrascale or ultrascale+");
  if (c.accept_word("top")) {
    top_at_ = c;
    top_ = c.name("the top module");
  }
  c.expect_end("design <family> [top <module>]");
}

void Parser::module_line(TextCursor& c) {
  auto start = c.here();
  auto name = c.name("the module");
  if (design_->find_module(name))
    c.fail_at(start, code::duplicate_name,
              fmt::format("module {} exists already; give another name", bare_or_quoted(name)));
  module_ = design_->add_module(name).id();
  highest_.push_back(0);
  c.expect_end("module <name>");
}

Module& Parser::module(TextCursor& c) {
  if (!module_)
    c.fail_at(0, code::outside_module,
              "this line belongs into a module: \"module <name>\" must come first");
  return design_->module(*module_);
}

std::vector<Net> Parser::nets(TextCursor& c, Module& m) {
  auto list = c.nets();
  for (Net n : list) highest_[m.id().value] = std::max(highest_[m.id().value], n.index);
  return list;
}

void Parser::port(TextCursor& c, Direction direction) {
  Module& m = module(c);
  auto start = c.here();
  auto name = c.name("the port");
  if (m.find_port(name))
    c.fail_at(start, code::duplicate_name,
              fmt::format("port {} exists already; give another name", bare_or_quoted(name)));
  bool is_signed = c.accept_word("signed");
  c.expect("=", "the name of a port");
  start = c.here();
  auto list = nets(c, m);
  c.expect_end("a port is a list of nets");
  if (direction == Direction::output) return m.add_output(name, list, is_signed, place_of(c));
  for (Net n : list)
    if (n < Net{first_free_net})
      c.fail_at(start, code::driven_nets, "an input must drive nets from %3 on, not constants");
  m.add_input_driving(list, name, is_signed, place_of(c));
}

void Parser::hint(TextCursor& c) {
  Module& m = module(c);
  auto name = c.name("the signal");
  c.expect("=", "the name of a signal");
  m.hint(name, nets(c, m));
  c.expect_end("a signal is a list of nets");
}

void Parser::cell(CellLine& l) {
  TextCursor& c = l.line;
  c.go_to(0);
  Module& m = design_->module(l.module);
  auto driven = nets(c, m);
  c.expect("=", "the nets that a cell drives");
  c.accept_word("instance") ? instance(c, m, driven) : primitive(c, m, driven);
}

Net Parser::first_of(TextCursor& c, std::string_view what, std::span<const Net> driven,
                     std::uint32_t count) {
  if (driven.size() != count)
    c.fail_at(0, code::wrong_net_count,
              fmt::format("{} drives {} nets, but {} are given", what, count, driven.size()));
  for (std::size_t i = 0; i < driven.size(); ++i)
    if (driven[i] < Net{first_free_net} || driven[i].index != driven[0].index + i)
      c.fail_at(0, code::driven_nets,
                fmt::format("a cell must drive nets that follow each other, such as %3..6, not {}",
                            net_list(driven)));
  return driven.empty() ? net_open : driven[0];
}

void Parser::gather(TextCursor& c, std::string_view what, std::uint64_t width, const Given& given,
                    std::vector<Net>& inputs) {
  if (given.nets.size() != width)
    c.fail_at(given.at, code::wrong_net_count,
              fmt::format("{} has {} {}, {} {} given", what, width, width == 1 ? "net" : "nets",
                          given.nets.size(), given.nets.size() == 1 ? "is" : "are"));
  inputs.insert(inputs.end(), given.nets.begin(), given.nets.end());
}

void Parser::instance(TextCursor& c, Module& m, std::span<const Net> driven) {
  auto start = c.here();
  auto of_name = c.name("the module");
  const Module* of = design_->find_module(of_name);
  if (!of)
    c.fail_at(start, code::unknown_module,
              fmt::format("there is no module {} in this text", bare_or_quoted(of_name)));
  auto name = c.at_quote() ? c.quoted("the name") : std::string();
  std::vector<const Port*> ports;
  std::vector<std::string> legal;
  for (const Port& p : of->ports())
    if (p.direction == Direction::input) {
      ports.push_back(&p);
      legal.push_back(bare_or_quoted(design_->text(p.name)));
    }
  std::vector<Given> given(ports.size());
  while (!c.at_end()) {
    start = c.here();
    auto port = bare_or_quoted(c.name("a port"));
    auto at = std::find(legal.begin(), legal.end(), port);
    if (at == legal.end())
      c.fail_at(start, code::unknown_pin,
                fmt::format("{} has no input {}; its inputs are {}", bare_or_quoted(of_name), port,
                            fmt::join(legal, " ")));
    auto& slot = given[static_cast<std::size_t>(at - legal.begin())];
    if (slot.present)
      c.fail_at(start, code::given_twice, fmt::format("{} is given twice; remove one", port));
    c.expect("=", "a port");
    slot = {{}, c.here(), true};
    slot.nets = nets(c, m);
  }
  std::vector<Net> inputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!given[i].present)
      c.fail(code::open_pin,
             fmt::format("input {} of {} is not connected: \"open\" says that it may be", legal[i],
                         bare_or_quoted(of_name)));
    gather(c, fmt::format("input {} of {}", legal[i], bare_or_quoted(of_name)), ports[i]->width,
           given[i], inputs);
  }
  auto out = first_of(c, bare_or_quoted(of_name), driven, of->output_bits());
  m.add_instance_driving(out, of->id(), inputs, place_of(c), name);
}

std::uint64_t Parser::param(TextCursor& c, const Param& p) {
  auto start = c.here();
  if (p.type == Param::Type::text) {
    auto choice = c.word();
    auto at = std::find(p.choices.begin(), p.choices.end(), choice);
    if (at != p.choices.end()) return static_cast<std::uint64_t>(at - p.choices.begin());
    if (!choice.empty())
      c.fail_at(
          start, code::parameter,
          fmt::format("{} cannot be {}; use one of {}", p.name, choice, fmt::join(p.choices, " ")));
  }
  return c.number(p.name, ~std::uint64_t{0});
}

Blob Parser::contents(TextCursor& c) {
  Blob blob;
  blob.width = static_cast<std::uint32_t>(c.number("the width of the contents", 1u << 16));
  c.expect(":", "the width of the contents");
  auto per = blob.limbs_per_word();
  if (per == 0 || c.at_end()) return blob;
  do {
    auto start = c.here();
    auto digits = c.hex_word();
    if (digits.size() > per * 16)
      c.fail_at(start, code::parameter,
                fmt::format("{} digits do not fit a word of {} bits", digits.size(), blob.width));
    std::vector<std::uint64_t> word(per);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      auto bit = 4 * (digits.size() - 1 - i);
      auto value = static_cast<std::uint64_t>(digits[i] <= '9' ? digits[i] - '0'
                                                               : (digits[i] | 0x20) - 'a' + 10);
      word[bit / 64] |= value << (bit % 64);
    }
    auto times = c.accept("*") ? c.number("the number of repetitions", 1u << 24) : 1;
    if (blob.limbs.size() + times * per > 1u << 26)
      c.fail_at(start, code::count_too_large, "too many words of contents");
    while (times-- > 0) blob.limbs.insert(blob.limbs.end(), word.begin(), word.end());
  } while (c.accept(","));
  return blob;
}

Parser::Primitive Parser::primitive_head(TextCursor& c) {
  auto start = c.here();
  auto kind = c.word();
  Primitive p;
  p.proto = find_prototype(kind);
  if (!p.proto)
    c.fail_at(start, code::unknown_primitive,
              fmt::format("unknown primitive {}; use one of instance {}", kind,
                          fmt::join(primitive_names(), " ")));
  if (c.accept("*")) p.width = static_cast<std::uint32_t>(c.number("the width", pin_limit));
  if (p.width == 0 || (p.width > 1 && !p.proto->vector))
    c.fail_at(start, code::no_vector,
              fmt::format("{} cannot stand {} times in one cell", kind, p.width));
  if (c.at_quote()) p.name = c.quoted("the name");
  p.pins.resize(p.proto->inputs.size());
  for (const Param& param : p.proto->params) p.params.push_back(param.fallback);
  p.param_given.resize(p.params.size());
  return p;
}

void Parser::pin_or_param(TextCursor& c, Module& m, Primitive& p) {
  auto start = c.here();
  auto key = c.word();
  if (key == "CROSSING") return crossing(c, p, start);
  auto pin = index_of(p.proto->inputs, key), par = index_of(p.proto->params, key);
  bool is_pin = pin < p.pins.size();
  if (!is_pin && par == p.params.size())
    c.fail_at(start, code::unknown_pin,
              fmt::format("{} has no pin or parameter {}; pins are {}; parameters are {}",
                          p.proto->name, key.empty() ? "here" : key, names_of(p.proto->inputs),
                          names_of(p.proto->params)));
  if (is_pin ? p.pins[pin].present : p.param_given[par])
    c.fail_at(start, code::given_twice, fmt::format("{} is given twice", key));
  c.expect("=", "a pin or parameter");
  if (is_pin) {
    p.pins[pin] = {{}, c.here(), true};
    p.pins[pin].nets = nets(c, m);
    return;
  }
  p.param_given[par] = true;
  if (p.proto->kind == Kind::memory && par == memory::contents)
    p.blob = contents(c);
  else
    p.params[par] = param(c, p.proto->params[par]);
}

void Parser::crossing(TextCursor& c, Primitive& p, std::size_t start) {
  if (p.crossing != Crossing::none)
    c.fail_at(start, code::given_twice, "CROSSING is given twice; remove one");
  c.expect("=", "a pin or parameter");
  const auto at = c.here();
  const auto word = c.word();
  for (auto x : {Crossing::each, Crossing::first, Crossing::second})
    if (crossing_name(x) == word) p.crossing = x;
  if (p.crossing == Crossing::none)
    c.fail_at(at, code::parameter,
              fmt::format("CROSSING cannot be {}; use each, first or second",
                          word.empty() ? "here" : word));
}

std::vector<Net> Parser::primitive_inputs(TextCursor& c, const Primitive& p) {
  CellView view{p.params, p.width, nullptr};
  std::vector<Net> inputs;
  for (std::size_t i = 0; i < p.pins.size(); ++i) {
    const Pin& pin = p.proto->inputs[i];
    auto bits = pin_width(pin, view);
    if (bits > pin_limit)
      c.fail(code::count_too_large,
             fmt::format("pin {} of {} would have {} nets; it must have at most {}", pin.name,
                         p.proto->name, bits, pin_limit));
    if (p.pins[i].present)
      gather(c, fmt::format("pin {} of {}", pin.name, p.proto->name), bits, p.pins[i], inputs);
    else if (pin.tie == Tie::required)
      c.fail(code::open_pin, fmt::format("pin {} of {} is not connected", pin.name, p.proto->name));
    else
      inputs.insert(inputs.end(), bits,
                    pin.tie == Tie::open ? net_open : constant(pin.tie == Tie::one));
  }
  return inputs;
}

void Parser::primitive(TextCursor& c, Module& m, std::span<const Net> driven) {
  Primitive p = primitive_head(c);
  while (!c.at_end()) pin_or_param(c, m, p);
  auto inputs = primitive_inputs(c, p);
  auto out = first_of(c, p.proto->name, driven,
                      total_width(p.proto->outputs, {p.params, p.width, nullptr}));
  BlobId blob;
  if (p.blob) p.params[memory::contents] = (blob = design_->add_blob(std::move(*p.blob))).value;
  auto made = m.add_cell_driving(out, p.proto->kind, p.width, inputs, p.params, place_of(c), blob);
  if (!p.name.empty()) m.set_cell_name(made, p.name);
  if (p.crossing != Crossing::none) m.set_crossing(made, p.crossing);
}

}  // namespace

std::unique_ptr<Design> parse(std::string_view text, std::string_view file) {
  return Parser(text, file).run();
}

}  // namespace kumiki::ir
