// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>

#include "gen/flow/reduce/verilog.h"
#include "ir/primitive.h"

namespace kumiki::reduction {
namespace {

using Item = VerilogModule::Item;
using VerilogEdits = std::vector<Edit<VerilogText>>;
using Names = std::set<std::string, std::less<>>;

void add_names(const VerilogTokens& tokens, Names& names) {
  for (const auto& t : tokens)
    if (t.is_name()) names.insert(t.text);
}

bool touches(const VerilogTokens& tokens, const Names& names) {
  return std::ranges::any_of(
      tokens, [&](const VerilogToken& t) { return t.is_name() && names.contains(t.text); });
}

// Something that can be driven: a net, a piece of one, several side by side.
bool is_net(const VerilogTokens& e) {
  if (e.empty()) return false;
  if (e[0].is_name()) return e.size() == 1 || e[1].text == "[";
  const auto parts = concatenated(e);
  return !parts.empty() && std::ranges::all_of(parts, is_net);
}

// Which pins of instances are outputs. A type that is neither here nor a primitive drives those of
// its nets that nobody else does.
class Drivers {
 public:
  Drivers(const VerilogText& all, const VerilogModule& module) : all_(all) {
    for (const auto& port : module.ports)
      if (port.is_input) driven_.insert(port.name);
    for (const Item& item : module.items) {
      if (item.form == Item::Form::assignment) add_names(item.left, driven_);
      if (item.form != Item::Form::instance || !is_known(item.type)) continue;
      for (const auto& pin : item.pins)
        if (is_output(item, pin)) add_names(pin.value, driven_);
    }
  }

  bool is_output(const Item& item, const VerilogModule::Pin& pin) const {
    if (const auto* p = ir::find_prototype(item.type))
      return std::ranges::find(p->outputs, pin.name, &ir::Pin::name) != p->outputs.end();
    if (const auto* m = module(item.type)) {
      const auto port = std::ranges::find(m->ports, pin.name, &VerilogModule::Port::name);
      return port != m->ports.end() && port->is_known && !port->is_input;
    }
    return is_net(pin.value) && !touches(pin.value, driven_);
  }

 private:
  const VerilogModule* module(const std::string& name) const {
    const auto found = std::ranges::find(all_.modules, name, &VerilogModule::name);
    return found == all_.modules.end() ? nullptr : &*found;
  }
  bool is_known(const std::string& type) const {
    return ir::find_prototype(type) != nullptr || module(type) != nullptr;
  }

  const VerilogText& all_;
  Names driven_;
};

// One round of edits on a text. After each pass the text is read again, so that places are right.
class VerilogShrinker {
 public:
  VerilogShrinker(VerilogText& best, Search& search) : best_(best), search_(search) {}

  void run() {
    for (bool more = true; more && !search_.spent();) {
      more = make(modules());
      for (const bool one : {false, true}) more |= make(cells(one));
      for (const bool one : {false, true}) more |= make(expressions(one));
      for (const bool one : {false, true}) more |= make(pieces(one));
      while (make(unread())) more = true;
      more |= make(ports());
      more |= make(others());
    }
  }

 private:
  bool make(const VerilogEdits& edits) {
    if (!make_most(best_, edits, search_)) return false;
    best_ = verilog_text(to_text(best_));
    return true;
  }

  template <class F>
  void for_items(F&& f) const {
    for (std::size_t m = 0; m < best_.modules.size(); ++m)
      for (std::size_t i = 0; i < best_.modules[m].items.size(); ++i)
        f(m, i, best_.modules[m].items[i]);
  }

  VerilogEdits modules() const {
    VerilogEdits edits;
    if (best_.modules.size() > 1)
      for (std::size_t m = 0; m < best_.modules.size(); ++m)
        edits.push_back([m](VerilogText& t) { t.modules[m].gone = true; });
    return edits;
  }

  // An instance becomes constants at what it drives.
  VerilogEdits cells(bool one) const {
    VerilogEdits edits;
    for (std::size_t m = 0; m < best_.modules.size(); ++m) {
      const VerilogModule& module = best_.modules[m];
      const Drivers drivers(best_, module);
      const Widths widths = widths_of(module);
      for (std::size_t i = 0; i < module.items.size(); ++i) {
        const Item& item = module.items[i];
        if (item.form != Item::Form::instance) continue;
        std::vector<VerilogTokens> outputs;
        for (const auto& pin : item.pins)
          if (!pin.value.empty() && drivers.is_output(item, pin)) outputs.push_back(pin.value);
        if (outputs.empty()) {
          if (!one) edits.push_back([=](VerilogText& t) { t.modules[m].items[i].gone = true; });
          continue;
        }
        Item tied{.form = Item::Form::assignment,
                  .head = {{item.head[0].gap, "assign"}},
                  .left = outputs.size() == 1 ? outputs[0] : concatenation(outputs)};
        const auto width = width_of(tied.left, widths);
        if (one && !width) continue;
        tied.left[0].gap = " ";
        tied.right = constant(width, one);
        tied.right[0].gap = " ";
        tied.tail = {{"", ";"}};
        edits.push_back([=](VerilogText& t) { t.modules[m].items[i] = tied; });
      }
    }
    return edits;
  }

  // Gives every expression that is read, and a way to it.
  template <class F>
  void for_expressions(F&& f) const {
    for (std::size_t m = 0; m < best_.modules.size(); ++m) {
      const VerilogModule& module = best_.modules[m];
      const Drivers drivers(best_, module);
      const Widths widths = widths_of(module);
      for (std::size_t i = 0; i < module.items.size(); ++i) {
        const Item& item = module.items[i];
        if (item.form == Item::Form::assignment)
          f(
              item.right,
              widths, [=](VerilogText & t) -> auto& { return t.modules[m].items[i].right; });
        for (std::size_t p = 0; p < item.pins.size(); ++p)
          if (!drivers.is_output(item, item.pins[p]))
            f(
                item.pins[p].value, widths, [=](VerilogText & t) -> auto& {
                  return t.modules[m].items[i].pins[p].value;
                });
      }
    }
  }

  VerilogEdits expressions(bool one) const {
    VerilogEdits edits;
    for_expressions([&](const VerilogTokens& e, const Widths& widths, const auto& place) {
      const auto width = width_of(e, widths);
      if (is_constant(e) || (one && !width)) return;
      VerilogTokens value = constant(width, one);
      value[0].gap = e[0].gap;
      edits.push_back([=](VerilogText& t) { place(t) = value; });
    });
    return edits;
  }

  // Makes each part of "{a, b, c}" constant by itself.
  VerilogEdits pieces(bool one) const {
    VerilogEdits edits;
    for_expressions([&](const VerilogTokens& e, const Widths& widths, const auto& place) {
      const auto parts = concatenated(e);
      for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) {
        const auto width = width_of(parts[k], widths);
        if (!width || is_constant(parts[k])) continue;
        VerilogTokens value = constant(width, one);
        edits.push_back([=](VerilogText& t) {
          auto now = concatenated(place(t));
          now[k] = value;
          const std::string gap = place(t)[0].gap;
          place(t) = concatenation(now);
          place(t)[0].gap = gap;
        });
      }
    });
    return edits;
  }

  // What is read in a module, and what there is in it at all.
  struct Use {
    Names read, named;
  };
  Use use_of(const VerilogModule& module) const {
    Use use;
    const Drivers drivers(best_, module);
    for (const auto& port : module.ports) {
      use.named.insert(port.name);
      if (!port.is_input) use.read.insert(port.name);
    }
    for (const Item& item : module.items) {
      if (item.form == Item::Form::other) add_names(item.head, use.read);
      add_names(item.left, use.named);
      add_names(item.right, use.read);
      for (const auto& pin : item.pins)
        add_names(pin.value, drivers.is_output(item, pin) ? use.named : use.read);
    }
    use.named.insert(use.read.begin(), use.read.end());
    return use;
  }

  // Assignments to what nobody reads, outputs of instances, declarations.
  VerilogEdits unread() const {
    VerilogEdits edits;
    for (std::size_t m = 0; m < best_.modules.size(); ++m) {
      const VerilogModule& module = best_.modules[m];
      const Drivers drivers(best_, module);
      const Use use = use_of(module);
      for (std::size_t i = 0; i < module.items.size(); ++i) {
        const Item& item = module.items[i];
        if (item.form == Item::Form::assignment && !touches(item.left, use.read))
          edits.push_back([=](VerilogText& t) { t.modules[m].items[i].gone = true; });
        for (std::size_t p = 0; p < item.pins.size(); ++p) {
          const auto& pin = item.pins[p];
          if (pin.value.empty() || !drivers.is_output(item, pin) || touches(pin.value, use.read))
            continue;
          edits.push_back([=](VerilogText& t) { t.modules[m].items[i].pins[p].value.clear(); });
        }
        for (std::size_t n = 0; n < item.names.size(); ++n)
          if (!use.named.contains(item.names[n][0].text))
            edits.push_back([=](VerilogText& t) { t.modules[m].items[i].gone_names[n] = true; });
      }
    }
    return edits;
  }

  // Outputs that no instance here takes, inputs that nobody reads.
  VerilogEdits ports() const {
    VerilogEdits edits;
    for (std::size_t m = 0; m < best_.modules.size(); ++m) {
      const VerilogModule& module = best_.modules[m];
      const Use use = use_of(module);
      for (std::size_t p = 0; p < module.ports.size(); ++p) {
        const auto& port = module.ports[p];
        if (!port.is_known ||
            (port.is_input ? use.read.contains(port.name) : is_taken(module.name, port.name)))
          continue;
        edits.push_back([m, p](VerilogText& t) { remove_port(t, m, p); });
      }
    }
    return edits;
  }
  bool is_taken(const std::string& type, const std::string& port) const {
    bool taken = false;
    for_items([&](std::size_t, std::size_t, const Item& item) {
      if (item.form != Item::Form::instance || item.type != type) return;
      for (const auto& pin : item.pins) taken |= pin.name == port && !pin.value.empty();
    });
    return taken;
  }
  static void remove_port(VerilogText& t, std::size_t m, std::size_t p) {
    auto& port = t.modules[m].ports[p];
    port.gone = true;
    if (!port.is_input)
      for (auto& token : verilog_tokens("\n  wire " + port.range + port.name + ";"))
        t.modules[m].middle.push_back(token);
    for (auto& user : t.modules)
      for (Item& item : user.items)
        if (item.form == Item::Form::instance && item.type == t.modules[m].name)
          for (auto& pin : item.pins) pin.gone |= pin.name == port.name;
  }

  VerilogEdits others() const {
    VerilogEdits edits;
    for_items([&](std::size_t m, std::size_t i, const Item& item) {
      if (item.form == Item::Form::other)
        edits.push_back([=](VerilogText& t) { t.modules[m].items[i].gone = true; });
    });
    return edits;
  }

  VerilogText& best_;
  Search& search_;
};

}  // namespace

void shrink(VerilogText& best, Search& search) { VerilogShrinker(best, search).run(); }

}  // namespace kumiki::reduction
