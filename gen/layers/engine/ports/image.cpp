// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/image.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gen/layers/engine/hardware/stream.h"
#include "gen/layers/engine/run.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::engine {
namespace {

// Places that follow each other inside, and do outside.
struct Stretch {
  std::int64_t place = 0, outside = 0, count = 0;
};

// A tensor that leaves: the order of its places outside, and the first word of the data range.
struct Outside {
  std::size_t tensor = 0;
  Map map = {};  // of the whole tensor; its base is 0
  std::int64_t first = 0;
};

class ImageBuilder {
 public:
  ImageBuilder(const PortsPlan& plan, std::shared_ptr<const Program> program)
      : plan_(plan), program_(*program), constants_(constants_of(program_)) {
    image_.of = std::move(program);
    image_.program = std::make_shared<std::vector<std::uint8_t>>();
  }

  MemoryImage run() {
    lay_out();
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      if (const auto* op = std::get_if<Op>(&step))
        add(*op, beats_of(plan_.engine, program_, i, {}));
      else if (const auto* load = std::get_if<Load>(&step))
        is_constant(load->tensor) ? send(beats_of(plan_.engine, program_, i, constants_))
                                  : add(*load, program_.beside(i));
      else if (const auto* store = std::get_if<Store>(&step))
        add(*store, program_.beside(i));
      else
        send(beats_of(plan_.engine, program_, i, {}));
    }
    send_rest();
    require_fits("words of its data", image_.data_words, PortsPlan::word_bits);
    require_fits("bytes of its data", image_.data_words * plan_.word_bytes(), 31);
    require_fits("moves", std::ssize(image_.moves), PortsPlan::move_count_bits);
    finish();
    find_outputs();
    require_fits("words of its program", std::ssize(*image_.program) / plan_.word_bytes(),
                 PortsPlan::word_bits);
    return std::move(image_);
  }

 private:
  static void require_fits(const char* what, std::int64_t count, std::uint32_t bits) {
    if (count >= std::int64_t{1} << bits)
      throw std::logic_error(
          fmt::format("{} {}; at most {} can be", count, what, (std::int64_t{1} << bits) - 1));
  }
  // Words of the data range; each area begins where a burst does.
  std::int64_t whole_bursts(std::int64_t places) const {
    const auto burst = static_cast<std::int64_t>(PortsPlan::read_burst);
    return ceil_div(places * plan_.engine.core.beats_of_place(), burst) * burst;
  }
  std::int64_t area(std::int64_t places) {
    const std::int64_t first = image_.data_words;
    image_.data_words += whole_bursts(places);
    return first;
  }
  const Outside* outside(std::size_t tensor) const {
    const auto found = std::ranges::find(outside_, tensor, &Outside::tensor);
    return found == outside_.end() ? nullptr : &*found;
  }

  // An input that is an output as well comes from an area and leaves for another one.
  bool is_input(std::size_t tensor) const {
    return std::ranges::count(graph::all_inputs(*program_.graph), tensor) > 0;
  }

  // The numbers of a constant are in the program, behind the step that loads them.
  bool is_constant(std::size_t tensor) const { return !constants_[tensor].empty(); }

  // An area for each load of an input; then one for each tensor that leaves, with the lines and
  // phases of the load that reads it. A tensor that was read for the last time gives up its area.
  void lay_out() {
    std::vector<Waiting> waiting;
    const auto of = [&](std::size_t tensor) {
      return std::ranges::find(waiting, tensor, &Waiting::tensor);
    };
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (const auto* store = std::get_if<Store>(&program_.steps[i]);
          store && of(store->tensor) == waiting.end())
        waiting.push_back({.tensor = store->tensor, .map = store->from, .from = i});
      const auto* load = std::get_if<Load>(&program_.steps[i]);
      if (load && is_constant(load->tensor)) continue;
      if (load && is_input(load->tensor)) {
        inputs_.push_back(area(load->to.places()));
        add_input(*load, inputs_.back());
      } else if (load) {
        const auto w = of(load->tensor);
        if (w->to == w->from) w->map = load->to;
        w->to = i;
      }
    }
    for (Waiting& w : waiting) {
      const graph::Shape& shape = program_.graph->tensors[w.tensor].shape;
      w.map.channels = shape[0];
      w.map.height = shape[1];
      w.map.width = shape[2];
      w.map.base = 0;
      if (std::ranges::count(program_.graph->outputs, w.tensor) > 0) w.to = program_.steps.size();
      w.words = whole_bursts(w.map.places());
    }
    const std::int64_t before = image_.data_words;
    for (const Waiting& w : placed(waiting)) {
      outside_.push_back({w.tensor, w.map, before + w.first});
      image_.data_words = std::max(image_.data_words, before + w.first + w.words);
    }
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      std::int64_t words = 0;
      for (const Waiting& w : waiting) words += w.from <= i && i <= w.to ? w.words : 0;
      image_.least_words = std::max(image_.least_words, before + words);
    }
  }

  // A tensor that is outside from one step to another one.
  struct Waiting {
    std::size_t tensor = 0;
    Map map = {};
    std::size_t from = 0, to = from;
    std::int64_t words = 0, first = 0;
  };
  // The largest ones choose first, the lowest words that nobody has at the same time.
  static std::vector<Waiting> placed(std::vector<Waiting> all) {
    std::ranges::stable_sort(all, std::greater(), &Waiting::words);
    std::vector<Waiting> placed;  // by their first word
    for (Waiting& w : all) {
      for (const Waiting& other : placed)
        if (other.from <= w.to && w.from <= other.to && other.first < w.first + w.words)
          w.first = std::max(w.first, other.first + other.words);
      placed.insert(std::ranges::upper_bound(placed, w.first, {}, &Waiting::first), w);
    }
    return placed;
  }

  // What a load of an input reads, as Machine::load has it.
  void add_input(const Load& l, std::int64_t first) {
    add_areas(image_.inputs, program_.inputs, l.tensor,
              {.first_byte = first * plan_.word_bytes(),
               .map = l.to,
               .first_channel = l.first_channel,
               .first_line = l.first_line,
               .lines = l.lines,
               .before = l.before,
               .stride = l.stride,
               .dilation = l.dilation});
    image_.input_bytes = image_.data_words * plan_.word_bytes();
  }

  void find_outputs() {
    const auto& outputs = program_.graph->outputs;
    for (const graph::TensorId id : std::set(outputs.begin(), outputs.end())) {
      const Outside* o = outside(id);
      if (!o)
        throw std::logic_error(
            fmt::format("{} does not leave the engine", program_.graph->tensors[id].name));
      add_areas(
          image_.outputs, program_.outputs, id,
          {.first_byte = o->first * plan_.word_bytes(), .map = o->map, .lines = o->map.height});
    }
  }

  // Of what is in a map, an area for each image that has columns of it.
  void add_areas(std::vector<Area>& areas, const std::vector<std::vector<End>>& ends,
                 std::size_t tensor, Area of) const {
    of.map.base = 0;
    for (std::size_t image = 0; image < ends.size(); ++image)
      for (std::size_t number = 0; number < ends[image].size(); ++number) {
        const End& end = ends[image][number];
        if (end.tensor != tensor) continue;
        Area area = of;
        area.image = image;
        area.number = number;
        if (end.column) {
          // As columns of the map; those of a window that are channels are one.
          area.map.width = ceil_div(of.map.width, program_.images());
          const std::int64_t first = static_cast<std::int64_t>(image) * area.map.width;
          if (first % of.map.phases[1] != 0)
            throw std::logic_error(fmt::format("{}: an image begins between phases",
                                               program_.graph->tensors[tensor].name));
          area.first_byte += of.map.place(0, 0, first) * of.map.rows;
        }
        areas.push_back(area);
      }
  }

  // Where the places of some lines and channels are outside.
  std::vector<Stretch> runs(const Map& map, const Outside& o, std::int64_t first_channel,
                            std::int64_t first_line) const {
    const std::int64_t first_block = first_channel / map.rows;
    if (first_channel % map.rows != 0)
      throw std::logic_error(
          fmt::format("{}: channels from {} on leave or come back; the first one must "
                      "be a multiple of {}",
                      program_.graph->tensors[o.tensor].name, first_channel, map.rows));
    const bool is_alike = map.pitch == o.map.pitch && map.phases == o.map.phases;
    std::vector<Stretch> all;
    for (std::int64_t b = 0; b < map.blocks(); ++b)
      for (std::int64_t py = 0; py < map.phases[0]; ++py)
        for (std::int64_t px = 0; px < map.phases[1]; ++px)
          for (std::int64_t y = py; y < map.height; y += map.phases[0])
            for (std::int64_t x = px; x < map.width; x += map.phases[1]) {
              const std::int64_t place = map.place(b, y, x),
                                 there = o.map.place(first_block + b, first_line + y, x);
              // What pads a line pads it on both sides.
              const bool is_next_line = is_alike && x == px && y > py;
              if (!all.empty()) {
                Stretch& last = all.back();
                const std::int64_t gap = place - last.place - last.count;
                if (there - last.outside == place - last.place && gap >= 0 &&
                    (gap == 0 || (is_next_line && gap < map.pitch))) {
                  last.count += gap + 1;
                  continue;
                }
              }
              all.push_back({place, there, 1});
            }
    return all;
  }

  void add(const Load& load, std::size_t beside) {
    if (is_input(load.tensor)) {
      move(Packet::load, {load.to.base, 0, load.to.places()}, inputs_[loads_++], false, beside);
      return;
    }
    if (load.unfolded != 1 || load.stride != 1 || load.before != 0)
      throw std::logic_error(fmt::format("{} comes back with the columns of a window as channels",
                                         program_.graph->tensors[load.tensor].name));
    const Outside& o = *outside(load.tensor);
    for (const Stretch& r : runs(load.to, o, load.first_channel, load.first_line))
      move(Packet::load, r, o.first, true, beside);
  }
  void add(const Store& store, std::size_t beside) {
    const Outside& o = *outside(store.tensor);
    for (const Stretch& r : runs(store.from, o, store.first_channel, store.first_line))
      move(Packet::store, r, o.first, false, beside);
  }
  void move(Packet kind, const Stretch& r, std::int64_t first, bool waits, std::size_t beside) {
    const std::int64_t words = plan_.engine.core.beats_of_place();
    send(head_of(plan_.engine, kind, r.place, r.count, beside));
    send_rest();
    image_.moves.push_back(
        {.kind = kind == Packet::load ? Move::Kind::from_data : Move::Kind::to_data,
         .waits = waits,
         .first = static_cast<std::uint64_t>(first + r.outside * words),
         .length = static_cast<std::uint64_t>(r.count * words)});
  }

  // Strips of a layer, and images of a run, have the same tables and weights: their words are in
  // the program once. A move for them pays from a few bursts on.
  void add(const Op& op, const std::vector<Beat>& beats) {
    constexpr std::size_t least = 2 * PortsPlan::read_burst;  // words
    const auto head = static_cast<std::size_t>(beats_before_tables(plan_.engine, op));
    const std::span<const Beat> rest = std::span(beats).subspan(head);
    send(std::span(beats).first(head));
    if (rest.size() < least) return send(rest);
    const std::size_t from = stream_.size();
    send(rest);
    const std::string_view bytes(reinterpret_cast<const char*>(stream_.data()) + from,
                                 stream_.size() - from);
    const std::uint32_t hash = fnv1a(bytes);
    const auto [begin, end] = rests_.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
      const auto [first, length] = known->second;
      if (length != bytes.size() || !std::ranges::equal(std::span(stream_).subspan(first, length),
                                                        std::span(stream_).subspan(from)))
        continue;
      stream_.resize(from);
      send_rest();
      image_.moves.push_back({.first = first / plan_.word_bytes(), .length = rest.size()});
      return;
    }
    rests_.insert({hash, {from, bytes.size()}});
  }

  void send(std::span<const Beat> beats) {
    for (const Beat& beat : beats)
      for (const std::uint64_t byte : beat) stream_.push_back(static_cast<std::uint8_t>(byte));
  }
  // What was sent since the last move; its place is behind the list.
  void send_rest() {
    const std::uint64_t words = stream_.size() / plan_.word_bytes();
    if (words != sent_) image_.moves.push_back({.first = sent_, .length = words - sent_});
    sent_ = words;
  }

  void finish() {
    std::vector<std::uint8_t>& program = *image_.program;
    const std::uint64_t list = image_.moves.size() * plan_.words_of_a_move();
    const std::size_t bytes = std::size_t{plan_.words_of_a_move()} * plan_.word_bytes();
    for (Move& m : image_.moves) {
      if (m.kind == Move::Kind::from_program) m.first += list;
      const std::size_t at = program.size();
      program.resize(at + bytes, 0);
      const auto put = [&](std::uint32_t place, std::uint64_t value) {
        for (std::size_t i = 0; i < 4; ++i)
          program[at + place / 8 + i] |= static_cast<std::uint8_t>(value >> 8 * i);
      };
      put(move_kind_place,
          static_cast<std::uint64_t>(m.kind) | std::uint64_t{m.waits} << move_waits_place);
      put(move_first_place, m.first);
      put(move_length_place, m.length - 1);
    }
    program.insert(program.end(), stream_.begin(), stream_.end());
  }

  const PortsPlan& plan_;
  const Program& program_;
  std::vector<graph::Numbers> constants_;  // by tensor; empty: it is none
  MemoryImage image_;
  std::vector<std::int64_t> inputs_;  // by load of an input: the first word of its area
  std::size_t loads_ = 0;             // of inputs that were added
  std::vector<Outside> outside_;
  std::vector<std::uint8_t> stream_;
  std::uint64_t sent_ = 0;  // words of it
  // By hash: where tables and weights of operations are in it, and their bytes.
  std::multimap<std::uint32_t, std::pair<std::size_t, std::size_t>> rests_;
};

}  // namespace

MemoryImage memory_image(const PortsPlan& plan, std::shared_ptr<const Program> program) {
  return ImageBuilder(plan, std::move(program)).run();
}

void put_inputs(const MemoryImage& image, std::span<const std::int32_t> numbers,
                std::span<std::uint8_t> data) {
  const Program& p = *image.of;
  const auto inputs = inputs_of(p, numbers);
  std::ranges::fill(data.first(static_cast<std::size_t>(image.input_bytes)), std::uint8_t{0});
  for (const Area& area : image.inputs) {
    const End& end = p.inputs[area.image][area.number];
    const graph::Tensor& t = p.graph->tensors[end.tensor];
    const graph::Shape shape = p.shape_of(end);
    const HostOrder& order = p.input_orders[area.number];
    const std::span<const std::int32_t> own =
        inputs[area.image * p.input_orders.size() + area.number];
    area.each(shape, [&](std::int64_t byte, std::int64_t index) {
      const std::int32_t number =
          index < 0 ? t.zero_point : own[order.place(shape, static_cast<std::size_t>(index))];
      data[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(number - stored_less(t));
    });
  }
}

std::vector<graph::Numbers> outputs_of(const MemoryImage& image,
                                       std::span<const std::uint8_t> data) {
  const Program& p = *image.of;
  const std::size_t outputs = p.output_orders.size();
  std::vector<graph::Numbers> all(p.outputs.size() * outputs);
  for (const Area& area : image.outputs) {
    const End& end = p.outputs[area.image][area.number];
    const graph::Tensor& t = p.graph->tensors[end.tensor];
    const graph::Shape shape = p.shape_of(end);
    const HostOrder& order = p.output_orders[area.number];
    graph::Numbers& own = all[area.image * outputs + area.number];
    own.resize(graph::count(shape));
    area.each(shape, [&](std::int64_t byte, std::int64_t index) {
      own[order.place(shape, static_cast<std::size_t>(index))] =
          static_cast<std::int8_t>(data[static_cast<std::size_t>(byte)]) + stored_less(t);
    });
  }
  return all;
}

}  // namespace kumiki::gen::engine
