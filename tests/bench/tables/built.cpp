// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/tables/built.h"

#include <chrono>

#include "gen/flow/trained/subject.h"
#include "gen/layers/pipeline/layer.h"
#include "ir/activity.h"
#include "ir/check.h"
#include "ir/resources.h"

namespace kumiki::cli {

BuiltPipeline built_pipeline(const gen::graph::Graph& graph, const std::string& name,
                             gen::pipeline::Request request, flow::Context& context,
                             const gen::config::Target& target) {
  const auto began = std::chrono::steady_clock::now();
  ir::Activity activity("planning " + name);
  request.context = context;
  BuiltPipeline built{.plan = flow::plan_pipeline(graph, name, std::move(request), target)};
  activity.at("building " + name);
  built.builder = std::make_unique<gen::Builder>(target.family, context.limits);
  const auto layer = gen::pipeline::make_layer(built.plan);
  built.builder->design().set_top(layer->build(*built.builder, {}).id());
  ir::require_legal(built.builder->design());
  built.total = ir::count_resources(built.builder->design()).total;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  built.seconds = taken.count();
  return built;
}

}  // namespace kumiki::cli
