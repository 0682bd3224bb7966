// SPDX-License-Identifier: Apache-2.0
// `manual`: the manual page, made from the table of --help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/cli/commands.h"
#include "gen/cli/options_of.h"

namespace kumiki::cli {
namespace {

// A line of roff without \, without - that could become a hyphen, and without control lines.
std::string roff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\n')
      out += ' ';
    else if ((c == '.' || c == '\'') && out.empty())
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string value_name(const CLI::Option& o) {
  const auto choices = choices_of(o);
  if (!choices.empty()) return fmt::format("{}", fmt::join(choices, "|"));
  return "VALUE";
}

std::string roff_option(const CLI::Option& o) {
  std::string head;
  for (const auto& s : spellings(o))
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(s));
  if (takes_value(o)) head += fmt::format(" \\fI{}\\fR", roff(value_name(o)));
  return fmt::format(".TP\n{}\n{}\n", head, roff(o.get_description()));
}

std::string roff_command(const CLI::App& c) {
  std::string synopsis = fmt::format("\\fBkumiki {}\\fR [options]", roff(c.get_name()));
  std::string text;
  for (const auto* o : options_of(c, true)) {
    const auto name = o->get_name(true);
    synopsis +=
        o->get_required() ? fmt::format(" \\fI{}\\fR", name) : fmt::format(" [\\fI{}\\fR]", name);
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", name, roff(o->get_description()));
  }
  for (const auto* o : options_of(c, false)) text += roff_option(*o);
  return fmt::format(".SS {}\n{}\n.PP\n{}\n{}", c.get_name(), roff(c.get_description()), synopsis,
                     text);
}

struct Line {
  const char *what, *says;
};

constexpr Line examples[] = {
    {"kumiki plan cfg.json", "the arithmetic of every layer, and why it is exact"},
    {"kumiki check cfg.json", "everything that gen would refuse, without writing a file"},
    {"kumiki gen cfg.json -o out --vectors 1000",
     "the Verilog, with golden vectors and a testbench that replays them"},
    {"kumiki sim cfg.json -o out",
     "the same, run in lockstep with the integer model; open out/report.html"},
    {"kumiki plan cfg.json --device zu9", "does it fit, and how often"},
    {"kumiki prove cfg.json", "every layer equal to its definition in plain Verilog"},
    {"kumiki prove cfg.json --netlist edited.v", "the same of a netlist that was changed since"},
    {"kumiki show cfg.json --layer NAME -o layer.svg", "a layer bit by bit"},
    {"kumiki list dot", "the keys of a layer type"},
    {"kumiki explain multiply-driven",
     "what a message means and what to do: its code stands in brackets behind it"},
};

constexpr Line written[] = {
    {"out/TOP.f, out/MODULE.v", "the netlist, a file a module, and the list of them"},
    {"out/TOP_sim.f, out/primitives/", "with models of the primitives, for any simulator"},
    {"out/report.html, out/report.json", "what was built, counted and run"},
    {"out/manifest.json",
     "every file with its hash: what a run has written the next one may replace"},
    {"out/TOP.h, out/TOP_ooc.tcl, out/TOP.ys, out/TOP.core",
     "ports for C, scripts for Vivado and Yosys, a core for FuseSoC"},
    {"~/.cache/kumiki", "simulators that were built and trees that were solved; see kumiki cache"},
};

constexpr Line environment[] = {
    {"KUMIKI_CACHE", "folder of what is kept between runs, as --cache"},
    {"XDG_CACHE_HOME, HOME", "where it is otherwise: $XDG_CACHE_HOME/kumiki, ~/.cache/kumiki"},
    {"PATH", "where verilator, iverilog, yosys, yosys-abc and dot are looked for"},
    {"CXX", "the compiler of simulators (default: what is there of g++ and clang++)"},
};

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = fmt::format(
      ".\\\" SPDX-License-Identifier: Apache-2.0\n"
      ".TH KUMIKI 1 \"\" \"kumiki {}\" \"User Commands\"\n"
      ".SH NAME\nkumiki \\- structural Verilog for AMD FPGAs, in lockstep with a model\n"
      ".SH SYNOPSIS\n\\fBkumiki\\fR \\fIcommand\\fR [options]\n"
      ".SH DESCRIPTION\n{}\nData goes to stdout, messages to stderr.\n.SH OPTIONS\n",
      version, roff(app.get_description()));
  for (const auto* o : options_of(app, false)) text += roff_option(*o);
  text += ".SH COMMANDS\n";
  for (const auto* c : commands_of(app)) text += roff_command(*c);
  text += fmt::format(".SH EXIT STATUS\n{}\n.SH EXAMPLES\n", roff(app.get_footer()));
  for (const auto& [command, what] : examples)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(command), roff(what));
  text += ".SH FILES\n";
  for (const auto& [file, what] : written)
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(file), roff(what));
  text += ".SH ENVIRONMENT\n";
  for (const auto& [name, what] : environment)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(what));
  return text;
}

Run declare_manual(CLI::App& app, Settings&) {
  return [&app](flow::Context&) -> int {
    fmt::print("{}", manual_page(*app.get_parent(), flow::version()));
    return ok;
  };
}

}  // namespace

Command manual_command() { return {"manual", "print the manual page", declare_manual, true}; }

}  // namespace kumiki::cli
