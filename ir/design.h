// SPDX-License-Identifier: Apache-2.0
// A design is modules; a module is ports and cells in flat arrays. Cells never point at each other:
// they share net numbers. Names, source locations and initial contents are in side tables.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/error.h"
#include "ir/limits.h"
#include "ir/net.h"
#include "ir/place.h"
#include "ir/primitive.h"

namespace kumiki::ir {

class Design;

struct Cell {
  Kind kind = Kind::instance;
  std::uint32_t width = 1;   // elements of a vector cell
  std::uint32_t pins = 0;    // where its input nets start in the module's pool
  std::uint32_t params = 0;  // where its parameters start; of an instance: the module
  Net out;                   // its output nets are consecutive: out, out + 1, …
  PlaceId place;
};

enum class Direction : std::uint8_t { input, output };

struct Port {
  StringId name;
  Direction direction;
  std::uint32_t width;
  std::uint32_t nets;  // where its nets start in the module's port pool
  bool is_signed;
  PlaceId place;
};

// The name that these nets together should get, as one signal.
struct NameHint {
  StringId name;
  std::uint32_t first;  // in the module's hint pool
  std::uint32_t width;
};

// What a register declares about data from the other clock: when the data were launched, and when
// it captures them. The first half of a clock begins at the rising edge of both clocks, the second
// at that of the fast clock alone. The edge that ends a half captures "in" that half.
// ir/check/clocks.cpp checks the netlist against it.
enum class Crossing : std::uint8_t {
  none,    // nothing crosses
  each,    // a fast register captures in both halves, a slow one data of either half: one
           // fast period
  first,   // a fast register captures in the first half only: one fast period; a slow one data
           // launched at the beginning of the first half that stay: two
  second,  // a fast register captures in the second half only: two fast periods
};
std::string_view crossing_name(Crossing crossing);  // "each", …

// A comment before a cell.
struct Remark {
  std::uint32_t cell;
  StringId line;
};

class Module {
 public:
  Module(Design& design, ModuleId id, StringId name) : design_(&design), id_(id), name_(name) {}

  Design& design() const { return *design_; }
  ModuleId id() const { return id_; }
  std::string_view name() const;

  // Building.
  Net fresh_nets(std::uint32_t count);
  Net add_input(std::string_view name, std::uint32_t width, bool is_signed = false,
                PlaceId at = {});
  // An input on given nets, which the text form needs.
  void add_input_driving(std::span<const Net> nets, std::string_view name, bool is_signed = false,
                         PlaceId at = {});
  void add_output(std::string_view name, std::span<const Net> nets, bool is_signed = false,
                  PlaceId at = {});
  // Output nets are fresh, except with `add_cell_driving`, which the text form and feedback need.
  CellId add_cell(Kind kind, std::uint32_t width, std::span<const Net> inputs,
                  std::span<const std::uint64_t> params, PlaceId at, BlobId contents = {});
  CellId add_cell_driving(Net out, Kind kind, std::uint32_t width, std::span<const Net> inputs,
                          std::span<const std::uint64_t> params, PlaceId at, BlobId contents = {});
  CellId add_instance(ModuleId of, std::span<const Net> inputs, PlaceId at,
                      std::string_view name = {});
  CellId add_instance_driving(Net out, ModuleId of, std::span<const Net> inputs, PlaceId at,
                              std::string_view name = {});
  // Replaces the nets from `forward` on by `driven`: for nets that are used before they are
  // made.
  void join(Net forward, std::span<const Net> driven, PlaceId at);
  // Rewrites every use of a joined net; called once when the module is complete.
  void resolve_joins();
  void hint(std::string_view name, std::span<const Net> nets);
  void set_cell_name(CellId cell, std::string_view name);
  void set_crossing(CellId cell, Crossing crossing);
  void set_about(std::string_view line) { about_ = line; }
  // For readers of the output: a comment before the next cell.
  void remark(std::string_view line);
  void put_port_first(std::string_view name);  // the clock; does nothing if there is no such port
  void sweep();  // removes cells that reach no output; the remaining nets keep their numbers
  bool reads_input(std::uint32_t bit) const;  // counted over all inputs; after sweep
  void shrink();                              // frees what the arrays have reserved

  // Reading.
  std::span<const Port> ports() const { return ports_; }
  std::span<const Net> port_nets(const Port& port) const {
    return std::span(port_nets_).subspan(port.nets, port.width);
  }
  std::span<const Cell> cells() const { return cells_; }
  std::span<const Remark> remarks() const { return remarks_; }
  const Cell& cell(CellId id) const { return cells_[id.value]; }
  std::span<const CellId> instances() const { return instances_; }  // in the order of the cells
  std::uint32_t net_count() const { return net_count_; }
  CellView view(const Cell& cell) const;
  std::span<const Net> inputs(const Cell& cell) const;
  std::span<const std::uint64_t> params(const Cell& cell) const;
  std::uint32_t output_count(const Cell& cell) const;
  std::span<const NameHint> hints() const { return hints_; }
  std::span<const Net> hint_nets(const NameHint& h) const {
    return std::span(hint_nets_).subspan(h.first, h.width);
  }
  std::span<const Net> all_inputs() const { return pins_; }  // of all cells
  StringId cell_name(CellId id) const;
  Crossing crossing(CellId id) const;
  std::vector<CellId> named_cells() const;  // in order
  std::uint32_t input_bits() const { return input_bits_; }
  std::uint32_t output_bits() const { return output_bits_; }
  std::string_view about() const {
    return about_;
  }  // one line for people, a comment in the Verilog
  const Port* find_port(std::string_view name) const;
  std::size_t bytes() const;  // memory held, for the benchmark

  // For passes that edit and for mutation tests; the caller must keep the design valid.
  std::span<Net> mutable_inputs(CellId cell);
  std::span<std::uint64_t> mutable_params(CellId cell);
  // Lets another primitive drive the cell's nets; their number stays the same. `inputs` must not
  // point into this module.
  void replace_cell(CellId cell, Kind kind, std::span<const Net> inputs,
                    std::span<const std::uint64_t> params);

 private:
  void add_port(std::string_view name, Direction direction, std::span<const Net> nets,
                bool is_signed, PlaceId at);
  CellId add(Cell cell, std::span<const Net> inputs, std::uint32_t outputs, bool fresh);
  std::uint32_t store_params(Kind kind, std::span<const std::uint64_t> params);

  Design* design_;
  ModuleId id_;
  StringId name_;
  std::string about_;
  std::vector<Remark> remarks_;  // in the order of the cells
  std::vector<Port> ports_;
  std::vector<Net> port_nets_;
  std::vector<Cell> cells_;
  std::vector<CellId> instances_;
  std::vector<Net> pins_;
  std::vector<std::uint64_t> params_;
  std::vector<NameHint> hints_;
  std::vector<Net> hint_nets_;
  std::unordered_map<std::uint32_t, StringId> cell_names_;
  std::unordered_map<std::uint32_t, BlobId> blobs_;
  std::unordered_map<std::uint32_t, Crossing> crossings_;
  struct Join {
    Net forward, driven;
    PlaceId place;
  };
  std::vector<Join> joins_;
  std::uint32_t net_count_ = first_free_net;
  std::uint32_t input_bits_ = 0, output_bits_ = 0;
  std::vector<std::uint32_t> unread_inputs_;  // found by sweep; sorted
  bool instantiated_ = false;                 // its ports are fixed
  bool has_loose_pins_ = false;  // replaced cells have left pins in the pool; until sweep
  // Neighbours of one kind mostly share parameters: the last block of each kind is tried first.
  std::uint32_t last_params_[kind_count];
  bool has_last_params_[kind_count] = {};
};

class Design {
 public:
  explicit Design(Family family = Family::ultrascale_plus, const Limits& limits = {})
      : family_(family), limits_(limits) {}
  Design(const Design&) = delete;
  Design& operator=(const Design&) = delete;

  Family family() const { return family_; }
  const Limits& limits() const { return limits_; }
  Module& add_module(std::string_view name);  // the name must be new
  Module& module(ModuleId id) { return modules_[id.value]; }
  const Module& module(ModuleId id) const { return modules_[id.value]; }
  const Module* find_module(std::string_view name) const;
  std::uint32_t module_count() const { return static_cast<std::uint32_t>(modules_.size()); }
  void set_top(ModuleId id) { top_ = id; }
  bool has_top() const { return top_.has_value(); }
  ModuleId top_id() const;
  const Module& top() const { return module(top_id()); }
  Module& top() { return module(top_id()); }

  StringId intern(std::string_view text);
  std::string_view text(StringId id) const { return strings_[id.value]; }
  BlobId add_blob(Blob blob);
  const Blob* blob(BlobId id) const { return id.value == 0 ? nullptr : &blobs_[id.value - 1]; }

  // Modules reachable from the top, children before parents, each once.
  std::vector<ModuleId> bottom_up() const;

 private:
  Family family_;
  Limits limits_;
  std::deque<Module> modules_;
  std::optional<ModuleId> top_;
  std::deque<std::string> strings_{std::string()};
  std::unordered_map<std::string_view, StringId> string_ids_;
  std::unordered_map<std::string_view, ModuleId> module_ids_;
  std::deque<Blob> blobs_;
};

}  // namespace kumiki::ir
