// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/lockstep/stimulus.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/messages.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

using lockstep::Random;
using Field = StimulusOptions::Field;

constexpr std::uint32_t widest_guess = 32;

bool is_or_ends_with(std::string_view name, std::string_view word) {
  return name == word || (name.ends_with(word) && name[name.size() - word.size() - 1] == '_');
}

std::uint64_t limb_mask(const ir::PortSlot& port, std::uint32_t limb) {
  auto bits = port.width - 64 * limb;
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

bool corner_bit(Corner corner, std::uint32_t bit, Field of, std::uint32_t step) {
  bool sign = bit + 1 == of.width && of.is_signed;
  switch (corner) {
    case Corner::zeros:
      return false;
    case Corner::ones:
      return true;
    case Corner::lowest:
      return sign;
    case Corner::highest:
      return !sign;
    case Corner::plus_one:
      return bit == 0;
    case Corner::alternating:
      return (bit + step) % 2 == 0;
    case Corner::walking_one:
      return bit == step % of.width;
    case Corner::walking_zero:
      return bit != step % of.width;
    case Corner::near_lowest:
      return sign || bit == 0;
    case Corner::near_highest:
      return !sign && bit != 0;
  }
  return false;
}

const ir::PortSlot* find_input(const ir::PortLayout& ports, std::string_view name) {
  for (const auto& port : ports.inputs)
    if (port.name == name) return &port;
  return nullptr;
}

// Ways to split a port: whole, and into equal parts, because it may be a vector of numbers.
std::vector<std::vector<Field>> guess_cuts(const ir::PortSlot& port) {
  std::vector<std::vector<Field>> cuts;
  const auto parts = [&](std::uint32_t width, bool is_signed) {
    cuts.push_back({{.width = width, .is_signed = is_signed, .bits = port.width}});
  };
  parts(port.width, port.is_signed);
  parts(port.width, true);
  for (std::uint32_t width = 2; width <= std::min(widest_guess, port.width / 2); ++width)
    if (port.width % width == 0)
      for (const bool is_signed : {true, false}) parts(width, is_signed);
  return cuts;
}

// The same fields with their missing ends filled in.
std::vector<Field> complete(std::vector<Field> fields, const ir::PortSlot& port) {
  for (Field& f : fields)
    if (f.bits == 0) f.bits = port.width - f.low;
  return fields;
}

// The mean of the lengths that short_or_long chooses.
double mean_length(unsigned longest) {
  longest = std::max(longest, 1u);
  return (0.9 * (std::min(longest, 3u) + 1) + 0.1 * (longest + 1)) / 2;
}

void require_sense(const ir::PortLayout& ports, const StimulusOptions& options) {
  for (const auto& [name, role] : options.roles) {
    const auto* port = find_input(ports, name);
    if (!port)
      throw DesignError(code::unknown_port,
                        fmt::format("a role is given to {}, which is not an input port", name));
    if (role != Role::data && port->width != 1)
      throw DesignError(code::port_width,
                        fmt::format("port {} has {} bits: the role {} needs a port of one", name,
                                    port->width, role_name(role)));
  }
  for (const auto& [name, fields] : options.fields)
    for (const Field& f : fields) {
      const auto* port = find_input(ports, name);
      if (!port || f.width == 0 || f.width > port->width || f.low > port->width - f.width ||
          f.bits > port->width - f.low)
        throw DesignError(
            code::port_width,
            fmt::format(
                "fields of {} bits are given to {}, which is not an input port of that width",
                f.width, name));
    }
  for (std::size_t i = 0; i < options.given.size(); ++i)
    if (options.given[i].size() != ports.input_limbs)
      throw DesignError(code::frame_size,
                        fmt::format("frame {} of the stimulus has {} limbs, but the inputs have {}",
                                    i, options.given[i].size(), ports.input_limbs));
}

}  // namespace

std::string_view role_name(Role role) {
  static constexpr std::string_view names[] = {"data", "enable", "reset", "reset_low", "valid"};
  return names[static_cast<unsigned>(role)];
}

Role default_role(const ir::PortSlot& port) {
  static constexpr std::pair<std::string_view, Role> words[] = {
      {"rst", Role::reset},   {"reset", Role::reset},  {"aresetn", Role::reset_low},
      {"en", Role::enable},   {"ce", Role::enable},    {"enable", Role::enable},
      {"valid", Role::valid}, {"tvalid", Role::valid}, {"ready", Role::valid},
      {"tready", Role::valid}};
  if (port.width == 1)
    for (auto [word, role] : words)
      if (is_or_ends_with(port.name, word)) return role;
  return Role::data;
}

Stimulus::Stimulus(const ir::PortLayout& ports, StimulusOptions options)
    : ports_(ports), options_(std::move(options)) {
  require_sense(ports_, options_);
  for (const auto& port : ports_.inputs) {
    auto role = options_.roles.find(port.name);
    roles_.push_back(role == options_.roles.end() ? default_role(port) : role->second);
    auto fields = options_.fields.find(port.name);
    if (fields == options_.fields.end())
      cuts_.push_back(guess_cuts(port));
    else
      cuts_.push_back({complete(fields->second, port)});
  }
  restart();
}

void Stimulus::restart() {
  streams_.clear();
  for (const auto& port : ports_.inputs) streams_.emplace_back(options_.seed, port.name);
  stretches_ = Random(options_.seed, " stretches");
  controls_.assign(ports_.inputs.size(), {});
  reset_at_.assign(ports_.inputs.size(), {});
  for (std::size_t i = 0; i < ports_.inputs.size(); ++i)
    if (is_reset(i)) choose_resets(i);
  left_ = 0;
  given_ = 0;
  stall_ = reset_ = 0;
  held_.assign(ports_.input_limbs, 0);
  counts_ = {};
}

// One reset in every part of the run; the list has the latest first.
void Stimulus::choose_resets(std::size_t input) {
  std::uint64_t parts = options_.resets, cycles = std::max<std::uint64_t>(options_.cycles, 1);
  for (auto part = parts; part-- > 0;) {
    auto start = part * cycles / parts, end = std::max((part + 1) * cycles / parts, start + 1);
    reset_at_[input].push_back(start + streams_[input].word() % (end - start));
  }
}

void Stimulus::start_stretch() {
  bool are_left = given_ < options_.given.size();
  auto [random, corner, given] = options_.weights;
  is_first_ = true;
  left_ = stretches_.between(1, stretches_.one_in(8) ? 120 : 12);
  if (are_left && given == 0) {
    source_ = Source::given;
    left_ = static_cast<std::uint32_t>(options_.given.size());
    return;
  }
  if (!are_left) given = 0;
  if (random + corner + given == 0) random = 1;
  auto dice = stretches_.below(random + corner + given);
  source_ = dice < random            ? Source::random
            : dice < random + corner ? Source::corner
                                     : Source::given;
  holding_ = static_cast<Holding>(stretches_.below(3));
  corner_ = static_cast<Corner>(stretches_.below(corner_count));
}

void Stimulus::put_random(std::size_t input, ir::Frame& frame) {
  const auto& port = ports_.inputs[input];
  for (std::uint32_t l = 0; l < port.limbs(); ++l)
    frame[port.limb + l] = streams_[input].word() & limb_mask(port, l);
}

void Stimulus::put_corner(std::size_t input, Corner corner, bool all_alike, ir::Frame& frame) {
  const auto& port = ports_.inputs[input];
  auto& random = streams_[input];
  const auto& cuts = cuts_[input];
  bool is_first_number = true;
  for (const Field& field : cuts[random.below(static_cast<std::uint32_t>(cuts.size()))])
    for (std::uint32_t at = 0; at < field.bits; at += field.width) {
      if (!is_first_number && !all_alike) corner = static_cast<Corner>(random.below(corner_count));
      is_first_number = false;
      ++counts_.corners[static_cast<unsigned>(corner)];
      const auto low = field.low + at, end = field.low + std::min(at + field.width, field.bits);
      for (std::uint32_t b = low; b < end; ++b)
        frame[port.limb + b / 64] |= std::uint64_t{corner_bit(corner, b - low, field, left_)}
                                     << (b % 64);
    }
}

void Stimulus::apply_data(ir::Frame& frame) {
  if (source_ == Source::corner && holding_ == Holding::held && !is_first_) {
    frame = held_;
    return;
  }
  for (std::size_t i = 0; i < ports_.inputs.size(); ++i) {
    if (roles_[i] != Role::data) continue;
    auto& random = streams_[i];
    if (source_ == Source::random || (holding_ != Holding::same_for_all && random.one_in(6)))
      put_random(i, frame);
    else if (holding_ == Holding::same_for_all)
      put_corner(i, corner_, true, frame);
    else
      put_corner(i, static_cast<Corner>(random.below(corner_count)), random.one_in(2), frame);
  }
  held_ = frame;
}

// The length of a stall or reset, minus one: mostly short, long in one of ten cases.
std::uint32_t Stimulus::short_or_long(std::size_t input, std::uint32_t longest) {
  auto& random = streams_[input];
  return random.below(std::max(1u, random.one_in(10) ? longest : std::min(longest, 3u)));
}

bool Stimulus::reset_starts(std::size_t input) {
  auto& at = reset_at_[input];
  bool now = false;
  for (; !at.empty() && at.back() <= counts_.cycles; at.pop_back()) now = true;
  return now;
}

// The value of a control port; a new one lasts for some cycles.
bool Stimulus::next_control(std::size_t input) {
  auto& random = streams_[input];
  auto& c = controls_[input];
  if (c.left > 0) {
    --c.left;
    return c.value;
  }
  auto fraction = std::clamp(options_.stall, 0.0, 0.99);
  switch (roles_[input]) {
    case Role::enable:
      c.value = !random.chance(fraction / ((1 - fraction) * mean_length(options_.longest_stall)));
      if (!c.value) c.left = short_or_long(input, options_.longest_stall);
      break;
    case Role::reset:
    case Role::reset_low: {
      const bool starts = reset_starts(input);
      if (starts) c.left = short_or_long(input, options_.longest_reset);
      c.value = starts == (roles_[input] == Role::reset);
      break;
    }
    default:
      c.value = !random.one_in(3);
      c.left = random.below(random.one_in(4) ? 40 : 3);
  }
  return c.value;
}

void Stimulus::apply_controls(ir::Frame& frame) {
  for (std::size_t i = 0; i < ports_.inputs.size(); ++i)
    if (roles_[i] != Role::data) frame[ports_.inputs[i].limb] = next_control(i);
}

void Stimulus::next(ir::Frame& frame) {
  frame.assign(ports_.input_limbs, 0);
  bool used_up = source_ == Source::given && given_ >= options_.given.size();
  if (left_ == 0 || used_up) start_stretch();
  if (source_ == Source::given) {
    frame = options_.given[given_++];
    ++counts_.given_cycles;
  } else {
    apply_data(frame);
    apply_controls(frame);
    ++(source_ == Source::random ? counts_.random_cycles : counts_.corner_cycles);
  }
  --left_;
  is_first_ = false;
  if (options_.constrain) options_.constrain(counts_.cycles, frame);
  count(frame);
}

void Stimulus::count(const ir::Frame& frame) {
  bool stalled = false, reset = false, invalid = false;
  for (std::size_t i = 0; i < ports_.inputs.size(); ++i) {
    bool value = frame[ports_.inputs[i].limb] & 1;
    stalled |= roles_[i] == Role::enable && !value;
    reset |= is_reset(i) && value == (roles_[i] == Role::reset);
    invalid |= roles_[i] == Role::valid && !value;
  }
  ++counts_.cycles;
  auto tally = [](bool now, std::uint64_t& lasting, std::uint64_t& times, std::uint64_t& cycles,
                  std::uint64_t& longest) {
    lasting = now ? lasting + 1 : 0;
    times += lasting == 1;
    cycles += now;
    longest = std::max(longest, lasting);
  };
  tally(stalled, stall_, counts_.stalls, counts_.stalled_cycles, counts_.longest_stall);
  tally(reset, reset_, counts_.resets, counts_.reset_cycles, counts_.longest_reset);
  counts_.stalled_resets += stalled && reset;
  counts_.invalid_cycles += invalid;
}

std::vector<ir::Frame> frames(const ir::PortLayout& ports, const StimulusOptions& options,
                              std::uint64_t cycles) {
  Stimulus stimulus(ports, options);
  std::vector<ir::Frame> all(cycles);
  for (auto& frame : all) stimulus.next(frame);
  return all;
}

}  // namespace kumiki::backends
