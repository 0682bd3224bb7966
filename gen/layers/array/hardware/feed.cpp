// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/feed.h"

#include <fmt/format.h>

#include "gen/hdl/cells.h"

namespace kumiki::gen::array {
namespace {

std::uint32_t bits_for(int words) { return address_width(static_cast<std::uint64_t>(words)); }

// Every bank has two halves: which are full, which is being written, which is being read.
struct Halves {
  std::array<Net, 2> full;
  Net loading, feeding;  // the half at work
};

struct Loader {
  Net ready, direct_full;
  std::vector<UInt> direct;
  Net write;  // into the banks
  UInt group, address;
  UInt padding;  // in place of pixels that are not kept; without one they are 0
};

class Feeding {
 public:
  Feeding(Scope& s, const ArrayPlan& p, const Config& c, const ArrayIn<Hardware>& in,
          const Taken& taken)
      : s_(s),
        p_(p),
        c_(c),
        in_(in),
        taken_(taken),
        loaded_wire_(s),
        fed_wire_(s),
        loaded_(loaded_wire_),
        fed_(fed_wire_) {
    halves_.loading = half_at_work(s_, loaded_, c_.rst);
    halves_.feeding = half_at_work(s_, fed_, c_.rst);
    for (unsigned h = 0; h < 2; ++h) {
      Reg<Net> full(s_, {.reset = c_.rst});
      const auto at_work = [h](Net half) { return h == 1 ? Bit(half) : ~half; };
      full.next((loaded_ & at_work(halves_.loading)) | (full & ~(fed_ & at_work(halves_.feeding))));
      halves_.full[h] = full.q();
      s_.named(fmt::format("full{}", h), halves_.full[h]);
    }
  }

  Feed build() {
    load();
    return feed();
  }

 private:
  Net of_halves(Net half) { return s_.net(mux(half, halves_.full[1], halves_.full[0])); }

  void load() {
    Walk walk(s_, p_, c_, Engine::loader);
    Wire<Net> over(s_);
    const Net run = s_.named("loader_runs", latch(s_, walk.fetch(), over, c_.rst));
    const Net fc = walk.field(fields::loader_fc)[0];
    Wire<Net> take_fc_wire(s_);
    const Net take_fc = take_fc_wire;
    load_.direct_full = latch(s_, take_fc, taken_.direct, c_.rst);
    // A weight is taken when the elements take the one before it; a pixel when its half has room.
    const Net full = of_halves(halves_.loading);
    load_.ready = s_.net(run & mux(fc, ~load_.direct_full | taken_.direct, ~full));
    take_fc_wire.drive(load_.ready & fc & in_.ind_valid);
    load_.write = s_.net(load_.ready & ~fc & in_.ind_valid);
    if (p_.request.float32)
      load_.padding =
          walk.field(fields::loader_pad).slice(0, static_cast<std::uint32_t>(p_.operand_bits()));
    for (int e = 0; e < p_.direct_words(); ++e)
      load_.direct.push_back(
          reg(s_, in_.ind_data[static_cast<std::size_t>(e)], {.enable = take_fc}));

    const UpTo group = up_to(s_, walk.field(fields::loader_groups), load_.write, c_.rst);
    const Net next = s_.net(load_.write & group.last);
    const UpTo address = up_to(s_, walk.field(fields::loader_window), next, c_.rst);
    loaded_wire_.drive(load_.write & group.last & address.last);
    const Net counts = s_.net(take_fc | loaded_);
    const UpTo count = up_to(s_, walk.field(fields::loader_count), counts, c_.rst);
    over.drive(counts & count.last);
    walk.over(over);
    load_.group = group.value;
    load_.address = address.value;
  }

  // One memory for each bank; the top address bit selects the half.
  std::vector<UInt> banks(const UInt& read_at, Net read) {
    const auto window = bits_for(p_.window_depth());
    const bool one_address = p_.window_depth() == 1;
    auto address = [&](Net half, const UInt& at) {
      const UInt top = bits(s_, {half});
      return one_address ? top : cat(s_, {top, at.slice(0, window)});
    };
    const UInt write_at = address(halves_.loading, load_.address);
    const UInt from = address(halves_.feeding, read_at);
    std::vector<UInt> masked;
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(p_.pixel_lanes()); ++lane) {
      const UInt& pixel = in_.ind_data[lane];
      const Net keep = in_.ind_keep[lane];
      masked.push_back(p_.request.float32 ? s_.word(mux(keep, pixel, load_.padding))
                                          : s_.word(pixel & keep));
    }
    std::vector<Net> write;
    for (int g = 0; g < p_.bank_groups(); ++g)
      write.push_back(
          p_.bank_groups() == 1
              ? load_.write
              : s_.net(load_.write & equals(s_, load_.group, static_cast<std::uint64_t>(g))));
    std::vector<UInt> all;
    for (int bank = 0; bank < p_.banks(); ++bank) {
      std::vector<Word> high_to_low;
      for (int i = p_.chunk(); i-- > 0;)
        high_to_low.push_back(
            masked[static_cast<std::size_t>(bank % p_.banks_a_beat() * p_.chunk() + i)]);
      all.push_back(
          Memory{.depth = static_cast<std::uint32_t>(2 * p_.window_depth()),
                 .width = static_cast<std::uint32_t>(p_.chunk() * p_.operand_bits()),
                 .style = 2 * p_.window_depth() <= 64 ? ir::memory::distributed : ir::memory::block,
                 .read = ir::memory::registered,
                 .write_enable = write[static_cast<std::size_t>(bank / p_.banks_a_beat())],
                 .write_address = write_at,
                 .write_data = cat(s_, high_to_low),
                 .read_enable = read,
                 .read_address = from}
              .add_to(s_));
    }
    return all;
  }

  Feed feed() {
    Walk walk(s_, p_, c_, Engine::feeder);
    Wire<Net> over(s_), read_wire(s_);
    const Net read = read_wire;
    const Net run = s_.named("feeder_runs", latch(s_, walk.fetch(), over, c_.rst));
    const Net fc = walk.field(fields::feeder_fc)[0];

    Feed out;
    Reg<Net> there(s_, {.reset = c_.rst}), shadow_full(s_, {.reset = c_.rst});
    out.shadow_full = shadow_full.q();
    const Bit room = ~shadow_full | taken_.shadow;
    out.shift_in = s_.net(there & room);
    const Net go = s_.net(~there | room);
    read_wire.drive(run & ~fc & of_halves(halves_.feeding) & go);
    there.next(mux(go, read, there));

    // Chunks of a chain, phases across, taps of a phase down, phases down.
    Net chunk_last = ir::net_one;
    if (p_.chunks() > 1)
      chunk_last = counter(s_, {.modulo = static_cast<std::uint64_t>(p_.chunks()),
                                .enable = read,
                                .reset = c_.rst})
                       .last;
    const UInt phases = walk.field(fields::feeder_phases);
    const Net chain_done = s_.net(read & chunk_last);
    const UpTo b = up_to(s_, phases, chain_done, c_.rst);
    // Each enable comes from all counters at once, not from the enable before: a shorter path.
    const Net pass_done = s_.net(read & chunk_last & b.last);
    Count tap(s_, static_cast<std::uint32_t>(fields::feeder_taps.width), c_.rst);
    Count a(s_, static_cast<std::uint32_t>(fields::feeder_phases.width), c_.rst);
    const Net tap_last = equals(
        s_, tap.value(),
        last_tap(s_, walk.field(fields::feeder_taps), a.value(), walk.field(fields::feeder_high)));
    const Net a_last = equals(s_, a.value(), phases);
    tap.finish(pass_done, tap_last);
    const Net phase_done = s_.net(read & chunk_last & b.last & tap_last);
    a.finish(phase_done, a_last);
    fed_wire_.drive(read & chunk_last & b.last & tap_last & a_last);
    const UpTo windows = up_to(s_, walk.field(fields::feeder_windows), fed_, c_.rst);
    over.drive((run & fc) | (fed_ & windows.last));
    walk.over(over);

    const auto selected = banks(address(read, pass_done, tap_last, phase_done), go);
    const Net step = walk.field(fields::feeder_step)[0];
    const Net cut =
        p_.cuts_down() ? reg(s_, walk.field(fields::feeder_down)[0], {.enable = go}) : ir::net_zero;
    rows(selected, down(tap.value(), step, go), cut, out);
    const Net was_last = reg(s_, chunk_last, {.enable = go});
    shadow_full.next((out.shift_in & was_last) | (shadow_full & ~taken_.shadow));
    out.ind_ready = load_.ready;
    out.direct_full = load_.direct_full;
    out.direct = load_.direct;
    return out;
  }

  // The read address of the banks: counts up in a pass, goes back to the start of the phase for its
  // next tap, and goes on for the next phase.
  UInt address(Net read, Net pass_done, Net tap_last, Net phase_done) {
    const auto width = bits_for(p_.window_depth());
    const Net rst = s_.net(c_.rst | fed_);
    Reg<UInt> at(s_, width, {.enable = read, .reset = rst});
    Reg<UInt> phase(s_, width, {.enable = phase_done, .reset = rst});
    const UInt next = increment(s_, at.q());
    at.next(mux(pass_done & ~tap_last, phase, next));
    phase.next(next);
    return at.q();
  }

  // How many banks further down each row reads, registered to meet the words that were read.
  UInt down(const UInt& tap, Net step, Net go) {
    if (p_.request.reach == 1) return {};
    const std::uint32_t width = 5;
    const UInt once = zext(s_, tap, width);
    const UInt twice = cat(s_, {tap, s_.constant(0, 1)});
    const auto digits = bits_for(p_.request.reach);
    return reg(s_, mux(s_, step, twice.slice(0, digits), once.slice(0, digits)), {.enable = go});
  }

  // Where the array is cut, rows of the lower part get the same words as those of the upper part.
  void rows(const std::vector<UInt>& selected, const UInt& down, Net cut, Feed& out) {
    const auto bits = static_cast<std::uint32_t>(p_.operand_bits());
    std::vector<UInt> words;
    for (int r = 0; r < p_.rows(); ++r) {
      const std::span<const UInt> reached(selected.data() + r,
                                          static_cast<std::size_t>(p_.request.reach));
      words.push_back(p_.request.reach == 1 ? reached[0] : select(s_, down, reached));
    }
    const auto lower = static_cast<std::size_t>(p_.cut_down().offset);
    for (std::size_t r = 0; r < words.size(); ++r) {
      const UInt word =
          p_.cuts_down() && r >= lower ? mux(s_, cut, words[r - lower], words[r]) : words[r];
      std::vector<UInt> pixels;
      for (int i = 0; i < p_.chunk(); ++i)
        pixels.push_back(word.slice(static_cast<std::uint32_t>(i) * bits, bits));
      out.pixels.push_back(std::move(pixels));
    }
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  const ArrayIn<Hardware>& in_;
  const Taken taken_;
  Wire<Net> loaded_wire_, fed_wire_;
  Net loaded_, fed_;
  Halves halves_;
  Loader load_;
};

}  // namespace

Feed build_feed(Scope& s, const ArrayPlan& plan, const Config& config, const ArrayIn<Hardware>& in,
                const Taken& taken) {
  return Feeding(s, plan, config, in, taken).build();
}

}  // namespace kumiki::gen::array
