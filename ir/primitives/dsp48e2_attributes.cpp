// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/dsp48e2_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "ir/error.h"

namespace kumiki::ir {
namespace {

using A = Dsp48e2Attributes;
using dsp48e2::opmode_bits, dsp48e2::opmode_bits_of_dsp48e1;
using Choices = std::span<const std::string_view>;

template <auto member>
std::uint64_t get(const A& a) {
  return static_cast<std::uint64_t>(a.*member);
}

template <auto member>
void set(A& a, std::uint64_t value) {
  using Value = std::remove_reference_t<decltype(a.*member)>;
  a.*member = static_cast<Value>(value);
}

template <auto member>
constexpr Dsp48e2Parameter count(std::string_view name, std::uint64_t max) {
  return {.param = {.name = name, .fallback = static_cast<std::uint64_t>(A{}.*member)},
          .max = max,
          .get = get<member>,
          .set = set<member>};
}

template <auto member>
constexpr Dsp48e2Parameter bits(std::string_view name, std::uint8_t width) {
  return {.param = {.name = name,
                    .type = Param::Type::bits,
                    .width = width,
                    .fallback = static_cast<std::uint64_t>(A{}.*member)},
          .max = (std::uint64_t{1} << width) - 1,
          .get = get<member>,
          .set = set<member>};
}

template <auto member>
constexpr Dsp48e2Parameter text(std::string_view name, Choices choices) {
  return {.param = {.name = name,
                    .type = Param::Type::text,
                    .choices = choices,
                    .fallback = static_cast<std::uint64_t>(A{}.*member)},
          .max = choices.size() - 1,
          .get = get<member>,
          .set = set<member>};
}

template <std::size_t n>
using Names = std::array<std::string_view, n>;
constexpr Names<2> a_or_ad{"A", "AD"}, b_or_ad{"B", "AD"}, a_or_b{"A", "B"};
constexpr Names<2> paths{"DIRECT", "CASCADE"}, priorities{"RESET", "CEP"};
constexpr Names<2> patterns{"PATTERN", "C"}, detections{"NO_PATDET", "PATDET"};
constexpr Names<2> truths{"FALSE", "TRUE"}, xors{"XOR24_48_96", "XOR12"};
constexpr Names<3> resets{"NO_RESET", "RESET_MATCH", "RESET_NOT_MATCH"};
constexpr Names<3> mults{"MULTIPLY", "DYNAMIC", "NONE"}, simds{"ONE48", "TWO24", "FOUR12"};
constexpr Names<4> masks{"MASK", "C", "ROUNDING_MODE1", "ROUNDING_MODE2"};

constexpr std::array dsp48e2_table{
    count<&A::acascreg>("ACASCREG", 2),
    count<&A::adreg>("ADREG", 1),
    count<&A::alumodereg>("ALUMODEREG", 1),
    text<&A::amultsel>("AMULTSEL", a_or_ad),
    count<&A::areg>("AREG", 2),
    text<&A::autoreset_patdet>("AUTORESET_PATDET", resets),
    text<&A::autoreset_priority>("AUTORESET_PRIORITY", priorities),
    text<&A::a_input>("A_INPUT", paths),
    count<&A::bcascreg>("BCASCREG", 2),
    text<&A::bmultsel>("BMULTSEL", b_or_ad),
    count<&A::breg>("BREG", 2),
    text<&A::b_input>("B_INPUT", paths),
    count<&A::carryinreg>("CARRYINREG", 1),
    count<&A::carryinselreg>("CARRYINSELREG", 1),
    count<&A::creg>("CREG", 1),
    count<&A::dreg>("DREG", 1),
    count<&A::inmodereg>("INMODEREG", 1),
    bits<&A::is_alumode_inverted>("IS_ALUMODE_INVERTED", 4),
    bits<&A::is_carryin_inverted>("IS_CARRYIN_INVERTED", 1),
    bits<&A::is_clk_inverted>("IS_CLK_INVERTED", 1),
    bits<&A::is_inmode_inverted>("IS_INMODE_INVERTED", 5),
    bits<&A::is_opmode_inverted>("IS_OPMODE_INVERTED", opmode_bits),
    bits<&A::is_rstallcarryin_inverted>("IS_RSTALLCARRYIN_INVERTED", 1),
    bits<&A::is_rstalumode_inverted>("IS_RSTALUMODE_INVERTED", 1),
    bits<&A::is_rsta_inverted>("IS_RSTA_INVERTED", 1),
    bits<&A::is_rstb_inverted>("IS_RSTB_INVERTED", 1),
    bits<&A::is_rstctrl_inverted>("IS_RSTCTRL_INVERTED", 1),
    bits<&A::is_rstc_inverted>("IS_RSTC_INVERTED", 1),
    bits<&A::is_rstd_inverted>("IS_RSTD_INVERTED", 1),
    bits<&A::is_rstinmode_inverted>("IS_RSTINMODE_INVERTED", 1),
    bits<&A::is_rstm_inverted>("IS_RSTM_INVERTED", 1),
    bits<&A::is_rstp_inverted>("IS_RSTP_INVERTED", 1),
    bits<&A::mask>("MASK", 48),
    count<&A::mreg>("MREG", 1),
    count<&A::opmodereg>("OPMODEREG", 1),
    bits<&A::pattern>("PATTERN", 48),
    text<&A::preaddinsel>("PREADDINSEL", a_or_b),
    count<&A::preg>("PREG", 1),
    bits<&A::rnd>("RND", 48),
    text<&A::sel_mask>("SEL_MASK", masks),
    text<&A::sel_pattern>("SEL_PATTERN", patterns),
    text<&A::use_mult>("USE_MULT", mults),
    text<&A::use_pattern_detect>("USE_PATTERN_DETECT", detections),
    text<&A::use_simd>("USE_SIMD", simds),
    text<&A::use_widexor>("USE_WIDEXOR", truths),
    text<&A::xorsimd>("XORSIMD", xors),
};

// Of the DSP48E2's rows those that the DSP48E1 has as well.
constexpr bool only_of_dsp48e2(std::string_view name) {
  for (auto missing : {"AMULTSEL", "AUTORESET_PRIORITY", "BMULTSEL", "PREADDINSEL", "RND",
                       "USE_WIDEXOR", "XORSIMD"})
    if (name == missing) return true;
  return name.starts_with("IS_RST");
}

constexpr std::size_t shared_rows = std::ranges::count_if(
    dsp48e2_table, [](const auto& p) { return !only_of_dsp48e2(p.param.name); });

constexpr auto dsp48e1_table = [] {
  std::array<Dsp48e2Parameter, shared_rows + 1> table{};
  std::size_t n = 0;
  for (const auto& p : dsp48e2_table) {
    if (only_of_dsp48e2(p.param.name)) continue;
    if (p.param.name == "USE_MULT") table[n++] = text<&A::amultsel>("USE_DPORT", truths);
    table[n++] = p.param.name == "IS_OPMODE_INVERTED"
                     ? bits<&A::is_opmode_inverted>(p.param.name, opmode_bits_of_dsp48e1)
                     : p;
  }
  return table;
}();

template <const auto& table>
constexpr auto columns_of = [] {
  std::array<Param, table.size()> columns{};
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = table[i].param;
  return columns;
}();

std::string legal_values(const Dsp48e2Parameter& p) {
  switch (p.param.type) {
    case Param::Type::text:
      return fmt::format("{}", fmt::join(p.param.choices, ", "));
    case Param::Type::bits:
      return fmt::format("a number of {} bit{}", p.param.width, p.param.width == 1 ? "" : "s");
    case Param::Type::integer:
      break;
  }
  return fmt::format("0 to {}", p.max);
}

[[noreturn]] void refuse(Kind kind, const Dsp48e2Parameter& p, std::string_view value) {
  throw DesignError(code::parameter,
                    fmt::format("{}: {} cannot be {}; it must be {}", prototype(kind).name,
                                p.param.name, value, legal_values(p)));
}

// 17, 0x1f, 'h1f, 5'd17, 48'h0000_ffff. The size in front is the width of a literal, not a limit.
bool parse_number(std::string_view text, std::uint64_t& value) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (auto quote = text.find('\''); quote != text.npos) {
    auto size = text.substr(0, quote);
    if (size.find_first_not_of("0123456789") != size.npos || quote + 2 > text.size()) return false;
    switch (text[quote + 1]) {
      case 'h':
      case 'H':
        base = 16;
        break;
      case 'b':
      case 'B':
        base = 2;
        break;
      case 'd':
      case 'D':
        break;
      default:
        return false;
    }
    text.remove_prefix(quote + 2);
  }
  std::string digits(text);
  std::erase(digits, '_');
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
}

}  // namespace

std::span<const Dsp48e2Parameter> dsp_parameters(Kind kind) {
  if (kind == Kind::dsp48e1) return dsp48e1_table;
  return dsp48e2_table;
}

std::span<const Param> dsp_params(Kind kind) {
  if (kind == Kind::dsp48e1) return columns_of<dsp48e1_table>;
  return columns_of<dsp48e2_table>;
}

const Dsp48e2Parameter* find_dsp_parameter(Kind kind, std::string_view name) {
  for (const auto& p : dsp_parameters(kind))
    if (p.param.name == name) return &p;
  return nullptr;
}

std::uint64_t parse_value(Kind kind, const Dsp48e2Parameter& parameter, std::string_view text) {
  if (parameter.param.type == Param::Type::text) {
    auto plain = text;
    if (plain.size() >= 2 && plain.front() == '"' && plain.back() == '"')
      plain = plain.substr(1, plain.size() - 2);
    auto at = std::ranges::find(parameter.param.choices, plain);
    if (at == parameter.param.choices.end()) refuse(kind, parameter, text);
    return static_cast<std::uint64_t>(at - parameter.param.choices.begin());
  }
  std::uint64_t value = 0;
  if (!parse_number(text, value) || value > parameter.max) refuse(kind, parameter, text);
  return value;
}

void set_parameter(Dsp48e2Attributes& attributes, std::string_view name, std::string_view text) {
  const auto* parameter = find_dsp_parameter(attributes.kind, name);
  if (parameter == nullptr)
    throw DesignError(code::unknown_pin,
                      fmt::format("{} has no parameter {}", prototype(attributes.kind).name, name));
  parameter->set(attributes, parse_value(attributes.kind, *parameter, text));
}

Dsp48e2Attributes dsp_attributes(Kind kind, std::span<const std::uint64_t> params) {
  Dsp48e2Attributes a{.kind = kind};
  const auto parameters = dsp_parameters(kind);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].set(a, params[i]);
  return a;
}

std::vector<std::uint64_t> dsp_param_words(const Dsp48e2Attributes& attributes) {
  std::vector<std::uint64_t> words;
  for (const auto& p : dsp_parameters(attributes.kind)) words.push_back(p.get(attributes));
  return words;
}

}  // namespace kumiki::ir
