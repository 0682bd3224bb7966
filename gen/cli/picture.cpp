// SPDX-License-Identifier: Apache-2.0
// `picture`: writes the project's own test pictures to files.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/support/image/test_picture.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/config/kind.h"
#include "gen/config/nearest.h"
#include "gen/config/writer.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/output.h"
#include "gen/flow/messages.h"
#include "gen/layer/layer.h"

namespace kumiki::cli {
namespace {

struct PictureOptions {
  std::string name, file;
  std::string size = "256x256";  // WIDTHxHEIGHT
  std::optional<std::uint64_t> seed;
  bool list = false;  // list the pictures
  bool force = false;
  bool json = false;
};

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

struct Size {
  int width = 0, height = 0;
};

// "640x480" and nothing else, so that no picture gets an unintended size.
bool parse(const std::string& text, Size& size) {
  const char* end = text.data() + text.size();
  auto first = std::from_chars(text.data(), end, size.width);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'x') return false;
  auto second = std::from_chars(first.ptr + 1, end, size.height);
  const auto legal = [](int side) { return side >= 1 && side <= backends::max_image_side; };
  return second.ec == std::errc() && second.ptr == end && legal(size.width) && legal(size.height);
}

int write_picture(const PictureOptions& options, flow::Context&) {
  if (options.list) return list_pictures(options.json);
  std::vector<std::string> names;
  for (const auto& p : backends::test_pictures()) names.emplace_back(p.name);
  if (options.name.empty())
    throw UsageError(code::missing_argument, "picture needs a name; --list shows them");
  if (std::find(names.begin(), names.end(), options.name) == names.end()) {
    throw UsageError(
        code::unknown_name,
        fmt::format("unknown test picture \"{}\"{}", options.name,
                    gen::config::did_you_mean(options.name, names,
                                              "use " + gen::config::alternatives(names))));
  }
  if (options.file.empty())
    throw UsageError(code::missing_argument, "picture needs a file to write: -o FILE");
  Size size;
  if (!parse(options.size, size))
    throw UsageError(code::option_value,
                     fmt::format("\"{0}\" is not a size; give WIDTHxHEIGHT, from 1x1 to {1}x{1}",
                                 options.size, backends::max_image_side));
  flow::require_free(options.file, options.force, "-o");
  const auto image =
      backends::test_picture(options.name, size.width, size.height, options.seed.value_or(1));
  backends::write_image(options.file, image, theirs(options.force));
  gen::config::Writer w;
  w.object([&] {
    w.member("file", options.file);
    w.member("width", image.width);
    w.member("height", image.height);
    w.member("channels", image.channels);
  });
  if (options.json)
    fmt::print("{}\n", w.printed());
  else
    fmt::print("{}: {} x {}, {}\n", options.file, image.width, image.height,
               image.channels == 3 ? "colour" : "grey");
  return ok;
}

Run declare_write_picture(CLI::App& app, Settings&) {
  const auto o = std::make_shared<PictureOptions>();
  app.add_option("name", o->name, "which picture");
  app.add_option("-o,--out", o->file, "file to write: .png, .pgm (grey) or .ppm (colour)");
  app.add_option("--size", o->size, "WIDTHxHEIGHT, 1x1 to 8192x8192")->capture_default_str();
  number(app, "--seed", o->seed, any_seed,
         "seed of the pictures that have something random (default: 1)");
  app.add_flag("--list", o->list, "the pictures there are");
  add_replace(app, o->force);
  add_json(app, o->json);
  return runs(write_picture, o);
}

}  // namespace

Command picture_command() {
  return {"picture", "write one of the project's own test pictures as PNG, PGM or PPM",
          declare_write_picture};
}

}  // namespace kumiki::cli
