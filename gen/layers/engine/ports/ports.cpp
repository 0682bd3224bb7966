// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/ports.h"

#include "gen/layers/pipeline/machines/lanes.h"

namespace kumiki::gen::engine {
namespace {

constexpr std::uint32_t size_bits = 3, burst_bits = 2, length_bits = 8, response_bits = 2;

// What the parts show each other, the same for nets and for numbers.
template <class R>
ControlIn<R> to_control(const PortsIn<R>& in, const MoverOut<R>& mover) {
  return {.rst = in.rst,
          .done = mover.done,
          .quiet = mover.quiet,
          .moved = mover.moved,
          .begun = mover.begun,
          .faults = mover.faults,
          .events = mover.events,
          .awaddr = in.s_awaddr,
          .wdata = in.s_wdata,
          .wstrb = in.s_wstrb,
          .araddr = in.s_araddr,
          .awvalid = in.s_awvalid,
          .wvalid = in.s_wvalid,
          .bready = in.s_bready,
          .arvalid = in.s_arvalid,
          .rready = in.s_rready};
}

template <class R>
MoverIn<R> to_mover(typename R::Bit rst, const PortsIn<R>& in, const ControlOut<R>& control,
                    const EngineOut<R>& engine) {
  return {.rst = rst,
          .go = control.go,
          .halt = control.halt,
          .program_base = control.program_base,
          .program_words = control.program_words,
          .moves = control.moves,
          .data_base = control.data_base,
          .data_words = control.data_words,
          .in_ready = engine.in_ready,
          .out_valid = engine.out_valid,
          .out_last = engine.out_last,
          .out_data = engine.out_data,
          .arready = in.m_arready,
          .rvalid = in.m_rvalid,
          .rlast = in.m_rlast,
          .awready = in.m_awready,
          .wready = in.m_wready,
          .bvalid = in.m_bvalid,
          .rresp = in.m_rresp,
          .bresp = in.m_bresp,
          .rdata = in.m_rdata};
}

template <class R>
EngineIn<R> to_engine(typename R::Bit rst, const MoverOut<R>& mover) {
  return {.rst = rst,
          .in_valid = mover.in_valid,
          .out_ready = mover.out_ready,
          .in_data = mover.in_data};
}

// `size`, `burst`, `strobes`: of every burst.
template <class R>
PortsOut<R> shown(const ControlOut<R>& control, const MoverOut<R>& mover,
                  const typename R::UInt& size, const typename R::UInt& burst,
                  const typename R::UInt& strobes) {
  return {.interrupt = control.interrupt,
          .s_awready = control.awready,
          .s_wready = control.wready,
          .s_bvalid = control.bvalid,
          .s_arready = control.arready,
          .s_rvalid = control.rvalid,
          .s_bresp = control.bresp,
          .s_rresp = control.rresp,
          .s_rdata = control.rdata,
          .m_arvalid = mover.arvalid,
          .m_rready = mover.rready,
          .m_awvalid = mover.awvalid,
          .m_wvalid = mover.wvalid,
          .m_wlast = mover.wlast,
          .m_bready = mover.bready,
          .m_araddr = mover.araddr,
          .m_arlen = mover.arlen,
          .m_arsize = size,
          .m_arburst = burst,
          .m_awaddr = mover.awaddr,
          .m_awlen = mover.awlen,
          .m_awsize = size,
          .m_awburst = burst,
          .m_wstrb = strobes,
          .m_wdata = mover.wdata};
}

}  // namespace

PortsIn<Hardware> input_shape(const PortsPlan& p) {
  PortsIn<Hardware> in{};
  in.s_awaddr = in.s_araddr = UInt::shape(PortsPlan::page_bits);
  in.s_wdata = UInt::shape(PortsPlan::register_bits);
  in.s_wstrb = UInt::shape(PortsPlan::register_bits / 8);
  in.m_rresp = in.m_bresp = UInt::shape(response_bits);
  in.m_rdata.assign(p.word_bytes(), UInt::shape(8));
  return in;
}

PortsOut<Hardware> output_shape(const PortsPlan& p) {
  PortsOut<Hardware> out{};
  out.s_bresp = out.s_rresp = UInt::shape(response_bits);
  out.s_rdata = UInt::shape(PortsPlan::register_bits);
  out.m_araddr = out.m_awaddr = UInt::shape(PortsPlan::address_bits);
  out.m_arlen = out.m_awlen = UInt::shape(length_bits);
  out.m_arsize = out.m_awsize = UInt::shape(size_bits);
  out.m_arburst = out.m_awburst = UInt::shape(burst_bits);
  out.m_wstrb = UInt::shape(p.word_bytes());
  out.m_wdata.assign(p.word_bytes(), UInt::shape(8));
  return out;
}

PortsOut<Hardware> build_ports(Scope& s, const PortsPlan& p, const PortsIn<Hardware>& in) {
  s.module().set_about("an engine with registers and a memory outside");
  Wire<Net> done(s), quiet(s), moved(s), in_ready(s), out_valid(s), out_last(s);
  Wire<UInt> begun(s, PortsPlan::move_count_bits), result(s, 8 * p.word_bytes());
  std::vector<Wire<Net>> faults, events;
  for (std::size_t i = 0; i < wrongs_of_the_mover; ++i) faults.emplace_back(s);
  for (std::size_t i = 0; i < events_of_the_mover; ++i) events.emplace_back(s);

  const MoverOut<Hardware> of_mover{.done = done,
                                    .quiet = quiet,
                                    .moved = moved,
                                    .begun = begun.get(),
                                    .faults = {faults.begin(), faults.end()},
                                    .events = {events.begin(), events.end()}};
  const ControlOut<Hardware> control =
      instantiate(s, build_control, ControlPlan{p}, to_control<Hardware>(in, of_mover), "control");

  const Net rst = s.net(in.rst | control.clear);
  const EngineOut<Hardware> of_engine{.in_ready = in_ready,
                                      .out_valid = out_valid,
                                      .out_last = out_last,
                                      .out_data = pipeline::lanes_of(result, p.word_bytes())};
  const MoverOut<Hardware> mover = instantiate(
      s, build_mover, MoverPlan{p}, to_mover<Hardware>(rst, in, control, of_engine), "mover");
  done.drive(mover.done);
  quiet.drive(mover.quiet);
  moved.drive(mover.moved);
  begun.drive(mover.begun);
  for (std::size_t i = 0; i < faults.size(); ++i) faults[i].drive(mover.faults[i]);
  for (std::size_t i = 0; i < events.size(); ++i) events[i].drive(mover.events[i]);

  const EngineOut<Hardware> engine =
      instantiate(s, build_engine, p.engine, to_engine<Hardware>(rst, mover), "engine");
  in_ready.drive(engine.in_ready);
  out_valid.drive(engine.out_valid);
  out_last.drive(engine.out_last);
  result.drive(pipeline::joined(s, engine.out_data));
  return shown<Hardware>(control, mover, s.constant(p.size_code(), size_bits),
                         s.constant(incrementing, burst_bits),
                         repeat(s, ir::net_one, p.word_bytes()));
}

PortsModel::PortsModel(const PortsPlan& plan)
    : plan_(plan), engine_(plan.engine), mover_(plan), control_(plan) {}

void PortsModel::power_up() {
  engine_.power_up();
  mover_.reset();
  control_.power_up();
}

PortsOut<Values> PortsModel::step(const PortsIn<Values>& in) {
  const ControlOut<Values> control = control_.shown();
  const bool rst = in.rst || control.clear;
  const MoverIn<Values> moves = to_mover<Values>(rst, in, control, engine_.shown());
  const MoverOut<Values> mover = mover_.shown(moves);
  (void)engine_.step(to_engine<Values>(rst, mover));
  mover_.clock(moves);
  control_.clock(to_control<Values>(in, mover));
  return shown<Values>(control, mover, plan_.size_code(), incrementing,
                       ~std::uint64_t{0} >> (64 - plan_.word_bytes()));
}

}  // namespace kumiki::gen::engine
