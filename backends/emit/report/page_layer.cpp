// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/page_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/report/html.h"

namespace kumiki::backends {
namespace {

using html::element;
using html::escaped;
using html::Table;
using html::text_element;

constexpr std::size_t longest_list = 24;    // longer lists show only their first entries
constexpr std::size_t longest_figure = 40;  // longer texts are not figures

Json shortened(const Json& value) {
  if (!value.is_structured()) return value;
  Json out = value.is_array() ? Json::array() : Json::object();
  if (value.is_object()) {
    for (const auto& [key, one] : value.items()) out[key] = shortened(one);
    return out;
  }
  const bool all = value.size() <= longest_list;
  for (std::size_t i = 0; i < (all ? value.size() : longest_list / 2); ++i)
    out.push_back(shortened(value[i]));
  if (!all) out.push_back(fmt::format("… {} entries in all", html::grouped(value.size())));
  return out;
}

bool is_plain(const Json& value) { return !value.is_structured(); }

// Lists of lists or objects get one line an entry.
std::string lines(const Json& value) {
  if (!value.is_array() || std::ranges::all_of(value, is_plain)) return shown(value);
  std::string out;
  for (const Json& one : shortened(value)) out += (out.empty() ? "" : "\n") + shown(one);
  return out;
}

std::string configuration(const PageLayer& layer) {
  const auto keys = [](const char* caption, const Json& object) {
    Table table(caption, {"key", "value"});
    for (const auto& [key, value] : object.items())
      table.row({html::text(key), html::code(lines(value))});
    return table.markup();
  };
  return "<h3>Asked for</h3>\n" + keys("The layer as the configuration gives it", layer.given) +
         element("details", "<summary>Every key, with defaults</summary>\n" +
                                keys("What the generator was given", layer.effective)) +
         "\n";
}

// The plan's single values; its text has the rest.
std::string figures(const Json& plan) {
  std::string out;
  for (const auto& [key, value] : plan.items()) {
    if (value.is_structured() || value.is_null()) continue;
    if (value.is_string() && value.get_ref<const std::string&>().size() > longest_figure) continue;
    std::string name = key;
    std::ranges::replace(name, '_', ' ');
    out += element("div",
                   text_element("dt", name) +
                       text_element("dd", value.is_boolean() ? (value.get<bool>() ? "yes" : "no")
                                                             : shown(value)));
  }
  return out.empty() ? out : element("dl class=\"figures plan\"", out) + "\n";
}

std::string interval(const Json& value) {
  if (!value.is_array() || value.size() != 2) return shown(value);
  if (value[0] == value[1]) return shown(value[0]);
  return fmt::format("[{}, {}]", shown(value[0]), shown(value[1]));
}

// The certificates of a plan and of the plans in it.
void proofs(const Json& plan, const std::string& where, std::string& out) {
  if (plan.is_array()) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const bool named = plan[i].is_object() && plan[i].contains("name");
      proofs(plan[i], where + " " + (named ? shown(plan[i]["name"]) : std::to_string(i)), out);
    }
    return;
  }
  if (!plan.is_object()) return;
  for (const auto& [key, value] : plan.items()) {
    if (key != "proofs" || !value.is_array()) {
      if (value.is_structured()) proofs(value, where.empty() ? key : where + ", " + key, out);
      continue;
    }
    Table table(
        where.empty() ? "Everything the plan relies on" : "Everything this relies on: " + where,
        {"what", ">value", "must be", ">legal", "holds"});
    for (const Json& p : value) {
      if (!p.is_object() || !p.contains("what")) continue;
      const auto get = [&](const char* k) {
        return p.contains(k) ? interval(p[k]) : std::string();
      };
      table.row({html::text(get("what")), html::number(get("value")), html::text(get("relation")),
                 html::number(get("legal")),
                 html::yes_or_no(p.value("holds", false), "holds", "BROKEN")});
    }
    if (!table.empty()) out += table.markup();
  }
}

std::string pictures(const PageLayer& layer, const std::string& name) {
  std::string out;
  for (const PagePicture& p : layer.pictures) {
    const std::string title = fmt::format("{} of {}", p.name, name);
    out += element("figure", "\n" + element("div", html::picture(p.svg, title)) + "\n" +
                                 text_element("figcaption", title)) +
           "\n";
  }
  return out;
}

std::string ports(const PageLayer& layer, const std::string& name) {
  Table table(fmt::format("Of the module; the top calls them {}_PORT, but for the clock", name),
              {"port", "direction", ">bits", "numbers"});
  for (const PagePort& p : layer.ports)
    table.row({html::text(p.name), html::text(p.is_output ? "output" : "input"),
               html::number(p.width), html::text(p.numbers)});
  return table.empty() ? std::string() : "<h3>Ports</h3>\n" + table.markup();
}

}  // namespace

std::uint64_t count_of(const Json& object, const char* key) {
  return object.contains(key) ? object[key].get<std::uint64_t>() : 0;
}

std::string shown(const Json& value, int indent) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return shortened(value).dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string layer_section(const PageLayer& layer, const Json& report, std::size_t index) {
  const std::string name = shown(report["name"]), type = shown(report["type"]);
  std::string proof;
  proofs(report["plan"], "", proof);
  if (proof.empty())
    proof = "<p class=\"faint\">This plan has no certificate: ranges stand in its text.</p>\n";
  proof = "<h3>Proof</h3>\n" + proof;
  const auto plan_lines = std::ranges::count(layer.plan, '\n');
  return fmt::format(
      "<section id=\"layer-{}\">\n<h2>{} <small>{} in module {}</small></h2>\n"
      "<div class=\"columns\">\n<div>\n{}</div>\n<div>\n{}</div>\n</div>\n"
      "<h3>Plan</h3>\n{}{}{}{}</section>\n",
      index, escaped(name), escaped(type), text_element("code", shown(report["module"])),
      configuration(layer), ports(layer, name), figures(report["plan"]), pictures(layer, name),
      proof,
      element(plan_lines <= 24 ? "details open=\"open\"" : "details",
              "<summary>The plan in full</summary>\n" + text_element("pre", layer.plan)) +
          "\n");
}

}  // namespace kumiki::backends
