// SPDX-License-Identifier: Apache-2.0
// A behavioural model is a class over the Values form of the port structs. Model makes a Machine of
// it, so every generator with a model gets lockstep, the native simulator and the vendor's models
// without extra code.
//
//   struct MacModel {
//     explicit MacModel(const MacPlan&);
//     void power_up();
//     MacOut<Values> step(const MacIn<Values>&);   // outputs before the edge, then the edge
//   };
#pragma once
#include <fmt/format.h>

#include "gen/arith/format.h"
#include "gen/hdl/limbs.h"
#include "gen/hdl/ports.h"

namespace kumiki::gen {

namespace detail {

// Reads or writes field by field, with the hardware shape and the values side by side. The bits
// begin at bit `at` of a port whose first limb is `limb`.
struct BitCursor {
  std::uint64_t* limbs;
  std::uint32_t at = 0;
  void put(std::uint64_t value, std::uint32_t width) {
    put_bits(limbs, at, width, value);
    at += width;
  }
  std::uint64_t get(std::uint32_t width) {
    const std::uint64_t value = bits_at(limbs, at, width);
    at += width;
    return value;
  }
};

[[noreturn]] void model_value_does_not_fit(const char* port, const std::string& value,
                                           std::uint32_t width);

inline void put(const char*, BitCursor& c, Net, bool value) { c.put(value, 1); }
inline void put(const char* port, BitCursor& c, const UInt& shape, std::uint64_t value) {
  if (shape.width() < 64 && value >> shape.width() != 0)
    model_value_does_not_fit(port, std::to_string(value), shape.width());
  c.put(value, shape.width());
}
inline void put(const char* port, BitCursor& c, const SInt& shape, std::int64_t value) {
  auto w = shape.width();
  if (w < 64 && value >> (w - 1) != 0 && value >> (w - 1) != -1)
    model_value_does_not_fit(port, std::to_string(value), w);
  c.put(static_cast<std::uint64_t>(value), w);
}
template <class H, class V>
void put(const char* port, BitCursor& c, const std::vector<H>& shape,
         const std::vector<V>& values) {
  if (values.size() != shape.size())
    model_value_does_not_fit(port, fmt::format("a list of {}", values.size()),
                             static_cast<std::uint32_t>(shape.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) put(port, c, shape[i], values[i]);
}

template <class V>
void get(BitCursor& c, Net, V& value) {
  value = c.get(1) != 0;
}
inline void get(BitCursor& c, const UInt& shape, std::uint64_t& value) {
  value = c.get(shape.width());
}
inline void get(BitCursor& c, const SInt& shape, std::int64_t& value) {
  value = arith::value_of(c.get(shape.width()), {static_cast<int>(shape.width()), true});
}
template <class H, class V>
void get(BitCursor& c, const std::vector<H>& shape, std::vector<V>& values) {
  values.resize(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    V v{};
    get(c, shape[i], v);
    values[i] = v;
  }
}

// Pairs the ports of the hardware form with those of the values form, in their common order.
template <class H, class V, class F, std::size_t... i>
void for_each_pair(F&& f, std::index_sequence<i...>) {
  auto hardware = H::ports();
  auto values = V::ports();
  (f(std::get<i>(hardware), std::get<i>(values)), ...);
}
template <class H, class V, class F>
void for_each_pair(F&& f) {
  constexpr auto n = std::tuple_size_v<decltype(H::ports())>;
  static_assert(n == std::tuple_size_v<decltype(V::ports())>);
  for_each_pair<H, V>(std::forward<F>(f), std::make_index_sequence<n>{});
}

}  // namespace detail

// Values into the limbs of a frame laid out as ir::layout does, and back. `shape` is the hardware
// form.
template <class H, class V>
void pack(const H& shape, const V& values, ir::Frame& frame) {
  std::uint32_t limb = 0;
  for_each_port<H>([&](const auto& p) { limb += (bit_count(shape.*p.member) + 63) / 64; });
  frame.assign(limb, 0);
  limb = 0;
  detail::for_each_pair<H, V>([&](const auto& h, const auto& v) {
    detail::BitCursor c{frame.data() + limb};
    detail::put(h.name, c, shape.*h.member, values.*v.member);
    limb += (bit_count(shape.*h.member) + 63) / 64;
  });
}

template <class H, class V>
void unpack(const H& shape, const ir::Frame& frame, V& values) {
  std::uint32_t limb = 0;
  detail::for_each_pair<H, V>([&](const auto& h, const auto& v) {
    // The same cursor as in pack(); here it only reads.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    detail::BitCursor c{const_cast<std::uint64_t*>(frame.data()) + limb};
    detail::get(c, shape.*h.member, values.*v.member);
    limb += (bit_count(shape.*h.member) + 63) / 64;
  });
}

template <class S>
constexpr bool has_qualified_port() {
  return std::apply(
      [](const auto&... p) {
        return (!std::is_same_v<std::remove_cvref_t<decltype(p.valid)>, std::nullptr_t> || ...);
      },
      S::ports());
}

// Ones where the values are valid.
template <class H, class V>
void pack_valid(const H& shape, const V& values, ir::Frame& valid) {
  valid.clear();
  detail::for_each_pair<H, V>([&](const auto& h, const auto& v) {
    bool counts = true;
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(v.valid)>, std::nullptr_t>)
      counts = values.*v.valid;
    valid.resize(valid.size() + (bit_count(shape.*h.member) + 63) / 64,
                 counts ? ~std::uint64_t{0} : 0);
  });
}

// The machine of a model. In and Out are class templates over Hardware and Values.
template <template <class> class In, template <class> class Out, class Behaviour>
class Model : public ir::Machine {
 public:
  Model(In<Hardware> in_shape, Out<Hardware> out_shape, Behaviour behaviour)
      : in_shape_(std::move(in_shape)),
        out_shape_(std::move(out_shape)),
        behaviour_(std::move(behaviour)) {}
  void power_up() override { behaviour_.power_up(); }
  void step(const ir::Frame& in, ir::Frame& out) override {
    unpack(in_shape_, in, in_);
    const Out<Values>& values = behaviour_.step(in_);
    pack(out_shape_, values, out);
    if constexpr (has_qualified_port<Out<Values>>()) pack_valid(out_shape_, values, valid_);
  }
  const ir::Frame* valid_mask() const override {
    return has_qualified_port<Out<Values>>() ? &valid_ : nullptr;
  }

 private:
  In<Hardware> in_shape_;
  Out<Hardware> out_shape_;
  Behaviour behaviour_;
  In<Values> in_{};
  ir::Frame valid_;
};

}  // namespace kumiki::gen
