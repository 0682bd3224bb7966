// SPDX-License-Identifier: Apache-2.0
// The order of words as JSON. A word's place is a sum: "offset" plus each counter times a constant.
#include <nlohmann/json.hpp>

#include "gen/layers/array/files.h"

namespace kumiki::gen::array {
namespace {

using Json = nlohmann::ordered_json;

Json loop(const char* counter, std::int64_t count) {
  return {{"counter", counter}, {"count", count}};
}
// A loop whose count depends on the counter `by`: one entry for each value of it.
Json loop(const char* counter, const char* by, const std::vector<std::int64_t>& counts) {
  return {{"counter", counter}, {"by", by}, {"counts", counts}};
}

template <class F>
std::vector<std::int64_t> each(std::int64_t count, F&& f) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(f(i));
  return all;
}

std::vector<std::int64_t> taps(const Layout& l) {
  return each(l.phases.phases,
              [&](std::int64_t p) { return std::int64_t{l.phases.taps_of(static_cast<int>(p))}; });
}

// The pixels of a window that count in one direction: index < sums[block] + (taps[phase] - 1) *
// step, and only those inside the map.
Json window_side(const Layout& l, const Side& side, const char* block, const char* phase,
                 const Json& index) {
  return {{"index", index},
          {"block", block},
          {"sums", each(side.blocks(), [&](std::int64_t i) { return side.sums_of(i); })},
          {"phase", phase},
          {"taps", taps(l)},
          {"step", l.phases.step}};
}

Json windows(const Program& program, const ProgramLayer& p) {
  const Layout& l = p.layout;
  const ConvShape& s = p.job.shape.conv;
  const ArrayPlan& plan = program.plan;
  Json j;
  j["words"] = "pixels of the input map";
  j["beats"] = p.figures.individual_beats;
  j["kept_words"] = p.figures.individual_words;
  j["loops"] = {loop("group", l.groups),        loop("turn", l.turns),
                loop("strip", l.down.blocks()), loop("block", l.across.blocks()),
                loop("channel", l.channels),    loop("a", l.phases.phases),
                loop("b", l.phases.phases),     loop("chunk", plan.chunks()),
                loop("beat", l.bank_groups)};
  j["lanes"] = {loop("bank", plan.banks_a_beat()), loop("position", plan.chunk())};
  j["channel"] = {{"group", l.channels}, {"channel", 1}};
  j["row"] = {{"offset", -s.above()},
              {"strip", s.stride * l.down.pitch},
              {"a", s.dilation},
              {"beat", s.stride * plan.banks_a_beat()},
              {"bank", s.stride}};
  j["column"] = {{"offset", -s.left()},
                 {"block", s.stride * l.across.pitch},
                 {"b", s.dilation},
                 {"chunk", s.stride * plan.chunk()},
                 {"position", s.stride}};
  j["kept_rows"] =
      window_side(l, l.down, "strip", "a", {{"beat", plan.banks_a_beat()}, {"bank", 1}});
  j["kept_columns"] =
      window_side(l, l.across, "block", "b", {{"chunk", plan.chunk()}, {"position", 1}});
  return j;
}

// A batch: inputs of a block of images, then weights of a strip of outputs.
Json batch(const Program& program, const ProgramLayer& p) {
  const Layout& l = p.layout;
  Json j;
  j["words"] = "inputs of images, then weights of outputs";
  j["beats"] = p.figures.individual_beats;
  j["kept_words"] = p.figures.individual_words;
  j["loops"] = {loop("strip", l.down.blocks()), loop("block", l.across.blocks()),
                loop("input", l.channels)};
  j["lanes"] = {loop("image", program.plan.columns()), loop("output", program.plan.rows())};
  j["image"] = {{"block", l.across.block}, {"image", 1}};
  j["output"] = {{"strip", l.down.block}, {"output", 1}};
  j["images"] = each(l.across.blocks(), [&](std::int64_t i) { return l.across.results_of(i); });
  j["outputs"] = each(l.down.blocks(), [&](std::int64_t i) { return l.down.results_of(i); });
  return j;
}

Json weights(const Program& program, const ProgramLayer& p) {
  const Layout& l = p.layout;
  if (l.batch) return batch(program, p);
  Json j;
  j["words"] = "weights";
  j["beats"] = p.figures.individual_beats;
  j["kept_words"] = p.figures.individual_words;
  j["loops"] = {loop("block", l.blocks()), loop("input", l.channels)};
  j["lanes"] = {loop("element", program.plan.stream_words())};
  j["output"] = {{"block", l.elements}, {"element", 1}};
  j["elements"] = each(l.blocks(), [&](std::int64_t i) { return l.outputs_of(i); });
  return j;
}

Json common(const ArrayPlan& plan, const ProgramLayer& p) {
  const Layout& l = p.layout;
  const std::int64_t repeats = p.keep ? 1 : p.common_repeats();
  Json j;
  j["words"] = l.kind == Kind::fc ? "inputs" : "weights";
  j["count"] = p.figures.common_words;
  if (l.batch) {
    j["loops"] = Json::array();
    return j;
  }
  if (l.kind == Kind::fc) {
    j["loops"] = {loop("repeat", repeats), loop("input", l.channels)};
    return j;
  }
  const std::int64_t phases = l.phases.phases;
  j["loops"] = {loop("group", l.groups),     loop("turn", l.turns),   loop("repeat", repeats),
                loop("channel", l.channels), loop("a", phases),       loop("i", "a", taps(l)),
                loop("b", phases),           loop("j", "b", taps(l)), loop("slot", l.depth)};
  // One word for each part of the array; the other words of the beat do not count.
  const auto parts = static_cast<int>(l.parts.parts()),
             across = static_cast<int>(l.parts.across.parts);
  j["lane_of_part"] = each(parts, [&](std::int64_t part) {
    return std::int64_t{plan.common_lane(part / across != 0, part % across != 0)};
  });
  // Words for outputs past the last of a group are 0.
  j["output_of_group"] = {{"turn", l.turn_outputs()}, {"part", l.depth}, {"slot", 1}};
  j["outputs_of_group"] = l.outputs;
  j["kernel_row"] = {{"a", 1}, {"i", phases}};
  j["kernel_column"] = {{"b", 1}, {"j", phases}};
  return j;
}

Json results(const Program& program, const ProgramLayer& p) {
  const Layout& l = p.layout;
  const std::int64_t words = program.plan.request.output_words;
  Json j;
  j["beats"] = p.figures.output_beats;
  j["kept_words"] = p.figures.output_words;
  if (l.batch) {
    j["loops"] = {
        loop("strip", l.down.blocks()), loop("block", l.across.blocks()),
        loop("row", "strip", each(l.down.blocks(), [&](auto i) { return l.down.results_of(i); }))};
    j["row_words"] = each(l.across.blocks(), [&](auto i) { return l.across.results_of(i); });
    j["output"] = {{"strip", l.down.block}, {"row", 1}};
    j["image"] = {{"block", l.across.block}, {"word", 1}};
  } else if (l.kind == Kind::fc) {
    j["loops"] = {loop("block", l.blocks())};
    j["elements"] = each(l.blocks(), [&](std::int64_t i) { return l.outputs_of(i); });
    j["row_words"] = l.columns;
    j["output"] = {{"block", l.elements}, {"row", l.columns}, {"word", 1}};
  } else {
    j["loops"] = {
        loop("group", l.groups),
        loop("turn", l.turns),
        loop("strip", l.down.blocks()),
        loop("block", l.across.blocks()),
        loop("slot", "turn", each(l.turns, [&](auto t) { return l.slots(t); })),
        loop("row", "strip", each(l.down.blocks(), [&](auto i) { return l.down.results_of(i); }))};
    j["row_words"] = each(l.across.blocks(), [&](auto i) { return l.across.results_of(i); });
    j["channel"] = {{"group", l.outputs}, {"turn", l.turn_outputs()}, {"slot", 1}};
    j["row"] = {{"strip", l.down.block}, {"row", 1}};
    j["column"] = {{"block", l.across.block}, {"word", 1}};
  }
  j["words_a_beat"] = words;
  return j;
}

}  // namespace

std::string order_json(const Program& program) {
  Json all;
  all["array"] = program.plan.module_name();
  all["stream_words"] = program.plan.stream_words();
  all["common_words"] = program.plan.commons();
  all["output_words"] = program.plan.request.output_words;
  Json& layers = all["layers"] = Json::array();
  for (const ProgramLayer& p : program.layers) {
    const bool fc = p.layout.kind == Kind::fc;
    const MapShape in = p.job.in_shape(), out = p.job.made_shape();
    layers.push_back({{"name", p.job.shape.name},
                      {"type", fc ? "fc" : "conv"},
                      {"input", {in.channels, in.height, in.width}},
                      {"output", {out.channels, out.height, out.width}},
                      {"individual", fc ? weights(program, p) : windows(program, p)},
                      {"common", common(program.plan, p)},
                      {"parameters",
                       {{"beats", p.figures.parameter_beats},
                        {"a_beat_for", fc ? "each beat of results, a word for each of its words"
                                          : "each block and slot, its first word"}}},
                      {"results", results(program, p)}});
    // The next layer reads every kept[0]-th row and kept[1]-th column of the output.
    if (!p.job.keeps_all()) layers.back()["kept"] = p.job.kept;
  }
  return all.dump(1) + "\n";
}

}  // namespace kumiki::gen::array
