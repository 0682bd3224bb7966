// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

#include "backends/emit/report/page.h"
#include "gen/device/fit.h"
#include "gen/flow/files/beats.h"
#include "gen/flow/files/output.h"

namespace kumiki::flow {
namespace {

std::string file_name(const Source& source) {
  return std::filesystem::path(source.config).filename().string();
}

// "14 x S8", "x: 6 x S8 from bit 0; y: 3 x S8 from bit 48"; "" for a plain bit.
std::string numbers_text(const std::vector<gen::Numbers>& all, const std::string& port,
                         std::uint32_t width, bool is_signed) {
  const auto kind = [](std::uint32_t count, std::uint32_t bits, bool sign) {
    return fmt::format("{}{}{}", count == 1 ? "" : fmt::format("{} x ", count), sign ? "S" : "U",
                       bits);
  };
  std::string text;
  for (const gen::Numbers& n : all) {
    if (n.port != port) continue;
    const auto bits = n.bits == 0 ? width - n.low : n.bits;
    const auto what = kind(bits / n.width, n.width, n.is_signed);
    text +=
        fmt::format("{}{}", text.empty() ? "" : "; ",
                    n.part.empty() ? what : fmt::format("{}: {} from bit {}", n.part, what, n.low));
  }
  if (text.empty() && width > 1) text = kind(1, width, is_signed);
  return text;
}

std::vector<backends::PagePort> ports(const ir::Module& module, const gen::Layer& layer) {
  const auto numbers = gen::numbers_of(layer.beats());
  std::vector<backends::PagePort> all;
  for (const ir::Port& p : module.ports()) {
    const std::string name(module.design().text(p.name));
    all.push_back({name, p.direction == ir::Direction::output, p.width,
                   numbers_text(numbers, name, p.width, p.is_signed)});
  }
  return all;
}

// The devices of the family, the configured one first.
std::vector<backends::PageDevice> devices(const Project& project) {
  const ir::Cost total = ir::count_resources(project.design()).total;
  const auto& part = project.document.target.part;
  const auto* wanted = part ? gen::device::find_device(*part) : nullptr;
  std::vector<backends::PageDevice> all;
  for (const auto& d : gen::device::devices()) {
    if (d.family != project.document.target.family) continue;
    const auto fit = gen::device::fit(d, total);
    backends::PageDevice one{std::string(d.name), std::string(d.series), {}, {}};
    for (const auto& u : fit.uses)
      one.uses.push_back({std::string(u.resource), u.used, u.available, u.known});
    if (const auto copies = fit.copies())
      one.copies = fmt::format("{} ({})", copies->number, copies->limit);
    one.wanted = &d == wanted;
    all.insert(one.wanted ? all.begin() : all.end(), std::move(one));
  }
  return all;
}

backends::PageThroughput throughput(const gen::Facts& facts) {
  backends::PageThroughput t{.products = facts.macs_per_clock.value_or(0),
                             .slices = static_cast<std::uint64_t>(facts.slices)};
  if (!facts.frame) return t;
  t.frame_cycles = static_cast<double>(facts.frame->clocks);
  t.frame_bits_in = static_cast<double>(facts.frame->bits_in);
  t.frame_bits_out = static_cast<double>(facts.frame->bits_out);
  return t;
}

}  // namespace

std::string shell_word(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("._-+/").find(static_cast<char>(c)) != std::string::npos;
  };
  std::string safe = word.starts_with('-') ? "./" + word : word;
  if (std::ranges::all_of(safe, plain)) return safe;
  std::string out = "'";
  for (const char c : safe) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string command_line(const Source& source, std::string_view command, std::string_view rest) {
  return fmt::format("kumiki {} {}{}{}{}", command, shell_word(file_name(source)),
                     source.axi_stream ? " --axi-stream" : "", rest.empty() ? "" : " ", rest);
}

std::string page(const Project& project, const Json& report, const backends::OutputSet& files,
                 const Source& source) {
  const auto given = Json::parse(project.text);
  const auto effective = gen::config::to_json(project.document);
  backends::Page page{.generator = generator(),
                      .config = file_name(source),
                      .command = command_line(source, "sim"),
                      .synthesis = command_line(source, "synth"),
                      .description = project.document.description.value_or(""),
                      .settings = Json::object(),
                      .report = report,
                      .layers = {},
                      .devices = devices(project)};
  for (const char* key : {"target", "simulation"})
    if (effective.contains(key)) page.settings[key] = effective[key];
  for (std::size_t i = 0; i < project.layers.size(); ++i) {
    const gen::NamedLayer& l = project.layers[i];
    const Json::json_pointer where(project.document.layers[i].pointer);
    backends::PageLayer one{
        .given = given.at(where),
        .effective = effective["layers"][i],
        .plan = plan_text(*l.layer),
        .ports = ports(project.design().module(project.network.layers[i].module), *l.layer),
        .pictures = {},
        .throughput = throughput(l.layer->facts())};
    for (const auto& name : report["layers"][i]["pictures"]) {
      // LAYER.NAME.svg
      const auto file = name.get<std::string>();
      const auto stem = file.substr(l.name.size() + 1, file.size() - l.name.size() - 5);
      one.pictures.push_back({stem, std::string(files.find(file)->text.view())});
    }
    page.layers.push_back(std::move(one));
  }
  return backends::report_page(page);
}

}  // namespace kumiki::flow
