// SPDX-License-Identifier: Apache-2.0
// `picture`: the project's own test pictures as files.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/support/image/test_picture.h"
#include "gen/cli/cli.h"
#include "gen/config/kind.h"
#include "gen/config/nearest.h"
#include "gen/config/writer.h"
#include "gen/layer/layer.h"

namespace kumiki::cli {
namespace {

int list_pictures(bool as_json) {
  gen::config::Writer w;
  w.begin_list();
  for (const auto& p : backends::test_pictures()) {
    if (!as_json) {
      fmt::print("{:12} {:7} {}\n", p.name, p.channels == 3 ? "colour" : "grey", p.help);
      continue;
    }
    w.object([&] {
      w.member("name", p.name);
      w.member("channels", p.channels);
      w.member("help", p.help);
    });
  }
  w.end_list();
  if (as_json) fmt::print("{}\n", w.printed());
  return ok;
}

int wrong(const std::string& sentence) {
  fmt::print(stderr, "kumiki: {}\n", sentence);
  return usage;
}

struct Size {
  int width = 0, height = 0;
};

// "640x480"; nothing else, so that no picture has a size that nobody meant.
bool parse(const std::string& text, Size& size) {
  const char* end = text.data() + text.size();
  auto first = std::from_chars(text.data(), end, size.width);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'x') return false;
  auto second = std::from_chars(first.ptr + 1, end, size.height);
  const auto legal = [](int side) { return side >= 1 && side <= backends::max_image_side; };
  return second.ec == std::errc() && second.ptr == end && legal(size.width) && legal(size.height);
}

}  // namespace

int picture(const Options& options) {
  if (options.list_pictures) return list_pictures(options.json);
  std::vector<std::string> names;
  for (const auto& p : backends::test_pictures()) names.emplace_back(p.name);
  if (options.picture.empty()) return wrong("picture needs a name; --list shows them");
  if (std::find(names.begin(), names.end(), options.picture) == names.end()) {
    const auto meant = gen::config::nearest(options.picture, names);
    return wrong(fmt::format("\"{}\" is no test picture: {}", options.picture,
                             meant ? fmt::format("did you mean \"{}\"?", *meant)
                                   : gen::config::alternatives(names) + " is legal"));
  }
  if (options.picture_file.empty()) return wrong("picture needs a file to write: -o FILE");
  Size size;
  if (!parse(options.size, size))
    return wrong(fmt::format("\"{0}\" is no size: WIDTHxHEIGHT, 1x1 to {1}x{1}, is legal",
                             options.size, backends::max_image_side));
  const auto image =
      backends::test_picture(options.picture, size.width, size.height, options.seed.value_or(1));
  backends::write_image(options.picture_file, image);
  gen::config::Writer w;
  w.object([&] {
    w.member("file", options.picture_file);
    w.member("width", image.width);
    w.member("height", image.height);
    w.member("channels", image.channels);
  });
  if (options.json)
    fmt::print("{}\n", w.printed());
  else
    fmt::print("{}: {} x {}, {}\n", options.picture_file, image.width, image.height,
               image.channels == 3 ? "colour" : "grey");
  return ok;
}

}  // namespace kumiki::cli
