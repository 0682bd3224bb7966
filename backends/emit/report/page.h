// SPDX-License-Identifier: Apache-2.0
// report.html: the report for people, one self-contained file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"

namespace kumiki::backends {

struct PagePicture {
  std::string name;  // "packing"
  std::string svg;
};

struct PagePort {
  std::string name;
  bool is_output = false;
  std::uint32_t width = 1;
  std::string numbers = {};  // "14 x S8"
};

// 0: does not multiply, or has no frames.
struct PageThroughput {
  double products = 0;  // a clock
  std::uint64_t slices = 0;
  double frame_cycles = 0, frame_bits_in = 0, frame_bits_out = 0;
};

struct PageLayer {
  Json given;      // its object in the configuration, as written
  Json effective;  // every key with its value
  std::string plan;
  std::vector<PagePort> ports;
  std::vector<PagePicture> pictures;
  PageThroughput throughput = {};
};

// How much of a device the netlist uses.
struct PageUse {
  std::string resource;
  std::uint64_t used = 0;
  std::uint64_t available = 0;
  bool known = true;  // whether the device's number is known
};
struct PageDevice {
  std::string name, series;
  std::vector<PageUse> uses;  // the same resources for every device
  std::string copies;         // "34 (LUT)"
  bool wanted = false;        // the configuration names it
};

struct Page {
  std::string generator;  // "kumiki 0.1.0"
  std::string config;     // the configuration's name without its folder
  std::string command;    // the command that simulates it, for pages of netlists that did not run
  std::string synthesis;  // the command that counts it beside the naive form
  std::string description;
  Json settings;                  // target and simulation with every key
  Json report;                    // report.json
  std::vector<PageLayer> layers;  // as in the report
  std::vector<PageDevice> devices;
};

// Equal pages give equal bytes: well-formed XML, no scripts, no external links.
std::string report_page(const Page& page);

// The fraction of mutations that `sim --mutate` must catch: less is a failure.
inline constexpr double mutations_to_catch = 0.95;

}  // namespace kumiki::backends
