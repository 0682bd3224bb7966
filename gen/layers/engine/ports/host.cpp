// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/host.h"

#include <algorithm>

namespace kumiki::gen::engine {

void RegisterPort::drive(PortsIn<Values>& in) const {
  const Access next = accesses_.empty() ? Access{} : accesses_.front();
  const bool asks = !accesses_.empty() && !is_asked_;
  in.s_awaddr = in.s_araddr = next.address;
  in.s_wdata = next.data.value_or(0);
  in.s_wstrb = next.strobes;
  in.s_awvalid = in.s_wvalid = asks && next.data;
  in.s_arvalid = asks && !next.data;
  in.s_bready = in.s_rready = is_asked_;
}

void RegisterPort::watch(const PortsIn<Values>& in, const PortsOut<Values>& out) {
  if ((in.s_awvalid && out.s_awready && out.s_wready) || (in.s_arvalid && out.s_arready))
    is_asked_ = true;
  const bool is_written = in.s_bready && out.s_bvalid, is_read = in.s_rready && out.s_rvalid;
  if (!is_written && !is_read) return;
  answers_.push_back(
      {(is_written ? out.s_bresp : out.s_rresp) != pipeline::resp_okay, is_read ? out.s_rdata : 0});
  accesses_.pop_front();
  is_asked_ = false;
}

PortsHost::PortsHost(const Ranges& r) {
  constexpr std::uint64_t low_word = 0xffffffff;
  if (r.has_failed) {
    stage_ = Stage::sets;
    port_.write(Register::control, 1u << reset_place);
  }
  port_.write(Register::patience, r.patience);
  port_.write(Register::program_low, r.program_base & low_word);
  port_.write(Register::program_high, r.program_base >> 32);
  port_.write(Register::program_words, r.program_words);
  port_.write(Register::moves, r.moves);
  port_.write(Register::data_low, r.data_base & low_word);
  port_.write(Register::data_high, r.data_base >> 32);
  port_.write(Register::data_words, r.data_words);
  port_.write(Register::control, 1u << interrupt_place | 1u << start_place);
}

void PortsHost::drive(PortsIn<Values>& in) const {
  in.rst = stage_ == Stage::resets;
  if (in.rst)
    RegisterPort().drive(in);
  else
    port_.drive(in);
}

void PortsHost::watch(const PortsIn<Values>& in, const PortsOut<Values>& out) {
  ++clocks_;
  if (stage_ == Stage::resets) {
    stage_ = Stage::sets;
    return;
  }
  port_.watch(in, out);
  switch (stage_) {
    case Stage::sets: {
      if (!port_.is_idle()) return;
      const auto answers = port_.take();
      was_refused_ = std::ranges::any_of(answers, &RegisterPort::Answer::is_error);
      stage_ = was_refused_ ? Stage::done : Stage::runs;
      return;
    }
    case Stage::runs:
      if (!out.interrupt) return;
      port_.read(Register::status);
      port_.read(Register::moves_done);
      for (std::size_t e = 0; e < counts_.size(); ++e)
        port_.ask({RegisterPort::address_of(static_cast<Event>(e))});
      port_.write(Register::status, 1u << done_place);
      stage_ = Stage::looks;
      return;
    case Stage::looks: {
      if (!port_.is_idle()) return;
      const auto answers = port_.take();
      was_refused_ = std::ranges::any_of(answers, &RegisterPort::Answer::is_error);
      status_ = answers[0].data;
      moves_begun_ = answers[1].data;
      for (std::size_t e = 0; e < counts_.size(); ++e) counts_[e] = answers[2 + e].data;
      stage_ = Stage::done;
      return;
    }
    default:
      return;
  }
}

}  // namespace kumiki::gen::engine
