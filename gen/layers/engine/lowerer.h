// SPDX-License-Identifier: Apache-2.0
// Nodes of a graph as operations. An operator that the engine can run says how, in engine.cpp of
// its folder:
//
//   std::string no_unit(const Known&, const graph::Node&, const graph::Conv&);
//   void to_engine(Lowerer&, const Job&, const graph::Conv&);
//
// The first says why no unit does a node, or nothing; it is not asked about a convolution with
// thresholds behind its sums (Known::stepped). The second adds operations.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/layers/engine/known.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

constexpr std::size_t none = ~std::size_t{0};

// So many places, rounded up to sets of four.
inline std::int64_t whole_sets(std::int64_t places) {
  return ceil_div(places, EngineShape::pixels) * EngineShape::pixels;
}

// What makes large maps fit. Each is by tensor.
struct Storage {
  std::vector<bool> outside;   // in the memory outside; read and written in strips of lines
  std::vector<bool> in_place;  // a sum, or product, of two that overwrites the second one
  std::vector<bool> by_block;  // made and read block by block, so that one block has a place
  std::int64_t strip = 0;      // places of a strip
};

// The operands of a product: a map, and a number for each of its channels, enlarged or not.
struct Gated {
  graph::TensorId map = 0, gate = 0;
};
std::optional<Gated> gated(const graph::Graph& graph, const graph::Node& mul);

// A concat whose parts may be made where it needs them.
bool joins_channels(const graph::Node& node);

// DesignError: the engine has no unit for a node, and why.
[[noreturn]] void has_no_unit(const graph::Node& node, const std::string& why);

// A node that computes a map, and those that follow it in the same operation.
struct Job {
  std::size_t node = 0;
  std::optional<std::size_t> steps;  // thresholds of its sums
  std::optional<std::size_t> table, second;
  std::optional<Gated> product;  // what the node multiplies
  bool copies = false;  // the node is the table or the second: its first input is read as it is
  graph::TensorId output = 0;
};

// Where lines of a tensor, or all of them, are in the memory of maps.
struct Location {
  Map map;
  std::int64_t first_line = 0;
  std::size_t buffer = 0;   // where its base comes from
  std::int64_t offset = 0;  // places from the beginning of the buffer
};

// Pixels that one walk makes: every step-th line and column of a tensor.
struct Part {
  Walk walk;
  std::array<std::int64_t, 2> first{0, 0}, step{1, 1};
};

class Lowerer {
 public:
  // `draft`: without weights.
  Lowerer(const Known& known, const EngineShape& shape, const Storage& storage, bool draft);
  Program run();
  // Changes what the storage says so that the places that are needed most become fewer; false if
  // nothing is left to change.
  bool relieve(Storage& storage) const;

  const graph::Graph& graph() const { return g_; }
  const Known& known() const { return known_; }
  const EngineShape& shape() const { return shape_; }
  const graph::Tensor& tensor(graph::TensorId id) const { return g_.tensors[id]; }
  const graph::Node& node(const Job& job) const { return g_.nodes[job.node]; }
  graph::TensorId walked(const Job& job) const {
    return job.product ? job.product->map : node(job).inputs[0];
  }
  std::optional<graph::TensorId> second_of(const Job& job) const;
  // How many columns of its window are channels of an input.
  std::int64_t unfolded_columns(graph::TensorId input) const { return unfolded_[input].columns; }
  Location location(graph::TensorId id) const;
  bool has_weights() const { return !draft_; }

  // Calls f with each part of a result that a walk can make at once. `size`: lines and columns of
  // the result.
  void walks(const graph::Window& window, graph::TensorId input, std::array<std::int64_t, 2> size,
             const std::function<void(Part)>& f);
  void walks(const Job& job, const std::function<void(Part)>& f);
  Target target(graph::TensorId output, const Part& part) const;
  // An operation without weights, or with a weight of 1 for every tap.
  Op plain(const Part& part, graph::TensorId output, Unit unit) const;
  void copy(const Job& job);
  std::vector<Parameter> unchanged(std::int64_t lanes) const;
  // Factors and biases of a node's channels; `sum_of` are the weights of a channel.
  std::vector<Parameter> parameters_of(const graph::Node& node, std::int64_t channels,
                                       const std::function<std::int64_t(std::int64_t)>& sum_of,
                                       const std::vector<std::int32_t>& bias) const;
  void set_range(Op& op, const graph::Node& node) const;
  // Adds an operation that reads this tensor, with what follows in the lanes.
  void add(const Job& job, graph::TensorId read, const Part& part, Op op);
  void add(const Job& job, Normalise step);
  // Where a part of a concat is already.
  bool is_in(graph::TensorId part, graph::TensorId whole) const { return root_[part] == whole; }
  // A part of a concat from the memory outside into its place, or the other way.
  void load_into(graph::TensorId part, graph::TensorId whole, std::int64_t first_channel);
  void store_into(graph::TensorId part, graph::TensorId whole, std::int64_t first_channel);
  bool is_outside(graph::TensorId id) const { return storage_.outside[id]; }

 private:
  // Columns of an input that are channels of a map, and the window that is left.
  struct Unfolded {
    std::int64_t columns = 1, stride = 1, dilation = 1, before = 0;
    std::int64_t width = 0;  // of the map
    int kernel = 1, step = 1, left = 0;
  };
  struct Buffer {
    std::int64_t places = 0, base = 0;
    std::size_t first = none, last = 0;  // steps
    std::size_t tensor = none;           // of which it has lines
  };
  // What a step reads, writes and adds, and whose numbers are its weights.
  struct Uses {
    std::optional<Location> read, written, second, weights;
  };
  struct Strip {
    std::int64_t first = 0, lines = 0;
    std::optional<Location> read, written, second;  // of tensors in the memory outside
  };

  // lower_join.cpp
  void join();
  void leave_out_gates();
  void number_jobs();
  graph::TensorId fresh_of(const Job& job) const;
  // lower_maps.cpp
  bool interleaves(const graph::Node& concat) const;
  void share();
  void overwrite();
  void unfold();
  bool each_joined(const std::function<void(Map&, Map&)>& f);
  void arrange();
  void slide();
  struct Within {
    graph::TensorId tensor = 0;
    std::int64_t channel = 0, place = 0;
  };
  Within whole(graph::TensorId id) const;
  // The window of a node as it reads its map.
  graph::Window window_of(const graph::Node& node) const;
  std::int64_t walked_width(const Job& job) const;
  bool reads_windows(const Job& job) const;
  bool is_output(graph::TensorId id) const;
  bool has_one_reader(graph::TensorId id) const {
    return readers_[id].size() == 1 && !is_output(id);
  }
  // lower_steps.cpp
  void emit(std::size_t job);
  void emit_by_block(std::size_t maker);
  std::vector<Strip> strips_of(const Job& job);
  Location lines_of(graph::TensorId id, Map layout, std::int64_t first, std::int64_t lines);
  void need(graph::TensorId id);
  std::pair<graph::TensorId, std::int64_t> home(graph::TensorId id) const;
  void load(graph::TensorId id, const Location& to);
  void store(graph::TensorId id, const Location& from);
  Target operand(graph::TensorId other, const Part& part) const;
  void note(const Uses& uses, std::size_t step);
  void put(Step step, const Uses& uses);
  // lower_places.cpp
  void allocate();
  void wait();
  void interleave();
  std::vector<Held> held() const;
  std::optional<std::size_t> node_of_step(std::size_t step) const;
  std::pair<std::int64_t, std::int64_t> places_of(const Location& location) const;
  bool can_overwrite(std::size_t job) const;
  bool is_read_in_phases(graph::TensorId id) const;
  bool can_go_by_block(std::size_t job) const;
  bool can_be_outside(graph::TensorId id) const;
  bool can_be_together_outside(const graph::Node& concat) const;

  const Known& known_;
  const graph::Graph& g_;
  EngineShape shape_;
  Storage storage_;
  bool draft_;
  std::vector<std::vector<std::size_t>> readers_;  // by tensor: nodes
  std::vector<std::size_t> maker_;                 // by tensor
  std::vector<graph::TensorId> root_;              // the tensor whose map has this one, or itself
  std::vector<std::int64_t> first_channel_;        // there
  std::vector<std::int64_t> first_place_;          // in each block
  std::vector<graph::TensorId> over_;              // the sum that overwrites this one, or itself
  std::vector<std::int64_t> behind_;               // how many places behind the sum this one begins
  std::vector<Map> maps_;
  std::vector<bool> is_gate_, is_loaded_;
  std::vector<Unfolded> unfolded_;
  std::vector<Job> jobs_;
  std::vector<std::size_t> job_of_;  // by node
  std::optional<Strip> strip_;
  const Job* current_ = nullptr;
  std::vector<Buffer> buffers_;  // by tensor; then those of strips
  std::vector<Step> steps_;
  std::vector<Uses> uses_;
  std::vector<std::size_t> job_of_step_;
  std::vector<std::pair<Op, Uses>>* taken_ = nullptr;  // operations that are not steps yet
  std::vector<std::size_t> waits_;
  std::int64_t used_ = 0;
  std::size_t tightest_ = 0;  // the step at which the most places are used
};

}  // namespace kumiki::gen::engine
