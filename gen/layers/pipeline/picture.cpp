// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/picture.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "gen/graph/boxes.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::array<const char*, 5> busy_styles{"idle", "quarter", "half", "most", "full"};

const char* style_of(double busy) {
  return busy_styles[static_cast<std::size_t>(std::min(4 * busy, 4.0))];
}

std::string stream_text(const Stream& s) {
  return fmt::format("{}x{}x{}, {} x {}", s.channels, s.height, s.width, s.lanes,
                     to_string(s.format));
}

class Drawing {
 public:
  Drawing(const PipelinePlan& plan, const Fill* fill)
      : p_(plan), fill_(fill), box_of_(plan.boxes.size()) {}

  graph::Boxes drawn() {
    d_.boxes.push_back({"in_data", {"input", stream_text(p_.input())}, "end"});
    for (const WeightStream& w : p_.weights)
      d_.boxes.push_back({graph::shortened(w.node), {"weights", stream_text(w.stream)}, "end"});
    for (std::size_t i = 0; i < p_.boxes.size(); ++i)
      if (!is_on_the_way(i)) box(i);
    graph::Box out{"out_data", {}, "end"};
    come_from(p_.boxes.size() - 1, out);
    out.lines.emplace_back("output");
    d_.boxes.push_back(std::move(out));
    return std::move(d_);
  }

 private:
  // Machines that only change lanes or hold beats are drawn in the box of their reader: they are
  // half of all machines, and the picture is long enough.
  bool is_on_the_way(std::size_t i) const {
    const std::string kind = p_.boxes[i].machine->kind();
    return kind == "width" || kind == "fifo";
  }
  double busy(std::size_t i) const {
    return static_cast<double>(p_.boxes[i].machine->interval()) /
           static_cast<double>(p_.interval());
  }
  std::string kind_text(std::size_t i) const {
    const Machine& m = *p_.boxes[i].machine;
    if (m.room() == 0) return fmt::format("{}, {:.0f} %", m.kind(), 100 * busy(i));
    return fill_ ? fmt::format("queue, {} of {}", fill_->fullest[i], m.room())
                 : fmt::format("queue of {}", m.room());
  }

  // Draws a line to the next box and lists the machines on the way in its text; returns how busy
  // the busiest of them is.
  double come_from(std::size_t source, graph::Box& to) {
    double most = 0;
    std::vector<std::size_t> passed;
    for (; !Box::is_outside(source) && is_on_the_way(source);
         source = p_.boxes[source].sources[0]) {
      if (p_.boxes[source].machine->room() == 0) most = std::max(most, busy(source));
      passed.push_back(source);
    }
    std::ranges::reverse(passed);
    for (const std::size_t i : passed) {
      const std::int64_t room = p_.boxes[i].machine->room();
      if (room > 0 && fill_)
        to.gauges.push_back(
            {to.lines.size(), static_cast<double>(fill_->fullest[i]) / static_cast<double>(room)});
      to.lines.push_back(kind_text(i));
    }
    d_.lines.emplace_back(Box::is_outside(source) ? Box::outside(source) : box_of_[source],
                          d_.boxes.size());
    return most;
  }

  void box(std::size_t i) {
    const Machine& m = *p_.boxes[i].machine;
    graph::Box box{graph::shortened(p_.boxes[i].name), {}, ""};
    double most = busy(i);
    for (const std::size_t source : p_.boxes[i].sources)
      most = std::max(most, come_from(source, box));
    box.style = style_of(most);
    box.lines.push_back(kind_text(i));
    box.lines.push_back(stream_text(m.output()));
    if (m.slices() > 0)
      box.lines.push_back(fmt::format("{} slice{}", m.slices(), m.slices() == 1 ? "" : "s"));
    box_of_[i] = d_.boxes.size();
    d_.boxes.push_back(std::move(box));
  }

  const PipelinePlan& p_;
  const Fill* fill_;
  graph::Boxes d_;
  std::vector<std::size_t> box_of_;  // by machine
};

}  // namespace

std::string pipeline_svg(const PipelinePlan& p, const Fill* fill) {
  return boxes_svg(Drawing(p, fill).drawn(), {{"idle", "fill:#f3f6fa", "fill:#22272e"},
                                              {"quarter", "fill:#d6e6f4", "fill:#1d3a52"},
                                              {"half", "fill:#abcfe6", "fill:#1f5478"},
                                              {"most", "fill:#f6c99b", "fill:#7a4a17"},
                                              {"full", "fill:#f29a76", "fill:#93381a"},
                                              {"end", "fill:#dff0c8", "fill:#3f5323"}});
}

}  // namespace kumiki::gen::pipeline
