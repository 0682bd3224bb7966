// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/request.h"

#include <fmt/format.h>

namespace kumiki::gen::pipeline {
namespace {

using config::field;

config::Violations check(const Request& r) {
  if (!r.graph)
    return {
        {Code::missing_key, "graph", "is missing", "the file that kumiki import writes is legal"}};
  if (r.graph->wrong) {
    config::Violation wrong = *r.graph->wrong;
    wrong.key = "graph";
    return {wrong};
  }
  if (r.clocks.has_value() != r.slices.has_value()) return {};
  return {{Code::conflicting_keys, "clocks",
           r.clocks ? "and slices are both given" : "and slices are both missing",
           "one of the two is legal: clocks of a frame at most, or slices at most"}};
}

}  // namespace

const config::TableOf<Request>& request_table() {
  static const config::TableOf<Request> table{
      "dataflow",
      "A trained network as a stream: a machine for every layer.",
      {field("graph", &Request::graph)
           .rule(config::file_path())
           .absent("an error")
           .help("file of a trained network, as kumiki import writes it"),
       field("clocks", &Request::clocks)
           .range(1, std::int64_t{1} << 40)
           .unit("clocks")
           .absent("the fewest that `slices` allow")
           .help("from frame to frame at most; the fewest slices that are fast enough are taken"),
       field("slices", &Request::slices)
           .range(1, 1 << 20)
           .absent("the fewest that `clocks` allow")
           .help("DSP48E2 at most; the fastest pipeline that has no more is taken"),
       field("input_last", &Request::input_last)
           .help("a port in_last, TLAST of a stream, that is 1 with the last beat of every frame; "
                 "in_error says, until a reset, that it was not"),
       field("counters", &Request::counters)
           .choices({{"none", Counted::nothing, "nothing is counted"},
                     {"edges", Counted::edges, "clocks, frames, and clocks of waiting at the ends"},
                     {"machines", Counted::machines,
                      "also beats and stalls of every machine, some 20 LUTs each"}})
           .help("what is counted while it runs, read through s_axi, the read half of AXI4-Lite")},
      {check}};
  return table;
}

}  // namespace kumiki::gen::pipeline
