// SPDX-License-Identifier: Apache-2.0
// Sends a picture into the netlist on a simulator. It writes the result next to the reference,
// which the definition of the filters gives, and their difference. In every clock all outputs are
// also compared with the model.
#include "gen/cli/simulate_image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "backends/emit/report/report.h"
#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/messages.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "backends/support/files.h"
#include "backends/support/image/image.h"
#include "backends/support/image/messages.h"
#include "gen/cli/output.h"
#include "gen/cli/simulate_icarus.h"
#include "gen/config/writer.h"
#include "gen/flow/files/output.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/messages.h"
#include "gen/hdl/model.h"
#include "gen/layers/vision/layer.h"
#include "gen/layers/vision/player.h"
#include "ir/error.h"

namespace kumiki::cli {
namespace {

using gen::vision::Pipeline;
using gen::vision::Raster;

// Far more than a frame takes, so that a hanging pipeline is detected.
std::uint64_t most_cycles(const Pipeline& p, const Raster& picture) {
  const auto beats = (picture.width + p.geometry.pixels - 1) / p.geometry.pixels + 1;
  return 10'000 + 4 * static_cast<std::uint64_t>(beats) *
                      static_cast<std::uint64_t>(picture.height + p.lines_late() + 8);
}

const Pipeline& only_pipeline(const Project& project) {
  if (project.layers.size() == 1)
    if (const Pipeline* p = gen::vision::pipeline_of(*project.layers[0].layer)) return *p;
  throw UsageError(code::option_needs_layer,
                   "--image needs a configuration with one layer of type \"vision\" and no other");
}

Raster raster_of(const backends::Image& image, const Pipeline& p, const std::string& name) {
  const auto& pixel = p.inputs.front();
  if (static_cast<std::size_t>(image.channels) != p.inputs.size())
    throw FileError(
        code::picture_channels,
        fmt::format("{}: the picture has {} channel{}, but the pipeline takes {}; give {}", name,
                    image.channels, image.channels > 1 ? "s" : "", p.inputs.size(),
                    p.inputs.size() == 1   ? "a grey picture"
                    : p.inputs.size() == 3 ? "a picture in colour"
                                           : "no picture: a picture has 1 or 3 channels"));
  if (image.width > p.geometry.max_width || image.height > p.geometry.max_height)
    throw FileError(
        code::picture_too_large,
        fmt::format(
            "{}: {} x {} pixels are more than the pipeline's {} x {}; use a smaller picture", name,
            image.width, image.height, p.geometry.max_width, p.geometry.max_height));
  Raster raster{image.width, image.height, p.inputs.size(), {}};
  for (const auto sample : image.samples) {
    if (!pixel.interval().contains(sample))
      throw FileError(code::picture_values,
                      fmt::format("{}: a sample of {} does not fit the pipeline's pixels, {}; use "
                                  "other pixels, or another picture",
                                  name, sample, gen::packing::to_string(pixel)));
    raster.values.push_back(sample);
  }
  return raster;
}

// Values of a channel as grey: unsigned values of up to 8 bits unchanged, others by their top 8
// bits; for signed values 0 is in the middle.
std::uint8_t grey(std::int64_t value, const gen::vision::Format& f) {
  if (f.bits > 8) value >>= f.bits - 8;
  if (f.is_signed) value += std::int64_t{1} << (std::min(f.bits, 8) - 1);
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, 0, 255));
}

struct Named {
  std::string suffix;  // "", ".0", ".1"
  backends::Image image;
};

// Channels in one picture: all if they form a colour image, otherwise each has its own picture.
std::size_t channels_of_image(const std::vector<gen::vision::Format>& channels) {
  return channels.size() == 3 && channels[0].bits <= 8 ? 3 : 1;
}

std::string suffix_of(const std::vector<gen::vision::Format>& channels, std::size_t first) {
  return channels_of_image(channels) == channels.size() ? "" : fmt::format(".{}", first);
}

std::vector<Named> images_of(const Raster& r, const std::vector<gen::vision::Format>& channels) {
  const std::size_t each = channels_of_image(channels);
  std::vector<Named> all;
  for (std::size_t first = 0; first < channels.size(); first += each) {
    Named n{suffix_of(channels, first),
            backends::make_image(static_cast<int>(r.width), static_cast<int>(r.height),
                                 static_cast<int>(each))};
    for (int y = 0; y < n.image.height; ++y)
      for (int x = 0; x < n.image.width; ++x)
        for (std::size_t c = 0; c < each; ++c)
          n.image.at(x, y, static_cast<int>(c)) = grey(r.at(y, x, first + c), channels[first + c]);
    all.push_back(std::move(n));
  }
  return all;
}

// What is written: the actual result, the expected one, and their difference.
struct Drawn {
  std::string name;
  std::vector<gen::vision::Format> channels;
  std::filesystem::path file(const std::filesystem::path& out, const std::string& suffix) const {
    std::filesystem::path file = out;
    return file.replace_extension(suffix + name + out.extension().string());
  }
};

std::vector<Drawn> outputs_of(const Pipeline& p) {
  const gen::vision::Format byte{.bits = 8, .is_signed = false};
  return {{"", p.outputs},
          {".reference", p.outputs},
          {".difference", std::vector(p.outputs.size(), byte)}};
}

struct Distance {
  Raster raster;
  std::uint64_t values = 0;
  std::int64_t largest = 0;
};

Distance distance(const Raster& a, const Raster& b) {
  Distance d{a};
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    auto& v = d.raster.values[i];
    v = std::abs(a.values[i] - b.values[i]);
    if (v != 0) ++d.values;
    d.largest = std::max(d.largest, v);
    v = std::min<std::int64_t>(v, 255);
  }
  return d;
}

// The simulator that runs the picture first; for Icarus it is the one that starts at once.
std::unique_ptr<ir::Machine> machine_for(const Project& project, const SimOptions& options,
                                         const backends::Cache& cache) {
  if (options.with == "model")
    throw UsageError(code::options_exclude,
                     "--image runs a netlist; use --with verilator, native or icarus");
  if (options.with == "native" || on_icarus(options))
    return std::make_unique<backends::NativeMachine>(project.design());
  return std::make_unique<backends::VerilatedMachine>(
      project.design(), backends::VerilatorOptions{.jobs = options.jobs, .cache = cache});
}

// The output of a simulator, and its comparison with the model in every clock.
struct Passage {
  backends::LockstepResult lockstep;
  std::vector<Raster> pictures;
};

Passage pass(const Project& project, const Pipeline& pipeline, const Raster& picture,
             ir::Machine& machine, const std::string& simulator) {
  const auto in_shape = gen::vision::input_shape(pipeline);
  const auto out_shape = gen::vision::output_shape(pipeline);
  gen::vision::Player player(pipeline, {picture});
  const auto model = gen::network_model(project.network);
  const std::uint64_t most = most_cycles(pipeline, picture);
  backends::Stimulus stimulus(
      ir::layout(project.top()),
      {.cycles = most, .resets = 0, .constrain = [&](std::uint64_t, ir::Frame& frame) {
         gen::vision::VideoIn<gen::Values> values;
         gen::unpack(in_shape, frame, values);
         player.drive(values);
         gen::pack(in_shape, values, frame);
       }});
  Passage p;
  // The inputs depend on the outputs, so after a difference the stimulus is another one.
  p.lockstep = backends::run_lockstep(
      *model, machine, stimulus,
      {.cycles = most, .cycles_after = 0, .watch = [&](const ir::Frame& frame) {
         gen::vision::VideoOut<gen::Values> values;
         gen::unpack(out_shape, frame, values);
         return player.watch(values);
       }});
  p.pictures = player.results();
  if (!p.lockstep.passed())
    fmt::print(stderr, "{}", backends::report(project.design(), p.lockstep, simulator));
  else if (p.pictures.empty())
    throw DesignError(
        code::netlist_differs,
        fmt::format("{}: no whole picture came out within {} clocks", simulator, most));
  return p;
}

}  // namespace

int simulate_image(const SimOptions& options, flow::Context& context) {
  const Project project(options.source.config, {.context = context});
  project.require_legal();
  const Pipeline& pipeline = only_pipeline(project);
  const Raster picture = raster_of(backends::read_image(options.image), pipeline, options.image);
  const std::filesystem::path out = options.output.is_named ? options.output.folder : "out.png";
  backends::encode_image(backends::make_image(1, 1), out);  // fail now if we cannot write this name
  const std::vector<Drawn> outputs = outputs_of(pipeline);
  for (const Drawn& o : outputs)
    for (std::size_t c = 0; c < o.channels.size(); c += channels_of_image(o.channels))
      flow::require_free(o.file(out, suffix_of(o.channels, c)), options.output.force, "-o");

  const auto machine = machine_for(project, options, context.cache());
  backends::Recorder recorder(*machine);
  const bool icarus = on_icarus(options);
  std::string simulator = icarus ? "native" : options.with;
  Passage passage = pass(project, pipeline, picture,
                         icarus ? static_cast<ir::Machine&>(recorder) : *machine, simulator);
  if (passage.lockstep.passed() && icarus) {
    simulator = icarus_name(options);
    auto again = replay(project, recorder, options, options.image);
    passage = pass(project, pipeline, picture, again, simulator);
  }
  const auto& result = passage.lockstep;
  if (!result.passed()) return design_failed;
  const Raster reference = gen::vision::filtered(pipeline, picture);
  const Raster& hardware = passage.pictures[0];
  if (hardware.values.size() != reference.values.size())
    throw DesignError(
        code::netlist_differs,
        fmt::format("{}: a picture of {} x {} came out instead of {} x {}", simulator,
                    hardware.width, hardware.height, reference.width, reference.height));
  const Distance apart = distance(hardware, reference);

  std::vector<std::string> written;
  const Raster* rasters[] = {&hardware, &reference, &apart.raster};
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (const Named& n : images_of(*rasters[i], outputs[i].channels)) {
      const auto file = outputs[i].file(out, n.suffix);
      backends::write_image(file, n.image, theirs(options.output.force));
      written.push_back(file.string());
    }
  fmt::print(stderr, "wrote {}\n", fmt::join(written, ", "));
  const double a_frame = static_cast<double>(result.cycles);
  if (options.output.json) {
    gen::config::Writer w;
    w.object([&] {
      w.member("simulator", simulator);
      w.member("width", hardware.width);
      w.member("height", hardware.height);
      w.member("clocks", result.cycles);
      w.member("comparisons", result.comparisons);
      w.member("values_that_differ", apart.values);
      w.member("largest_difference", apart.largest);
      w.member("clocks_per_second", a_frame / result.seconds);
    });
    fmt::print("{}\n", w.printed());
  } else {
    fmt::print(
        "{} x {} in {} clocks, {} comparisons with the model passed; {} values differ from "
        "the reference (largest difference {})\n",
        hardware.width, hardware.height, result.cycles, result.comparisons, apart.values,
        apart.largest);
    fmt::print(stderr, "{:.0f} clocks a second with {}\n", a_frame / result.seconds, simulator);
  }
  return apart.values == 0 ? ok : design_failed;
}

}  // namespace kumiki::cli
