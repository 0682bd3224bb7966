// SPDX-License-Identifier: Apache-2.0
// What editors show and write: help in Markdown, values of examples, layers. tests/editor asks an
// editor.
#include "gen/config/editor.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/gen/config/fake_layers.h"

namespace kumiki::gen::config {
namespace editor_test {

struct Shape {
  int size = 3;
  std::optional<int> border;
  std::optional<std::string> from;
};

const TableOf<Shape>& shape_table() {
  static const TableOf<Shape> table{
      "shape",
      "A shape.",
      {field("size", &Shape::size).range(1, 9).unit("mm").help("a * b_c <d> [e] | `f`"),
       field("border", &Shape::border).range(2, 5).absent("none").help("around it"),
       field("from", &Shape::from).rule(file_path()).absent("drawn").help("a file")}};
  return table;
}

LayerType shape_type() {
  return {.name = "shape",
          .help = "a *shape*",
          .table = &shape_table(),
          .examples = {R"({"type": "shape", "from": "own.txt", "border": 4})",
                       R"({"type": "shape", "size": 2, "border": 3})",
                       R"({"type": "shape", "border": 3})"},
          .files = {{"own.txt", "x"}}};
}

Json defaults() { return {{"size", 3}}; }

TEST(Editor, HelpIsMarkdownThatShowsTheText) {
  EXPECT_EQ(markdown_help(*shape_table().find("size"), defaults()),
            R"(a \* b\_c \<d\> \[e\] \| \`f\`)"
            "\n\nan integer from 1 to 9, in mm; default 3");
  EXPECT_EQ(markdown_help(*shape_table().find("border"), defaults()),
            "around it\n\nan integer from 2 to 5; without it: none");
  const Attribute& scheme = *fake_dot_table().find("scheme");
  EXPECT_EQ(markdown_help(scheme, {{"scheme", "plain"}}),
            "how products share a slice\n\ndefault \"plain\"\n\n- `plain`: one product a slice\n"
            "- `wp487-int8`: two products a slice\n- `offset-binary`");
  EXPECT_EQ(markdown_help(shape_type()),
            "a \\*shape\\*\n\n```json\n"
            R"({"type": "shape", "from": "own.txt", "border": 4})"
            "\n```");
}

TEST(Editor, ValuesAreThoseOfTheExamplesWithoutFilesOfTheirOwn) {
  Json properties = shape_table().properties();
  EXPECT_EQ(properties["border"]["examples"], Json({2}));  // legal, where 0 is not
  EXPECT_FALSE(properties["size"].contains("examples"));
  add_examples(shape_type(), properties);
  EXPECT_EQ(properties["border"]["examples"], Json({4, 3}));
  EXPECT_FALSE(properties["size"].contains("examples"));  // it has a default
  EXPECT_FALSE(properties["from"].contains("examples"));  // nobody else has that file
}

TEST(Editor, LayersAreExamplesWithStops) {
  const Registry registry{{shape_type(), {"sum", "sum of numbers, fake", &fake_sum_table()}}};
  const Json snippets = layer_snippets(registry);
  ASSERT_EQ(snippets.size(), 2u);
  EXPECT_EQ(snippets[0]["body"],
            (Json{{"type", "shape"}, {"size", "^${1:2}"}, {"border", "^${2:3}"}}));
  EXPECT_EQ(snippets[0]["description"], "a *shape*");
  EXPECT_EQ(snippets[1]["body"], (Json{{"type", "sum"}}));  // without examples
}

TEST(Editor, ATypeWithFilesAloneHasThemAsStops) {
  LayerType type = shape_type();
  type.examples.resize(1);
  EXPECT_EQ(layer_snippets(Registry{{type}})[0]["body"],
            (Json{{"type", "shape"}, {"from", "${1:own.txt}"}, {"border", "^${2:4}"}}));
}

}  // namespace editor_test
}  // namespace kumiki::gen::config
