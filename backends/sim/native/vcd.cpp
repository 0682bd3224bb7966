// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/vcd.h"

#include <algorithm>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "backends/sim/messages.h"
#include "ir/machine.h"

namespace kumiki::backends {
namespace {

constexpr std::uint64_t cycle_time = 10;

// Short names of printable characters; the clock is number 0.
std::string code(std::size_t n) {
  constexpr std::size_t first = '!', count = '~' - '!' + 1;
  std::string text;
  for (;; n = n / count - 1) {
    text += static_cast<char>(first + n % count);
    if (n < count) return text;
  }
}

std::string change(const std::string& value, std::size_t wave) {
  return value.size() == 1 ? value + code(wave + 1) + "\n"
                           : fmt::format("b{} {}\n", value, code(wave + 1));
}

}  // namespace

VcdWriter::VcdWriter(std::ostream& out, NativeSimulator& simulator, VcdOptions options)
    : out_(out), simulator_(simulator), options_(options) {
  if (options_.lane >= lane_count)
    throw DesignError(code::lane_range,
                      fmt::format("lane {} of {} cannot be shown", options_.lane, lane_count));
  const ir::Module& top = simulator_.module({});
  for (const ir::Port& p : top.ports())
    if (top.design().text(p.name) == ir::clock_port)
      has_clock_ = true;
    else if (!ir::is_clock_port(top.design().text(p.name)))
      add({}, top.design().text(p.name), top.port_nets(p));
}

VcdWriter::~VcdWriter() { finish(); }

void VcdWriter::add(NativeScope scope, std::string_view name, std::span<const ir::Net> nets) {
  if (is_open_)
    throw DesignError(code::signal_too_late,
                      fmt::format("signal {} is added after the first cycle; add it before", name));
  Signal signal{.scope = scope, .name = std::string(name)};
  for (ir::Net n : nets) signal.probes.push_back(simulator_.probe(scope, n));
  for (unsigned again = 2;; signal.name = fmt::format("{}_{}", name, again++)) {
    auto [it, fresh] = taken_.try_emplace({scope.index, signal.name}, signals_.size());
    if (!fresh && signals_[it->second].probes == signal.probes) return;
    if (fresh) break;
  }
  signals_.push_back(std::move(signal));
}

void VcdWriter::add_named(NativeScope scope) {
  const ir::Module& m = simulator_.module(scope);
  for (const ir::Port& p : m.ports())
    if (!ir::is_clock_port(m.design().text(p.name)))
      add(scope, m.design().text(p.name), m.port_nets(p));
  for (const ir::NameHint& h : m.hints()) add(scope, m.design().text(h.name), m.hint_nets(h));
}

void VcdWriter::add_all(NativeScope scope) {
  add_named(scope);
  for (NativeScope child : simulator_.children(scope)) add_all(child);
}

// Scopes from the top to this one.
std::vector<std::uint32_t> VcdWriter::way_to(NativeScope scope) const {
  std::vector<std::uint32_t> way;
  for (; scope.index != 0; scope = simulator_.parent(scope)) way.push_back(scope.index);
  std::reverse(way.begin(), way.end());
  return way;
}

void VcdWriter::write_header() {
  std::stable_sort(signals_.begin(), signals_.end(), [&](const Signal& a, const Signal& b) {
    return way_to(a.scope) < way_to(b.scope);
  });
  std::map<std::vector<NativeProbe>, std::size_t> known;
  for (Signal& s : signals_) {
    auto [it, fresh] = known.try_emplace(s.probes, waves_.size());
    if (fresh) waves_.push_back({s.probes, {}});
    s.wave = it->second;
  }

  out_ << fmt::format("$timescale 1ns $end\n$scope module {} $end\n", simulator_.module({}).name());
  if (has_clock_) out_ << fmt::format("$var wire 1 {} {} $end\n", code(0), ir::clock_port);
  if (simulator_.has_fast_clock())
    out_ << fmt::format("$var wire 1 {} {} $end\n", code(waves_.size() + 1), ir::fast_clock_port);
  std::vector<std::uint32_t> here;
  for (const Signal& s : signals_) {
    auto way = way_to(s.scope);
    auto common = std::mismatch(here.begin(), here.end(), way.begin(), way.end());
    for (auto left = common.first; left != here.end(); ++left) out_ << "$upscope $end\n";
    for (auto entered = common.second; entered != way.end(); ++entered)
      out_ << fmt::format("$scope module {} $end\n", simulator_.name({*entered}));
    here = way;
    auto width = s.probes.size();
    auto range = width == 1 ? std::string() : fmt::format(" [{}:0]", width - 1);
    out_ << fmt::format("$var wire {} {} {}{} $end\n", width, code(s.wave + 1), s.name, range);
  }
  for (std::size_t i = 0; i < here.size(); ++i) out_ << "$upscope $end\n";
  out_ << "$upscope $end\n$enddefinitions $end\n";
}

void VcdWriter::write_changes(bool first_half) {
  const auto read = first_half ? &NativeSimulator::read_first_half : &NativeSimulator::read;
  std::string value;
  for (std::size_t w = 0; w < waves_.size(); ++w) {
    Wave& wave = waves_[w];
    value.clear();
    for (auto p = wave.probes.rbegin(); p != wave.probes.rend(); ++p)
      value += !p->is_driven() ? 'x' : (simulator_.*read)(*p) >> options_.lane & 1 ? '1' : '0';
    if (value == wave.value) continue;
    out_ << change(value, w);
    wave.value = value;
  }
}

void VcdWriter::sample() {
  auto now = cycle_++;
  if (now < options_.first || now > options_.last || is_finished_) return;
  bool is_first = !is_open_;
  if (is_first) write_header();
  is_open_ = true;
  const bool two_halves = simulator_.has_fast_clock();
  const auto fast = code(waves_.size() + 1);
  auto at = [&](std::uint64_t part) { out_ << '#' << now * cycle_time + part << '\n'; };
  at(0);
  if (is_first) out_ << "$dumpvars\n";
  if (has_clock_) out_ << '1' << code(0) << '\n';
  if (two_halves) out_ << '1' << fast << '\n';
  write_changes(two_halves);
  if (is_first) out_ << "$end\n";
  if (two_halves) {
    at(cycle_time / 4);
    out_ << '0' << fast << '\n';
  }
  if (has_clock_) {
    at(cycle_time / 2);
    out_ << '0' << code(0) << '\n';
  }
  if (two_halves) {
    out_ << '1' << fast << '\n';
    write_changes(false);
    at(3 * cycle_time / 4);
    out_ << '0' << fast << '\n';
  }
  if (now == options_.last) finish();
}

void VcdWriter::finish() {
  if (is_open_ && !is_finished_) out_ << '#' << cycle_ * cycle_time << '\n';
  is_finished_ = true;
}

}  // namespace kumiki::backends
