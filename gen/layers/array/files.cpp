// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>

#include "gen/arith/format.h"
#include "gen/layers/array/ports.h"
#include "gen/layers/array/streams.h"

namespace kumiki::gen::array {
namespace {

// A line of a memory image: words side by side, the first in the lowest bits.
class Line {
 public:
  explicit Line(int bits) : bits_(bits) {}
  void write(std::ostream& out, const std::vector<std::uint64_t>& words) {
    const std::size_t digits = (words.size() * static_cast<std::size_t>(bits_) + 3) / 4;
    text_.assign(digits + 1, '0');
    text_.back() = '\n';
    std::uint64_t waiting = 0;
    int held = 0;
    std::size_t at = digits;
    for (const std::uint64_t word : words)
      for (int i = 0; i < bits_; ++i) {
        waiting |= (word >> i & 1) << held;
        if (++held < 4) continue;
        text_[--at] = digit(waiting);
        waiting = 0;
        held = 0;
      }
    if (held > 0) text_[--at] = digit(waiting);
    out << text_;
  }

 private:
  static char digit(std::uint64_t v) { return "0123456789abcdef"[v]; }
  int bits_;
  std::string text_;
};

// A program with a single layer, to play the streams of that layer alone.
Program only(const Program& program, std::size_t layer) {
  return {program.plan, {program.layers[layer]}};
}

void write_common(const Program& all, std::size_t layer, std::ostream& out) {
  const Program program = only(all, layer);
  CommonStream stream(program, {Source{}});
  Line line(program.plan.operand_bits());
  std::vector<std::uint64_t> data;
  while (!stream.over()) {
    stream.next(data);
    line.write(out, data);
  }
}

void write_individual(const Program& all, std::size_t layer, std::ostream& out) {
  const Program program = only(all, layer);
  IndividualStream stream(program, {Source{}});
  Line line(program.plan.operand_bits());
  std::vector<std::uint64_t> data;
  std::vector<bool> keep;
  while (!stream.over()) {
    stream.next(data, keep);
    line.write(out, data);
  }
}

void write_parameters(const Program& all, std::size_t layer, std::ostream& out) {
  const Program program = only(all, layer);
  ParameterStream stream(program);
  Line line(all.plan.parameter_bits());
  std::vector<std::uint64_t> data;
  while (!stream.over()) {
    stream.next(data);
    line.write(out, data);
  }
}

void write_map(const Tensor& map, int bits, std::ostream& out) {
  Line line(bits);
  std::vector<std::uint64_t> word(1);
  for (const std::int32_t v : map.values) {
    word[0] = arith::raw_of(v, bits);
    line.write(out, word);
  }
}

std::string upper(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(std::isalnum(c) != 0 ? std::toupper(c) : '_');
  });
  return name;
}

}  // namespace

std::string registers_hex(const Program& program) {
  std::string text;
  auto writes = program.writes();
  writes.push_back(program.start());
  for (const RegisterWrite& w : writes) text += fmt::format("{:03x}{:08x}\n", w.address, w.data);
  return text;
}

std::string c_header(const Program& program, const std::string& name) {
  const std::string upper_name = upper(name);
  const auto writes = program.writes();
  std::string text = fmt::format(
      "// Program of {}: {} layers. Write all registers while the array is not busy, then\n"
      "// {}_START_DATA to {}_START_ADDRESS. Streams: see {}_order.json.\n"
      "#ifndef {}_H\n#define {}_H\n\n#include <stdint.h>\n\n"
      "#define {}_LAYERS {}\n#define {}_START_ADDRESS 0x{:03x}u\n#define {}_START_DATA {}u\n\n"
      "struct {}_write {{\n  uint16_t address;\n  uint32_t data;\n}};\n\n"
      "static const struct {}_write {}_writes[{}] = {{\n",
      program.plan.module_name(), program.layers.size(), upper_name, upper_name, name, upper_name,
      upper_name, upper_name, program.layers.size(), upper_name, program.start().address,
      upper_name, program.start().data, name, name, name, writes.size());
  std::uint32_t layer = ~0u;
  for (const RegisterWrite& w : writes) {
    if (w.address / 8 % 64 != layer) {
      layer = w.address / 8 % 64;
      text += fmt::format("    // {}\n", program.layers[layer].job.shape.name);
    }
    text += fmt::format("    {{0x{:03x}u, 0x{:08x}u}},\n", w.address, w.data);
  }
  return text + fmt::format("}};\n\n#endif  // {}_H\n", upper_name);
}

std::vector<ProgramFile> program_files(const Program& program, const std::string& name,
                                       const std::vector<std::optional<Tensor>>& inputs) {
  const Program* p = &program;
  std::vector<ProgramFile> all;
  all.push_back({name + ".h", "register writes for C",
                 [p, name](std::ostream& out) { out << c_header(*p, name); }});
  all.push_back({name + "_registers.hex", "register writes, the last one starts",
                 [p](std::ostream& out) { out << registers_hex(*p); }});
  all.push_back({name + "_order.json", "order of the words of every stream",
                 [p](std::ostream& out) { out << order_json(*p); }});
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    const LayerJob& job = program.layers[i].job;
    const std::string& layer = job.shape.name;
    if (job.shape.kind == Kind::fc)
      all.push_back({layer + "_individual.hex", "weights, a line a beat",
                     [p, i](std::ostream& out) { write_individual(*p, i, out); }});
    else
      all.push_back({layer + "_common.hex", "coefficients in their order",
                     [p, i](std::ostream& out) { write_common(*p, i, out); }});
    all.push_back({layer + "_parameters.hex",
                   p->plan.request.float32 ? "bias, factor and steps, a line a beat"
                                           : "bias, multiplier and shift, a line a beat",
                   [p, i](std::ostream& out) { write_parameters(*p, i, out); }});
    if (i < inputs.size() && inputs[i])
      all.push_back({layer + "_input.hex", "the map, channel by channel",
                     [p, map = *inputs[i]](std::ostream& out) {
                       write_map(map, p->plan.operand_bits(), out);
                     }});
  }
  return all;
}

}  // namespace kumiki::gen::array
