// SPDX-License-Identifier: Apache-2.0
// Elements of IP-XACT, indented by two columns a level.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ir/picture/text.h"

namespace kumiki::backends {

class Xml {
 public:
  // <spirit:NAME ATTRIBUTES>, the output of `inside`, and the end tag.
  template <class Inside>
  void element(std::string_view name, Inside inside, std::string_view attributes = {}) {
    line(fmt::format("<spirit:{}{}{}>", name, attributes.empty() ? "" : " ", attributes));
    ++depth_;
    inside();
    --depth_;
    line(fmt::format("</spirit:{}>", name));
  }
  void text(std::string_view name, std::string_view text, std::string_view attributes = {}) {
    line(fmt::format("<spirit:{0}{1}{2}>{3}</spirit:{0}>", name, attributes.empty() ? "" : " ",
                     attributes, picture::escaped(text)));
  }
  void empty(std::string_view name, std::string_view attributes = {}) {
    line(fmt::format("<spirit:{}{}{}/>", name, attributes.empty() ? "" : " ", attributes));
  }
  void line(std::string_view text) {
    text_.append(2 * depth_, ' ');
    text_.append(text);
    text_ += '\n';
  }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace kumiki::backends
