// SPDX-License-Identifier: Apache-2.0
// A whole configuration: what to build for, how to simulate it, the layers.
//
//   {"kumiki": 1, "name": "edge", "target": {"family": "ultrascale+"},
//    "defaults": {"terms": 16, "dot": {"scheme": "wp487-int8"}},
//    "layers": [{"type": "dot", "name": "first", "terms": 64}]}
//
// A key of a layer overrides one of defaults.<type>, which overrides one of defaults, which
// overrides the default of its table. A key is replaced as a whole: objects are not merged.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/config/finding.h"
#include "gen/config/messages.h"
#include "gen/config/table.h"
#include "ir/context.h"
#include "ir/error.h"
#include "ir/primitive.h"

namespace kumiki::gen::config {

inline constexpr int format_version = 1;
inline constexpr std::size_t max_layers = 10'000;

struct Target {
  ir::Family family = ir::Family::ultrascale_plus;
  std::optional<int> column_height;
  std::optional<std::string> part;  // of the vendor's ordering table, for the scripts
  friend bool operator==(const Target&, const Target&) = default;
};

// The plan of a layer with valid keys; only the layer type knows its contents.
class Planned {
 public:
  virtual ~Planned() = default;
};

// Each key is valid, but not together with others or not on this target: reported at the key that
// caused it.
class Refusal : public DesignError {
 public:
  explicit Refusal(Violation violation)
      : DesignError(violation.code, to_string(violation)), violation_(std::move(violation)) {}
  // What a block refused, at the key that asked for it. `required` takes the place of the block's.
  Refusal(std::string key, const Error& e, const std::string& required = "")
      : Refusal({e.code(), std::move(key), e.diagnostic().wrong,
                 required.empty() ? e.diagnostic().required : required, true}) {}
  const Violation& violation() const { return violation_; }

 private:
  Violation violation_;
};

struct LayerType {
  std::string name;  // the word of "type"
  std::string help;
  const Table* table = nullptr;  // lives as long as the program
  // Called once for each layer, with the struct of its table. A Refusal or another DesignError
  // becomes a finding. Without it, only the keys are read.
  std::function<std::unique_ptr<Planned>(const void* request, const Target& target,
                                         const ir::Context& context)>
      plan = {};

  bool searches = false;  // planning may take seconds: skipped for a file with mistakes
  // Layers of this type as a user writes them: help shows them, tests simulate and prove them.
  std::vector<std::string> examples = {};
  struct File {
    std::string name, text;
  };
  std::vector<File> files = {};  // that the examples name
};

// The layer types a configuration may use.
class Registry {
 public:
  // DesignError if names clash: with each other, or a type's with a key (both occur in defaults).
  explicit Registry(std::vector<LayerType> types);
  const std::vector<LayerType>& types() const { return types_; }
  const LayerType* find(std::string_view name) const;

 private:
  std::vector<LayerType> types_;
};

struct Simulation {
  std::uint32_t seed = 1;
  std::int64_t cycles = 1000;
  double stall = 0.1;
  int resets = 1;
  friend bool operator==(const Simulation&, const Simulation&) = default;
};

struct Layer {
  const LayerType* type = nullptr;  // of the registry, which must live as long
  std::string name;
  std::string pointer;                  // "/layers/3"
  std::shared_ptr<void> request;        // the struct of the type's table
  std::shared_ptr<const Planned> plan;  // none if the type plans nothing

  // DesignError if the type's table belongs to another struct.
  template <class S>
  const S& as() const {
    if (type->table->type() != typeid(S))
      throw DesignError(code::wrong_struct, name + ": another struct is asked for");
    return *static_cast<const S*>(request.get());
  }
};

struct Document {
  int kumiki = format_version;
  std::string name;
  std::optional<std::string> description;
  Target target;
  Simulation simulation;
  std::vector<Layer> layers;
};

// Replaces the target of the file before anything is planned.
using Retarget = std::function<void(Target&)>;

// Reads, and plans every layer for the target. ConfigError with all mistakes; FileError if the file
// cannot be read; LimitError.
Document read_document(const std::filesystem::path& path, const Registry& registry,
                       const ir::Context& context = {});
Document parse_document(std::string text, const std::string& file, const Registry& registry,
                        const Retarget& retarget = {}, const ir::Context& context = {});

// A mistake that was found only after reading; reported with its line in the text.
ConfigError refusal(std::string text, const std::string& file, const std::string& pointer,
                    Code code, const std::string& message);

// The effective configuration: every key with its value, no "defaults" left.
Json to_json(const Document& document);
std::string print(const Document& document);

const Table& document_table();  // without "defaults" and "layers", which depend on the registry

}  // namespace kumiki::gen::config
