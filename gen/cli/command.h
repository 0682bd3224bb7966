// SPDX-License-Identifier: Apache-2.0
// A command of the program. Its file declares its options and says what it does with them; main.cpp
// knows none of them. Data goes to stdout, messages to stderr; nothing is written but below -o DIR.
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
  files = 4,          // a file or a tool that we start is missing or failed
  unproved = 5,       // prove: nothing is refuted, not everything is proved
  bug = 70,
  // 128 + the signal that interrupted it: 130 for Ctrl-C
};

using flow::UsageError;  // an option that parses but says nothing that is there

// Options that say how the program works, not what it does: what main.cpp makes a context of.
struct Settings {
  std::span<char*> line = {};  // as it was typed
  ir::Limits limits = {};
  std::string cache = {};       // folder of what is kept between runs
  std::string trace = {};       // file for where the time went
  bool take_incumbent = false;  // Ctrl-C: the best compressor trees so far
};

using Run = std::function<int(flow::Context&)>;

struct Command {
  const char* name;
  const char* help;
  // Declares the options; what comes back is called when they have their values, and returns the
  // exit code.
  Run (*declare)(CLI::App& app, Settings& settings);
  bool is_hidden = false;  // from --help: for packages and completions, not for people
};

// The options of a command and the function that takes them.
template <class Options>
Run runs(int (*run)(const Options&, flow::Context&), std::shared_ptr<Options> options) {
  return [=](flow::Context& context) { return run(*options, context); };
}

// Commands below `app`, of which one has to be given: it is put into `chosen`.
void add_commands(CLI::App& app, std::span<const Command> commands, Settings& settings,
                  const std::shared_ptr<Run>& chosen);

}  // namespace kumiki::cli
