// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/plan_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "backends/support/files.h"
#include "gen/cli/command.h"
#include "gen/cli/options.h"
#include "gen/cli/output.h"
#include "gen/config/writer.h"
#include "gen/flow/trained/network_source.h"
#include "gen/graph/picture.h"
#include "gen/graph/plan.h"
#include "ir/activity.h"
#include "ir/picture/text.h"

namespace kumiki::cli {
namespace {

namespace arith = gen::arith;
namespace graph = gen::graph;
using graph::NetworkPlan;
using graph::NodePlan;
using picture::grouped;

// Printed unequal channels, and printed runs of sums of each.
constexpr std::size_t shown_channels = 8, shown_runs = 4;

std::string count_text(std::uint64_t n) { return n == 0 ? "" : grouped(n); }

std::string inputs_text(const NodePlan& p) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    all.push_back(fmt::format("{} {}", to_string(p.formats[i]), graph::to_string(p.inputs[i])));
  // Do not repeat two equal inputs.
  if (all.size() > 1 && std::ranges::count(all, all[0]) == std::ssize(all))
    return fmt::format("{} x {}", all.size(), all[0]);
  return fmt::format("{}", fmt::join(all, ", "));
}

// "41 of 77,011 sums: 17 gives 4 for 3, [90, 93] give 5 for 4, ...".
std::string unequal_text(const NodePlan& p, const graph::Unequal& u) {
  const arith::Interval& reached = p.channels[u.channel].sums;
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < std::min(u.sums.size(), shown_runs); ++i) {
    const arith::Apart& a = u.sums[i];
    runs.push_back(fmt::format("{} give{} {} for {}", to_string(a.accumulators),
                               a.accumulators.span() == 0 ? "s" : "", a.given, a.wanted));
  }
  if (u.sums.size() > shown_runs) runs.emplace_back("...");
  return fmt::format("{} of {} sums: {}", grouped(static_cast<std::uint64_t>(arith::count(u.sums))),
                     grouped(static_cast<std::uint64_t>(reached.span()) + 1),
                     fmt::join(runs, ", "));
}

std::string proof_text(std::size_t channels, std::size_t unequal) {
  if (unequal == 0) return "equal to onnxruntime for every reachable sum";
  return fmt::format("{} of {} not equal to onnxruntime", unequal, channels);
}

void print_channels(const NodePlan& p, bool all) {
  if (p.channels.empty()) return;
  graph::Forms forms;
  forms.add(p.channels);
  fmt::print("  {} channel{}: {}; {}\n", p.channels.size(), p.channels.size() == 1 ? "" : "s",
             to_text(forms), proof_text(p.channels.size(), p.unequal.size()));
  std::size_t shown = 0;
  for (const graph::Unequal& u : p.unequal) {
    if (!all && shown++ == shown_channels) {
      fmt::print("    and {} more channels: --all shows them\n", p.unequal.size() - shown_channels);
      break;
    }
    fmt::print("    channel {}, {}\n", u.channel, unequal_text(p, u));
  }
  if (!all) return;
  for (std::size_t c = 0; c < p.channels.size(); ++c)
    fmt::print("    {:4}  sums {}: {}\n", c, to_string(p.channels[c].sums),
               to_string(p.channels[c]));
}

void print_text(const flow::Network& network, const NetworkPlan& plan, bool all) {
  const graph::Graph& g = network.graph;
  fmt::print("{}: {} nodes, {} weights, {} products an image\n", plan.name, plan.nodes.size(),
             grouped(plan.weights()), grouped(plan.products()));
  fmt::print("{}\n", flow::ends_text(g));
  std::vector<std::array<std::string, 7>> rows{
      {"node", "operator", "input", "result", "products", "weights", "sums"}};
  for (const NodePlan& p : plan.nodes)
    rows.push_back({p.name, p.op, inputs_text(p),
                    fmt::format("{} {}", to_string(p.format), graph::to_string(p.result)),
                    count_text(p.products), count_text(p.weights),
                    p.channels.empty() ? "" : fmt::format("{} bits", p.sum_bits())});
  std::array<std::size_t, 7> wide{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) wide[i] = std::max(wide[i], row[i].size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i)
      line += i < 4 ? fmt::format("{:{}}  ", rows[r][i], wide[i])
                    : fmt::format("{:>{}}  ", rows[r][i], wide[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
    if (r > 0) print_channels(plan.nodes[r - 1], all);
  }
  std::size_t unequal = 0;
  for (const NodePlan& p : plan.nodes) unequal += p.unequal.size();
  if (const graph::Forms forms = plan.forms(); forms.all() > 0)
    fmt::print("\nall {} channels: {}; {}\n", forms.all(), to_text(forms),
               proof_text(forms.all(), unequal));
  fmt::print(
      "onnxruntime is its default session, with all optimisations, on x86 with fused multiply and "
      "add\n");
  for (const std::string& note : network.notes) fmt::print("note: {}\n", note);
}

void write(gen::config::Writer& w, const arith::Interval& sums) {
  w.begin_list();
  w.integer(static_cast<std::int64_t>(sums.lo));
  w.integer(static_cast<std::int64_t>(sums.hi));
  w.end_list();
}

void write(gen::config::Writer& w, const graph::Requantiser& r) {
  w.member("form", to_string(r.form));
  w.key("sums");
  write(w, r.sums);
  if (r.form == graph::Form::product) return;
  w.member("factor", r.rule.factor);
  w.member("offset", r.offset());
  w.member("shift", r.rule.shift);
  w.member("rounding", to_string(r.rounding()));
  w.member("zero_point", r.rule.zero_point);
}

void write_tensor(gen::config::Writer& w, const graph::Shape& shape, const graph::Format& format) {
  w.member("shape", shape);
  w.member("bits", format.bits);
  w.member("signed", format.is_signed);
}

void write(gen::config::Writer& w, const NodePlan& p) {
  w.member("name", p.name);
  w.member("operator", p.op);
  w.key("inputs");
  w.begin_list();
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    w.object([&] { write_tensor(w, p.inputs[i], p.formats[i]); });
  w.end_list();
  w.object("result", [&] { write_tensor(w, p.result, p.format); });
  w.member("products", p.products);
  w.member("weights", p.weights);
  if (p.channels.empty()) return;
  w.member("sum_bits", p.sum_bits());
  w.member("equal", p.unequal.empty());
  w.objects("channels", p.channels, [&](const graph::Requantiser& r) { write(w, r); });
  if (p.unequal.empty()) return;
  w.objects("unequal", p.unequal, [&](const graph::Unequal& u) {
    w.member("channel", u.channel);
    w.member("count", static_cast<std::int64_t>(arith::count(u.sums)));
    w.objects("sums", u.sums, [&](const arith::Apart& a) {
      w.key("sums");
      write(w, a.accumulators);
      w.member("onnxruntime", a.wanted);
      w.member("here", a.given);
    });
  });
}

void write(gen::config::Writer& w, const graph::Forms& forms) {
  w.objects("factors", forms.factors, [&](const auto& f) {
    w.member("bits", f.first);
    w.member("channels", f.second);
  });
  w.member("rounded_products", forms.products);
}

void print_json(const flow::Network& network, const NetworkPlan& plan) {
  const graph::Graph& g = network.graph;
  gen::config::Writer w;
  const auto end = [&](const graph::Tensor& t) {
    w.member("name", t.name);
    write_tensor(w, t.shape, t.format);
    w.member("scale", static_cast<double>(t.scale));
    w.member("zero_point", t.zero_point);
  };
  w.object([&] {
    w.member("name", plan.name);
    w.object("input", [&] { end(g.tensors[g.input]); });
    if (!g.more_inputs.empty())
      w.objects("more_inputs", g.more_inputs, [&](graph::TensorId id) { end(g.tensors[id]); });
    flow::write_preparation(w, g);
    w.objects("outputs", g.outputs, [&](graph::TensorId id) { end(g.tensors[id]); });
    w.member("products", plan.products());
    w.member("weights", plan.weights());
    w.object("forms", [&] { write(w, plan.forms()); });
    w.member("equal_to_onnxruntime", plan.is_equal());
    w.objects("nodes", plan.nodes, [&](const NodePlan& p) { write(w, p); });
    w.member("notes", network.notes);
  });
  fmt::print("{}\n", w.printed());
}

}  // namespace

int plan_network(const NetworkPlanOptions& options, const backends::Cache& cache) {
  const flow::Network network = flow::load_network(options.file);
  const NetworkPlan plan = [&] {
    const ir::Activity activity("proving the requantisation of every channel");
    return graph::plan(network.graph, options.factor_bits);
  }();
  if (!options.pictures.empty()) {
    backends::OutputSet files(cache);
    files.add(std::filesystem::path(options.file).stem().string() + ".network.svg",
              graph::network_svg(network.graph));
    write_part(files, options.pictures, "plan", theirs(options.force));
    say_written(files, options.pictures);
  }
  if (options.json)
    print_json(network, plan);
  else
    print_text(network, plan, options.channels);
  return plan.is_equal() ? ok : design_failed;
}

int show_network(const std::string& network, const std::string& file, bool force) {
  const graph::Graph g = flow::load_network(network).graph;
  if (file.empty()) {
    fmt::print("{}", graph::network_text(g));
    return ok;
  }
  backends::write_named_file(file, graph::network_svg(g), theirs(force));
  fmt::print(stderr, "{}: network {}\n", file, g.name);
  return ok;
}

}  // namespace kumiki::cli
