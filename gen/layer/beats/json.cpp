// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "gen/layer/beats/beats.h"

namespace kumiki::gen {
namespace {

void put_given(Json& json, const Given& given) {
  if (given.port.empty()) return;
  json["given"] = {{"port", given.port}, {"per", given.per}};
}

Json loops(const std::vector<Index>& all) {
  Json list = Json::array();
  for (const Index& i : all) {
    Json one{{"name", i.name}, {"count", i.count}};
    if (i.falls) one["falls"] = true;
    put_given(one, i.given);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

Json to_json(const std::vector<Beat>& beats) {
  Json all = Json::array();
  for (const Beat& b : beats) {
    Json formats = Json::array(), of = Json::array();
    for (const NumberFormat& f : b.formats)
      formats.push_back({{"bits", f.width}, {"signed", f.is_signed}});
    for (const Coordinate& c : b.of) {
      Json steps = Json::array();
      for (const Step& s : c.steps) steps.push_back({{"index", s.index}, {"step", s.size}});
      Json one{{"name", c.name}, {"count", c.count}, {"steps", std::move(steps)}};
      put_given(one, c.given);
      of.push_back(std::move(one));
    }
    Json one{{"port", b.port}};
    if (!b.part.empty()) one["part"] = b.part;
    one["low"] = b.low;
    one["bits"] = b.bits();
    one["formats"] = std::move(formats);
    one["elements"] = loops(b.elements);
    one["words"] = loops(b.words);
    one["what"] = b.what;
    one["of"] = std::move(of);
    one["when"] = b.when;
    one["runs_on"] = b.runs_on;
    if (b.is_late()) one["late"] = b.late;
    if (!b.padding.empty()) one["padding"] = b.padding;
    if (!b.note.empty()) one["note"] = b.note;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace kumiki::gen
