// SPDX-License-Identifier: Apache-2.0
// What tests/golden/bad-config cannot hold: files, other layer types, mistakes of who describes
// one.
#include "tests/support/messages.h"

#include "gen/config/document.h"
#include "gen/config/messages.h"
#include "gen/config/numbers.h"
#include "gen/config/source.h"
#include "gen/config/weights.h"
#include "tests/gen/config/fake_layers.h"

namespace kumiki::gen::config {
namespace config_messages_test {

struct Grown {
  int new_key = 1;
};
struct Weighted {
  Weights weights;
};
enum class Colour { red, green };
struct Thing {
  int count = 3;
  std::int8_t small = 0;
  Colour colour = Colour::red;
};

Registry types() {
  static const TableOf<Grown> grown{
      "grown",
      "A table with a history.",
      {field("new_key", &Grown::new_key).since(2).help("of the next version")}};
  static const TableOf<Weighted> weighted{
      "weighted",
      "Weights of a shape.",
      {field("weights", &Weighted::weights).required().range(-8, 7).help("any shape")},
      {[](const Weighted& w) {
        return check_shape("weights", w.weights, {{"out", 2}, {"in", 3}});
      }}};
  return Registry(
      {{"grown", "", &grown}, {"weighted", "", &weighted}, *fake_registry().find("dot")});
}

Document parse(const std::string& keys) {
  static const Registry all = types();
  return parse_document(R"({"kumiki": 1, "name": "x", )" + keys + "}", "cfg.json", all);
}
void thing(std::initializer_list<FieldOf<Thing>> fields) {
  TableOf<Thing>("thing", "A thing.", fields);
}
void registered(const char* name) { Registry({{name, "", &fake_dot_table()}}); }
void numbers(const std::string& bytes, const std::string& name, const NumbersWanted& wanted = {}) {
  parse_numbers(bytes, name, wanted);
}

TEST(ConfigMessages, OfFilesTypesAndTables) {
  test::expect_messages(
      "messages/configuration.txt",
      {{code::file_too_long,
        [] { parse_document(std::string(max_bytes + 1, ' '), "cfg.json", fake_registry()); }},
       {code::key_of_later_version,
        [] { parse(R"("layers": [{"type": "grown", "new_key": 6}])"); }},
       {code::wrong_shape, [] { parse(R"("layers": [{"type": "weighted", "weights": [1, 2]}])"); }},
       {code::file_not_found, [] { read_document("nowhere/cfg.json", fake_registry()); }},
       {code::file_is_directory, [] { read_document("/", fake_registry()); }},
       {code::file_not_read, [] { read_document("/proc/self/mem", fake_registry()); }},
       {code::key_without_use, [] { numbers("1,2", "w.csv", {.bits = 4}); }},
       {code::unknown_suffix, [] { numbers("1", "w.txt"); }},
       {code::unknown_number_type, [] { numbers("123", "w.bin"); }},
       {code::malformed_npy, [] { numbers("1,2", "w.npy"); }},
       {code::malformed_number, [] { numbers("1.5", "w.csv"); }},
       {code::wrong_file_size, [] { numbers("123", "w.bin", {.type = "int16"}); }},
       {code::too_many_entries,
        [] { numbers(std::string(16'000'001, 'x'), "w.bin", {.type = "int8"}); }},
       {code::layer_type_name, [] { registered("9dot"); }},
       {code::key_twice, [] { registered("terms"); }},
       {code::malformed_key, [] { thing({field("Count", &Thing::count).help("h")}); }},
       {code::attribute_incomplete, [] { thing({field("count", &Thing::count)}); }},
       {code::attribute_mismatch, [] { field("small", &Thing::small).range(0, 128); }},
       {code::empty_range, [] { thing({field("count", &Thing::count).range(9, 5).help("h")}); }},
       {code::choice_twice,
        [] {
          thing({field("colour", &Thing::colour)
                     .choices({{"red", Colour::red}, {"red", Colour::green}})
                     .help("h")});
        }},
       {code::illegal_default,
        [] { thing({field("count", &Thing::count).range(5, 9).help("h")}); }},
       {code::wrong_struct,
        [] { (void)parse(R"("layers": [{"type": "dot"}])").layers[0].as<FakeSum>(); }}});
}

}  // namespace config_messages_test
}  // namespace kumiki::gen::config
