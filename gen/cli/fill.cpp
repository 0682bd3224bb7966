// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/fill.h"

#include <fmt/format.h>

#include "gen/flow/axi_stream/wrap.h"
#include "gen/layers/pipeline/layer.h"
#include "gen/layers/pipeline/picture.h"
#include "ir/activity.h"

namespace kumiki::cli {

void write(gen::config::Writer& w, const LayerFill& fill) {
  w.member("layer", fill.layer);
  w.member("clocks", fill.clocks);
  w.member("queues", fill.queues);
}

Fills measured_fills(const Project& project, std::int64_t clocks) {
  Fills all;
  for (const gen::NamedLayer& l : project.layers) {
    const auto* plan = gen::pipeline::plan_of(gen::axi_stream::inside(*l.layer));
    if (!plan) continue;
    const ir::Activity doing(fmt::format("measuring the queues of {}", l.name));
    const auto fill = gen::pipeline::measured_fill(*plan, clocks);
    all.pictures[fmt::format("{}.pipeline.svg", l.name)] =
        gen::pipeline::pipeline_svg(*plan, &fill);
    all.layers.push_back({l.name, clocks, gen::pipeline::queues_of(*plan, fill)});
  }
  return all;
}

}  // namespace kumiki::cli
