// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/request.h"

#include <bit>

#include <fmt/format.h>

#include "gen/config/messages.h"
#include "gen/layers/common/messages.h"

namespace kumiki::gen::pipeline {
namespace {

using config::field;

// With a bandwidth, memories are a budget beside the clocks.
config::Violations check_bandwidth(const Request& r) {
  if (!r.clocks || !r.brams)
    return {{code::missing_key, r.clocks ? "bram18" : "clocks",
             "is missing beside \"bytes_a_clock\"",
             "give \"clocks\", and \"bram18\", the memories into which weights must fit"}};
  for (const auto& [key, is_given] :
       {std::pair{"slices", r.slices.has_value()}, {"luts", r.luts.has_value()}})
    if (is_given)
      return {{code::conflicting_keys, key, "is given beside \"bytes_a_clock\"",
               "give one or the other"}};
  return {};
}

config::Violations check(const Request& r) {
  if (!r.graph)
    return {{code::missing_key, "graph", "is missing", "give the file that kumiki import writes"}};
  if (r.graph->wrong) {
    config::Violation wrong = *r.graph->wrong;
    wrong.key = "graph";
    return {wrong};
  }
  if (r.bytes_a_clock) return check_bandwidth(r);
  const char* budget = r.slices ? "slices" : r.luts ? "luts" : r.brams ? "bram18" : nullptr;
  if (r.clocks.has_value() != (budget != nullptr)) return {};
  if (r.clocks)
    return {{code::conflicting_keys, "clocks", fmt::format("is given beside \"{}\"", budget),
             "give one or the other"}};
  return {{code::missing_key, "clocks", "is missing, and so is a budget",
           "give the clocks of a frame, or a budget: \"slices\", \"luts\" or \"bram18\""}};
}

config::Violations check_memory(const Request& r) {
  if (std::has_single_bit(static_cast<std::uint64_t>(r.memory_bits))) return {};
  return {{code::not_a_power_of_two, "memory_bits", "is not a power of two",
           "must be 32, 64, 128, 256 or 512"}};
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
           .absent("the fewest that the budgets allow")
           .help("from frame to frame at most; the fewest slices that are fast enough are taken"),
       field("slices", &Request::slices)
           .range(1, 1 << 20)
           .absent("the fewest that `clocks` allow")
           .help("DSP slices at most; the fastest pipeline that has no more is taken"),
       field("luts", &Request::luts)
           .range(1, 1 << 24)
           .absent("any number")
           .help(
               "LUT sites at most, those of memories counted: netlists are built and counted, the "
               "fastest first, until one fits"),
       field("bram18", &Request::brams)
           .range(0, 1 << 20)
           .absent("any number")
           .help("block RAMs of 18 Kbit at most, counted in the same way"),
       field("uram", &Request::urams)
           .range(0, 1 << 16)
           .help("UltraRAM at most, for memories that are written at run time: those that free the "
                 "most block RAMs for each come first"),
       field("in_luts", &Request::in_luts)
           .absent("products in slices")
           .help("nodes that take no slice, a name or a list of them, or \"all\" that have "
                 "products: dense layers and convolutions of 1x1, all products in LUTs, a vector "
                 "every clock"),
       field("in_trees", &Request::in_trees)
           .absent("products in slices")
           .help(
               "nodes whose products are added by compressor trees and take no slice, folded like "
               "slices: a name or a list of them, \"binarised\" for all whose numbers and weights "
               "are -1 and 1 alone, or \"all\" that have products: of one group, with numbers and "
               "weights of up to 8 bits"),
       field("weights_outside", &Request::weights_outside)
           .absent("all weights in memories of the chip")
           .help("nodes whose weights are in a memory outside and come through an AXI master, once "
                 "for every frame: a name or a list of them, or \"all\" that can: products of one "
                 "group, whose sums are scaled"),
       field("memory_bits", &Request::memory_bits)
           .range(32, 512)
           .unit("bits")
           .help("width of the AXI master that reads weights: a power of two"),
       field("bytes_a_clock", &Request::bytes_a_clock)
           .range(0.0, 1024.0)
           .absent("no layer moves outside by itself")
           .help(
               "bytes of weights that the memory outside gives in a clock at most. The weights of "
               "layers move there until the netlist has no more memories than \"bram18\", those "
               "that have the smallest maps beside their weights first"),
       field("input_last", &Request::input_last)
           .help("a port in_last, TLAST of a stream, that is 1 with the last beat of every frame; "
                 "in_error says, until a reset, that it was not"),
       field("counters", &Request::counters)
           .choices({{"none", Counted::nothing, "nothing is counted"},
                     {"edges", Counted::edges, "clocks, frames, and clocks of waiting at the ends"},
                     {"machines", Counted::machines,
                      "also beats and stalls of every machine, some 20 LUTs each"}})
           .help("what is counted while it runs, read through s_axi, the read half of AXI4-Lite")},
      {check, check_memory}};
  return table;
}

}  // namespace kumiki::gen::pipeline
