// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/control.h"

namespace kumiki::gen::engine {
namespace {

constexpr std::uint32_t bus_bits = PortsPlan::register_bits, index_bits = PortsPlan::page_bits - 2,
                        number_bits = 4;  // of a register
constexpr std::uint32_t low_bits = bus_bits - PortsPlan::page_bits,
                        high_bits = PortsPlan::base_bits - low_bits;

constexpr std::size_t number_of(Register r) { return static_cast<std::size_t>(r); }

struct RunState {
  enum : unsigned { rests, clears, goes, runs, stops, failed, count };
};
struct WriteState {
  enum : unsigned { free, taken, checked, decided, applies, answers, count };
};
struct ReadState {
  enum : unsigned { free, looks, asks, waits, answers, count };
};

class ControlBuilder {
 public:
  ControlBuilder(Scope& s, const PortsPlan& p, const ControlIn<Hardware>& in)
      : s_(s),
        p_(p),
        in_(in),
        run_(s, RunState::count, RunState::rests, {.reset = in.rst}),
        write_(s, WriteState::count, WriteState::free, {.reset = in.rst}) {}

  ControlOut<Hardware> run() {
    ControlOut<Hardware> out{};
    const UInt index = written_register();
    // What the registers hold.
    const UInt patience =
                   kept(Register::patience, 0, PortsPlan::patience_bits, PortsPlan::first_patience),
               program_low = kept(Register::program_low, PortsPlan::page_bits, low_bits),
               program_high = kept(Register::program_high, 0, high_bits),
               program_words = kept(Register::program_words, 0, PortsPlan::word_bits),
               moves = kept(Register::moves, 0, PortsPlan::move_count_bits),
               data_low = kept(Register::data_low, PortsPlan::page_bits, low_bits),
               data_high = kept(Register::data_high, 0, high_bits),
               data_words = kept(Register::data_words, 0, PortsPlan::word_bits);
    out.program_base = cat(s_, {program_high, program_low});
    out.data_base = cat(s_, {data_high, data_low});
    out.program_words = program_words;
    out.moves = moves;
    out.data_words = data_words;

    // Orders.
    const Net orders = writes(Register::control);
    const Net starts = s_.net(orders & data_[start_place]),
              resets = s_.net(orders & data_[reset_place]),
              heard = s_.net(writes(Register::status) & data_[done_place]);
    const Net wants = reg(s_, data_[interrupt_place], {.enable = orders, .reset = in_.rst});
    Reg<Net> to_run(s_, {.reset = in_.rst}), to_reset(s_, {.reset = in_.rst}),
        done(s_, {.reset = in_.rst}), late(s_, {.reset = in_.rst});
    to_run.next(starts | (to_run & ~resets & ~run_.in(RunState::goes)));
    to_reset.next(resets | (to_reset & ~run_.in(RunState::clears)));
    const Net ends = s_.net(run_.in(RunState::runs)&in_.done);
    done.next(ends | (done & ~starts & ~heard));
    Reg<UInt> since(s_, bus_bits,
                    {.reset = s_.net(in_.rst | in_.moved | ~run_.in(RunState::runs))});
    since.next(increment(s_, since.q()));
    const auto of_since = since.q().nets();
    const Net expired =
        reg(s_, picked(patience, {of_since.begin(), of_since.end()}), {.reset = in_.rst});
    late.next((run_.in(RunState::runs)&expired) | (late & ~run_.in(RunState::clears)));

    const Net is_wrong = s_.net(Bit(any_of(s_, in_.faults)) | late | to_reset);
    run_.go(RunState::rests, RunState::clears, to_run | to_reset);
    run_.go(RunState::clears, RunState::goes, Bit(to_run));
    run_.go(RunState::clears, RunState::rests);
    run_.go(RunState::goes, RunState::runs);
    run_.go(RunState::runs, RunState::rests, in_.done);
    run_.go(RunState::runs, RunState::stops, is_wrong);
    run_.go(RunState::stops, RunState::clears, in_.quiet & to_reset);
    run_.go(RunState::stops, RunState::failed, in_.quiet);
    run_.go(RunState::failed, RunState::clears, Bit(to_reset));
    run_.finish();
    out.clear = run_.in(RunState::clears);
    out.go = run_.in(RunState::goes);
    out.halt = s_.net(run_.in(RunState::stops) | run_.in(RunState::failed));
    out.interrupt = reg(s_, wants & (done | run_.in(RunState::failed)), {.reset = in_.rst});

    // Whether what is written may be.
    const Net rests = run_.in(RunState::rests);
    const Net may_start =
        reg(s_, Bit(any_of(s_, moves)) & at_least(s_, program_words, words_of_list(s_, p_, moves)));
    const auto is_below = [&](std::uint32_t width) {
      return Bit(rests) & ~Bit(any_of(s_, data_.slice(width, bus_bits - width)));
    };
    const Bit is_page = Bit(rests) & ~Bit(any_of(s_, data_.slice(0, PortsPlan::page_bits)));
    const Net no_order =
        any_of(s_, data_.slice(interrupt_place + 1, bus_bits - interrupt_place - 1));
    std::vector<Net> may(number_of(Register::count), ir::net_zero);
    const auto allow = [&](Register r, const Bit& when) { may[number_of(r)] = s_.net(when); };
    allow(Register::control,
          ~Bit(no_order) & (~data_[start_place] | (rests & may_start & ~data_[reset_place])));
    allow(Register::status,
          ~Bit(any_of(s_, data_.slice(done_place + 1, bus_bits - done_place - 1))) & ~data_[0]);
    allow(Register::patience, is_below(PortsPlan::patience_bits));
    allow(Register::program_low, is_page);
    allow(Register::data_low, is_page);
    for (const Register r : {Register::program_high, Register::data_high})
      allow(r, is_below(high_bits));
    for (const Register r : {Register::program_words, Register::data_words})
      allow(r, is_below(PortsPlan::word_bits));
    allow(Register::moves, is_below(PortsPlan::move_count_bits));
    may.push_back(ir::net_zero);
    for (Net& n : may) n = reg(s_, n);
    const Net chosen = picked(index.slice(0, number_bits), may);
    const Net is_far = any_of(s_, index.slice(number_bits, index_bits - number_bits));
    well_.drive(reg(s_, chosen & whole_ & ~is_far));
    out.awready = out.wready = write_.in(WriteState::taken);
    out.bvalid = write_.in(WriteState::answers);
    out.bresp = cat(
        s_,
        {bits(s_, {s_.net(~Bit(reg(s_, Net(well_), {.enable = write_.in(WriteState::applies)})))}),
         s_.constant(0, 1)});

    const UInt none = s_.constant(0, bus_bits);
    const auto word = [&](const UInt& of) { return zext(s_, of, bus_bits); };
    std::vector<UInt> values(number_of(Register::count) + 1, none);
    const auto show = [&](Register r, const UInt& of) { values[number_of(r)] = of; };
    const CorePlan& core = p_.engine.core;
    show(Register::identity, s_.constant(identity, bus_bits));
    show(Register::build, s_.constant(p_.build_hash(), bus_bits));
    show(Register::shape, s_.constant(shape_word(core), bus_bits));
    show(Register::places, s_.constant(static_cast<std::uint64_t>(core.shape.places), bus_bits));
    show(Register::control, word(cat(s_, {bits(s_, {wants}), s_.constant(0, interrupt_place)})));
    std::vector<Net> status(bus_bits, ir::net_zero);
    status[running_place] = s_.net(~rests & ~run_.in(RunState::failed));
    status[done_place] = done;
    status[failed_place] = run_.in(RunState::failed);
    for (std::size_t i = 0; i < in_.faults.size(); ++i) status[wrong_place + i] = in_.faults[i];
    status[wrong_place + in_.faults.size()] = late;
    show(Register::status, bits(s_, status));
    show(Register::moves_done, word(in_.begun));
    show(Register::patience, word(patience));
    const auto page = [&](const UInt& low) {
      return cat(s_, {Word(low), s_.constant(0, PortsPlan::page_bits)});
    };
    show(Register::program_low, page(program_low));
    show(Register::program_high, word(program_high));
    show(Register::program_words, word(program_words));
    show(Register::moves, word(moves));
    show(Register::data_low, page(data_low));
    show(Register::data_high, word(data_high));
    show(Register::data_words, word(data_words));
    reading(out, values);
    return out;
  }

 private:
  // One of several nets.
  Net picked(const UInt& index, const std::vector<Net>& nets) {
    std::vector<UInt> all;
    for (const Net n : nets) all.push_back(bits(s_, {n}));
    return select(s_, index, std::span<const UInt>(all))[0];
  }
  static std::uint64_t shape_word(const CorePlan& core) {
    return static_cast<std::uint64_t>(core.shape.rows) |
           static_cast<std::uint64_t>(core.shape.columns) << 8 |
           std::uint64_t{core.is_double} << 16;
  }

  // The number of the register that is written; its word is in `data_`.
  UInt written_register() {
    const Net takes = write_.in(WriteState::taken);
    const UInt index = reg(s_, in_.awaddr.slice(2, index_bits), {.enable = takes});
    data_ = reg(s_, in_.wdata, {.enable = takes});
    whole_ = reg(s_, all_of(s_, in_.wstrb), {.enable = takes});
    write_.go(WriteState::free, WriteState::taken, in_.awvalid & in_.wvalid);
    write_.go(WriteState::taken, WriteState::checked);
    write_.go(WriteState::checked, WriteState::decided);
    write_.go(WriteState::decided, WriteState::applies);
    write_.go(WriteState::applies, WriteState::answers);
    write_.go(WriteState::answers, WriteState::free, in_.bready);
    write_.finish();
    for (std::size_t i = 0; i < number_of(Register::count); ++i)
      is_.push_back(reg(s_, equals(s_, index.slice(0, number_bits), i)));
    return index;
  }
  Net writes(Register r) {
    return s_.net(write_.in(WriteState::applies)&Bit(well_) & is_[number_of(r)]);
  }
  UInt kept(Register r, std::uint32_t from, std::uint32_t width, std::uint64_t init = 0) {
    return reg(s_, data_.slice(from, width), {.init = init, .enable = writes(r), .reset = in_.rst});
  }

  void reading(ControlOut<Hardware>& out, const std::vector<UInt>& values) {
    Fsm read(s_, ReadState::count, ReadState::free, {.reset = in_.rst});
    const Net takes = s_.net(read.in(ReadState::free)&in_.arvalid),
              looks = read.in(ReadState::looks);
    const UInt address = reg(s_, in_.araddr, {.enable = takes});
    const Net of_counters = address.msb();
    const pipeline::CountersPlan counters = p_.counters();
    std::vector<Net> events{run_.in(RunState::runs)};
    for (const Net e : in_.events) events.push_back(s_.net(run_.in(RunState::runs)&e));
    const auto counted =
        instantiate(s_, pipeline::build_counters, counters,
                    {.rst = in_.rst,
                     .events = events,
                     .araddr = zext(s_, address.slice(0, PortsPlan::page_bits - 1),
                                    static_cast<std::uint32_t>(counters.address_bits())),
                     .arvalid = read.in(ReadState::asks),
                     .rready = read.in(ReadState::waits)},
                    "counters");
    const UInt chosen = select(s_, address.slice(2, number_bits), std::span<const UInt>(values));
    const Net is_far =
        any_of(s_, address.slice(2 + number_bits, PortsPlan::page_bits - 3 - number_bits));
    const Net is_none = s_.net(is_far | Bit(all_of(s_, address.slice(2, number_bits))));
    const Net comes = s_.net(read.in(ReadState::waits)&counted.rvalid);
    out.arready = read.in(ReadState::free);
    out.rvalid = read.in(ReadState::answers);
    const Net shows = s_.net(looks & ~is_none);
    out.rdata = reg(s_, UInt(s_.word((shows & chosen) | (~looks & counted.rdata))),
                    {.enable = s_.net(looks | comes)});
    out.rresp =
        reg(s_, mux(s_, looks, cat(s_, {bits(s_, {is_none}), s_.constant(0, 1)}), counted.rresp),
            {.enable = s_.net(looks | comes)});
    read.go(ReadState::free, ReadState::looks, in_.arvalid);
    read.go(ReadState::looks, ReadState::asks, of_counters);
    read.go(ReadState::looks, ReadState::answers);
    read.go(ReadState::asks, ReadState::waits, counted.arready);
    read.go(ReadState::waits, ReadState::answers, counted.rvalid);
    read.go(ReadState::answers, ReadState::free, in_.rready);
    read.finish();
  }

  Scope& s_;
  const PortsPlan& p_;
  const ControlIn<Hardware>& in_;
  Fsm run_, write_;
  Wire<Net> well_{s_};
  UInt data_;
  Net whole_;
  std::vector<Net> is_;  // the register that is written
};

}  // namespace

ControlIn<Hardware> input_shape(const ControlPlan&) {
  ControlIn<Hardware> in{};
  in.begun = UInt::shape(PortsPlan::move_count_bits);
  in.faults.resize(wrongs_of_the_mover);
  in.events.resize(events_of_the_mover);
  in.awaddr = in.araddr = UInt::shape(PortsPlan::page_bits);
  in.wdata = UInt::shape(bus_bits);
  in.wstrb = UInt::shape(bus_bits / 8);
  return in;
}

ControlOut<Hardware> build_control(Scope& s, const ControlPlan& p, const ControlIn<Hardware>& in) {
  s.module().set_about("registers of the engine, its start and its end");
  return ControlBuilder(s, p.ports, in).run();
}

}  // namespace kumiki::gen::engine
