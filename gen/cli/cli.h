// SPDX-License-Identifier: Apache-2.0
// What the subcommands share. Data goes to stdout, messages to stderr; nothing is written but below
// -o DIR.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gen/flow/context.h"

namespace kumiki::cli {

using Json = nlohmann::ordered_json;

enum Exit : int {
  ok = 0,
  design_failed = 1,  // a check, a comparison or a proof failed
  usage = 2,
  configuration = 3,  // and limits
  files = 4,          // a file or a tool that we start is missing or failed
  unproved = 5,       // prove: nothing is refuted, not everything is proved
  bug = 70,
  // 128 + the signal that interrupted it: 130 for Ctrl-C
};

// An option that parses but says nothing that is there.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  flow::Context* context = nullptr;  // made of the options below
  ir::Limits limits;                 // for the context: commands look there
  std::string config;                // the configuration file
  std::string out = "out";           // -o
  bool force = false;                // replace files of the user in the folder of -o
  std::string pictures;              // plan, cost: folder for pictures and tables, none when empty
  bool json = false;                 // machine-readable result on stdout
  bool quiet = false;
  bool all = false;                // plan: also what else could be had
  std::string module;              // show: this module only
  std::string layer;               // show: pictures of this layer; sim: that of a network
  std::string drawing;             // show: file for the picture
  bool blocks = false;             // show: the module as blocks
  std::string type;                // list, schema: this layer type
  std::string with = "verilator";  // sim: native, verilator, icarus
  std::string unisim;              // sim: folder of vendor models
  std::string image;               // sim: a picture through a pipeline of filters
  bool whole = false;              // sim, gen: networks of arrays however long they are
  int stalls = 0;                  // sim: of a network's streams, of 256 clocks
  std::optional<std::uint64_t> cycles, seed;
  std::string table;                    // bench: which one
  std::vector<std::int64_t> terms;      // bench packing: lengths
  std::string skew = "external";        // bench packing: external, internal or both
  std::string bench_with = "native";    // bench: simulator of the lockstep runs
  std::string heap;                     // bench compressor: rows whose name has this in it
  std::optional<std::uint32_t> effort;  // bench compressor, neuron: of the solver
  bool solve = false;                   // bench compressor, neuron: also what is shipped
  int tree_seed = 1;                    // bench compressor, neuron: of the solver
  std::uint32_t stages = 0;             // bench compressor, neuron: of the trees, 0 as they come
  std::string trees;                    // bench compressor, neuron: folder for the trees
  std::string objective;                // bench compressor, neuron: rows of this one
  bool naive = true;                    // bench compressor, neuron, synth: Yosys beside it
  bool elements = false;                // list: the elements of compressor trees
  std::string picture;                  // picture: its name
  std::string picture_file;             // picture: -o
  std::string size = "256x256";         // picture: WIDTHxHEIGHT
  bool list_pictures = false;           // picture: what there is
  std::string device;                   // plan: fit the netlist into this device
  std::optional<double> clock;          // plan --device, bench devices: MHz
  bool keys = false;                    // cost: the keys of its configurations instead
  bool beyond = false;                  // cost: also the modes beyond the paper
  std::optional<std::int64_t> batch;    // cost: instead of the configuration's
  bool devices = false;                 // list: the devices instead
  std::uint64_t vectors = 0;            // gen, sim, synth: so many cycles of golden vectors
  bool placement = false;               // gen, sim, synth: relative placement for Vivado
  std::vector<std::string> netlists;    // prove: files with modules to prove instead of ours
  unsigned depth = 0;                   // prove: clocks where there is a bound, 0: enough
  unsigned seconds = 60;                // prove, synth: for each layer
  std::size_t mutations = 0;            // sim: so many single-cell mutations must be caught
  unsigned jobs = 0;                    // sim, bench: compilers at a time; 0: one a processor
  bool axi_stream = false;              // layers with streams between AXI4-Stream ports
  bool take_incumbent = false;          // Ctrl-C: the best compressor trees so far
  std::string cache;                    // folder of what is kept between runs
  std::string trace;                    // file for where the time went
  std::string kind;                     // cache: only this kind
  bool clear = false;                   // cache: away with it
};

int check(const Options& options);
int plan(const Options& options);
int generate(const Options& options);
int simulate(const Options& options);
int synthesize(const Options& options);
int show(const Options& options);
int prove(const Options& options);
int schema(const Options& options);
int list(const Options& options);
int bench(const Options& options);
int picture(const Options& options);
int network_cost(const Options& options);
int cache(const Options& options);

}  // namespace kumiki::cli
