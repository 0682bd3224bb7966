// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/convolution.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "gen/kernels/instructions.h"
#include "gen/kernels/tile.h"

namespace kumiki::gen::kernels {
#if defined(__x86_64__)
namespace {

// A part of the work, so that what its innermost loops read stays in the caches of a core of today:
// 16 KiB of words and 6 KiB of weights in the first, the rest of a part in the second.
constexpr std::size_t most_words = 4096, most_columns = 512, most_rows = 42 * tile_rows;
constexpr std::size_t fewest_rows = 8 * tile_rows;
// With fewer results in a group, tiles would be mostly empty.
constexpr std::size_t least_in_tiles = 3;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

bool fit_bytes(const arith::Interval& numbers) {
  return numbers.within(arith::unsigned_range(8)) || numbers.within(arith::signed_range(8));
}
// What is taken off a number to make it a byte.
std::int32_t least_of(const arith::Interval& numbers) { return numbers.lo < 0 ? -128 : 0; }

// A window of one number reads a map as a single row.
Taps in_one_row(Taps taps) {
  const std::array<int, 2> one{1, 1}, none{};
  if (taps.kernel != one || taps.stride != one || taps.before != none || taps.in != taps.out)
    return taps;
  taps.in = taps.out = {1, taps.in[0] * taps.in[1]};
  return taps;
}

class Vectorised : public Convolution {
 public:
  Vectorised(const ConvolutionJob& job, const Loops& loops, const Words& words);

  void run(const MapFrom& map, const MapTo& results, Workers& workers) const override;
  std::size_t results() const override { return groups_ * results_ * rows_ * columns_; }
  bool takes_bytes() const override { return words_.are_bytes; }
  bool gives_bytes() const override { return words_.are_bytes && are_bytes_; }

 private:
  // Some results of one group.
  struct Part {
    std::size_t group, first_row, rows, first_tile, tiles;
  };
  void fill_planes(const MapFrom& map, std::int32_t* planes, Workers& workers) const;
  template <class Number>
  void fill_plane(std::size_t plane, const Number* map, std::int32_t* to) const;
  void fill_plane(std::size_t plane, const MapFrom& map, std::int32_t* to) const;
  void single_numbers(const std::int32_t* planes, std::int32_t* words, const MapTo& results,
                      Workers& workers) const;
  void strips(std::size_t group, const MapFrom& map, std::int32_t* planes,
              const MapTo& results) const;
  void tiles(const Part& part, const std::int32_t* planes, std::int32_t* memory,
             const MapTo& results) const;
  void write(std::size_t result, const std::int32_t* sums, std::size_t begin, std::size_t end,
             const MapTo& results) const;
  void requantise(std::size_t result, const std::int32_t* sums, std::size_t count, std::size_t at,
                  const MapTo& results) const;

  const Loops& loops_;
  Words words_;
  Planes planes_;
  std::size_t groups_, channels_, results_;  // of a group: channels and results
  std::size_t rows_, columns_;               // of the result
  std::size_t of_group_;                     // words that have the channels of a group
  std::size_t map_size_;                     // of a channel
  bool in_tiles_ = false;
  std::vector<std::size_t> offsets_;   // of each term, from the first plane of a group on
  std::vector<std::int32_t> weights_;  // words: [group][tile][term][row], or [result][term]
  std::vector<Requantiser> requantisers_, to_bytes_;
  bool are_bytes_ = false;  // the results
};

Vectorised::Vectorised(const ConvolutionJob& job, const Loops& loops, const Words& words)
    : loops_(loops),
      words_(words),
      planes_(in_one_row(job.taps), words),
      groups_(std::size_t(job.groups)),
      channels_(std::size_t(job.channels) / groups_),
      results_(job.bias.size() / groups_),
      of_group_(ceil_div(channels_, loops.channels)),
      map_size_(std::size_t(job.taps.in[0]) * std::size_t(job.taps.in[1])) {
  const Taps taps = in_one_row(job.taps);
  rows_ = std::size_t(taps.out[0]);
  columns_ = std::size_t(taps.out[1]);
  const auto width = static_cast<std::size_t>(taps.kernel[1]),
             of_channel = std::size_t(taps.kernel[0]) * width;
  for (std::size_t p = 0; p < of_group_; ++p)
    for (const std::size_t offset : planes_.offsets())
      offsets_.push_back(p * planes_.size() + offset);
  in_tiles_ = results_ >= least_in_tiles && planes_.results() > 1;
  const std::size_t rows = in_tiles_ ? tile_rows : 1, terms = offsets_.size();
  const std::size_t of_group = ceil_div(results_, rows) * terms * rows;
  weights_.resize(groups_ * of_group);
  for (std::size_t o = 0; o < job.bias.size(); ++o) {
    const std::size_t r = o % results_;
    std::int32_t* to =
        weights_.data() + o / results_ * of_group + r / rows * terms * rows + r % rows;
    const std::int16_t* from = job.weights.data() + o * channels_ * of_channel;
    const std::size_t bits = 32 / loops_.channels;
    // Part i of the word of a term: a channel, or a column of a line.
    const auto weight_of = [&](std::size_t p, std::size_t term, std::size_t i) -> std::int32_t {
      if (words_.in_lines) {
        const std::size_t fours = ceil_div(width, 4), column = term % fours * 4 + i;
        return column < width ? from[term / fours * width + column] : 0;
      }
      const std::size_t channel = p * loops_.channels + i;
      return channel < channels_ ? from[channel * of_channel + term] : 0;
    };
    std::uint32_t all = 0;  // the sum of the weights
    for (std::size_t p = 0; p < of_group_; ++p)
      for (std::size_t term = 0; term < planes_.offsets().size(); ++term, to += rows) {
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < loops_.channels; ++i) {
          const auto weight = static_cast<std::uint32_t>(weight_of(p, term, i));
          word |= (weight & ((1U << bits) - 1)) << bits * i;
          all += weight;
        }
        *to = static_cast<std::int32_t>(word);
      }
    // What is left of the zero point in every number of a word.
    const auto left = static_cast<std::uint32_t>(job.zero_point - words_.less);
    const auto bias = static_cast<std::uint32_t>(job.bias[o]) - left * all;
    requantisers_.emplace_back(job.rules[o], static_cast<std::int32_t>(bias));
  }
  are_bytes_ = fit_bytes(job.result_numbers);
  to_bytes_ = requantisers_;
  for (Requantiser& r : to_bytes_) r.zero_point -= least_of(job.result_numbers);
}

void Vectorised::run(const MapFrom& map, const MapTo& results, Workers& workers) const {
  const std::size_t columns = planes_.results();
  if (!in_tiles_ && columns > 1) {
    // Strips may read behind the last result.
    const std::size_t of_worker = of_group_ * planes_.size() + strip_columns;
    std::int32_t* planes = workers.memory(workers.count() * of_worker);
    workers.for_each(groups_, [&](std::size_t group, unsigned worker) {
      strips(group, map, planes + worker * of_worker, results);
    });
    return;
  }
  // Tiles too.
  const std::size_t of_planes = groups_ * of_group_ * planes_.size() + strip_columns;
  if (!in_tiles_) {
    std::int32_t* planes = workers.memory(of_planes + groups_ * offsets_.size());
    fill_planes(map, planes, workers);
    return single_numbers(planes, planes + of_planes, results, workers);
  }
  const std::size_t tile_columns = loops_.columns, all_tiles = ceil_div(columns, tile_columns);
  const std::size_t tiles = std::min(all_tiles, most_columns / tile_columns),
                    across = ceil_div(all_tiles, tiles);
  std::size_t rows = std::min(ceil_div(results_, tile_rows) * tile_rows, most_rows);
  while (workers.count() > 1 && rows >= 2 * fewest_rows &&
         groups_ * across * ceil_div(results_, rows) < std::size_t{4} * workers.count())
    rows = ceil_div(rows / 2, tile_rows) * tile_rows;
  const std::size_t down = ceil_div(results_, rows);
  const std::size_t of_worker =
      tiles * tile_columns * (rows + std::min(most_words / tile_columns, offsets_.size()));
  const std::size_t planes_size = ceil_div(of_planes, tile_columns) * tile_columns;
  std::int32_t* planes = workers.memory(planes_size + workers.count() * of_worker);
  fill_planes(map, planes, workers);
  workers.for_each(groups_ * down * across, [&](std::size_t i, unsigned worker) {
    const std::size_t row = i / across % down * rows, tile = i % across * tiles;
    const Part part{.group = i / (down * across),
                    .first_row = row,
                    .rows = std::min(rows, results_ - row),
                    .first_tile = tile,
                    .tiles = std::min(tiles, all_tiles - tile)};
    this->tiles(part, planes, planes + planes_size + worker * of_worker, results);
  });
}

void Vectorised::fill_planes(const MapFrom& map, std::int32_t* planes, Workers& workers) const {
  workers.for_each(groups_ * of_group_, [&](std::size_t plane, unsigned) {
    fill_plane(plane, map, planes + plane * planes_.size());
  });
}

void Vectorised::fill_plane(std::size_t plane, const MapFrom& map, std::int32_t* to) const {
  if (map.bytes != nullptr)
    fill_plane(plane, map.bytes, to);
  else
    fill_plane(plane, map.numbers, to);
}

template <class Number>
void Vectorised::fill_plane(std::size_t plane, const Number* map, std::int32_t* to) const {
  const std::size_t channel = plane % of_group_ * loops_.channels;
  const Number* first = map + (plane / of_group_ * channels_ + channel) * map_size_;
  // Weights of channels that are missing are 0.
  std::array<const Number*, 4> channels{first, first, first, first};
  for (std::size_t c = 1; c < loops_.channels && channel + c < channels_; ++c)
    channels[c] = first + c * map_size_;
  planes_.fill(channels, to);
}

// One number for each result, as of dense layers.
void Vectorised::single_numbers(const std::int32_t* planes, std::int32_t* words,
                                const MapTo& results, Workers& workers) const {
  const std::size_t terms = offsets_.size(), all = groups_ * results_;
  for (std::size_t g = 0; g < groups_; ++g)
    for (std::size_t k = 0; k < terms; ++k)
      words[g * terms + k] = planes[g * of_group_ * planes_.size() + offsets_[k]];
  workers.for_each(ceil_div(all, most_rows), [&](std::size_t part, unsigned) {
    for (std::size_t o = part * most_rows; o < std::min(all, (part + 1) * most_rows); ++o) {
      const std::int32_t sum =
          loops_.multiply_row(weights_.data() + o * terms, words + o / results_ * terms, terms);
      requantise(o, &sum, 1, o, results);
    }
  });
}

// A group at a time, so that its planes stay in the caches.
void Vectorised::strips(std::size_t group, const MapFrom& map, std::int32_t* planes,
                        const MapTo& results) const {
  const std::size_t terms = offsets_.size(), columns = planes_.results();
  for (std::size_t p = 0; p < of_group_; ++p)
    fill_plane(group * of_group_ + p, map, planes + p * planes_.size());
  alignas(64) std::int32_t sums[strip_columns];
  for (std::size_t result = group * results_; result < (group + 1) * results_; ++result)
    for (std::size_t at = 0; at < columns; at += strip_columns) {
      loops_.multiply_strip(weights_.data() + result * terms, planes + at, offsets_.data(), terms,
                            sums);
      write(result, sums, at, std::min(columns, at + strip_columns), results);
    }
}

void Vectorised::tiles(const Part& part, const std::int32_t* planes, std::int32_t* memory,
                       const MapTo& results) const {
  const std::size_t terms = offsets_.size(), tile_columns = loops_.columns,
                    width = part.tiles * tile_columns, most_terms = most_words / tile_columns;
  const std::size_t begin = part.first_tile * tile_columns;
  const std::int32_t* from = planes + part.group * of_group_ * planes_.size() + begin;
  const std::size_t of_tile = terms * tile_rows;
  const std::int32_t* weights =
      weights_.data() +
      (part.group * ceil_div(results_, tile_rows) + part.first_row / tile_rows) * of_tile;
  std::int32_t *sums = memory, *words = memory + width * ceil_div(part.rows, tile_rows) * tile_rows;
  for (std::size_t k = 0; k < terms; k += most_terms) {
    const std::size_t some = std::min(most_terms, terms - k);
    loops_.copy_words(from, offsets_.data() + k, some, part.tiles, words);
    for (std::size_t t = 0; t < part.tiles; ++t)
      for (std::size_t r = 0; r < part.rows; r += tile_rows)
        loops_.multiply_tile(std::min(tile_rows, part.rows - r),
                             weights + r / tile_rows * of_tile + k * tile_rows,
                             words + t * some * tile_columns, some,
                             sums + r * width + t * tile_columns, width, k > 0);
  }
  const std::size_t end = std::min(begin + width, planes_.results());
  for (std::size_t r = 0; r < part.rows; ++r)
    write(part.group * results_ + part.first_row + r, sums + r * width, begin, end, results);
}

// Leaves out what is between the rows of the map.
void Vectorised::write(std::size_t result, const std::int32_t* sums, std::size_t begin,
                       std::size_t end, const MapTo& results) const {
  if (planes_.width() == columns_)
    return requantise(result, sums, end - begin, result * rows_ * columns_ + begin, results);
  for (std::size_t at = begin; at < end;) {
    const std::size_t row = at / planes_.width(), column = at % planes_.width();
    if (column < columns_) {
      const std::size_t count = std::min(columns_ - column, end - at);
      requantise(result, sums + (at - begin), count, (result * rows_ + row) * columns_ + column,
                 results);
    }
    at += planes_.width() - column;
  }
}

// From sums to numbers, from place `at` of the results on.
void Vectorised::requantise(std::size_t result, const std::int32_t* sums, std::size_t count,
                            std::size_t at, const MapTo& results) const {
  if (results.bytes != nullptr)
    kernels::requantise_to_bytes(to_bytes_[result], sums, count, results.bytes + at);
  else
    kernels::requantise(requantisers_[result], sums, count, results.numbers + at);
}

// Bytes of a map and of weights.
bool are_bytes(const ConvolutionJob& job) {
  return fit_bytes(job.numbers) &&
         std::ranges::all_of(job.weights, [](std::int16_t w) { return w >= -128 && w <= 127; });
}

Words words_of(const ConvolutionJob& job, bool in_quads) {
  const bool is_single = job.channels == job.groups;
  if (!in_quads) return {.channels = is_single ? 1U : 2U, .less = job.zero_point, .padding = 0};
  const std::int32_t less = least_of(job.numbers);
  const auto padding = static_cast<std::uint32_t>(job.zero_point - less) & 0xFF;
  const bool in_lines = is_single && job.taps.dilation[1] == 1;
  return {
      .channels = is_single ? 1U : 4U,
      .are_bytes = true,
      .in_lines = in_lines,
      .less = less,
      .padding = static_cast<std::int32_t>(padding * (is_single && !in_lines ? 1 : 0x01010101U))};
}

}  // namespace
#endif

std::shared_ptr<const Convolution> fast_convolution([[maybe_unused]] const ConvolutionJob& job,
                                                    [[maybe_unused]] bool with_vnni) {
#if defined(__x86_64__)
  if (has_avx2() && (job.numbers - job.zero_point).within(arith::signed_range(16)) &&
      std::ranges::all_of(job.rules, Requantiser::fits)) {
    const bool in_quads = with_vnni && are_bytes(job);
    return std::make_shared<const Vectorised>(job, in_quads ? quads : pairs,
                                              words_of(job, in_quads));
  }
#endif
  return {};
}

void run_chain(std::span<const Convolution* const> chain, const std::int32_t* map,
               std::int32_t* results, Workers& workers) {
  MapFrom from{.numbers = map, .bytes = nullptr};
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    const std::size_t words = chain[i]->results() / sizeof(std::int32_t) + 1;
    auto* bytes = reinterpret_cast<std::uint8_t*>(workers.memory(words, 1 + i % 2));
    chain[i]->run(from, {.numbers = nullptr, .bytes = bytes}, workers);
    from = {.numbers = nullptr, .bytes = bytes};
  }
  chain.back()->run(from, {.numbers = results, .bytes = nullptr}, workers);
}

}  // namespace kumiki::gen::kernels
