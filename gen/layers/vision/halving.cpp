// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/halving.h"

#include <algorithm>

#include "gen/layers/vision/handshake.h"

namespace kumiki::gen::vision {
namespace {

// The position of the offered beat in its frame.
struct PlaceInFrame {
  Net second;      // the second of two beats that become one
  Net odd_line;    // the line is dropped
  Net last_kept;   // no later line is passed on
  UInt last_line;  // of the frame that is passed on
};

PlaceInFrame build_place(Scope& s, const GroupIn<Hardware>& in, Net take) {
  const Net ends = s.net(take & in.eol);
  Reg<Net> second(s, {.enable = take, .reset = in.rst});
  second.next(~second & ~in.eol);
  Reg<Net> odd(s, {.enable = ends, .reset = in.rst});
  odd.next(~odd & ~in.eof);
  const UInt& lines = in.last_line.at(0);
  const UInt last = lines.width() > 1 ? lines.slice(1, lines.width() - 1) : s.constant(0, 1);
  Reg<UInt> gone(s, last.width(), {.enable = ends, .reset = s.net(in.rst | (ends & in.eof))});
  gone.next(increment(s, gone.q(), odd.q()));
  return {second.q(), odd.q(), equals(s, gone.q(), last), last};
}

}  // namespace

GroupOut<Hardware> build_halving(Scope& s, const Group& group, const GroupIn<Hardware>& in) {
  s.module().set_about("every second pixel of every second line");
  const auto channels = group.inputs.size();
  const auto pixels = static_cast<std::size_t>(group.geometry.pixels);
  Wire<Net> room(s);
  const Net take = s.net(in.valid & room);
  const PlaceInFrame place = build_place(s, in, take);
  // If a line ends with the first beat of a pair, that beat is sent alone.
  const Net emits = s.net(take & (place.second | in.eol) & ~place.odd_line);
  const RegOptions sent{.enable = emits};

  // A beat keeps its first and third pixel. Those of a first beat wait for the second beat.
  GroupOut<Hardware> out;
  std::vector<UInt> now, before;
  for (std::size_t p = 0; p < std::max<std::size_t>(pixels / 2, 1); ++p)
    for (std::size_t c = 0; c < channels; ++c) now.push_back(in.data[2 * p * channels + c]);
  for (const UInt& w : now) before.push_back(reg(s, w, {.enable = take}));
  for (std::size_t i = 0; i < in.data.size(); ++i)
    out.data.push_back(reg(
        s, i < now.size() ? mux(s, place.second, before[i], now[i]) : now[i - now.size()], sent));
  out.valid = output_valid(s, emits, room, in.ready, in.rst);
  out.eol = reg(s, in.eol, sent);
  out.eof = reg(s, in.eol & place.last_kept, sent);
  // The number of pixels minus one. With four in a beat, a first beat gives one or two, a second
  // one two more.
  if (pixels == 4) out.tail.push_back(reg(s, in.tail[1], sent));
  if (pixels > 1) out.tail.push_back(reg(s, place.second, sent));
  if (group.hands_on_height) out.last_line = {reg(s, place.last_line, sent)};
  out.ready = room;
  room.drive(room_for_more(s, out.valid, in.ready));
  return out;
}

}  // namespace kumiki::gen::vision
