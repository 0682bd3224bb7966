// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/on_array.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "backends/support/parallel.h"
#include "gen/flow/network.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/lowering/images.h"
#include "ir/activity.h"
#include "ir/check.h"
#include "ir/interrupt.h"
#include "ir/processors.h"

namespace kumiki::flow {
namespace {

using namespace gen::array;

// The array's netlist below a top, and machines that run it.
class Netlist {
 public:
  explicit Netlist(const OnArray& on, Context& context)
      : on_(on), context_(context), builder_(on.family, context.limits) {
    layers_.push_back({"array", "pe_array", {}, make_array(on.program)});
    network_ = gen::build_network(builder_, "network", layers_);
    ir::require_legal(builder_.design());
  }

  struct Machine {
    std::unique_ptr<ir::Machine> one = {};
    std::unique_ptr<ir::LaneMachine> lanes = {};
    std::unique_ptr<ProgramMachine> program = {};
  };
  Machine machine() const {
    Machine m;
    const ir::PortLayout ports = ir::layout(builder_.design().top());
    if (on_.machine == "native") {
      m.lanes = std::make_unique<backends::NativeLanes>(builder_.design());
      m.program = on_lanes(*m.lanes, "array_");
      return m;
    }
    if (on_.machine == "model")
      m.one = gen::network_model(network_);
    else
      m.one = std::make_unique<backends::VerilatedMachine>(
          builder_.design(),
          backends::VerilatorOptions{.jobs = on_.jobs, .cache = context_.cache()});
    m.program = on_machine(*m.one, ports, "array_");
    return m;
  }
  std::size_t images_at_once() const {
    return on_.machine == "native" ? ir::LaneMachine::lanes : 1;
  }

 private:
  const OnArray& on_;
  Context& context_;
  gen::Builder builder_;
  std::vector<gen::NamedLayer> layers_;
  gen::BuiltNetwork network_;
};

}  // namespace

std::int64_t compute_on_array(const OnArray& on, std::span<const std::int32_t> images,
                              std::size_t count, std::span<TensorNumbers> wanted,
                              Context& context) {
  using Clock = std::chrono::steady_clock;
  const Netlist netlist(on, context);
  const GraphOnArray network(on.program);
  const std::size_t at_once = netlist.images_at_once(), size = images.size() / count;
  const std::size_t batches = (count + at_once - 1) / at_once;
  ir::Activity activity("running on " + on.machine);
  const auto teller = std::this_thread::get_id();
  auto told = Clock::now();
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<std::int64_t> clocks = 0;
  std::mutex lock;
  std::exception_ptr error;
  std::size_t failed = batches;  // report the first batch with a difference
  const auto work = [&] {
    std::size_t b = batches;
    try {
      Netlist::Machine machine;
      {
        const std::lock_guard guard(lock);  // one compiler at a time: later threads find its model
                                            // in the cache
        machine = netlist.machine();
      }
      std::vector<GraphOnArray::Memory> memories;
      for (b = next++; b < batches && !ir::interrupted(); b = next++) {
        const std::size_t first = b * at_once, some = std::min(at_once, count - first);
        const auto progress = [&](double share) {
          if (std::this_thread::get_id() != teller) return;
          const auto now = Clock::now();
          if (now - told < std::chrono::milliseconds(100)) return;
          told = now;
          activity.at(fmt::format(
              "{} of {} images{}", done.load(), count,
              share > 0 ? fmt::format(", {:.0f} % of the next {}", 100 * std::min(share, 1.0), some)
                        : ""));
        };
        clocks = network.run(images.subspan(first * size, some * size), *machine.program, memories,
                             {.machine = on.machine, .first_image = first, .progress = progress});
        for (std::size_t i = 0; i < some; ++i)
          for (TensorNumbers& r : wanted) r.put(first + i, memories[i][r.id()]);
        done += some;
        progress(0);
      }
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!error || b < failed) {
        error = std::current_exception();
        failed = b;
      }
      next = batches;
    }
  };
  const unsigned threads = on.threads == 0 ? ir::processors() : on.threads;
  backends::in_threads(std::min<std::size_t>(threads, batches), work);
  if (error) std::rethrow_exception(error);
  ir::stop_if_interrupted();
  return clocks;
}

}  // namespace kumiki::flow
