// SPDX-License-Identifier: Apache-2.0
// What is refused of a whole project, as the program says it.
#include "tests/support/messages.h"

#include "backends/support/file.h"
#include "backends/support/temporary.h"
#include "gen/flow/messages.h"
#include "gen/flow/project.h"
#include "gen/flow/prove.h"

namespace kumiki::flow {
namespace flow_messages_test {

// Messages name the file as it was given: cfg.json in the folder where we are.
class InOwnFolder {
 public:
  InOwnFolder() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
  }
  ~InOwnFolder() { std::filesystem::current_path(before_); }
  InOwnFolder(const InOwnFolder&) = delete;

 private:
  backends::TemporaryFolder folder_;
  std::filesystem::path before_;
};

const char* config(const std::string& layers) {
  backends::write_file("cfg.json", R"({"kumiki": 1, "name": "x", "layers": [)" + layers + "]}");
  return "cfg.json";
}

std::string vision(const std::string& name) {
  return R"({"type": "vision", "name": ")" + name +
         R"(", "width": 8, "height": 6, "stages": [{"kernel": "median"}]})";
}

constexpr const char* array =
    R"({"type": "pe_array", "name": "a", "weights_from": "random", "network": [{"type": "fc", "name": "f", "inputs": 2, "outputs": 2}]})";

TEST(FlowMessages, EachHasACode) {
  const InOwnFolder here;
  const auto collide = [] { const Project p(config(vision("m") + ", " + vision("m_clear"))); };
  const auto no_definition = [] {
    const Plans p(config(array));
    prove(p.layers.front(), p.document.target.family);
  };
  const auto no_stream = [] {
    const Plans p(config(R"({"type": "popcount", "bits": 6})"), {.axi_stream = true});
  };
  test::expect_messages("messages/flow.txt", {{code::ports_collide, collide},
                                              {code::no_definition, no_definition},
                                              {code::no_axi_stream, no_stream}});
}

}  // namespace flow_messages_test
}  // namespace kumiki::flow
