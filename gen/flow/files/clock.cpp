// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/clock.h"

#include <cmath>

#include "backends/timing/text.h"

namespace kumiki::flow {
namespace {

using namespace backends::timing;
using gen::config::Writer;

// Picoseconds are integers; more digits would suggest false precision.
double ns(double picoseconds) { return std::round(picoseconds) / 1000; }

void write_levels(Writer& w, const backends::Levels& l) {
  w.member("levels", l.total());
  w.member("luts", l.luts);
  w.member("carries", l.carries);
  w.member("others", l.others);
}

void write_step(Writer& w, const Netlist& netlist, Labels& labels, const Step& s) {
  w.member("cell", labels.step(s));
  w.member("primitive", s.cell == none ? std::string("port") : labels.kind(s.cell));
  w.member("place", s.cell == none ? std::string() : labels.place(s.cell));
  w.member("fan_out", netlist.fan_out[s.net]);
  w.member("wire_ns", ns(s.wire));
  w.member("cell_ns", ns(s.own));
  w.member("at_ns", ns(s.at));
}

void write_path(Writer& w, const Netlist& netlist, Labels& labels, const Path& p) {
  w.member("period_ns", ns(p.end.period()));
  if (p.end.in_half) w.member("in_half_a_clock", true);
  write_levels(w, p.levels);
  w.member("ends", p.ends);
  w.objects("cells", p.steps, [&](const Step& s) { write_step(w, netlist, labels, s); });
  w.object("end", [&] {
    w.member("pin", labels.end(p.end));
    w.member("primitive", p.end.cell == none ? std::string("port") : labels.kind(p.end.cell));
    w.member("place", p.end.cell == none ? std::string() : labels.place(p.end.cell));
    w.member("wire_ns", ns(p.end.wire));
    w.member("setup_ns", ns(p.end.setup));
  });
}

}  // namespace

ir::timing::Grade grade_of(const std::optional<std::string>& part, std::optional<int> given) {
  if (given) return {*given};
  return part ? ir::timing::grade_of_part(*part) : ir::timing::Grade{};
}

void write_clock(Writer& w, const Netlist& netlist, const Analysis& a, const Goal& goal) {
  w.member("is_estimate", true);
  w.member("grade", goal.grade.value);
  w.member("period_ns", ns(a.period_ps));
  w.member("mhz", std::round(a.mhz() * 10) / 10);
  if (goal.period_ps) {
    w.member("goal_ns", ns(*goal.period_ps));
    w.member("meets_goal", a.period_ps <= *goal.period_ps);
    w.member("missed", a.missed);
  }
  w.member("ends", a.ends);
  w.object("deepest", [&] { write_levels(w, a.depth); });
  w.objects("limits", a.limits, [&](const backends::timing::Limit& l) {
    w.member("what", l.what);
    w.member("mhz", l.mhz);
    w.member("cells", l.cells);
  });
  Labels labels(netlist);
  w.objects("paths", a.paths, [&](const Path& p) { write_path(w, netlist, labels, p); });
  w.objects("slack", a.slack, [&](const Bar& b) {
    w.member("from_ns", ns(b.from_ps));
    w.member("to_ns", ns(b.to_ps));
    w.member("ends", b.ends);
  });
}

}  // namespace kumiki::flow
