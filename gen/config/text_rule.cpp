// SPDX-License-Identifier: Apache-2.0
// The rules for texts that kind.h declares.
#include <algorithm>
#include <iterator>
#include <sstream>

#include "gen/config/kind.h"

namespace kumiki::gen::config {
namespace {

// IEEE 1364-2005 and IEEE 1800-2017: a name must be legal for either kind of tool.
constexpr const char* keywords =
    "accept_on alias always always_comb always_ff always_latch and assert assign assume "
    "automatic before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez "
    "cell chandle checker class clocking cmos config const constraint context continue cover "
    "covergroup coverpoint cross deassign default defparam design disable dist do edge else end "
    "endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup "
    "endinterface endmodule endpackage endprimitive endprogram endproperty endsequence "
    "endspecify endtable endtask enum event eventually expect export extends extern final "
    "first_match for force foreach forever fork forkjoin function generate genvar global highz0 "
    "highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include "
    "initial inout input inside instance int integer interconnect interface intersect join "
    "join_any join_none large let liblist library local localparam logic longint macromodule "
    "matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled "
    "not notif0 notif1 null or output package packed parameter pmos posedge primitive priority "
    "program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect "
    "pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg "
    "reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always "
    "s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal "
    "showcancelled signed small soft solve specify specparam static string strong strong0 "
    "strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this "
    "throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior "
    "trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var "
    "vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with "
    "within wor xnor xor ";

std::vector<std::string> split(const char* words) {
  std::istringstream in(words);
  return {std::istream_iterator<std::string>(in), {}};
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool no_controls(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return is_control(c) && c != '\n' && c != '\t'; });
}

bool is_identifier(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

bool is_part(std::string_view text) {
  auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && letter(text.front()) && letter(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || c == '-'; });
}

bool is_path(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace

const TextRule& any_text() {
  static const TextRule rule{.name = "text",
                             .noun = "a text of at most 4096 characters (no control characters)",
                             .pattern = R"(^[^\u0000-\u0008\u000B-\u001F\u007F]*$)",
                             .longest = 4096,
                             .accepts = no_controls};
  return rule;
}

const TextRule& identifier() {
  static const TextRule rule{.name = "identifier",
                             .noun = "a Verilog identifier of at most 64 characters",
                             .pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
                             .longest = 64,
                             .accepts = is_identifier,
                             .forbidden = split(keywords)};
  return rule;
}

const TextRule& part_name() {
  static const TextRule rule{.name = "part",
                             .noun = "a part such as \"xczu9eg-ffvb1156-2-e\" (letters, digits, -)",
                             .pattern = "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$",
                             .longest = 64,
                             .accepts = is_part};
  return rule;
}

const TextRule& file_path() {
  static const TextRule rule{.name = "path",
                             .noun = "the path of a file (not empty, no control characters)",
                             .pattern = R"(^[^\u0000-\u001F\u007F]+$)",
                             .longest = 4096,
                             .accepts = is_path};
  return rule;
}

}  // namespace kumiki::gen::config
