// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "gen/config/messages.h"
#include "gen/device/fit.h"
#include "gen/device/messages.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/project.h"
#include "gen/flow/trained/messages.h"
#include "gen/flow/usage.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/lowering/suggest.h"
#include "gen/layers/array/setup.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/engine/layer.h"
#include "gen/layers/engine/messages.h"
#include "gen/layers/pipeline/budget.h"
#include "gen/layers/pipeline/folding.h"
#include "gen/layers/pipeline/layer.h"
#include "ir/limits.h"

namespace kumiki::flow {
namespace {

Subject of_configuration(const std::string& file, Context& context) {
  const Plans plans(file, {.context = context});
  std::optional<Subject> subject;
  std::size_t found = 0;
  for (std::size_t i = 0; i < plans.layers.size(); ++i) {
    auto one = subject_of(plans.layers[i], plans.document.target.family);
    if (!one || ++found > 1) continue;
    if (one->program) one->clock_mhz = plans.document.layers[i].as<gen::array::Request>().clock_mhz;
    subject = std::move(one);
  }
  if (found != 1)
    throw UsageError(
        code::option_needs_layer,
        fmt::format(
            "{} has {} layers of type pe_array, dataflow or engine with a \"graph\"; it must have "
            "one",
            file, found));
  return *std::move(subject);
}

}  // namespace

std::optional<Subject> subject_of(const gen::NamedLayer& named, ir::Family family) {
  const gen::Layer& layer = gen::axi_stream::inside(*named.layer);
  const gen::array::Program* program = gen::array::program_of(layer);
  const gen::pipeline::PipelinePlan* pipeline = gen::pipeline::plan_of(layer);
  const gen::engine::Engine* engine = gen::engine::engine_of(layer);
  if (!pipeline && (!program || !program->lowering) && (!engine || !engine->program))
    return std::nullopt;
  Subject subject{.layer = named.name, .family = family};
  if (engine) {
    subject.network.graph = *engine->program->whole;
    subject.engine = *engine;
  } else if (pipeline) {
    subject.network.graph = *pipeline->graph;
    subject.pipeline = *pipeline;
  } else {
    subject.network.graph = *program->lowering->graph;
    subject.program = *program;
  }
  return subject;
}

Suggestion suggest_array(const gen::graph::Graph& graph, const std::string& file) {
  try {
    Suggestion s{
        .request = gen::array::suggested(std::make_shared<const gen::graph::Graph>(graph), file),
        .program = {}};
    s.program = gen::array::program_of(s.request);
    return s;
  } catch (const gen::config::Refusal& e) {
    const auto& wrong = e.violation();
    throw ir::LimitError(e.code(), to_string(wrong, file + " on an array"));
  } catch (const DesignError& e) {
    throw ir::LimitError(within(file + " on an array", e));
  }
}

gen::engine::Request suggest_engine(const gen::graph::Graph& graph, const std::string& file,
                                    std::optional<std::int64_t> batch) {
  constexpr std::int64_t fewest = 4096, most = 131'072;
  gen::engine::Request request{
      .clocking = gen::engine::Clocking::twice,
      .normaliser = gen::engine::normaliser_for(graph),
      .graph =
          gen::GraphFile{.file = file, .graph = std::make_shared<const gen::graph::Graph>(graph)},
      .batch = batch};
  std::optional<ir::LimitError> why;
  // Heads of attention must have a multiple of the rows.
  for (const std::int64_t rows : {32, 16, 8}) {
    request.rows = rows;
    request.columns = rows / 2;
    for (request.places = fewest; request.places <= most; request.places *= 2) try {
        (void)gen::engine::planned(request);
        return request;
      } catch (const gen::config::Refusal& e) {
        const bool is_last = request.places == most || e.code() != code::engine_too_small;
        if (!is_last) continue;
        if (!why) why.emplace(e.code(), to_string(e.violation(), file + " on an engine"));
        break;
      }
  }
  throw *why;
}

namespace {

// The option, with the wrong name of a list.
std::string names_text(const char* option, const gen::pipeline::NodeNames& given,
                       const std::string& key) {
  const auto* one = std::get_if<std::string>(&given);
  const auto slash = key.find('/');
  return fmt::format("{} {}", option,
                     one ? *one
                         : std::get<std::vector<std::string>>(given).at(
                               slash == std::string::npos ? 0 : std::stoul(key.substr(slash + 1))));
}

template <class Plan>
auto with_graph(std::shared_ptr<const gen::graph::Graph> graph, const std::string& file,
                gen::pipeline::Request request, Plan&& plan) {
  request.graph = gen::GraphFile{.file = file, .graph = std::move(graph)};
  try {
    return plan(request);
  } catch (const gen::config::Refusal& e) {
    const auto& wrong = e.violation();
    const std::pair<std::string, std::optional<std::int64_t>> options[] = {
        {"clocks", request.clocks},
        {"slices", request.slices},
        {"luts", request.luts},
        {"bram18", request.brams}};
    std::string subject = file;
    for (const auto& [name, value] : options)
      if (wrong.key == name && value) subject = fmt::format("--{} {}", name, *value);
    if (wrong.key.starts_with("in_luts"))
      subject = names_text("--in-luts", *request.in_luts, wrong.key);
    if (wrong.key.starts_with("in_trees"))
      subject = names_text("--in-trees", *request.in_trees, wrong.key);
    if (wrong.key.starts_with("weights_outside"))
      subject = names_text("--weights-outside", *request.weights_outside, wrong.key);
    if (wrong.key == "bytes_a_clock")
      subject = fmt::format("--bytes-a-clock {}", *request.bytes_a_clock);
    throw ir::LimitError(e.code(), to_string(wrong, subject));
  }
}

}  // namespace

gen::pipeline::PipelinePlan plan_pipeline(const gen::graph::Graph& graph, const std::string& file,
                                          gen::pipeline::Request request,
                                          const gen::config::Target& target) {
  const auto shared = std::make_shared<const gen::graph::Graph>(graph);
  return with_graph(shared, file, std::move(request), [&](const gen::pipeline::Request& r) {
    return gen::pipeline::planned(r, gen::limits_of(target), target.family);
  });
}

gen::pipeline::PipelinePlan fold_pipeline(const gen::graph::Graph& graph, const std::string& file,
                                          gen::pipeline::Request request) {
  if (request.luts || request.brams) return plan_pipeline(graph, file, std::move(request));
  const auto shared = std::make_shared<const gen::graph::Graph>(graph);
  return with_graph(shared, file, std::move(request), [](const gen::pipeline::Request& r) {
    return gen::pipeline::folded(r, gen::limits_of({}));
  });
}

namespace {

gen::config::Target target_of(const gen::device::Device& device) {
  gen::config::Target target{.family = device.family};
  if (device.column_height > 0) target.column_height = static_cast<int>(device.column_height);
  return target;
}

}  // namespace

FittedPipeline fit_pipeline(const gen::graph::Graph& graph, const std::string& file,
                            gen::pipeline::Request request, const gen::device::Device& device) {
  request.brams = device.brams_18k();
  request.urams = device.urams;
  const auto fits = [&](const ir::Cost& cost) { return gen::device::fit(device, cost).fits(); };
  const auto shared = std::make_shared<const gen::graph::Graph>(graph);
  auto fitted = with_graph(shared, file, request, [&](const gen::pipeline::Request& r) {
    return gen::pipeline::fitted(r, gen::limits_of(target_of(device)), device.family, fits);
  });
  if (fitted.found) return {std::move(fitted.found->plan), fitted.clocks, fitted.found->cost};
  std::vector<std::string> takes, give;
  for (const auto& use : gen::device::fit(device, fitted.cost).uses)
    if (!use.fits())
      takes.push_back(fmt::format("{} {} where it has {}", use.used, use.resource, use.available));
  if (fitted.lacks_bytes)
    takes.push_back(fmt::format("more than {} bytes of weights a clock", *request.bytes_a_clock));
  if (request.clocks) give.emplace_back("more --clocks");
  if (fitted.lacks_bytes) give.emplace_back("more --bytes-a-clock");
  if (!request.bytes_a_clock) give.emplace_back("--bytes-a-clock (weights from outside)");
  give.emplace_back(give.empty() ? "a larger device" : "or a larger device");
  throw ir::LimitError(
      code::device_too_small,
      fmt::format("{} does not fit {}: a frame in {} clocks{} takes {}; give {}", file, device.name,
                  fitted.slowest, request.clocks ? "" : ", the slowest pipeline,",
                  fmt::join(takes, " and "), fmt::join(give, ", ")));
}

gen::pipeline::PricedFront front_of(std::shared_ptr<const gen::graph::Graph> graph,
                                    const std::string& file, gen::pipeline::Request request,
                                    const gen::config::Target& target) {
  return with_graph(std::move(graph), file, std::move(request),
                    [&](const gen::pipeline::Request& r) {
                      return gen::pipeline::priced_front(r, gen::limits_of(target), target.family);
                    });
}

Subject load_subject(const std::string& file, bool wants_array, Context& context) {
  if (std::filesystem::path(file).extension() == ".json") return of_configuration(file, context);
  Subject subject{.network = load_network(file)};
  if (!wants_array) return subject;
  subject.program = suggest_array(subject.network.graph, file).program;
  subject.suggested = true;
  return subject;
}

}  // namespace kumiki::flow
