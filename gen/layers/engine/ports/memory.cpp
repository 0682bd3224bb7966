// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/memory.h"

#include <algorithm>

#include <fmt/format.h>

namespace kumiki::gen::engine {
namespace {

constexpr std::uint64_t page = std::uint64_t{1} << PortsPlan::page_bits;

}  // namespace

OutsideMemory::OutsideMemory(const PortsPlan& plan, std::vector<Range> ranges,
                             const MemoryOptions& options)
    : plan_(plan), ranges_(std::move(ranges)), options_(options), random_(options.seed) {}

std::int64_t OutsideMemory::in_time() {
  return clock_ + options_.latency +
         (options_.more == 0 ? 0
                             : static_cast<std::int64_t>(
                                   random_() % static_cast<std::uint64_t>(options_.more + 1)));
}

std::uint8_t* OutsideMemory::at(std::uint64_t address, bool writes) {
  for (Range& r : ranges_)
    if (address >= r.base && address + plan_.word_bytes() <= r.base + r.bytes->size() &&
        (r.is_written || !writes))
      return &(*r.bytes)[static_cast<std::size_t>(address - r.base)];
  return nullptr;
}

void OutsideMemory::require(bool holds, const std::string& what) {
  if (!holds && broken_.empty()) broken_ = fmt::format("clock {}: {}", clock_, what);
}

void OutsideMemory::require_held(Held& held, bool valid, bool ready,
                                 std::vector<std::uint64_t> what, const char* channel) {
  require(!held.is_there || (valid && held.what == what),
          fmt::format("channel {} changes before it is taken", channel));
  held = {valid && !ready, std::move(what)};
}

void OutsideMemory::drive(PortsIn<Values>& in) {
  if (options_.clocks != 0 && clock_ % options_.clocks == 0) budget_ = options_.words;
  const bool is_free = options_.clocks == 0 || budget_ > 0;
  in.m_arready = !by_chance(options_.pauses);
  in.m_awready = !by_chance(options_.pauses);
  in.m_wready = !writes_.empty() && is_free && !by_chance(options_.pauses);
  // What is offered stays until it is taken.
  gives_ = !reads_.empty() && reads_.front().clock <= clock_ &&
           (gives_ || (is_free && !by_chance(options_.pauses)));
  answers_now_ = !answers_.empty() && answers_.front().clock <= clock_ &&
                 (answers_now_ || !by_chance(options_.pauses));
  in.m_rvalid = gives_;
  in.m_bvalid = answers_now_;
  constexpr std::uint64_t okay = 0, slave_error = 2;
  in.m_rresp = gives_ && reads_.front().is_wrong ? slave_error : okay;
  in.m_bresp = answers_now_ && answers_.front().is_wrong ? slave_error : okay;
  in.m_rlast = gives_ && reads_.front().words == 1;
  in.m_rdata.assign(plan_.word_bytes(), 0);
  if (!gives_) return;
  if (const std::uint8_t* word = at(reads_.front().address, false))
    std::copy_n(word, plan_.word_bytes(), in.m_rdata.begin());
}

OutsideMemory::Burst OutsideMemory::taken(std::uint64_t address, std::uint64_t length,
                                          std::uint64_t size, std::uint64_t burst, bool writes) {
  const std::uint64_t words = length + 1, bytes = words * plan_.word_bytes();
  const auto what = [&](const char* rule) {
    return fmt::format("{} of {} words at {:#x}: {}", writes ? "write" : "read", words, address,
                       rule);
  };
  require(at(address, writes) && at(address + bytes - plan_.word_bytes(), writes),
          what("it leaves the ranges"));
  require(address / page == (address + bytes - 1) / page, what("it crosses the end of a page"));
  require(size < 8 && std::uint64_t{1} << size == plan_.word_bytes() && burst == incrementing &&
              address % plan_.word_bytes() == 0,
          what("it must move whole words, one behind the other"));
  const bool is_wrong = by_chance(writes ? options_.wrong_writes : options_.wrong_reads);
  if (is_wrong) ++wrong_answers_;
  return {in_time(), address, words, is_wrong};
}

void OutsideMemory::watch(const PortsIn<Values>& in, const PortsOut<Values>& out) {
  require_held(read_request_, out.m_arvalid, in.m_arready, {out.m_araddr, out.m_arlen}, "AR");
  require_held(write_request_, out.m_awvalid, in.m_awready, {out.m_awaddr, out.m_awlen}, "AW");
  std::vector<std::uint64_t> word = out.m_wdata;
  word.push_back(out.m_wlast ? 1 : 0);
  require_held(write_word_, out.m_wvalid, in.m_wready, std::move(word), "W");

  if (gives_ && out.m_rready) {
    Burst& burst = reads_.front();
    burst.address += plan_.word_bytes();
    if (--burst.words == 0) reads_.pop_front();
    gives_ = false;
    --budget_;
    ++words_;
  }
  if (answers_now_ && out.m_bready) {
    answers_.pop_front();
    answers_now_ = false;
  }
  if (out.m_wvalid && in.m_wready) {
    Burst& burst = writes_.front();
    if (std::uint8_t* to = at(burst.address, true); to && !burst.is_wrong)
      for (std::size_t i = 0; i < plan_.word_bytes(); ++i)
        if ((out.m_wstrb >> i & 1) != 0) to[i] = static_cast<std::uint8_t>(out.m_wdata[i]);
    burst.address += plan_.word_bytes();
    require(out.m_wlast == (burst.words == 1), "WLAST is not with the last word of a burst");
    --budget_;
    ++words_;
    if (--burst.words == 0) {
      answers_.push_back({in_time(), burst.is_wrong});
      writes_.pop_front();
    }
  }
  if (out.m_arvalid && in.m_arready)
    reads_.push_back(taken(out.m_araddr, out.m_arlen, out.m_arsize, out.m_arburst, false));
  if (out.m_awvalid && in.m_awready)
    writes_.push_back(taken(out.m_awaddr, out.m_awlen, out.m_awsize, out.m_awburst, true));
  ++clock_;
}

}  // namespace kumiki::gen::engine
