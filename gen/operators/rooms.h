// SPDX-License-Identifier: Apache-2.0
// Declares what an operator becomes in other rooms, below its type in meaning.h. A function that is
// not declared has the default of its room.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace kumiki::gen {

namespace graph {
struct Graph;
struct Node;
}  // namespace graph
namespace pipeline {
class Behind;
class Lowering;
struct Source;
}  // namespace pipeline
namespace array {
class Lowerer;
}  // namespace array
namespace engine {
class Known;
class Lowerer;
struct Job;
}  // namespace engine
namespace onnx {
struct Row;
}  // namespace onnx

}  // namespace kumiki::gen

#define KUMIKI_ON_PIPELINE(Op)                                                \
  namespace kumiki::gen::pipeline {                                           \
  Source machines(Lowering& lowering, std::size_t node, const graph::Op& op); \
  }
#define KUMIKI_SLICES_BEHIND(Op)                                                       \
  namespace kumiki::gen::pipeline {                                                    \
  std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read, \
                             std::int64_t lanes, const graph::Op& op);                 \
  }
#define KUMIKI_ON_ARRAY(Op)                                               \
  namespace kumiki::gen::array {                                          \
  void to_array(Lowerer& lowerer, std::size_t node, const graph::Op& op); \
  }
#define KUMIKI_ON_ENGINE(Op)                                                             \
  namespace kumiki::gen::engine {                                                        \
  std::string no_unit(const Known& known, const graph::Node& node, const graph::Op& op); \
  void to_engine(Lowerer& lowerer, const Job& job, const graph::Op& op);                 \
  }
#define KUMIKI_FROM_ONNX(Op)                             \
  namespace kumiki::gen::onnx {                          \
  std::vector<Row> forms(std::type_identity<graph::Op>); \
  }
