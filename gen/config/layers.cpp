// SPDX-License-Identifier: Apache-2.0
#include "gen/config/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gen/config/messages.h"
#include "gen/config/nearest.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "ir/limits.h"
#include "ir/name_pool.h"

namespace kumiki::gen::config {
namespace {

// Where the keys of a layer come from; null if its type is unknown.
struct Origin {
  const LayerType* type = nullptr;
  Table::Given given;
};

Origin origin(Node layer, Node defaults, const Registry& registry) {
  Origin o{.given = {.object = layer, .also = {"type", "name"}}};
  const Node type = layer.member("type");
  if (type && type.form() == Form::text) o.type = registry.find(type.text());
  if (!o.type || !defaults || defaults.form() != Form::object) return o;
  const Node own = defaults.member(o.type->name);
  if (own && own.form() == Form::object) o.given.inherited.push_back(own);
  o.given.inherited.push_back(defaults);
  return o;
}

// Unique, because it contains the layer's index.
std::string default_name(const LayerType& type, std::size_t place) {
  return fmt::format("{}_{}", type.name, place);
}

// A default for all types that have the key: at least one of them must accept it.
bool check_common(Reader& reader, const Member& member, const Registry& registry) {
  const LayerType* first = nullptr;
  for (const LayerType& type : registry.types()) {
    const Attribute* attribute = type.table->find(member.key.text());
    if (!attribute) continue;
    if (!first) first = &type;
    const Reader::Quiet quiet(reader);
    if (check(reader, attribute->kind, member.value)) return true;
  }
  if (first) {
    reader.say_for(" for " + first->name);
    check(reader, first->table->find(member.key.text())->kind, member.value);
    reader.say_for("");
    return false;
  }
  std::vector<std::string> known;
  for (const LayerType& type : registry.types()) {
    known.push_back(type.name);
    for (const std::string& key : type.table->keys()) known.push_back(key);
  }
  return reader.report(
      member.key, code::unknown_key,
      "is neither a layer type nor a key of one" +
          did_you_mean(member.key.text(), known, "give a layer type, or a key of a layer"),
      "");
}

// Layers by name. If two have the same name, the later one is an error. Case does not count,
// because VHDL and some file systems ignore it.
class Names {
 public:
  Names(Reader& reader) : reader_(reader) {}

  bool add(const std::string& name, Node layer) {
    // The names of the layer's ports begin with it.
    if (const auto legal = ir::legal_name(name, "layer"); legal != name)
      return reader_.report(layer.member("name"), code::unusable_name,
                            "would not keep its underscores in the netlist",
                            fmt::format("use \"{}\"", legal));
    const auto [first, fresh] = layers_.emplace(ir::lower_case(name), Known{name, layer});
    if (fresh) return true;
    const auto& [other, before] = first->second;
    // Report the layer whose name the user chose.
    if (!layer.member("name")) return clash(before, layer, name != other);
    return clash(layer, before, name != other);
  }

 private:
  struct Known {
    std::string name;
    Node layer;
  };
  bool clash(Node blamed, Node with, bool other_case) {
    const char* how = other_case            ? "in another case"
                      : with.member("name") ? "already"
                                            : "by default";
    return reader_.report(
        blamed.member("name"), code::name_taken,
        fmt::format("is the name of {} {}", with.pointer(), how),
        other_case ? "give a name that differs in more than case" : "give another name");
  }
  Reader& reader_;
  std::map<std::string, Known> layers_;
};

// Plans a layer, once, from the keys that were read; `layer` has its request.
bool plan(Reader& reader, const Table::Given& given, const Planning& planning, Layer& layer) {
  const LayerType& type = *layer.type;
  const Target& target = *planning.target;
  if (!type.plan) return true;
  const ir::Activity doing(fmt::format("planning layer \"{}\"", layer.name));
  try {
    layer.plan = type.plan(layer.request.get(), target, planning.context);
    return true;
  } catch (const ir::LimitError& error) {
    throw ir::LimitError(within(layer.pointer, error));
  } catch (const Refusal& refusal) {
    return type.table->report(reader, given, refusal.violation());
  } catch (const DesignError& error) {
    return reader.report(given.object, given.object.pointer(), "", error.code(), error.what(), "");
  }
}

// Types that do not search are planned even in a wrong file, so that their mistakes are reported
// with all others. Searches run only when nothing is wrong, so that a user need not wait for a
// search before a mistake is reported.
bool plan_layers(Reader& reader, Node root, const Registry& registry, const Planning& planning,
                 bool good, std::vector<Layer>& layers) {
  for (const bool searches : {false, true}) {
    if (searches && !good) break;
    std::size_t place = 0;
    for (const Node node : root.member("layers").entries()) {
      Layer& layer = layers[place++];
      if (!layer.request || layer.type->searches != searches) continue;
      const Origin o = origin(node, root.member("defaults"), registry);
      good &= plan(reader, o.given, planning, layer);
    }
  }
  return good;
}

// Only a layer with valid keys, and with a type that the family supports, gets a request and can be
// planned.
bool read_layer(Reader& reader, Node node, Node root, const Registry& registry, Names& names,
                std::vector<Layer>& out) {
  const std::size_t place = out.size();
  Layer& layer = out.emplace_back(Layer{.pointer = fmt::format("/layers/{}", place)});
  if (node.form() != Form::object)
    return reader.report(node, code::wrong_type, "is not a layer",
                         "must be an object with a \"type\"");
  const Node name = node.member("name");
  bool good = !name || check(reader, layer_name_kind(), name);
  const Node type = node.member("type");
  if (!type)
    return reader.report(node, node.pointer() + "/type", "", code::missing_key,
                         "required key \"type\" is missing",
                         "give " + noun(layer_type_kind(registry)));
  if (!check(reader, layer_type_kind(registry), type)) return false;
  const Origin o = origin(node, root.member("defaults"), registry);
  layer.type = o.type;
  layer.name = name && good ? name.text() : default_name(*o.type, place);
  if (good) good = names.add(layer.name, node);
  if (!o.type->table->check(reader, o.given)) return false;
  layer.request = o.type->table->fresh();
  o.type->table->load(o.given, layer.request.get());
  return good;
}

}  // namespace

Registry::Registry(std::vector<LayerType> types) : types_(std::move(types)) {
  for (const LayerType& type : types_) {
    const bool legal = identifier().accepts(type.name) && type.name.size() <= 40;
    if (!legal || find(type.name) != &type) {
      throw DesignError(
          code::layer_type_name,
          fmt::format("layer type {} is not an identifier, or is defined twice; give another name",
                      type.name));
    }
    for (const std::string& key : type.table->keys()) {
      if (key == "type" || key == "name" || find(key)) {
        throw DesignError(
            code::key_twice,
            fmt::format("layer type {}: the key {} is taken; use another one", type.name, key));
      }
    }
  }
}

const LayerType* Registry::find(std::string_view name) const {
  const auto at = std::find_if(types_.begin(), types_.end(),
                               [&](const LayerType& t) { return t.name == name; });
  return at == types_.end() ? nullptr : &*at;
}

Kind layer_type_kind(const Registry& registry) {
  Kind kind{.form = Kind::Form::choice};
  for (const LayerType& type : registry.types()) {
    kind.words.push_back({type.name, static_cast<std::int64_t>(kind.words.size()), type.help});
  }
  return kind;
}

Kind layer_name_kind() { return {.form = Kind::Form::text, .rule = &identifier()}; }

bool check_defaults(Reader& reader, Node defaults, const Registry& registry) {
  if (!defaults) return true;
  if (defaults.form() != Form::object) {
    return reader.report(defaults, code::wrong_type, "is not an object",
                         "must be an object with keys of layers");
  }
  bool good = true;
  for (const Member member : defaults.members()) {
    const LayerType* type = registry.find(member.key.text());
    if (!type) {
      good &= check_common(reader, member, registry);
    } else if (member.value.form() == Form::object) {
      good &= type->table->check_present(reader, {.object = member.value});
    } else {
      good = reader.report(member.value, code::wrong_type, "is not an object",
                           fmt::format("must be an object with keys of {}", type->name));
    }
  }
  return good;
}

bool read_layers(Reader& reader, Node root, const Registry& registry, const Planning& planning,
                 bool good, std::vector<Layer>& out) {
  const std::string required = fmt::format("must be a list of 1 to {} layers", max_layers);
  const Node layers = root.member("layers");
  if (!layers)
    return reader.report(root, "/layers", "", code::missing_key,
                         "required key \"layers\" is missing",
                         fmt::format("give a list of 1 to {} layers", max_layers));
  if (layers.form() != Form::list)
    return reader.report(layers, code::wrong_type, "is not a list", required);
  if (layers.size() == 0)
    return reader.report(layers, code::wrong_length, "is too short", required);
  if (layers.size() > max_layers)
    return reader.report(layers, code::too_many_layers, "is too long", required);
  // Checked before the first layer is planned.
  if (const auto most = planning.context.limits.layers; layers.size() > most)
    return reader.report(
        layers, code::too_many_layers, "is too long",
        fmt::format("must be at most {} layers; raise the limit with --max-layers", most));
  Names names(reader);
  for (const Node layer : layers.entries())
    good &= read_layer(reader, layer, root, registry, names, out);
  return planning.target ? plan_layers(reader, root, registry, planning, good, out) : good;
}

}  // namespace kumiki::gen::config
