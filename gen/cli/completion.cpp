// SPDX-License-Identifier: Apache-2.0
// `completion`: a script made from the table of --help. `layers`: the command that these scripts
// call.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <map>

#include "backends/support/file.h"
#include "backends/support/image/test_picture.h"
#include "gen/cli/commands.h"
#include "gen/cli/options_of.h"
#include "gen/device/device.h"
#include "gen/flow/explain/all_messages.h"
#include "gen/layers/catalog.h"

namespace kumiki::cli {
namespace {

// Words that --help does not list: "plan --device", "list type".
const std::map<std::string, Words>& known_words() {
  static const auto all = [] {
    std::map<std::string, Words> words{{"plan --device", gen::device::device_names()},
                                       {"cache --kind", {"model", "runtime", "tree"}}};
    for (const auto& t : gen::registry().types()) words["list type"].push_back(t.name);
    for (const auto& p : backends::test_pictures()) words["picture name"].emplace_back(p.name);
    for (const Message* m : flow::all_messages()) words["explain code"].emplace_back(m->word());
    return words;
  }();
  return all;
}

Words words_of(const CLI::App& command, const CLI::Option& o) {
  const auto found =
      known_words().find(fmt::format("{} {}{}", command.get_name(), o.get_positional() ? "" : "--",
                                     o.get_positional()       ? o.get_name(true)
                                     : o.get_lnames().empty() ? ""
                                                              : o.get_lnames()[0]));
  return found == known_words().end() ? choices_of(o) : found->second;
}

// The option takes a layer of the configuration already in the line; for `sim` one of its networks.
bool names_a_layer(const CLI::Option& o) { return o.check_lname("layer"); }
std::string flag_of(const CLI::App& command) {
  return command.get_name() == "sim" ? " --networks" : "";
}

// A `case` of bash: what may follow an option.
std::string bash_values(const CLI::App& c) {
  std::string lines;
  for (const auto* o : options_of(c, false)) {
    if (!takes_value(*o)) continue;
    const auto words = words_of(c, *o);
    const auto from = names_a_layer(*o) ? fmt::format("-W \"$(_kumiki_layers{})\"", flag_of(c))
                      : words.empty()   ? std::string("-f")
                                        : fmt::format("-W '{}'", fmt::join(words, " "));
    lines += fmt::format("        {}) COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n",
                         fmt::join(spellings(*o), "|"), from);
  }
  return lines;
}

// The possible words without a dash: commands below, or the words of a positional.
Words positional_words(const CLI::App& c) {
  for (const auto* o : options_of(c, true))
    if (auto words = words_of(c, *o); !words.empty()) return words;
  return {};
}

std::string bash(const CLI::App& app) {
  std::string commands, cases;
  for (const auto* c : commands_of(app)) commands += (commands.empty() ? "" : " ") + c->get_name();
  for (const auto* c : commands_of(app)) {
    const auto values = bash_values(*c);
    cases += fmt::format("    {})\n", c->get_name());
    if (!values.empty()) cases += fmt::format("      case $before in\n{}      esac\n", values);
    cases += fmt::format("      options='{}' names='{}' ;;\n", fmt::join(all_spellings(*c), " "),
                         fmt::join(positional_words(*c), " "));
  }
  return fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Completion of kumiki for bash; `kumiki completion bash` prints it.\n"
      "_kumiki_layers() {{\n"
      "  local file\n"
      "  for file in \"${{COMP_WORDS[@]:2}}\"; do\n"
      "    [ -f \"$file\" ] && \"${{COMP_WORDS[0]}}\" layers \"$file\" \"$@\" 2>/dev/null && "
      "return\n"
      "  done\n"
      "}}\n"
      "_kumiki() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} options= "
      "names=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} {}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *)\n"
      "      if [ -n \"$names\" ]; then\n"
      "        COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
      "      else\n"
      "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "      fi ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _kumiki kumiki\n",
      commands, fmt::join(all_spellings(app), " "), cases);
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
  return out + "'";
}

std::string fish_option(const CLI::Option& o, const std::string& when, const std::string& words) {
  std::string out = fmt::format("complete -c kumiki -n '{}'", when);
  for (const auto& s : o.get_snames()) out += " -s " + s;
  for (const auto& l : o.get_lnames()) out += " -l " + l;
  if (takes_value(o)) out += " -r";
  if (!words.empty()) out += fmt::format(" -f -a '{}'", words);
  return out + fmt::format(" -d {}\n", single_quoted(o.get_description()));
}

std::string fish(const CLI::App& app) {
  std::string out =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Completion of kumiki for fish; `kumiki completion fish` prints it.\n";
  for (const auto* o : options_of(app, false)) out += fish_option(*o, "__fish_use_subcommand", "");
  for (const auto* c : commands_of(app)) {
    const auto when = "__fish_seen_subcommand_from " + c->get_name();
    out += fmt::format("complete -c kumiki -n __fish_use_subcommand -f -a {} -d {}\n",
                       c->get_name(), single_quoted(c->get_description()));
    if (const auto names = positional_words(*c); !names.empty())
      out += fmt::format("complete -c kumiki -n '{}' -f -a '{}'\n", when, fmt::join(names, " "));
    for (const auto* o : options_of(*c, false))
      out += fish_option(
          *o, when,
          names_a_layer(*o)
              ? fmt::format("(kumiki layers{} (commandline -opc)[3] 2>/dev/null)", flag_of(*c))
              : fmt::format("{}", fmt::join(words_of(*c, *o), " ")));
  }
  return out;
}

std::string completion(const CLI::App& app, std::string_view shell) {
  if (shell == "fish") return fish(app);
  // zsh runs bash completions.
  return (shell == "zsh" ? "#compdef kumiki\nautoload -U +X bashcompinit && bashcompinit\n" : "") +
         bash(app);
}

// One line for each layer; empty if the file is no configuration.
std::string layer_names(const std::string& config, bool networks) try {
  std::string names;
  const auto add = [&](const Json& layer, const std::string& otherwise) {
    const auto name = layer.value("name", otherwise);
    if (!name.empty()) names += name + "\n";
  };
  const auto json = Json::parse(backends::read_file(config));
  std::size_t place = 0;
  for (const auto& layer : json.at("layers")) {
    if (!networks) add(layer, fmt::format("{}_{}", layer.value("type", ""), place));
    if (networks && layer.contains("network"))
      for (const auto& one : layer["network"]) add(one, "");
    ++place;
  }
  return names;
} catch (const std::exception&) {
  return {};
}

Run declare_completion(CLI::App& app, Settings&) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [&app, shell](flow::Context&) -> int {
    fmt::print("{}", completion(*app.get_parent(), *shell));
    return ok;
  };
}

struct LayersOptions {
  std::string config;
  bool networks = false;
};

Run declare_layers(CLI::App& app, Settings&) {
  const auto o = std::make_shared<LayersOptions>();
  app.add_option("config", o->config, "configuration file (JSON)")->required();
  app.add_flag("--networks", o->networks, "those of the networks of arrays instead");
  return [o](flow::Context&) -> int {
    fmt::print("{}", layer_names(o->config, o->networks));
    return ok;
  };
}

}  // namespace

Command completion_command() {
  return {"completion", "print the completion of a shell", declare_completion, true};
}

Command layers_command() {
  return {"layers", "print the layers of a configuration", declare_layers, true};
}

}  // namespace kumiki::cli
