// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/model.h"

#include <algorithm>
#include <deque>

namespace kumiki::gen::axi_stream {
namespace {

using Limbs = std::vector<std::uint64_t>;

Limbs get(const ir::Frame& frame, const ir::PortSlot& slot, std::uint32_t width) {
  Limbs bits(frame.begin() + slot.limb, frame.begin() + slot.limb + (width + 63) / 64);
  if (width % 64 != 0) bits.back() &= (std::uint64_t{1} << width % 64) - 1;
  return bits;
}

void put(ir::Frame& frame, const ir::PortSlot& slot, const Limbs& bits) {
  std::copy(bits.begin(), bits.end(), frame.begin() + slot.limb);
}

bool get_bit(const ir::Frame& frame, const ir::PortSlot& slot) { return frame[slot.limb] & 1; }

// At most two words, first in, first out. Nobody may push into a full buffer.
struct Buffer {
  struct Word {
    Limbs data, last;
  };
  std::deque<Word> words;
  bool is_ready() const { return words.size() < 2; }
  bool is_valid() const { return !words.empty(); }
  void clock(bool valid, bool ready_behind, Word word) {
    const bool taken = valid && is_ready();
    if (is_valid() && ready_behind) words.pop_front();
    if (taken) words.push_back(std::move(word));
  }
};

class Wrapped : public ir::Machine {
 public:
  Wrapped(const Ports& ports, std::unique_ptr<ir::Machine> layer)
      : p_(ports), layer_(std::move(layer)), buffers_(p_.streams.size()) {}

  void power_up() override {
    layer_->power_up();
    for (Buffer& b : buffers_) b.words.clear();
  }

  void step(const ir::Frame& in, ir::Frame& out) override {
    to_layer(p_, in, inner_in_);
    for (std::size_t i = 0; i < buffers_.size(); ++i) offer(p_.streams[i], buffers_[i]);
    layer_->step(inner_in_, inner_out_);
    answer(out);
    const bool reset = !get_bit(in, p_.outer.inputs[0]);
    for (std::size_t i = 0; i < buffers_.size(); ++i) clock(p_.streams[i], buffers_[i], in, reset);
  }

  const ir::Frame* valid_mask() const override { return &valid_; }

 private:
  const ir::PortSlot& inner_in(std::size_t i) const { return p_.inner.inputs[i]; }
  const ir::PortSlot& inner_out(std::size_t i) const { return p_.inner.outputs[i]; }
  const ir::PortSlot& outer_in(std::size_t i) const { return p_.outer.inputs[p_.input[i]]; }
  const ir::PortSlot& outer_out(std::size_t i) const { return p_.outer.outputs[p_.output[i]]; }

  // Offers the state of a buffer to the layer.
  void offer(const Stream& s, const Buffer& b) {
    if (!s.goes_in) {
      put(inner_in_, inner_in(s.ready), {b.is_ready()});
      return;
    }
    put(inner_in_, inner_in(s.valid), {b.is_valid()});
    if (!b.is_valid()) return;
    if (s.data) put(inner_in_, inner_in(*s.data), b.words.front().data);
    if (s.last) put(inner_in_, inner_in(*s.last), b.words.front().last);
  }

  void answer(ir::Frame& out) {
    out.assign(p_.outer.output_limbs, 0);
    valid_.assign(p_.outer.output_limbs, ~std::uint64_t{0});
    const ir::Frame* inner_valid = layer_->valid_mask();
    for (std::size_t i = 0; i < p_.inner.outputs.size(); ++i) {
      const ir::PortSlot& from = inner_out(i);
      put(out, outer_out(i), get(inner_out_, from, from.width));
      if (inner_valid) put(valid_, outer_out(i), get(*inner_valid, from, from.width));
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i) answer(p_.streams[i], buffers_[i], out);
  }

  void answer(const Stream& s, const Buffer& b, ir::Frame& out) {
    if (s.goes_in) {
      put(out, outer_out(s.ready), {b.is_ready()});
      put(valid_, outer_out(s.ready), {1});
      return;
    }
    put(out, outer_out(s.valid), {b.is_valid()});
    put(valid_, outer_out(s.valid), {1});
    for (const auto& [port, word] :
         {std::pair(s.data, &Buffer::Word::data), {s.last, &Buffer::Word::last}}) {
      if (!port) continue;
      const ir::PortSlot& slot = outer_out(*port);
      put(valid_, slot, Limbs(slot.limbs(), b.is_valid() ? ~std::uint64_t{0} : 0));
      if (b.is_valid()) put(out, slot, b.words.front().*word);
    }
  }

  void clock(const Stream& s, Buffer& b, const ir::Frame& in, bool reset) {
    Buffer::Word word;
    const auto take = [&](const std::optional<std::size_t>& port) {
      if (!port) return Limbs();
      return s.goes_in ? get(in, outer_in(*port), inner_in(*port).width)
                       : get(inner_out_, inner_out(*port), inner_out(*port).width);
    };
    word.data = take(s.data);
    word.last = take(s.last);
    if (reset)
      b.words.clear();
    else if (s.goes_in)
      b.clock(get_bit(in, outer_in(s.valid)), get_bit(inner_out_, inner_out(s.ready)),
              std::move(word));
    else
      b.clock(get_bit(inner_out_, inner_out(s.valid)), get_bit(in, outer_in(s.ready)),
              std::move(word));
  }

  Ports p_;
  std::unique_ptr<ir::Machine> layer_;
  std::vector<Buffer> buffers_;
  ir::Frame inner_in_, inner_out_, valid_;
};

}  // namespace

void to_layer(const Ports& ports, const ir::Frame& outer, ir::Frame& inner) {
  inner.assign(ports.inner.input_limbs, 0);
  for (std::size_t i = 0; i < ports.inner.inputs.size(); ++i)
    put(inner, ports.inner.inputs[i],
        get(outer, ports.outer.inputs[ports.input[i]], ports.inner.inputs[i].width));
  inner[ports.inner.inputs[ports.reset].limb] ^= 1;
}

void from_layer(const Ports& ports, const ir::Frame& inner, ir::Frame& outer) {
  for (std::size_t i = 0; i < ports.inner.inputs.size(); ++i)
    if (i != ports.reset)
      put(outer, ports.outer.inputs[ports.input[i]],
          get(inner, ports.inner.inputs[i], ports.inner.inputs[i].width));
}

std::unique_ptr<ir::Machine> make_model(const Ports& ports, std::unique_ptr<ir::Machine> layer) {
  return std::make_unique<Wrapped>(ports, std::move(layer));
}

}  // namespace kumiki::gen::axi_stream
