// SPDX-License-Identifier: Apache-2.0
// What a driver meets: the registers and the memory of an AXI DMA, and between its streams the
// netlist of a layer, clock by clock.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "templates/driver/kumiki_dma.h.in"
#include "tests/support/axi_dma.h"
#include "tests/support/wired.h"

namespace kumiki::test {

// A DMA, and what is between its streams: a netlist, or a wire for a few beats.
class Board {
 public:
  static constexpr std::uint64_t base = 0x40000000;  // of the memory on the bus
  static constexpr std::size_t memory_bytes = 1 << 16;
  static constexpr unsigned length_bits = 14;

  Board(std::size_t bytes_of_beat, const gen::Layer* layer)
      : dma(base, memory_bytes, bytes_of_beat, length_bits) {
    if (!layer) return;
    netlist_.emplace(*layer);
    reset_netlist();
  }
  kumiki_dma_config config() {
    return {
        .read = [](void* self,
                   std::uint32_t offset) { return static_cast<Board*>(self)->read(offset); },
        .write = [](void* self, std::uint32_t offset,
                    std::uint32_t value) { static_cast<Board*>(self)->dma.write(offset, value); },
        .between = [](void* self) { static_cast<Board*>(self)->clocks(20); },
        .to_device = [](void* self, const void*,
                        std::size_t bytes) { static_cast<Board*>(self)->written_back += bytes; },
        .from_device = [](void* self, void*,
                          std::size_t bytes) { static_cast<Board*>(self)->forgotten += bytes; },
        .context = this,
        .alignment = 4,
        .length_bits = length_bits,
        .address_bits = 32,
        .looks = 400};
  }
  kumiki_dma_buffer buffer(std::uint64_t offset, std::size_t bytes) {
    return {dma.memory().data() + offset, base + offset, bytes};
  }
  // A look at a register of the DMA takes a few clocks.
  std::uint32_t read(std::uint32_t offset) {
    clocks(5);
    return dma.read(offset);
  }
  void reset_netlist() {
    netlist_->set("aresetn", 0);
    for (int i = 0; i < 3; ++i) netlist_->clock();
    netlist_->set("aresetn", 1);
    frame_ends.clear();
    beats_ = 0;
  }
  // A register of the netlist.
  std::uint64_t counted(std::uint64_t offset) {
    clocks(200);
    netlist_->set("s_axi_araddr", offset);
    netlist_->set("s_axi_arvalid", 1);
    do netlist_->clock();
    while (netlist_->get("s_axi_arready") == 0);
    netlist_->set("s_axi_arvalid", 0);
    netlist_->set("s_axi_rready", 1);
    do netlist_->clock();
    while (netlist_->get("s_axi_rvalid") == 0);
    netlist_->set("s_axi_rready", 0);
    if (netlist_->get("s_axi_rresp") != 0) throw std::runtime_error("rresp");
    return netlist_->get("s_axi_rdata");
  }
  std::uint64_t output(const char* port) const { return netlist_->get(port); }

  AxiDma dma;
  std::vector<std::size_t> frame_ends;  // beats of the results that TLAST ended
  std::size_t written_back = 0, forgotten = 0;
  bool wire_takes = true;

 private:
  void clocks(int count) {
    for (; count > 0; --count) netlist_ ? clock_netlist() : clock_wire();
  }
  void clock_wire() {
    const auto beat = wire_takes && dma.takes() ? dma.offered() : std::nullopt;
    if (!beat) return;
    dma.take(beat->data, beat->last);
    dma.was_taken();
  }
  void clock_netlist() {
    Wired& n = *netlist_;
    const auto beat = dma.offered();
    n.set("s_axis_in_tvalid", beat ? 1 : 0);
    if (beat) {
      for (std::size_t i = 0; i < beat->data.size(); ++i)
        n.set("s_axis_in_tdata", beat->data[i], i, 8);
      if (n.width_of("s_axis_in_tlast") != 0) n.set("s_axis_in_tlast", beat->last);
    }
    const bool takes = dma.takes();
    n.set("m_axis_out_tready", takes);
    n.clock();
    if (beat && n.get("s_axis_in_tready") != 0) dma.was_taken();
    if (!takes || n.get("m_axis_out_tvalid") == 0) return;
    std::vector<std::uint8_t> data(n.width_of("m_axis_out_tdata") / 8);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<std::uint8_t>(n.get("m_axis_out_tdata", i, 8));
    ++beats_;
    const bool last = n.get("m_axis_out_tlast") != 0;
    if (last) {
      frame_ends.push_back(beats_);
      beats_ = 0;
    }
    dma.take(data, last);
  }

  std::optional<Wired> netlist_;
  std::size_t beats_ = 0;
};

}  // namespace kumiki::test
