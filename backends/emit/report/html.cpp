// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::backends::html {
namespace {

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

std::string element(std::string_view opening, std::string_view markup) {
  return fmt::format("<{}>{}</{}>", opening, markup, opening.substr(0, opening.find(' ')));
}

std::string text_element(std::string_view opening, std::string_view text) {
  return element(opening, escaped(text));
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
