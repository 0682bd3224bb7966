// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/uram288.h"

#include <algorithm>
#include <array>

#include "ir/arch.h"
#include "ir/primitive.h"
#include "ir/primitives/addresses.h"

namespace kumiki::ir {
namespace {

using namespace uram288;

constexpr unsigned words = arch::ultra_ram.depth, word_bits = arch::ultra_ram.width;
constexpr unsigned bytes = 8, byte_enables = bytes + 1, parity_bits = 8;
constexpr unsigned address_bits = 12;
constexpr unsigned address_width = 23;  // the upper bits choose a block of a cascade

constexpr std::array<std::string_view, 2> byte_modes{"PARITY_INTERLEAVED", "PARITY_INDEPENDENT"};
constexpr std::array<std::string_view, 2> truth{"FALSE", "TRUE"};
constexpr std::array<std::string_view, 2> reset_modes{"SYNC", "ASYNC"};
constexpr Param choice(std::string_view name, std::span<const std::string_view> choices) {
  return {.name = name, .type = Param::Type::text, .choices = choices};
}
constexpr Param bit(std::string_view name) {
  return {.name = name, .type = Param::Type::bits, .width = 1};
}
constexpr std::array<Param, invert_clock + 1> params{
    {choice("BWE_MODE_A", byte_modes), choice("IREG_PRE_A", truth), bit("IS_EN_A_INVERTED"),
     bit("IS_RDB_WR_A_INVERTED"), bit("IS_RST_A_INVERTED"), choice("OREG_A", truth),
     choice("RST_MODE_A", reset_modes), choice("USE_EXT_CE_A", truth),
     choice("BWE_MODE_B", byte_modes), choice("IREG_PRE_B", truth), bit("IS_EN_B_INVERTED"),
     bit("IS_RDB_WR_B_INVERTED"), bit("IS_RST_B_INVERTED"), choice("OREG_B", truth),
     choice("RST_MODE_B", reset_modes), choice("USE_EXT_CE_B", truth), bit("IS_CLK_INVERTED")}};

constexpr std::array<Pin, 15> inputs{{{.name = "CLK", .clock = true},
                                      {.name = "ADDR_A", .width = address_width, .tie = Tie::zero},
                                      {.name = "BWE_A", .width = byte_enables, .tie = Tie::one},
                                      {.name = "DIN_A", .width = word_bits, .tie = Tie::zero},
                                      {.name = "EN_A", .tie = Tie::zero},
                                      {.name = "OREG_CE_A", .tie = Tie::zero},
                                      {.name = "RDB_WR_A", .tie = Tie::zero},
                                      {.name = "RST_A", .tie = Tie::zero},
                                      {.name = "ADDR_B", .width = address_width, .tie = Tie::zero},
                                      {.name = "BWE_B", .width = byte_enables, .tie = Tie::one},
                                      {.name = "DIN_B", .width = word_bits, .tie = Tie::zero},
                                      {.name = "EN_B", .tie = Tie::zero},
                                      {.name = "OREG_CE_B", .tie = Tie::zero},
                                      {.name = "RDB_WR_B", .tie = Tie::zero},
                                      {.name = "RST_B", .tie = Tie::zero}}};
constexpr std::array<Pin, 4> outputs{{{.name = "DOUT_A", .width = word_bits},
                                      {"RDACCESS_A"},
                                      {.name = "DOUT_B", .width = word_bits},
                                      {"RDACCESS_B"}}};

// What a port is asked to do in a clock. As state: the register in front of it.
struct Asked {
  Lanes enable, write;
  Lanes address[address_bits];
  Lanes byte_enable[byte_enables];
  Lanes data[word_bits];
};

struct Shown {
  Lanes word[word_bits];
  Lanes access;
};

struct PortState {
  Asked asked;
  Shown latch, output;
};

struct State {
  Lanes memory[words][word_bits];
  PortState ports[2];
};

// The nets of a port, as they come in the order of the pins.
struct PortInputs {
  Lanes address[address_width];
  Lanes byte_enable[byte_enables];
  Lanes data[word_bits];
  Lanes enable, register_enable, write, reset;
};

Lanes all_if(std::uint64_t bit) { return Lanes{0} - bit; }

std::size_t state_words(const CellView&) { return sizeof(State) / sizeof(Lanes); }

void power_up(const CellView& cell, Lanes* state) { std::fill_n(state, state_words(cell), 0); }

void evaluate(const CellView& cell, const Lanes*, const Lanes* state, Lanes* out) {
  const auto* s = reinterpret_cast<const State*>(state);
  for (unsigned p = 0; p < 2; ++p) {
    const bool registered = cell.params[p * port_parameters + output_register] != 0;
    const Shown& shown = registered ? s->ports[p].output : s->ports[p].latch;
    out = std::copy_n(shown.word, word_bits, out);
    *out++ = shown.access;
  }
}

class Port {
 public:
  Port(const std::uint64_t* params, const PortInputs& in, PortState& state)
      : params_(params), in_(in), state_(state), asked_(taken()) {}

  void clock(Lanes (*memory)[word_bits]) {
    const Lanes keep = ~(in_.reset ^ all_if(params_[invert_reset]));
    if (params_[output_register] != 0) show(state_.latch, keep);
    const Lanes reads = asked_.enable & ~asked_.write;
    for (Lanes& b : state_.latch.word) b &= ~reads;
    for_each_address(asked_.address, address_bits, reads, [&](std::size_t at, Lanes lanes) {
      for (unsigned b = 0; b < word_bits; ++b) state_.latch.word[b] |= memory[at][b] & lanes;
    });
    for (Lanes& b : state_.latch.word) b &= keep;
    state_.latch.access = reads & keep;
    for_each_address(asked_.address, address_bits, asked_.enable & asked_.write,
                     [&](std::size_t at, Lanes lanes) {
                       for (unsigned b = 0; b < word_bits; ++b)
                         memory[at][b] ^= lanes & enable_of(b) & (memory[at][b] ^ asked_.data[b]);
                     });
  }

 private:
  // What the memory is asked now: what the pins say, or what they said a clock ago.
  Asked taken() {
    Asked now;
    now.enable = in_.enable ^ all_if(params_[invert_enable]);
    now.write = in_.write ^ all_if(params_[invert_write]);
    std::copy_n(in_.address, address_bits, now.address);
    std::copy_n(in_.byte_enable, byte_enables, now.byte_enable);
    std::copy_n(in_.data, word_bits, now.data);
    if (params_[input_register] != 0) std::swap(now, state_.asked);
    return now;
  }

  // A word that is not loaded in the clock after its read is no access any more.
  void show(const Shown& latch, Lanes keep) {
    const Lanes loads = params_[output_enable] != 0 ? in_.register_enable : ~Lanes{0};
    Shown& output = state_.output;
    for (unsigned b = 0; b < word_bits; ++b)
      output.word[b] = keep & (output.word[b] ^ (loads & (output.word[b] ^ latch.word[b])));
    output.access = keep & loads & latch.access;
  }

  Lanes enable_of(unsigned bit) const {
    if (bit < word_bits - parity_bits) return asked_.byte_enable[bit / bytes];
    return asked_.byte_enable[params_[byte_mode] != 0 ? bytes : bit % parity_bits];
  }

  const std::uint64_t* params_;
  const PortInputs& in_;
  PortState& state_;
  const Asked asked_;
};

void clock(const CellView& cell, const Lanes* in, Lanes* state) {
  auto* s = reinterpret_cast<State*>(state);
  const auto* ports = reinterpret_cast<const PortInputs*>(in + 1);
  for (unsigned p = 0; p < 2; ++p)
    Port(cell.params.data() + p * port_parameters, ports[p], s->ports[p]).clock(s->memory);
}

Cost cost(const CellView&) { return {.urams = 1}; }

std::uint64_t reach(const CellView&, unsigned) { return 0; }

void legality(const CellView& cell, std::span<const Net> in, Family family,
              std::vector<std::string>& broken) {
  if (!arch::of(family).has_ultra_ram)
    broken.push_back("UltraRAM exists in the ultrascale+ family only");
  if (cell.params[invert_clock] != 0)
    broken.push_back("IS_CLK_INVERTED must be 0: every register here works on the rising edge");
  std::size_t at = 1;
  for (unsigned p = 0; p < 2; ++p, at += sizeof(PortInputs) / sizeof(Lanes)) {
    const std::uint64_t* params = cell.params.data() + p * port_parameters;
    const std::string port(1, p == 0 ? 'A' : 'B');
    if (params[reset_mode] != 0)
      broken.push_back("RST_MODE_" + port + " must be SYNC: no reset here is asynchronous");
    if (params[output_enable] != 0 && params[output_register] == 0)
      broken.push_back("USE_EXT_CE_" + port + " must be FALSE without OREG_" + port);
    if (params[output_enable] == 0 &&
        in[at + offsetof(PortInputs, register_enable) / sizeof(Lanes)] != net_zero)
      broken.push_back("OREG_CE_" + port + " must be 0 without USE_EXT_CE_" + port);
  }
}

}  // namespace

const Prototype& uram288_prototype() {
  static const Prototype p{.kind = Kind::uram288,
                           .name = "URAM288",
                           .inputs = inputs,
                           .outputs = outputs,
                           .params = params,
                           .cost = cost,
                           .reach = reach,
                           .legality = legality,
                           .kernel = {state_words, power_up, evaluate, clock}};
  return p;
}

}  // namespace kumiki::ir
