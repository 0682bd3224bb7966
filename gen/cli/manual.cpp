// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::cli {
namespace {

using Words = std::vector<std::string>;

// A group without a name is hidden from --help, so also from here.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  return app.get_options([=](const CLI::Option* o) {
    return o->get_positional() == positional && !o->get_group().empty();
  });
}

bool takes_value(const CLI::Option& o) { return o.get_items_expected_max() > 0; }

// What IsMember allows: CLI11 has it in the name of the type, as TEXT:{a,b}.
Words choices_of(const CLI::Option& o) {
  const auto type = o.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  Words words;
  for (std::size_t at = open + 1; at < close;) {
    const auto end = std::min(type.find(',', at), close);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Words spellings(const CLI::Option& o) {
  Words words;
  for (const auto& s : o.get_snames()) words.push_back("-" + s);
  for (const auto& l : o.get_lnames()) words.push_back("--" + l);
  return words;
}

// A line of roff: no \, no - that could become a hyphen, no control line.
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

// `case` of bash: what may follow an option that takes one of a few words.
std::string bash_values(const CLI::App& c) {
  std::string lines;
  for (const auto* o : options_of(c, false)) {
    if (!takes_value(*o)) continue;
    const auto choices = choices_of(*o);
    lines += fmt::format(
        "        {}) {}; return ;;\n", fmt::join(spellings(*o), "|"),
        choices.empty()
            ? "COMPREPLY=($(compgen -f -- \"$word\"))"
            : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", fmt::join(choices, " ")));
  }
  return lines;
}

Words all_spellings(const CLI::App& c) {
  Words all;
  for (const auto* o : options_of(c, false))
    for (const auto& s : spellings(*o)) all.push_back(s);
  return all;
}

std::string bash(const CLI::App& app) {
  std::string commands, cases;
  for (const auto* c : commands_of(app)) {
    commands += (commands.empty() ? "" : " ") + c->get_name();
    const auto values = bash_values(*c);
    cases += fmt::format("    {})\n", c->get_name());
    if (!values.empty()) cases += fmt::format("      case $before in\n{}      esac\n", values);
    cases += fmt::format("      options='{}' ;;\n", fmt::join(all_spellings(*c), " "));
  }
  return fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Completion of kumiki for bash; `kumiki completion bash` prints it.\n"
      "_kumiki() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} options=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} {}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
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

std::string fish(const CLI::App& app) {
  std::string out =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Completion of kumiki for fish; `kumiki completion fish` prints it.\n";
  const auto option = [&](const CLI::Option& o, const std::string& when) {
    out += fmt::format("complete -c kumiki -n '{}'", when);
    for (const auto& s : o.get_snames()) out += " -s " + s;
    for (const auto& l : o.get_lnames()) out += " -l " + l;
    if (takes_value(o)) out += " -r";
    if (const auto choices = choices_of(o); !choices.empty())
      out += fmt::format(" -f -a '{}'", fmt::join(choices, " "));
    out += fmt::format(" -d {}\n", single_quoted(o.get_description()));
  };
  for (const auto* o : options_of(app, false)) option(*o, "__fish_use_subcommand");
  for (const auto* c : commands_of(app)) {
    out += fmt::format("complete -c kumiki -n __fish_use_subcommand -f -a {} -d {}\n",
                       c->get_name(), single_quoted(c->get_description()));
    for (const auto* o : options_of(*c, false))
      option(*o, "__fish_seen_subcommand_from " + c->get_name());
  }
  return out;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = fmt::format(
      ".\\\" SPDX-License-Identifier: Apache-2.0\n"
      ".TH KUMIKI 1 \"\" \"kumiki {}\" \"User Commands\"\n"
      ".SH NAME\nkumiki \\- structural Verilog for AMD FPGAs, in lockstep with a model\n"
      ".SH SYNOPSIS\n\\fBkumiki\\fR \\fIcommand\\fR [options]\n"
      ".SH DESCRIPTION\n{}\nData goes to stdout, talk to stderr.\n.SH OPTIONS\n",
      version, roff(app.get_description()));
  for (const auto* o : options_of(app, false)) text += roff_option(*o);
  text += ".SH COMMANDS\n";
  for (const auto* c : commands_of(app)) text += roff_command(*c);
  return text + fmt::format(".SH EXIT STATUS\n{}\n", roff(app.get_footer()));
}

// zsh runs completions of bash.
std::string completion(const CLI::App& app, Shell shell) {
  switch (shell) {
    case Shell::fish:
      return fish(app);
    case Shell::zsh:
      return "#compdef kumiki\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app);
    default:
      return bash(app);
  }
}

}  // namespace kumiki::cli
