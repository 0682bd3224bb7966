// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/file.h"

#include <bit>
#include <span>
#include <vector>

namespace kumiki::gen::engine {
namespace {

constexpr std::size_t alignment = 64;  // of the program in the file

class Words {
 public:
  void add(std::int64_t word) { all_.push_back(static_cast<std::uint32_t>(word)); }
  void add_scale(float real) { all_.push_back(std::bit_cast<std::uint32_t>(real)); }
  std::size_t size() const { return all_.size(); }
  std::uint32_t& operator[](std::size_t i) { return all_[i]; }
  std::string bytes() const {
    std::string text;
    for (const std::uint32_t w : all_)
      for (int i = 0; i < 32; i += 8) text.push_back(static_cast<char>(w >> i & 255));
    return text;
  }

 private:
  std::vector<std::uint32_t> all_;
};

// Names and real numbers behind the records.
class Behind {
 public:
  explicit Behind(std::size_t first) : first_(first) {}
  std::int64_t add(const std::string& bytes) {
    const std::size_t at = first_ + bytes_.size();
    bytes_ += bytes;
    return static_cast<std::int64_t>(at);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::size_t first_;
  std::string bytes_;
};

void add_tensor(Words& words, Behind& behind, const graph::Tensor& t, const HostOrder& order) {
  words.add(behind.add(t.name));
  words.add(std::ssize(t.name));
  for (const std::int64_t size : order.shape(t.shape)) words.add(size);
  words.add(t.format.bits);
  words.add(t.format.is_signed);
  words.add(t.zero_point);
  words.add_scale(t.scale);
  words.add(order.axes[0] | order.axes[1] << 8 | order.axes[2] << 16);
}

void add_area(Words& words, const Area& a, const graph::Tensor& t) {
  const Map& m = a.map;
  for (const std::int64_t word :
       {static_cast<std::int64_t>(a.number), a.first_byte, m.channels, a.lines, m.width,
        m.phases[0], m.phases[1], m.pitch, m.plane(), m.block(), a.first_channel, a.first_line,
        a.before, a.stride, a.dilation, std::int64_t{static_cast<std::uint8_t>(stored_zero(t))},
        static_cast<std::int64_t>(a.image)})
    words.add(word);
}

void add_step(Words& words, Behind& behind, const graph::Preparation& p) {
  words.add(static_cast<std::int64_t>(p.kind));
  words.add(static_cast<std::int64_t>(p.input));
  words.add(std::ssize(p.values));
  Words values;
  for (const float v : p.values) values.add_scale(v);
  words.add(behind.add(values.bytes()));
}

}  // namespace

std::string program_file(const PortsPlan& plan, const MemoryImage& image) {
  const Program& p = *image.of;
  const graph::Graph& whole = *p.whole;
  const auto inputs = graph::all_inputs(whole);
  const std::size_t records = static_cast<std::size_t>(Header::count) +
                              tensor_words * (inputs.size() + whole.outputs.size()) +
                              area_words * (image.inputs.size() + image.outputs.size()) +
                              step_words * whole.preparation.size();
  Words words;
  Behind behind(4 * records);
  const std::int64_t name = behind.add(whole.name);
  for (std::size_t i = 0; i < static_cast<std::size_t>(Header::count); ++i) words.add(0);
  const auto add_ends = [&](const std::vector<End>& ends, const std::vector<HostOrder>& orders,
                            const std::vector<graph::TensorId>& given) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      graph::Tensor t = p.graph->tensors[ends[i].tensor];
      t.name = whole.tensors[given[i]].name;
      t.shape = p.shape_of(ends[i]);
      add_tensor(words, behind, t, orders[i]);
    }
  };
  add_ends(p.inputs[0], p.input_orders, inputs);
  add_ends(p.outputs[0], p.output_orders, whole.outputs);
  for (const Area& a : image.inputs)
    add_area(words, a, p.graph->tensors[p.inputs[a.image][a.number].tensor]);
  for (const Area& a : image.outputs)
    add_area(words, a, p.graph->tensors[p.outputs[a.image][a.number].tensor]);
  for (const graph::Preparation& step : whole.preparation) add_step(words, behind, step);

  const std::size_t before = 4 * records + behind.bytes().size();
  const std::size_t program = (before + alignment - 1) / alignment * alignment;
  const auto set = [&](Header h, auto value) {
    words[static_cast<std::size_t>(h)] = static_cast<std::uint32_t>(value);
  };
  set(Header::magic, file_magic);
  set(Header::version, file_version);
  set(Header::bytes, program + image.program->size());
  set(Header::build, plan.build_hash());
  set(Header::word_bytes, plan.word_bytes());
  set(Header::rows, plan.engine.core.shape.rows);
  set(Header::moves, image.moves.size());
  set(Header::program_words, image.program->size() / plan.word_bytes());
  set(Header::data_words, image.data_words);
  set(Header::input_bytes, image.input_bytes);
  set(Header::program, program);
  set(Header::name, name);
  set(Header::name_bytes, whole.name.size());
  set(Header::inputs, inputs.size());
  set(Header::outputs, whole.outputs.size());
  set(Header::input_areas, image.inputs.size());
  set(Header::output_areas, image.outputs.size());
  set(Header::steps, whole.preparation.size());
  set(Header::images, p.images());

  std::string file = words.bytes() + behind.bytes();
  file.resize(program, 0);
  file.append(image.program->begin(), image.program->end());
  constexpr std::size_t sum = 4 * static_cast<std::size_t>(Header::sum);
  Words last;
  last.add(fnv1a(std::string_view(file).substr(sum + 4)));
  return file.replace(sum, 4, last.bytes());
}

}  // namespace kumiki::gen::engine
