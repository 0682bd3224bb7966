// SPDX-License-Identifier: Apache-2.0
// A command of the program. Its file declares its options and implements it; main.cpp knows none of
// them. Data goes to stdout, messages to stderr; nothing is written except below -o DIR.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "gen/flow/context.h"
#include "gen/flow/usage.h"
#include "ir/error.h"

namespace CLI {
class App;
}

namespace kumiki::cli {

using Json = nlohmann::ordered_json;

enum Exit : int {
  ok = 0,
  design_failed = 1,  // a check, a comparison or a proof failed
  usage = 2,
  configuration = 3,  // and limits
  files = 4,          // a file or an external tool is missing or failed
  unproved = 5,       // prove: nothing is refuted, but not everything is proved
  bug = 70,
  // 128 + the signal that interrupted it: 130 for Ctrl-C
};

using flow::UsageError;  // a valid option that would have no effect

// Settings of how the program works, not what it does; main.cpp makes a context from them.
struct Settings {
  std::span<char*> line = {};  // as typed
  ir::Limits limits = {};
  std::string cache = {};       // folder for data kept between runs
  std::string trace = {};       // file for the record of where time went
  bool take_incumbent = false;  // Ctrl-C: take the best compressor trees so far
};

using Run = std::function<int(flow::Context&)>;

struct Command {
  const char* name;
  const char* help;
  // Declares the options. The returned function is called after they have their values; it returns
  // the exit code.
  Run (*declare)(CLI::App& app, Settings& settings);
  bool is_hidden = false;  // hidden from --help: for packages and completions, not for people
};

// Binds the options of a command to the function that runs it.
template <class Options>
Run runs(int (*run)(const Options&, flow::Context&), std::shared_ptr<Options> options) {
  return [=](flow::Context& context) { return run(*options, context); };
}

// Adds commands below `app`, of which one must be given; it is stored in `chosen`.
void add_commands(CLI::App& app, std::span<const Command> commands, Settings& settings,
                  const std::shared_ptr<Run>& chosen);

}  // namespace kumiki::cli
