// SPDX-License-Identifier: Apache-2.0
// The class of Python for a configuration. It is read and planned at once, and built when its
// netlist is needed.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mutex>

#include "backends/emit/report/report.h"
#include "backends/fabric/slices.h"
#include "gen/flow/files/beats.h"
#include "gen/flow/files/clock.h"
#include "gen/flow/files/generate.h"
#include "gen/flow/files/plans.h"
#include "gen/flow/sets/arrays.h"
#include "module.h"
#include "networks.h"
#include "work.h"

namespace kumiki::python {
namespace {

class Loaded {
 public:
  Loaded(flow::Given given, bool axi_stream, const std::string& cache, const ir::Limits& limits)
      : context_(cache.empty() ? backends::Cache() : backends::Cache(cache)),
        source_{given.name, axi_stream},
        plans_(std::move(given), reading(limits)),
        sets_(plans_.layers.size()),
        networks_(plans_.layers.size()) {}

  flow::Context& context() { return context_; }
  const flow::Source& source() const { return source_; }
  const flow::Plans& plans() const { return plans_; }
  const gen::NamedLayer& layer(std::size_t i) const { return plans_.layers.at(i); }

  // Each is made at the first request, without the lock of the interpreter.
  const flow::Project& project() {
    const std::lock_guard guard(building_);
    if (!project_) project_ = std::make_unique<flow::Project>(plans_, context_.limits);
    return *project_;
  }
  const flow::Sets& sets(std::size_t i) {
    const std::lock_guard guard(building_);
    if (!sets_.at(i)) sets_[i] = std::make_unique<flow::Sets>(layer(i), family(), context_.limits);
    return *sets_[i];
  }
  // Null: the layer runs no network.
  flow::Trained* network(std::size_t i) {
    const std::lock_guard guard(building_);
    if (!networks_.at(i))
      if (auto subject = flow::subject_of(layer(i), family()))
        networks_[i] = std::make_unique<flow::Trained>(*std::move(subject));
    return networks_[i].get();
  }

 private:
  ir::Family family() const { return plans_.document.target.family; }
  flow::Reading reading(const ir::Limits& limits) {
    context_.limits = limits;
    return {.axi_stream = source_.axi_stream, .context = context_};
  }

  flow::Context context_;
  flow::Source source_;
  flow::Plans plans_;
  std::mutex building_;
  std::unique_ptr<flow::Project> project_;
  std::vector<std::unique_ptr<flow::Sets>> sets_;
  std::vector<std::unique_ptr<flow::Trained>> networks_;
};

nb::str text(std::string_view s) { return nb::str(s.data(), s.size()); }

// (severity, code, module, place, message) of each.
nb::list check(Loaded& p) {
  const auto findings = without_lock([&] {
    const flow::Project& project = p.project();
    auto all = ir::check(project.design(), project.check_options());
    const bool legal = std::ranges::none_of(
        all, [](const ir::Finding& f) { return f.severity == ir::Severity::error; });
    if (legal) flow::write_nowhere(project);
    return all;
  });
  nb::list all;
  for (const ir::Finding& f : findings)
    all.append(nb::make_tuple(f.severity == ir::Severity::error ? "error" : "warning",
                              text(f.code.word()), f.module, to_string(f.place), f.message));
  return all;
}

std::string counts(Loaded& p) {
  return without_lock([&] {
    const ir::Design& design = p.project().design();
    return backends::json_text(
        backends::to_json(ir::count_resources(design),
                          backends::fabric::pack(backends::timing::Netlist(design)).slices));
  });
}

std::string timing(Loaded& p, std::optional<int> grade, std::optional<double> mhz) {
  return without_lock([&] {
    namespace timing = backends::timing;
    const flow::Project& project = p.project();
    project.require_legal();
    timing::Goal goal{.grade = flow::grade_of(project.document.target.part, grade)};
    if (mhz) goal.period_ps = 1e6 / *mhz;
    const timing::Netlist netlist(project.design());
    const timing::Analysis analysis = timing::analyse(netlist, goal);
    gen::config::Writer w;
    w.object([&] { flow::write_clock(w, netlist, analysis, goal); });
    return w.printed();
  });
}

// (report.json, names of the files, what was left out)
nb::tuple generate(Loaded& p, const std::string& folder, bool force, const flow::Generate& how) {
  std::vector<std::string> names, left_out;
  const std::string report = without_lock([&] {
    const flow::Project& project = p.project();
    project.require_legal();
    backends::OutputSet files(p.context().cache());
    const flow::Generated all = flow::generate(project, p.source(), how, files);
    files.commit(folder, force ? backends::FilesOfUser::replace : backends::FilesOfUser::keep);
    for (const auto& f : files.files()) names.push_back(f.name);
    left_out = all.left_out;
    return backends::json_text(all.report);
  });
  return nb::make_tuple(report, names, left_out);
}

nb::list operands(const std::vector<flow::Operand>& all) {
  nb::list list;
  for (const flow::Operand& o : all)
    list.append(nb::make_tuple(o.name, o.axes, o.shape, static_cast<std::int64_t>(o.range.lo),
                               static_cast<std::int64_t>(o.range.hi)));
  return list;
}

// The inputs and outputs of a layer: ("sets", inputs, outputs) or ("network", ends).
nb::tuple layer_ends(Loaded& p, std::size_t i) {
  if (const flow::Trained* network = without_lock([&] { return p.network(i); }))
    return nb::make_tuple("network", ends_of(network->graph()));
  const flow::Sets* sets = without_lock([&] { return &p.sets(i); });
  return nb::make_tuple("sets", operands(sets->inputs()), operands(sets->outputs()));
}

nb::dict through_sets(Loaded& p, std::size_t i, const std::map<std::string, Given>& given,
                      bool on_netlist) {
  std::map<std::string, gen::config::Array> arrays;
  for (const auto& [name, array] : given) arrays.emplace(name, array_of(array, name));
  std::vector<std::pair<std::string, flow::ResultArray>> made;
  without_lock([&] {
    const flow::Sets& sets = p.sets(i);
    const flow::Filled in = flow::filled(sets, arrays);
    const auto out =
        on_netlist ? sets.on_netlist(in.numbers, in.count) : sets.on_model(in.numbers, in.count);
    for (std::size_t o = 0; o < out.size(); ++o)
      made.emplace_back(sets.outputs()[o].name, flow::result_array(sets.outputs()[o], out[o]));
  });
  nb::dict results;
  for (auto& [name, r] : made)
    results[name.c_str()] = to_numpy(std::move(r.bytes), r.type, r.shape);
  return results;
}

nb::tuple through_network(Loaded& p, std::size_t i, const Given& images, const std::string& machine,
                          const std::optional<std::string>& output, bool as_reals,
                          unsigned threads) {
  // Another thread may be building the network meanwhile.
  flow::Trained& network = *briefly([&] { return p.network(i); });
  return outputs_of(network, images, machine, output, as_reals, threads, p.context());
}

// (name, type, text of the plan, latency, slices, MACs a clock, levels, clocks of a frame)
nb::tuple layer_facts(const Loaded& p, std::size_t i) {
  const gen::NamedLayer& l = p.layer(i);
  const gen::Facts f = l.layer->facts();
  const auto frame = f.frame ? std::optional(f.frame->clocks) : std::nullopt;
  return nb::make_tuple(l.name, l.type, flow::plan_text(*l.layer), f.latency, f.slices,
                        f.macs_per_clock, f.levels, frame);
}

std::vector<std::pair<std::string, std::string>> pictures(const Loaded& p, std::size_t i) {
  std::vector<std::pair<std::string, std::string>> all;
  for (gen::Picture& one : flow::pictures(*p.layer(i).layer))
    all.emplace_back(std::move(one.name), std::move(one.svg));
  return all;
}

}  // namespace

void add_projects(nb::module_& m) {
  nb::class_<Loaded>(m, "Project")
      .def(
          "__init__",
          [](Loaded* self, const std::string& name, const std::optional<std::string>& given,
             bool axi_stream, const std::string& cache, std::uint64_t cells,
             std::uint64_t heap_bits, std::uint64_t weights, std::uint64_t layers) {
            without_lock([&] {
              new (self) Loaded(given ? flow::Given{name, *given} : flow::read_given(name),
                                axi_stream, cache, {cells, heap_bits, weights, layers});
            });
          },
          nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg())
      .def_prop_ro("name", [](const Loaded& p) { return p.plans().document.name; })
      .def_prop_ro(
          "family",
          [](const Loaded& p) { return text(ir::family_name(p.plans().document.target.family)); })
      .def_prop_ro("layer_count", [](const Loaded& p) { return p.plans().layers.size(); })
      .def("configuration", [](const Loaded& p) { return gen::config::print(p.plans().document); })
      .def("plans",
           [](const Loaded& p, bool with_alternatives) {
             return without_lock([&] {
               gen::config::Writer w;
               flow::write_plans(w, p.plans(), with_alternatives);
               return w.printed();
             });
           })
      .def("check", check)
      .def("counts", counts)
      .def("timing", timing, nb::arg().none(), nb::arg().none())
      .def(
          "generate",
          [](Loaded& p, const std::string& folder, bool force, std::uint64_t vectors,
             bool placement, bool driver, bool cocotb, bool whole,
             std::optional<std::uint64_t> seed) {
            return generate(
                p, folder, force,
                {.extras = {vectors, placement, driver, cocotb}, .seed = seed, .whole = whole});
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none())
      .def("layer_facts", layer_facts)
      .def("layer_ends", layer_ends)
      .def("layer_pictures", pictures)
      .def("through_sets", through_sets)
      .def("through_network", through_network, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
           nb::arg(), nb::arg());
  const ir::Limits usual;
  m.attr("usual_limits") =
      nb::make_tuple(usual.cells, usual.heap_bits, usual.weights, usual.layers);
}

}  // namespace kumiki::python
