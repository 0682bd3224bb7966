// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/verilog/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/verilog/expression.h"
#include "backends/support/sha256.h"
#include "ir/primitives/memory.h"

namespace kumiki::backends::verilog {
namespace {

namespace memory = ir::memory;

struct Shape {
  std::uint32_t depth, width, address_bits;
  memory::Read read;
  std::string_view style;
  bool is_rom, is_ultra;
  std::vector<std::vector<std::uint64_t>> words;  // up to the last one that is not 0

  bool is_full() const { return depth == std::uint64_t{1} << address_bits; }
};

Shape shape_of(const ir::Module& module, const ir::Cell& cell) {
  auto p = module.params(cell);
  auto& styles = ir::prototype(cell.kind).params[memory::style].choices;
  auto in = module.inputs(cell);
  Shape s{.depth = static_cast<std::uint32_t>(p[memory::depth]),
          .width = static_cast<std::uint32_t>(p[memory::width]),
          .address_bits = static_cast<std::uint32_t>(p[memory::address_bits]),
          .read = static_cast<memory::Read>(p[memory::read]),
          .style = styles[p[memory::style]],
          .is_rom = in[memory::write_enable] == ir::net_zero,
          .is_ultra = p[memory::style] == memory::ultra,
          .words = {}};
  const ir::Blob* blob = module.view(cell).blob;
  if (!blob) return s;
  auto per = blob->limbs_per_word();
  for (std::size_t i = 0; i < std::min<std::size_t>(s.depth, blob->limbs.size() / per); ++i) {
    auto first = blob->limbs.begin() + static_cast<std::ptrdiff_t>(i * per);
    s.words.emplace_back(first, first + static_cast<std::ptrdiff_t>(per));
    if (s.width % 64 != 0) s.words.back().back() &= (std::uint64_t{1} << s.width % 64) - 1;
  }
  auto is_zero = [](const auto& word) {
    return std::all_of(word.begin(), word.end(), [](std::uint64_t limb) { return limb == 0; });
  };
  while (!s.words.empty() && is_zero(s.words.back())) s.words.pop_back();
  return s;
}

std::vector<unsigned> ports_of(const Shape& s) {
  std::vector<unsigned> pins;
  if (s.read != memory::asynchronous || !s.is_rom) pins.push_back(memory::clk);
  if (!s.is_rom)
    pins.insert(pins.end(), {memory::write_enable, memory::write_address, memory::write_data});
  if (s.read != memory::asynchronous) pins.push_back(memory::read_enable);
  pins.push_back(memory::read_address);
  return pins;
}

void write_ports(Text& out, const ir::Module& module, const ir::Cell& cell, const Shape& s) {
  auto& proto = ir::prototype(cell.kind);
  for (unsigned pin : ports_of(s)) {
    out.put("    input wire");
    write_range(out, ir::pin_width(proto.inputs[pin], module.view(cell)));
    out.put(' ', proto.inputs[pin].name, ",\n");
  }
  out.put("    output wire");
  write_range(out, s.width);
  out.put(" RDATA\n);\n");
}

void write_zero(Text& out, std::uint32_t width) {
  write_constant(out, width, std::vector<std::uint64_t>((width + 63) / 64));
}

void write_contents(Text& out, const Shape& s) {
  out.put("  initial begin\n");
  out.put("    for (i = 0; i < ", s.depth, "; i = i + 1) words[i] = ");
  write_zero(out, s.width);
  out.put(";\n");
  for (std::uint32_t i = 0; i < s.words.size(); ++i) {
    if (std::all_of(s.words[i].begin(), s.words[i].end(), [](auto limb) { return limb == 0; }))
      continue;
    out.put("    words[", i, "] = ");
    write_constant(out, s.width, s.words[i]);
    out.put(";\n");
  }
  out.put("  end\n");
}

void write_array(Text& out, const Shape& s) {
  out.put("  (* ", s.is_rom ? "rom_style" : "ram_style", " = \"", s.style, "\" *) reg");
  write_range(out, s.width);
  out.put(" words [0:", s.depth - 1, "];\n");
  // An UltraRAM cannot have initial contents and powers up at 0. Only simulation needs to be told
  // that.
  if (s.is_ultra) out.put("`ifndef SYNTHESIS\n");
  out.put("  integer i;\n");
  write_contents(out, s);
  if (s.is_ultra) out.put("`endif\n");
  out.put('\n');
}

// `before` precedes the word that is read. Past the last word, simulation reads 0. In hardware such
// an address does not occur, and no logic is spent on it.
void write_read(Text& out, const Shape& s, std::string_view before) {
  if (s.is_full()) return out.put(before, "words[RADDR];\n");
  out.put("`ifdef SYNTHESIS  // addresses past the last word do not occur\n");
  out.put(before, "words[RADDR];\n`else\n", before);
  out.put("(RADDR < ", s.address_bits, "'d", s.depth, ") ? words[RADDR] : ");
  write_zero(out, s.width);
  out.put(";\n`endif\n");
}

// In simulation, registers get their 0 after everything that begins at time 0. A table that waits
// for an event, as the vendor's do, would otherwise miss it and return x until the word changes.
void write_registers(Text& out, const Shape& s) {
  if (s.read == 0) return;
  const auto declare = [&](bool with_zero) {
    for (std::uint32_t i = 1; i <= s.read; ++i) {
      out.put("  reg");
      write_range(out, s.width);
      out.put(" read_", i);
      if (with_zero) {
        out.put(" = ");
        write_zero(out, s.width);
      }
      out.put(";\n");
    }
  };
  out.put("`ifdef SYNTHESIS\n");
  declare(true);
  out.put("`else\n");
  declare(false);
  out.put("  /* verilator lint_off INITIALDLY */  // behind what begins at time 0\n");
  for (std::uint32_t i = 1; i <= s.read; ++i) {
    out.put("  initial read_", i, " <= ");
    write_zero(out, s.width);
    out.put(";\n");
  }
  out.put("  /* verilator lint_on INITIALDLY */\n`endif\n\n");
}

void write_clocked(Text& out, const Shape& s) {
  if (s.is_rom && s.read == memory::asynchronous) return;
  out.put("  always @(posedge CLK) begin\n");
  if (!s.is_rom) out.put("    if (WE) words[WADDR] <= WDATA;\n");
  if (s.read >= memory::registered) write_read(out, s, "    if (RE) read_1 <= ");
  if (s.read == memory::twice_registered) out.put("    read_2 <= read_1;\n");
  out.put("  end\n\n");
}

std::string body_of(const ir::Module& module, const ir::Cell& cell, const Shape& s) {
  Text out;
  out.put(" (\n");
  write_ports(out, module, cell, s);
  write_array(out, s);
  write_registers(out, s);
  write_clocked(out, s);
  if (s.read == memory::asynchronous)
    write_read(out, s, "  assign RDATA = ");
  else
    out.put("  assign RDATA = read_", static_cast<std::uint32_t>(s.read), ";\n");
  out.put("endmodule\n");
  return std::string(out.view());
}

// "ram_512x36_block_reg2"; with initial contents, the first digits of a hash follow.
std::string wish_of(const Shape& s, const std::string& body) {
  static constexpr std::string_view reads[] = {"async", "reg", "reg2"};
  auto name = fmt::format("{}_{}x{}_{}_{}", s.is_rom ? "rom" : "ram", s.depth, s.width, s.style,
                          reads[s.read]);
  return s.words.empty() ? name : name + '_' + sha256(body).substr(0, 8);
}

}  // namespace

MemoryModules::MemoryModules(const ir::Names& names) {
  ir::NamePool pool;
  std::unordered_map<std::string_view, const MemoryModule*> known;
  for (ir::ModuleId id : names.bottom_up()) {
    const ir::Module& module = names.design().module(id);
    for (const ir::Cell& cell : module.cells()) {
      if (cell.kind != ir::Kind::memory) continue;
      Shape s = shape_of(module, cell);
      MemoryModule made{{}, body_of(module, cell, s), ports_of(s)};
      auto it = known.find(made.body);
      if (it == known.end()) {
        do made.name = pool.take(wish_of(s, made.body));
        while (names.has_module(made.name));
        all_.push_back(std::move(made));
        it = known.emplace(all_.back().body, &all_.back()).first;
      }
      of_[&cell] = it->second;
    }
  }
}

const MemoryModule& MemoryModules::of(const ir::Cell& cell) const { return *of_.at(&cell); }

}  // namespace kumiki::backends::verilog
