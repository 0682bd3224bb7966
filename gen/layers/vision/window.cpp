// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "gen/hdl/cells.h"
#include "gen/hdl/delay_line.h"

namespace kumiki::gen::vision {
namespace {

std::uint32_t digits(std::size_t items) {
  return items < 2 ? 0 : address_width(static_cast<std::uint64_t>(items));
}

class WindowBuilder {
 public:
  WindowBuilder(Scope& s, const Group& g, const Control& c, const std::vector<UInt>& data)
      : s_(s),
        g_(g),
        window_(*g.window),
        op_(*window_.operation),
        control_(c),
        size_(op_.size()),
        radius_(window_.radius()),
        pixels_(g.geometry.pixels),
        reach_(window_.reach(g.geometry)),
        channels_(static_cast<int>(g.inputs.size())),
        width_(static_cast<std::uint32_t>(op_.input().bits)),
        data_(data) {}

  Windows build() {
    const auto lines = build_lines();
    const Lanes rows = build_rows(lines);
    Lanes columns = op_.build_column(s_, rows, control_.step);
    if (window_.keep)
      for (std::size_t l = 0; l < columns.size(); ++l)
        columns[l].push_back(delay(s_, rows[l][static_cast<std::size_t>(radius_)],
                                   static_cast<std::uint32_t>(op_.column_latency()),
                                   control_.step));
    for (std::size_t l = 0; l < columns.size(); ++l) {
      words_.emplace_back();
      for (const UInt& word : columns[l])
        words_.back().emplace_back(s_, s_.named(fmt::format("column_lane{}", l), word),
                                   control_.step);
    }
    return build_taps();
  }

 private:
  UInt build_memory(const LineMemories& m, const UInt& in, Net write, const UInt& address) {
    return Memory{.depth = m.depth,
                  .width = in.width(),
                  .style = m.in_luts ? ir::memory::distributed : ir::memory::block,
                  .write_enable = write,
                  .write_address = address,
                  .write_data = in,
                  .read_enable = control_.step,
                  .read_address = control_.column}
        .add_to(s_);
  }

  // The newest line and those above it, the newest first: [line][lane], a step after the beat.
  std::vector<std::vector<UInt>> build_lines() {
    const auto m = g_.lines();
    const Net step = control_.step;
    std::vector<std::vector<UInt>> lines(1);
    for (const UInt& word : data_)
      lines[0].push_back(s_.named("line0", reg(s_, word, {.enable = step})));
    const Net write = s_.net(step & control_.is_beat);
    const auto joined = [&](const std::vector<UInt>& line) {
      std::vector<Word> high_to_low(line.rbegin(), line.rend());
      return cat(s_, high_to_low);
    };
    // A memory takes in the line before its first row, and writes each row it reads one row down.
    UInt newer = joined(lines[0]);
    for (int first = 0; first < m.rows; first += m.together) {
      const int count = std::min(m.together, m.rows - first);
      const std::uint32_t width = m.row_bits * static_cast<std::uint32_t>(count);
      Wire<UInt> in(s_, width);
      const UInt out = build_memory(m, in, write, control_.last_column);
      s_.named(fmt::format("line{}", first + 1), out);
      in.drive(count == 1 ? newer : cat(s_, {out.slice(0, width - m.row_bits), newer}));
      newer = out.slice(width - m.row_bits, m.row_bits);
      for (int row = 0; row < count; ++row) {
        lines.emplace_back();
        for (std::uint32_t l = 0; l < data_.size(); ++l)
          lines.back().push_back(
              out.slice(static_cast<std::uint32_t>(row) * m.row_bits + l * width_, width_));
      }
    }
    return lines;
  }

  // The lines a window sees, the uppermost first: [lane][row], two steps after the beat.
  Lanes build_rows(const std::vector<std::vector<UInt>>& lines) {
    Lanes rows(data_.size());
    std::vector<Net> index(control_.above.nets().begin(), control_.above.nets().end());
    const std::uint32_t half = control_.above.width();
    index.insert(index.end(), control_.below.nets().begin(), control_.below.nets().end());
    for (int d = -radius_; d <= radius_; ++d) {
      const auto sources = border_sources(window_.border, d, radius_);
      const auto which = [&](unsigned i) {
        const int above = std::min<int>(static_cast<int>(i & ((1u << half) - 1)), radius_);
        const int below = std::min<int>(static_cast<int>(i >> half), radius_);
        return position(sources, border_source(window_.border, d, above, below));
      };
      const UInt choose =
          reg(s_, look_up(s_, digits(sources.size()), which, index), {.enable = control_.step});
      for (std::size_t l = 0; l < data_.size(); ++l) {
        std::vector<UInt> items;
        for (const auto& source : sources)
          items.push_back(source ? lines[static_cast<std::size_t>(radius_ - *source)][l]
                                 : s_.constant(packing::raw_of(window_.outside, width_), width_));
        const UInt row =
            items.size() == 1 ? items[0] : select(s_, choose, std::span<const UInt>(items));
        rows[l].push_back(s_.named(fmt::format("row{}_lane{}", d + radius_, l),
                                   reg(s_, row, {.enable = control_.step})));
      }
    }
    return rows;
  }

  static unsigned position(const std::vector<std::optional<int>>& sources,
                           std::optional<int> source) {
    const auto at = std::find(sources.begin(), sources.end(), source);
    // For a pair of numbers that never occurs any selection will do.
    return at == sources.end() ? 0 : static_cast<unsigned>(at - sources.begin());
  }

  // The index of a LUT, one step before the middle is used: how many beats before the middle the
  // line begins, and how many after it the line ends. Both are counted up to the reach; an end
  // beyond it does not matter.
  std::vector<Net> build_place() {
    // The newest beat in the delay lines came into the group 2 + column latency steps ago; its
    // flags came one step after it.
    const int newest = 1 + op_.column_latency();
    DelayLine<Net> begins(s_, control_.begins, control_.step),
        ends(s_, control_.ends, control_.step);
    std::vector<Net> before, after;  // flags, the middle's first
    for (int m = 0; m < reach_; ++m) before.push_back(begins.after(newest - 1 + reach_ + m));
    for (int m = 0; m <= last_end(); ++m) after.push_back(ends.after(newest - 1 + reach_ - m));
    const auto first_set = [](unsigned flags, int count) {
      for (int m = 0; m < count; ++m)
        if (flags >> m & 1) return static_cast<unsigned>(m);
      return static_cast<unsigned>(count);
    };
    before_bits_ = digits(before.size() + 1);
    const UInt b = look_up(
        s_, before_bits_, [&](unsigned f) { return first_set(f, static_cast<int>(before.size())); },
        before);
    const UInt a = look_up(
        s_, digits(after.size() + 1),
        [&](unsigned f) { return first_set(f, static_cast<int>(after.size())); }, after);
    std::vector<Net> index(b.nets().begin(), b.nets().end());
    index.insert(index.end(), a.nets().begin(), a.nets().end());
    after_bits_ = a.width();
    index.insert(index.end(), control_.tail.begin(), control_.tail.end());
    return index;
  }

  // The last beat after the middle whose end of line can matter. If the line ends later, even the
  // last pixel of the middle beat has as many pixels after it as the window needs.
  int last_end() const { return (reach_ - 1) * pixels_ + 1 < radius_ ? reach_ : reach_ - 1; }

  // The candidate columns for the one `at` pixels from the first of the middle beat. The border
  // rule is the same for all windows, so windows side by side share these columns.
  struct Chosen {
    std::vector<std::optional<int>> sources;
    std::optional<DelayLine<UInt>> index;
  };

  Chosen& chosen(const std::vector<Net>& place, int at) {
    const auto [entry, is_new] = chosen_.try_emplace(at);
    Chosen& c = entry->second;
    if (!is_new) return c;
    // The source for an index of `place`. False: no pixel of the picture needs the column.
    const auto source = [&](unsigned i, std::optional<int>& to) {
      const int begin = static_cast<int>(i & ((1u << before_bits_) - 1));
      const int end = static_cast<int>(i >> before_bits_ & ((1u << after_bits_) - 1));
      const int tail = static_cast<int>(i >> (before_bits_ + after_bits_));
      if (begin > reach_ || end > last_end() + 1) return false;
      const int before = begin * pixels_;
      const int after = end > last_end() ? size_ + pixels_ : end * pixels_ + tail;
      to = border_source(window_.border, at, before, after);
      return at <= std::min(after, pixels_ - 1) + radius_;
    };
    std::optional<int> one;
    for (unsigned i = 0; i < 1u << place.size(); ++i)
      if (source(i, one) && std::find(c.sources.begin(), c.sources.end(), one) == c.sources.end())
        c.sources.push_back(one);
    // Constants last: their width is that of the other sources.
    std::sort(c.sources.begin(), c.sources.end(), [](const auto& x, const auto& y) {
      return x && y ? *x < *y : x.has_value() && !y.has_value();
    });
    const auto which = [&](unsigned i) {
      std::optional<int> wanted;
      return source(i, wanted) ? position(c.sources, wanted) : 0;
    };
    c.index.emplace(
        s_, reg(s_, look_up(s_, digits(c.sources.size()), which, place), {.enable = control_.step}),
        control_.step);
    return c;
  }

  // Word `word` of the column `at` pixels from the first of the middle beat.
  UInt column_word(int channel, int word, int at, int late) {
    const auto beat = static_cast<int>(arith::floor_div(at, pixels_));
    const auto lane = static_cast<std::size_t>((at - beat * pixels_) * channels_ + channel);
    return words_[lane][static_cast<std::size_t>(word)].after(reach_ - beat + late);
  }

  UInt tap_value(const std::vector<Net>& place, int channel, const Tap& tap, int at) {
    const auto [entry, is_new] = taps_.try_emplace({channel, tap.word, tap.late, at});
    if (!is_new) return entry->second;
    Chosen& which = chosen(place, at);
    std::vector<UInt> items;
    for (const auto& source : which.sources) {
      if (source) {
        items.push_back(column_word(channel, tap.word, *source, tap.late));
      } else {
        const std::uint32_t w = items.front().width();
        items.push_back(
            s_.constant(packing::raw_of(outside_[static_cast<std::size_t>(tap.word)], w), w));
      }
    }
    entry->second = items[0];
    if (items.size() > 1)
      entry->second =
          s_.named(fmt::format("tap{}{}", at < 0 ? "_m" : "", std::abs(at)),
                   select(s_, which.index->after(tap.late), std::span<const UInt>(items)));
    return entry->second;
  }

  Windows build_taps() {
    const auto place = build_place();
    outside_ = op_.column_values(
        std::vector<std::int64_t>(static_cast<std::size_t>(size_), window_.outside));
    Windows out;
    for (int p = 0; p < pixels_; ++p)
      for (int c = 0; c < channels_; ++c) {
        out.values.emplace_back();
        for (const Tap& tap : op_.taps())
          out.values.back().push_back(tap_value(place, c, tap, p + tap.column - radius_));
      }
    if (window_.keep)
      for (int p = 0; p < pixels_; ++p) {
        out.middle.emplace_back();
        for (int c = 0; c < channels_; ++c)
          out.middle.back().push_back(
              column_word(c, static_cast<int>(op_.column_words().size()), p, op_.latency()));
      }
    return out;
  }

  Scope& s_;
  const Group& g_;
  const Window& window_;
  const WindowOperation& op_;
  const Control& control_;
  const int size_, radius_, pixels_, reach_, channels_;
  const std::uint32_t width_;
  const std::vector<UInt>& data_;
  std::vector<std::vector<DelayLine<UInt>>> words_;  // [lane][word of a column]
  std::map<int, Chosen> chosen_;
  std::map<std::tuple<int, int, int, int>, UInt> taps_;  // [channel, word, late, at]
  std::vector<std::int64_t> outside_;                    // the words of a column beyond an end
  std::uint32_t before_bits_ = 0, after_bits_ = 0;
};

}  // namespace

Windows build_windows(Scope& s, const Group& group, const Control& control,
                      const std::vector<UInt>& data) {
  return WindowBuilder(s, group, control, data).build();
}

}  // namespace kumiki::gen::vision
