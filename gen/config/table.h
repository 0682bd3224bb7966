// SPDX-License-Identifier: Apache-2.0
// All attributes of one struct and the rules between them. Reader, writer, schema, help and errors
// follow from this one description.
#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "gen/config/attribute.h"
#include "ir/message.h"

namespace kumiki::gen::config {

// A rule between several keys is broken; `key` is the one to blame: "weights" or "weights/3".
struct Violation {
  Code code;
  std::string key;
  std::string message;       // "has 3 entries"
  std::string required;      // "must be a list of 7"; "": the message says it
  bool is_sentence = false;  // the message is a whole sentence, without the value or key in front
};
std::string to_string(const Violation& violation);  // "weights has 3 entries; must be a list of 7"
// The same with the name that the user knows: "--slices 3 is too few; must be at least 9".
std::string to_string(const Violation& violation, const std::string& subject);
using Violations = std::vector<Violation>;

template <class S>
using Rule = std::function<Violations(const S&)>;

class Table {
 public:
  // The objects from which a struct is read. A key that `object` lacks is taken from the first
  // inherited object that has it. `also` are keys of `object` that other code reads.
  struct Given {
    Node object;
    std::vector<Node> inherited = {};
    std::vector<std::string> also = {};
  };

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const Attribute* find(std::string_view key) const;
  std::vector<std::string> keys() const;

  std::shared_ptr<void> fresh() const { return fresh_(); }  // an S with all defaults
  std::type_index type() const { return type_; }            // S

  bool check(Reader& reader, const Given& given) const;  // everything, rules included
  // Checks only the given keys, because defaults need not contain required keys.
  bool check_present(Reader& reader, const Given& given) const;
  void load(const Given& given, void* out) const;  // out: a fresh S; given: checked
  // Reports at the key that caused the violation, or where that key would be; returns false.
  bool report(Reader& reader, const Given& given, const Violation& violation) const;
  void save(const void* value, Writer& to) const;  // the members of an object already begun
  std::vector<std::string> present(const void* value) const;  // keys that save() would write

  Json properties() const;  // of the schema, key by key
  std::vector<std::string> required() const;
  Json schema() const;  // a closed object

 protected:
  Table(std::string name, std::string help, std::type_index type)
      : name_(std::move(name)), help_(std::move(help)), type_(type) {}
  void verify() const;  // DesignError: the table itself is wrong

  std::string name_;
  std::string help_;
  std::vector<Attribute> attributes_;
  std::vector<std::function<Violations(const void*)>> rules_;
  std::type_index type_;
  std::function<std::shared_ptr<void>()> fresh_;

 private:
  bool check_keys(Reader& reader, const Given& given) const;
  bool check_attribute(Reader& reader, const Attribute& attribute, const Given& given) const;
  bool check_rules(Reader& reader, const Given& given) const;
};

template <class S>
class TableOf : public Table {
 public:
  TableOf(std::string name, std::string help, const std::vector<FieldOf<S>>& fields,
          const std::vector<Rule<S>>& rules = {})
      : Table(std::move(name), std::move(help), typeid(S)) {
    for (const auto& f : fields) attributes_.push_back(f.attribute);
    for (const auto& rule : rules) {
      rules_.push_back([rule](const void* value) { return rule(*static_cast<const S*>(value)); });
    }
    fresh_ = [] { return std::make_shared<S>(); };
    verify();
  }
};

}  // namespace kumiki::gen::config
