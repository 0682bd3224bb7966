// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/beats.h"

#include <fmt/format.h>

#include <string_view>

namespace kumiki::flow {
namespace {

std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    out += fmt::format("  {}\n", text.substr(at, end - at));
  }
  return out;
}

}  // namespace

std::string plan_text(const gen::Layer& layer) {
  const auto beats = layer.beats();
  return layer.plan_text() + (beats.empty() ? "" : "beats\n" + indented(gen::to_text(beats)));
}

void write_plan(gen::config::Writer& w, const gen::Layer& layer) {
  layer.write_plan(w);
  w.member("beats", layer.beats());
}

std::vector<gen::Picture> pictures(const gen::Layer& layer) {
  auto all = layer.pictures();
  if (const auto beats = layer.beats(); !beats.empty())
    all.push_back({"beats", gen::beats_svg(beats)});
  return all;
}

std::string beats_note(const gen::BuiltNetwork& network) {
  return gen::to_text(gen::beats(network));
}

std::vector<backends::HeaderOptions::Functions> beats_functions(const gen::BuiltNetwork& network,
                                                                const std::string& top) {
  const auto header = backends::c_identifier(top);
  std::vector<backends::HeaderOptions::Functions> all;
  for (const gen::Beat& b : gen::beats(network)) {
    auto name = fmt::format("{}_{}", header, backends::c_identifier(b.port));
    if (!b.part.empty()) name += "_" + backends::c_identifier(b.part);
    all.push_back({gen::to_text({b}), gen::c_functions(b, name, header)});
  }
  return all;
}

}  // namespace kumiki::flow
