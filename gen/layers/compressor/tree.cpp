// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/tree.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/blocks/compressor/messages.h"

namespace kumiki::gen::compressor {

std::vector<Beat> beats(const Datapath& path) {
  std::vector<Beat> all;
  const auto add = [&](const PortShape& p, const char* valid) {
    all.push_back({.port = p.name,
                   .formats = {{static_cast<int>(p.width), p.is_signed}},
                   .elements = {{"i", p.count}},
                   .of = {{"i", p.count, {{"i"}}}},
                   .what = p.name});
    if (path.latency > 0) all.back().when = {valid, "en"};
  };
  for (const PortShape& p : path.in) add(p, "in_valid");
  add(path.out, "out_valid");
  return all;
}

config::Violations check_registers(const TreeOptions& o) {
  if (o.finish == Finish::ternary && o.pipeline == 0)
    return {{code::three_rows_unregistered, "finish", "puts no flip-flops behind the sum",
             "use \"row\", or set \"pipeline\" to at least 1"}};
  const auto beside = [](const char* key, const char* other) -> config::Violations {
    return {{code::key_without_use, key, fmt::format("is given beside \"{}\"", other),
             "give one of \"pipeline\", \"levels\" and \"period_ns\""}};
  };
  if (o.levels && o.pipeline > 0) return beside("levels", "pipeline");
  if (o.period_ns && o.pipeline > 0) return beside("period_ns", "pipeline");
  if (o.period_ns && o.levels) return beside("period_ns", "levels");
  return {};
}

namespace {

// Reports the placement of registers to the watcher, because it may take long.
class Watched {
 public:
  Watched(ir::SearchWatcher* watcher, const std::string& what) : watcher_(watcher) {
    if (watcher_) watcher_->begin(what);
  }
  ~Watched() {
    if (watcher_) watcher_->end();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  std::function<bool()> pulse() const {
    if (!watcher_) return {};
    return [watcher = watcher_] { return watcher->pulse(); };
  }

 private:
  ir::SearchWatcher* watcher_;
};

double nanoseconds(Picoseconds t) { return t / 1000.0; }

}  // namespace

Between between(const TreeOptions& o) {
  return {.levels = static_cast<int>(o.levels.value_or(0)),
          .period = static_cast<Picoseconds>(std::lround(o.period_ns.value_or(0) * 1000)),
          .grade = o.grade};
}

std::shared_ptr<const Placement> placed(const TreeOptions& o, const Datapath& path,
                                        const BuildWords& build) {
  const Between asked = between(o);
  if (!asked.is_asked()) return {};
  const Watched watched(o.context.watcher, fmt::format("the registers of {}", path.module));
  try {
    return place_registers(path, o.family, build, asked, watched.pulse());
  } catch (const ChainTooLong& e) {
    const char* why = "no register stands between a carry chain and the LUTs in front of it";
    if (o.levels)
      throw config::Refusal({code::chain_too_long, "levels", fmt::format("is too little: {}", why),
                             fmt::format("must be at least {}", e.least)});
    throw config::Refusal({code::chain_too_long, "period_ns", fmt::format("is too short: {}", why),
                           fmt::format("must be at least {:g}", nanoseconds(e.least))});
  }
}

std::string placement_text(const Placement* p) {
  if (!p) return {};
  return fmt::format(
      "registers    {} flip-flops of data, up to {} LUTs and carry blocks and {:.3f} ns "
      "between them by the estimate\n",
      p->flip_flops, p->levels, nanoseconds(p->period));
}

void write_placement(config::Writer& w, const Placement* p) {
  if (!p) return;
  w.object("registers", [&] {
    w.member("data_flip_flops", p->flip_flops);
    w.member("levels", p->levels);
    w.member("period_ns", nanoseconds(p->period));
  });
}

std::optional<int> levels_between(const TreePlan& plan, std::uint32_t pipeline, unsigned latency) {
  if (latency == 0) return {};
  const Audit a = audit(plan);
  // A chain has up to two more positions than bits: for its carry in and its carry out.
  const unsigned blocks = (std::max(a.longest_chain, a.finish_positions) + 2 + 3) / 4;
  return static_cast<int>(1 + pipeline * (1 + blocks));
}

void write_tree(config::Writer& w, const TreePlan& plan) {
  const Audit a = audit(plan);
  w.member("objective", name(plan.objective));
  w.member("finish", name(plan.finish));
  w.member("stages", plan.stages.size());
  w.member("luts", a.luts());
  w.member("gpcs", a.gpcs);
  w.member("longest_chain", a.longest_chain);
  if (plan.bound > 0) {
    w.member("bound", plan.bound);
    w.member("proven", plan.is_proven);
  }
  w.member("tree", to_text(plan));
  if (plan.is_stopped) w.member("stopped", true);
}

}  // namespace kumiki::gen::compressor
