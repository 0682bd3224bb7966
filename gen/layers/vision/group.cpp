// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/group.h"

#include <fmt/format.h>

#include "gen/layers/vision/halving.h"
#include "gen/layers/vision/handshake.h"
#include "gen/layers/vision/window.h"

namespace kumiki::gen::vision {
namespace {

using Pixels = PixelOperation::Pixels;

// A frame takes over the coefficients at its start if the set is complete.
std::vector<UInt> held(Scope& s, const Group& group, const Control& control,
                       const GroupIn<Hardware>& in) {
  std::vector<UInt> all;
  if (group.loadable() == 0) return all;
  const Net take = s.net(control.step & control.fresh & control.run & in.complete.at(0) & ~in.rst);
  const auto values = group.window->operation->loadable();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t w = in.coefficients[i].width();
    Reg<UInt> active(s, w, {.init = packing::raw_of(values[i], w), .enable = take});
    active.next(in.coefficients[i]);
    all.push_back(active.q());
  }
  return all;
}

// Orders results image by image: those of the first kernel in all channels, those of the second,
// then the kept pixels.
Pixels after_window(const Group& group, const Lanes& results, const Lanes& middle) {
  const auto channels = group.inputs.size();
  Pixels pixels(static_cast<std::size_t>(group.geometry.pixels));
  for (std::size_t p = 0; p < pixels.size(); ++p)
    for (std::size_t k = 0; k < results.front().size(); ++k)
      for (std::size_t c = 0; c < channels; ++c) pixels[p].push_back(results[p * channels + c][k]);
  for (std::size_t p = 0; p < middle.size(); ++p)
    for (const UInt& w : middle[p]) pixels[p].push_back(w);
  return pixels;
}

std::vector<UInt> flat(const Pixels& pixels) {
  std::vector<UInt> all;
  for (const auto& pixel : pixels) all.insert(all.end(), pixel.begin(), pixel.end());
  return all;
}

Pixels operate(Scope& s, const Group& group, Pixels pixels, Net enable) {
  for (const auto& op : group.after) pixels = op->build(s, pixels, enable);
  return pixels;
}

GroupOut<Hardware> build_windowed(Scope& s, const Group& group, const GroupIn<Hardware>& in) {
  Wire<Net> room(s);
  const Control control =
      build_control(s, group, {in.rst, in.valid, in.eol, in.eof, in.tail, in.ready}, room);
  const Net step = control.step;
  const auto coefficients = held(s, group, control, in);
  const Windows windows = build_windows(s, group, control, in.data);
  const auto& operation = *group.window->operation;
  const Lanes results = operation.build_row(s, windows.values, coefficients, step);
  const Pixels pixels = operate(s, group, after_window(group, results, windows.middle), step);
  GroupOut<Hardware> out{.data = flat(pixels)};

  // The flags belong to the beat in the middle of the window.
  const auto wait = static_cast<std::uint32_t>(group.latency() - 1);
  const auto late = [&](Net flag) { return delay(s, flag, wait, step); };
  const Net has_middle = delay(s, control.has_middle, wait - 1, step);
  out.valid = output_valid(s, has_middle & ~control.mute, step, in.ready, in.rst);
  out.eol = late(control.ends);
  out.eof = late(s.net(control.ends & control.is_bottom));
  out.tail = control.tail;
  if (group.hands_on_height)
    out.last_line = {
        reg(s, in.last_line.at(0), {.enable = s.net(step & control.fresh & control.run)})};
  out.ready = control.ready;
  room.drive(room_for_more(s, out.valid, in.ready));
  return out;
}

// Without a window pixels pass one by one, and gaps pass through.
GroupOut<Hardware> build_plain(Scope& s, const Group& group, const GroupIn<Hardware>& in) {
  Wire<Net> step(s);
  const auto channels = group.inputs.size();
  Pixels pixels(static_cast<std::size_t>(group.geometry.pixels));
  for (std::size_t i = 0; i < in.data.size(); ++i) pixels[i / channels].push_back(in.data[i]);
  pixels = operate(s, group, pixels, step);
  const auto latency = static_cast<std::uint32_t>(group.latency());
  // Operations that consist only of wires still have an output register.
  const auto more = latency - static_cast<std::uint32_t>(group.operations_latency());
  for (auto& pixel : pixels)
    for (UInt& w : pixel) w = delay(s, w, more, step);
  GroupOut<Hardware> out{.data = flat(pixels)};
  Net valid = in.valid;
  for (std::uint32_t i = 1; i < latency; ++i)
    valid = reg(s, valid, {.enable = step, .reset = in.rst});
  out.valid = output_valid(s, valid, step, in.ready, in.rst);
  out.eol = delay(s, in.eol, latency, step);
  out.eof = delay(s, in.eof, latency, step);
  for (const Net t : in.tail) out.tail.push_back(delay(s, t, latency, step));
  if (group.hands_on_height) out.last_line = {delay(s, in.last_line.at(0), latency, step)};
  out.ready = step;
  step.drive(room_for_more(s, out.valid, in.ready));
  return out;
}

}  // namespace

GroupOut<Hardware> build_group(Scope& s, const Group& group, const GroupIn<Hardware>& in) {
  if (group.halves) return build_halving(s, group, in);
  std::string about =
      group.window ? group.window->operation->text() : std::string("pixel by pixel");
  for (const auto& op : group.after) about += "; " + op->text();
  s.module().set_about(about);
  return group.window ? build_windowed(s, group, in) : build_plain(s, group, in);
}

}  // namespace kumiki::gen::vision
