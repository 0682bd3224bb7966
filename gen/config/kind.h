// SPDX-License-Identifier: Apache-2.0
// The kind of a value: what is valid for a key. Plain data; the check, the words of messages and
// the schema all follow from it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::gen::config {

using Json = nlohmann::ordered_json;
class Node;
class Reader;
class Table;

// A rule for texts: the predicate decides; words and pattern describe it to people and schema.
struct TextRule {
  std::string name;     // "identifier": what the schema calls it
  std::string noun;     // "a Verilog identifier of at most 64 characters"
  std::string pattern;  // ECMAScript; may be looser than the predicate, never stricter
  std::size_t longest;  // in characters
  bool (*accepts)(std::string_view);
  std::vector<std::string> forbidden = {};  // words that the pattern cannot exclude
};
const TextRule& any_text();    // at most 4096 characters
const TextRule& identifier();  // a Verilog identifier that is no keyword
const TextRule& part_name();   // letters, digits and -: "xczu9eg-ffvb1156-2-e"
const TextRule& file_path();   // not empty, no control characters

// One word of a choice; `value` is the enumerator.
struct Word {
  std::string word;
  std::int64_t value;
  std::string help;
};

struct Kind {
  // weights: integers nested to any depth
  enum class Form { integer, number, boolean, text, choice, list, one_or_list, weights, object };
  Form form = Form::boolean;
  std::int64_t low = 0;  // integer
  std::int64_t high = 0;
  double lowest = 0;  // number
  double highest = 0;
  const TextRule* rule = nullptr;  // text
  std::vector<Word> words;         // choice
  std::size_t shortest = 0;        // list, one_or_list
  std::size_t longest = 0;
  bool rectangular = false;      // list of lists that must be of one length
  bool from_file = false;        // of integers: {"file": "w.npy"} may stand for it
  std::vector<Kind> element;     // list, one_or_list, weights: exactly one
  const Table* table = nullptr;  // object
};

std::string noun(const Kind& kind);  // "an integer from 1 to 65536"
bool check(Reader& reader, const Kind& kind, Node node);
Json schema(const Kind& kind);
Json schema(const TextRule& rule);

// "a", "a or b", "a, b or c"
std::string alternatives(const std::vector<std::string>& words);

}  // namespace kumiki::gen::config
