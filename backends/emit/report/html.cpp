// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::backends::html {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct Decoded {
  char32_t point = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t point = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[bytes] || point > 0x10FFFF) return {};
  return {point, bytes};
}

// XML's characters, less the control characters that it allows and HTML does not.
bool is_printable(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n';
  return !(c >= 0x7F && c < 0xA0) && !(c >= 0xD800 && c < 0xE000) && (c & 0xFFFE) != 0xFFFE &&
         !(c >= 0xFDD0 && c < 0xFDF0);
}

std::string data_uri(std::string_view svg) {
  std::string out = "data:image/svg+xml,";
  for (const char c : svg) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-_.~!*(),:;=/ ").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

bool touches_the_page(std::string_view svg) {
  for (const std::string_view part :
       {"<style", "<script", "<foreignObject", "id=", "class=", "href", "<!", "@"})
    if (svg.find(part) != std::string_view::npos) return true;
  return false;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded c = decode(text);
    if (c.bytes == 0 || !is_printable(c.point))
      out += replacement;
    else if (c.point == '<')
      out += "&lt;";
    else if (c.point == '>')
      out += "&gt;";
    else if (c.point == '&')
      out += "&amp;";
    else if (c.point == '"')
      out += "&quot;";
    else if (c.point == '\'')
      out += "&#39;";
    else if (c.point == '@')
      out += "&#64;";
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(std::max<std::size_t>(c.bytes, 1));
  }
  return out;
}

std::string element(std::string_view opening, std::string_view markup) {
  return fmt::format("<{}>{}</{}>", opening, markup, opening.substr(0, opening.find(' ')));
}

std::string text_element(std::string_view opening, std::string_view text) {
  return element(opening, escaped(text));
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

Cell text(std::string_view text) { return {escaped(text)}; }
Cell code(std::string_view text) { return {text_element("code", text), "class=\"wrap\""}; }
Cell number(std::uint64_t value) { return number(grouped(value)); }
Cell number(std::string text) { return {escaped(text), "class=\"n\""}; }
Cell yes_or_no(bool good, std::string_view yes, std::string_view no) {
  return {good ? text_element("span class=\"good-word\"", yes)
               : text_element("span class=\"bad-word\"", no)};
}

Table::Table(std::string caption, std::vector<std::string> columns) {
  head_ = text_element("caption", caption) + "\n<thead><tr>";
  for (const std::string_view name : columns)
    head_ += name.starts_with('>') ? text_element("th scope=\"col\" class=\"n\"", name.substr(1))
                                   : text_element("th scope=\"col\"", name);
  head_ += "</tr></thead>\n";
}

void Table::row(const std::vector<Cell>& cells, std::string_view attributes) {
  rows_ += attributes.empty() ? "<tr>" : fmt::format("<tr {}>", attributes);
  for (const Cell& c : cells) {
    std::string opening = &c == &cells.front() ? "th scope=\"row\"" : "td";
    if (!c.attributes.empty()) opening += " " + c.attributes;
    rows_ += element(opening, c.markup);
  }
  rows_ += "</tr>\n";
}

std::string Table::markup() const {
  return fmt::format("<div class=\"scroll\"><table>\n{}<tbody>\n{}</tbody></table></div>\n", head_,
                     rows_);
}

std::string picture(std::string_view svg, std::string_view title) {
  const std::string name = escaped(title);
  const auto start = svg.find("<svg"), end = svg.find('>', std::min(start, svg.size()));
  if (end == std::string_view::npos || svg[end - 1] == '/' || touches_the_page(svg.substr(start)))
    return fmt::format("<img alt=\"{}\" src=\"{}\"/>", name, data_uri(svg));
  return fmt::format("{} role=\"img\" aria-label=\"{}\"><title>{}</title>{}",
                     svg.substr(start, end - start), name, name, svg.substr(end + 1));
}

}  // namespace kumiki::backends::html
