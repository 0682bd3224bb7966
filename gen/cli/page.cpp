// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "backends/emit/report/page.h"
#include "gen/cli/beats.h"
#include "gen/cli/output.h"
#include "gen/cli/throughput.h"
#include "gen/device/fit.h"

namespace kumiki::cli {
namespace {

std::string file_name(const Options& options) {
  return std::filesystem::path(options.config).filename().string();
}

// As a shell takes it.
std::string quoted(const std::string& word) {
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

// "14 x S8", "x: 6 x S8 from bit 0; y: 3 x S8 from bit 48"; nothing for a plain bit.
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

// Those of the family, the one that the configuration names first.
std::vector<backends::PageDevice> devices(const Project& project) {
  const ir::Cost total = backends::count_resources(project.design()).total;
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

// A frame is `in` and `out` elements; how wide one is, the ports say.
backends::PageThroughput throughput(const gen::Json& plan, const ir::Module& module) {
  backends::PageThroughput t{.products = macs_per_cycle(plan).value_or(0),
                             .slices = plan.value("slices", std::uint64_t{0})};
  const ir::Port *in = module.find_port("in_data"), *out = module.find_port("out_data");
  if (!plan.contains("cycles_a_frame") || !in || !out) return t;
  const auto elements = [&](const char* key) {
    double n = 1;
    for (const auto& length : plan[key]) n *= length.get<double>();
    return n;
  };
  t.frame_cycles = plan["cycles_a_frame"].get<double>();
  t.frame_bits_in = elements("in") * in->width /
                    (plan["rows"].get<double>() * plan["words_a_clock"].get<double>());
  t.frame_bits_out = elements("out") * out->width /
                     (plan["tile_channels"].get<double>() * plan["pixels"].get<double>());
  return t;
}

}  // namespace

std::string command_line(const Options& options, std::string_view command, std::string_view rest) {
  return fmt::format("kumiki {} {}{}{}{}", command, quoted(file_name(options)),
                     options.axi_stream ? " --axi-stream" : "", rest.empty() ? "" : " ", rest);
}

std::string page(const Project& project, const gen::Json& report, const backends::OutputSet& files,
                 const Options& options) {
  const auto given = gen::Json::parse(project.text);
  const auto effective = gen::config::to_json(project.document);
  backends::Page page{.generator = generator(),
                      .config = file_name(options),
                      .command = command_line(options, "sim"),
                      .synthesis = command_line(options, "synth"),
                      .description = project.document.description.value_or(""),
                      .settings = gen::Json::object(),
                      .report = report,
                      .layers = {},
                      .devices = devices(project)};
  for (const char* key : {"target", "simulation"})
    if (effective.contains(key)) page.settings[key] = effective[key];
  for (std::size_t i = 0; i < project.layers.size(); ++i) {
    const gen::NamedLayer& l = project.layers[i];
    const gen::Json::json_pointer where(project.document.layers[i].pointer);
    backends::PageLayer one{
        .given = given.at(where),
        .effective = effective["layers"][i],
        .plan = plan_text(*l.layer),
        .ports = ports(project.design().module(project.network.layers[i].module), *l.layer),
        .pictures = {},
        .throughput = throughput(report["layers"][i]["plan"],
                                 project.design().module(project.network.layers[i].module))};
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

}  // namespace kumiki::cli
