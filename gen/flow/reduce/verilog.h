// SPDX-License-Identifier: Apache-2.0
// Structural Verilog as edits see it: modules of ports, declarations, assignments and instances.
// What is none of these stays as it is written, or goes as a whole.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gen/flow/reduce/search.h"

namespace kumiki::reduction {

struct VerilogToken {
  std::string gap;  // blanks before it, comments left out
  std::string text;
  bool is_name() const;  // an identifier that is no keyword
};
using VerilogTokens = std::vector<VerilogToken>;
// DesignError, "line 12: ...".
VerilogTokens verilog_tokens(std::string_view text);
std::string to_text(const VerilogTokens& tokens);

struct VerilogModule {
  struct Port {
    std::string gap, text;  // "input wire [3:0] a"
    std::string name;
    std::string range;  // "[3:0] ", of a single bit empty
    bool is_input = false;
    bool is_known = false;  // its direction stands in the list
    bool gone = false;
  };
  struct Pin {
    std::string gap, name;
    VerilogTokens value;
    bool gone = false;
  };
  struct Item {
    enum class Form { declaration, assignment, instance, other };
    Form form = Form::other;
    VerilogTokens head;                // all of `other`; of the others what stands before the parts
    std::string type;                  // of an instance
    std::vector<Pin> pins;             // of an instance
    std::vector<VerilogTokens> names;  // of a declaration
    std::vector<bool> gone_names;
    VerilogTokens left, right;  // of an assignment
    VerilogTokens tail;
    bool gone = false;
  };
  VerilogTokens head;  // "module NAME #(...) ("
  std::string name;
  std::vector<Port> ports;
  VerilogTokens middle;  // ");"
  std::vector<Item> items;
  VerilogTokens tail;  // "endmodule"
  bool gone = false;
};

struct VerilogText {
  std::vector<VerilogModule> modules;
  VerilogTokens tail;  // behind the last one
};

// DesignError when it has no module, or one without an end.
VerilogText verilog_text(const std::string& text);
std::string to_text(const VerilogText& verilog);
std::size_t count(const VerilogText& verilog);  // instances

// The width of an expression, where it can be seen; widths of names are given.
using Widths = std::map<std::string, std::size_t, std::less<>>;
Widths widths_of(const VerilogModule& module);
std::optional<std::size_t> width_of(const VerilogTokens& expression, const Widths& widths);
bool is_constant(const VerilogTokens& expression);
VerilogTokens constant(std::optional<std::size_t> width, bool one);
// The parts of "{a, b, c}"; nothing for any other expression.
std::vector<VerilogTokens> concatenated(const VerilogTokens& expression);
VerilogTokens concatenation(const std::vector<VerilogTokens>& parts);

// Takes away modules, cells (their outputs become constant), what pins and outputs read, ports, and
// what nobody reads then, until nothing helps.
void shrink(VerilogText& best, Search& search);

}  // namespace kumiki::reduction
