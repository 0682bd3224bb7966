// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/reduce.h"

#include <fmt/format.h>

#include "gen/flow/reduce/json.h"
#include "gen/flow/reduce/netlist.h"
#include "gen/flow/reduce/verilog.h"
#include "ir/error.h"

namespace kumiki::reduction {
namespace {

// Calls f with the document that the text is.
template <class F>
auto with_document(const std::string& file, const std::string& text, Form form, F&& f) {
  if (form == Form::configuration) return f(json_value(file, text));
  try {
    return form == Form::verilog ? f(verilog_text(text)) : f(netlist_text(text));
  } catch (const DesignError& e) {
    throw FileError(e.code(),
                    fmt::format("{}: {}: a netlist in structural Verilog or in Kumiki's text form "
                                "is legal",
                                file, e.what()));
  }
}

}  // namespace

Form form_of(std::string_view text) {
  for (;;) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return Form::configuration;  // whose reader says why not
    text.remove_prefix(begin);
    if (!text.starts_with('#')) break;  // a comment of the text form
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  if (text.starts_with('{') || text.starts_with('[')) return Form::configuration;
  return text.starts_with("design ") ? Form::netlist : Form::verilog;
}

std::string_view parts_of(Form form) { return form == Form::configuration ? "values" : "cells"; }

std::string laid_out(const std::string& file, const std::string& text, Form form) {
  return with_document(file, text, form, [](const auto& document) { return to_text(document); });
}

Reduction reduce(const std::string& file, const std::string& text, Form form, Search& search) {
  return with_document(file, text, form, [&](auto document) {
    Reduction result;
    result.before = count(document);
    shrink(document, search);
    result.text = to_text(document);
    result.after = count(document);
    result.tries = search.tries();
    result.finished = !search.spent();
    return result;
  });
}

}  // namespace kumiki::reduction
