// SPDX-License-Identifier: Apache-2.0
// Operators of one dimension, [images, channels, length]: a map of one row, whose windows have one
// row.
#include <fmt/format.h>

#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

Value Walk::in_one_row(const Value& value, const std::string& name) {
  Dims dims = value.dims;
  dims[2] -= value.pads[1] + value.pads[3];
  const Value bare{dims, value.is};
  dims.insert(dims.begin() + 2, 1);
  Value row = reshaped(bare, dims, name);
  row.pads = value.pads;
  row.dims[3] += value.pads[1] + value.pads[3];
  return row;
}

Value Walk::without_row(const Value& value, const std::string& name) {
  Dims dims = value.dims;
  dims.erase(dims.begin() + 2);
  return reshaped(value, dims, name);
}

void Call::on_maps(void (*reader)(Call&)) {
  if (padded(0).dims.size() != 3) return reader(*this);
  Node on_rows = node;
  std::vector<std::string> made;
  const auto fresh = [&](std::string name) {
    while (walk.values_.contains(name)) name += '\'';
    return made.emplace_back(std::move(name));
  };
  for (std::size_t i = 0; i < count(); ++i)
    if (has(i) && padded(i).dims.size() == 3) {
      on_rows.inputs[i] = fresh(fmt::format("{}/row{}", label, i));
      walk.values_[on_rows.inputs[i]] = walk.in_one_row(padded(i), on_rows.inputs[i]);
    }
  on_rows.outputs[0] = fresh(label + "/row");
  for (auto& [name, attribute] : on_rows.attributes) {
    auto* list = std::get_if<std::vector<std::int64_t>>(&attribute);
    if (list == nullptr) continue;
    if (name == "pads" && list->size() == 2)
      *list = {0, list->front(), 0, list->back()};
    else if (name == "output_padding" && list->size() == 1)
      list->insert(list->begin(), 0);
    else if (name == "kernel_shape" || name == "strides" || name == "dilations")
      list->insert(list->begin(), 1);
  }
  Call call{walk, on_rows, label};
  reader(call);
  asked.merge(call.asked);
  result(walk.without_row(walk.values_.at(on_rows.outputs[0]), out()));
  // Names of the file's own nodes may be the same.
  for (const auto& name : made) {
    walk.values_.erase(name);
    walk.padded_.erase(name);
  }
}

}  // namespace kumiki::gen::onnx
