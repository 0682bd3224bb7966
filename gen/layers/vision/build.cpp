// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/build.h"

#include <fmt/format.h>

#include "gen/hdl/cells.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/vision/group.h"
#include "gen/layers/vision/guard.h"
#include "gen/layers/vision/skid.h"

namespace kumiki::gen::vision {
namespace {

std::vector<UInt> beat_shape(const Geometry& g, const std::vector<Format>& channels) {
  std::vector<UInt> all;
  for (int p = 0; p < g.pixels; ++p)
    for (const Format& f : channels) all.push_back(UInt::shape(static_cast<std::uint32_t>(f.bits)));
  return all;
}

// Coefficients come one by one, from the first one of the first group on. A set is complete from
// its last coefficient until the next set begins; an incomplete set is never used. A reset drops an
// incomplete set. Its coefficients have already displaced the previous set, so no set is complete
// until a whole one has come.
struct Loaded {
  std::vector<UInt> values;
  Net complete;
};

Loaded build_loader(Scope& s, const Pipeline& p, const VideoIn<Hardware>& in) {
  Loaded loaded;
  const int count = p.coefficients();
  if (count == 0) return loaded;
  const Net take = s.net(in.coefficient_valid.at(0) & ~in.rst);
  std::vector<std::int64_t> first;
  for (const Group& g : p.groups)
    if (g.window)
      for (const auto v : g.window->operation->loadable()) first.push_back(v);
  // A shift register: the last coefficient of a set enters last.
  UInt newest = in.coefficient_data.at(0);
  const std::uint32_t width = newest.width();
  std::vector<UInt> last_to_first;
  for (std::size_t i = first.size(); i-- > 0;) {
    Reg<UInt> q(s, width, {.init = packing::raw_of(first[i], width), .enable = take});
    q.next(newest);
    newest = q.q();
    last_to_first.push_back(newest);
  }
  loaded.values.assign(last_to_first.rbegin(), last_to_first.rend());
  loaded.complete = ir::net_one;
  if (count > 1) {
    const auto c =
        counter(s, {.modulo = static_cast<std::uint64_t>(count), .enable = take, .reset = in.rst});
    Reg<Net> whole(s, {.init = 1, .enable = take});
    whole.next(c.last);
    loaded.complete = whole.q();
  }
  return loaded;
}

}  // namespace

VideoIn<Hardware> input_shape(const Pipeline& p) {
  VideoIn<Hardware> in{};
  const auto size = [](std::int64_t most) {
    return UInt::shape(address_width(static_cast<std::uint64_t>(most) + 2));
  };
  in.width = size(p.geometry.max_width);
  in.height = size(p.geometry.max_height);
  in.s_tdata = beat_shape(p.geometry, p.inputs);
  if (p.coefficients() > 0) {
    in.coefficient_valid.resize(1);
    in.coefficient_data = {UInt::shape(static_cast<std::uint32_t>(p.coefficient_bits()))};
  }
  return in;
}

VideoOut<Hardware> output_shape(const Pipeline& p) {
  VideoOut<Hardware> out{};
  out.m_tdata = beat_shape(p.geometry, p.outputs);
  out.status = UInt::shape(status_bits);
  return out;
}

VideoOut<Hardware> build_pipeline(Scope& s, const Pipeline& p, const VideoIn<Hardware>& in) {
  s.module().set_about(fmt::format("{}: {} pixels a beat, up to {} x {}", p.name, p.geometry.pixels,
                                   p.geometry.max_width, p.geometry.max_height));
  VideoOut<Hardware> out;
  const Loaded loaded = build_loader(s, p, in);
  // The parts from the guard on, with a skid before every group and after the last one, and one
  // before the guard. A size travels with its beat.
  Wire<Net> entered(s);
  std::vector<UInt> entering = in.s_tdata;
  entering.insert(entering.end(), {in.width, in.height});
  const GroupOut<Hardware> entry = instantiate(s, build_skid, SkidPlan{},
                                               GroupIn<Hardware>{.rst = in.rst,
                                                                 .valid = in.s_tvalid,
                                                                 .eol = in.s_tlast,
                                                                 .eof = in.s_tuser,
                                                                 .data = entering,
                                                                 .ready = entered},
                                               "entry");
  std::vector<Wire<Net>> ready;
  for (std::size_t i = 0; i <= 2 * p.groups.size() + 1; ++i) ready.emplace_back(s);
  const Guard guard = build_guard(s, p.geometry,
                                  {in.rst,
                                   in.clear_status,
                                   entry.data.end()[-2],
                                   entry.data.end()[-1],
                                   entry.valid,
                                   entry.eof,
                                   entry.eol,
                                   {entry.data.begin(), entry.data.end() - 2},
                                   ready[0]});
  entered.drive(guard.ready);
  out.s_tready = entry.ready;
  out.status = guard.status;
  GroupOut<Hardware> beat{.valid = guard.valid,
                          .eol = guard.eol,
                          .eof = guard.eof,
                          .tail = guard.tail,
                          .data = guard.data};
  if (p.groups.front().takes_height) beat.last_line = {guard.last_line};
  std::size_t part = 0, coefficient = 0;
  const auto input = [&] {
    return GroupIn<Hardware>{.rst = in.rst,
                             .valid = beat.valid,
                             .eol = beat.eol,
                             .eof = beat.eof,
                             .tail = beat.tail,
                             .data = beat.data,
                             .last_line = beat.last_line,
                             .ready = ready[part + 1]};
  };
  const auto skid = [&] {
    beat = instantiate(s, build_skid, SkidPlan{}, input(), fmt::format("skid{}", part / 2));
    ready[part++].drive(beat.ready);
  };
  for (const Group& g : p.groups) {
    skid();
    GroupIn<Hardware> to = input();
    for (int k = 0; k < g.loadable(); ++k)
      to.coefficients.push_back(loaded.values[coefficient++].slice(
          0, static_cast<std::uint32_t>(g.window->operation->coefficient().bits)));
    if (g.loadable() > 0) to.complete = {loaded.complete};
    beat = instantiate(s, build_group, g, to, fmt::format("filter{}", part / 2));
    ready[part++].drive(beat.ready);
  }
  skid();
  ready[part].drive(in.m_tready);
  out.m_tvalid = beat.valid;
  out.m_tlast = beat.eol;
  const Net taken = s.net(beat.valid & in.m_tready);
  Reg<Net> first(s, {.init = 1, .enable = taken, .reset = in.rst});
  first.next(beat.eof);
  out.m_tuser = first.q();
  // Pixels past the end of a line are 0.
  const auto channels = p.outputs.size();
  for (std::size_t i = 0; i < beat.data.size(); ++i) {
    const auto pixel = static_cast<unsigned>(i / channels);
    if (pixel == 0) {
      out.m_tdata.push_back(beat.data[i]);
      continue;
    }
    std::vector<Net> index(beat.tail.begin(), beat.tail.end());
    index.push_back(beat.eol);
    const auto bits = static_cast<unsigned>(beat.tail.size());
    const Net there = look_up(
        s, 1, [&](unsigned k) { return k >> bits == 0 || (k & ((1u << bits) - 1)) >= pixel; },
        index)[0];
    out.m_tdata.push_back(s.word(beat.data[i] & there));
  }
  return out;
}

}  // namespace kumiki::gen::vision
