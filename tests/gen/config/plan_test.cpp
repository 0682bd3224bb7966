// SPDX-License-Identifier: Apache-2.0
// Layers are planned while a configuration is read: once, for the target, at the key to blame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/config/document.h"
#include "gen/config/messages.h"
#include "ir/limits.h"
#include "tests/gen/config/fake_layers.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::config {
namespace plan_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Made : Planned {
  std::int64_t terms = 0;
  ir::Family family = ir::Family::series7;
};

std::vector<std::int64_t> planned;  // terms of the layers, in the order of planning

// Refuses 13 at its key, 14 without one, 15 as a limit.
std::unique_ptr<Planned> plan(const void* request, const Target& target, const ir::Context&) {
  const auto terms = static_cast<const FakeDot*>(request)->terms;
  planned.push_back(terms);
  if (terms == 13)
    throw Refusal({code::out_of_range, "terms", "brings bad luck", "use another number"});
  if (terms == 14) throw DesignError(code::sum_too_wide, "nothing can be made");
  if (terms == 15) throw ir::LimitError(code::too_many_entries, "too much of it");
  auto made = std::make_unique<Made>();
  made->terms = terms;
  made->family = target.family;
  return made;
}

Registry types() {
  LayerType quick = *fake_registry().find("dot"), slow = quick;
  quick.plan = slow.plan = plan;
  slow.name = "search";
  slow.searches = true;
  return Registry({quick, slow});
}

Document read(const std::string& layers, const Retarget& retarget = {}) {
  static const Registry all = types();
  planned.clear();
  return parse_document(R"({"kumiki": 1, "name": "x", "layers": [)" + layers + "]}", "cfg.json",
                        all, retarget);
}
std::string refusal(const std::string& layers, const Retarget& retarget = {}) {
  return test::refusal<ConfigError>([&] { read(layers, retarget); });
}
std::string layer(const std::string& type, int terms) {
  return R"({"type": ")" + type + R"(", "terms": )" + std::to_string(terms) + "}";
}

TEST(ConfigPlan, EveryLayerOnceForTheTarget) {
  const auto document = read(layer("dot", 3) + ", " + layer("search", 4) + ", " + layer("dot", 5));
  EXPECT_THAT(planned, ElementsAre(3, 5, 4));
  ASSERT_EQ(document.layers.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto* made = dynamic_cast<const Made*>(document.layers[i].plan.get());
    ASSERT_TRUE(made);
    EXPECT_EQ(made->terms, static_cast<std::int64_t>(3 + i));
    EXPECT_EQ(made->family, ir::Family::ultrascale_plus);
  }
}

TEST(ConfigPlan, RefusalsStandAtTheirKeyBesideOtherMistakes) {
  EXPECT_EQ(
      refusal(layer("dot", 13)),
      "cfg.json:1:64: /layers/0/terms: 13 brings bad luck; use another number [out-of-range]");
  EXPECT_THAT(refusal(layer("dot", 14)),
              HasSubstr("/layers/0: nothing can be made [sum-too-wide]"));
  const auto both = refusal(layer("dot", 13) + R"(, {"type": "dott"})");
  EXPECT_THAT(both, HasSubstr("/layers/0/terms: 13 brings bad luck"));
  EXPECT_THAT(both, HasSubstr("/layers/1/type"));
}

TEST(ConfigPlan, NothingIsSearchedForAFileThatIsWrong) {
  EXPECT_THAT(refusal(layer("search", 4) + R"(, {"type": "dott"})"), HasSubstr("/layers/1/type"));
  EXPECT_THAT(planned, IsEmpty());
  EXPECT_THAT(refusal(layer("search", 4) + ", " + layer("dot", 13)), HasSubstr("/layers/1/terms"));
  EXPECT_THAT(planned, ElementsAre(13));
}

TEST(ConfigPlan, ALimitSaysWhichLayer) {
  try {
    read(layer("dot", 3) + ", " + layer("dot", 15));
    FAIL() << "not refused";
  } catch (const ir::LimitError& e) {
    EXPECT_STREQ(e.what(), "/layers/1: too much of it");
    EXPECT_EQ(e.code(), code::too_many_entries);
  }
}

TEST(ConfigPlan, AnotherTargetIsWhatIsPlannedFor) {
  const auto to = [](ir::Family family) {
    return [family](Target& target) { target.family = family; };
  };
  const auto document = read(layer("dot", 3), to(ir::Family::ultrascale));
  EXPECT_EQ(document.target.family, ir::Family::ultrascale);
  EXPECT_EQ(dynamic_cast<const Made&>(*document.layers[0].plan).family, ir::Family::ultrascale);
}

TEST(ConfigPlan, ARequestIsOfTheTypeOfItsTable) {
  const auto document = read(layer("dot", 3));
  EXPECT_EQ(document.layers[0].as<FakeDot>().terms, 3);
  EXPECT_THROW((void)document.layers[0].as<FakeSum>(), DesignError);
}

}  // namespace plan_test
}  // namespace kumiki::gen::config
