// SPDX-License-Identifier: Apache-2.0
// What tests/golden/bad-config cannot hold: files, other layer types, mistakes of who describes
// one.
#include "tests/support/messages.h"

#include "gen/config/document.h"
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
  LayerType dot = *fake_registry().find("dot");
  dot.families = {ir::Family::ultrascale, ir::Family::ultrascale_plus};
  return Registry({{"grown", "", &grown}, {"weighted", "", &weighted}, dot});
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
      {{Code::file_too_long,
        [] { parse_document(std::string(max_bytes + 1, ' '), "cfg.json", fake_registry()); }},
       {Code::key_of_later_version,
        [] { parse(R"("layers": [{"type": "grown", "new_key": 6}])"); }},
       {Code::wrong_shape, [] { parse(R"("layers": [{"type": "weighted", "weights": [1, 2]}])"); }},
       {Code::wrong_family,
        [] { parse(R"("target": {"family": "7series"}, "layers": [{"type": "dot"}])"); }},
       {Code::file_not_found, [] { read_document("nowhere/cfg.json", fake_registry()); }},
       {Code::file_is_directory, [] { read_document("/", fake_registry()); }},
       {Code::file_not_read, [] { read_document("/proc/self/mem", fake_registry()); }},
       {Code::key_without_use, [] { numbers("1,2", "w.csv", {.bits = 4}); }},
       {Code::unknown_suffix, [] { numbers("1", "w.txt"); }},
       {Code::unknown_number_type, [] { numbers("123", "w.bin"); }},
       {Code::malformed_npy, [] { numbers("1,2", "w.npy"); }},
       {Code::malformed_number, [] { numbers("1.5", "w.csv"); }},
       {Code::wrong_file_size, [] { numbers("123", "w.bin", {.type = "int16"}); }},
       {Code::too_many_entries,
        [] { numbers(std::string(16'000'001, 'x'), "w.bin", {.type = "int8"}); }},
       {Code::layer_type_name, [] { registered("9dot"); }},
       {Code::key_twice, [] { registered("terms"); }},
       {Code::malformed_key, [] { thing({field("Count", &Thing::count).help("h")}); }},
       {Code::attribute_incomplete, [] { thing({field("count", &Thing::count)}); }},
       {Code::attribute_mismatch, [] { field("small", &Thing::small).range(0, 128); }},
       {Code::empty_range, [] { thing({field("count", &Thing::count).range(9, 5).help("h")}); }},
       {Code::choice_twice,
        [] {
          thing({field("colour", &Thing::colour)
                     .choices({{"red", Colour::red}, {"red", Colour::green}})
                     .help("h")});
        }},
       {Code::illegal_default,
        [] { thing({field("count", &Thing::count).range(5, 9).help("h")}); }},
       {Code::wrong_struct,
        [] { (void)parse(R"("layers": [{"type": "dot"}])").layers[0].as<FakeSum>(); }}});
}

}  // namespace config_messages_test
}  // namespace kumiki::gen::config
