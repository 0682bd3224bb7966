// SPDX-License-Identifier: Apache-2.0
// What a word of a port contains: which element lies at which bit of which word. One description
// gives the text of `plan`, the picture, the comment in the Verilog, JSON, the functions of the C
// header, and the corners of stimuli.
//
// Nested loops count the words of a set, and other nested loops count the elements of a word. The
// coordinate of an element (a channel, a pixel, a term) is a sum of steps of those counters:
// channel = 16*block + i. If the counters below a step reach that step, or the sum reaches its end,
// there is no such element: padding.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gen/layer/beats/numbers.h"

namespace kumiki::gen::config {
class Writer;
}

namespace kumiki::gen {

// A count that a port gives at run time: ceil(port / per).
struct Given {
  std::string port = {};
  std::int64_t per = 1;
};

struct Index {
  std::string name;
  std::int64_t count = 1;  // with `given` the maximum
  Given given = {};
};

struct Step {
  std::string index;
  std::int64_t size = 1;
};

struct Coordinate {
  std::string name;
  std::int64_t count = 1;
  std::vector<Step> steps = {};  // the largest first; none: there is only one
  Given given = {};
};

struct Beat {
  std::string port;
  std::vector<arith::Format> formats;  // of element i: formats[i modulo their number]
  std::vector<Index> elements = {};    // from the slowest to the fastest; none: one element
  std::vector<Index> words = {};       // of a set, a frame, a load; none: each is for itself
  std::vector<Coordinate> of = {};
  std::string what = {};     // "x"; an element is x[term]
  std::string padding = {};  // what is there, or must be put there, if there is no such element
  // A word is valid in a clock in which these ports are 1. If the set continues, the first of these
  // ports matters only for the set's first word.
  std::vector<std::string> when = {};
  bool runs_on = false;
  std::vector<std::uint32_t> late = {};  // delay of an element in clocks, by the last index
  std::string note = {};
  std::string part = {};  // if a port has several of these: its name in the port
  std::uint32_t low = 0;  // the lowest bit

  std::int64_t element_count() const;
  std::int64_t word_count() const;  // of a set
  std::uint32_t bits() const;       // of all elements
  std::uint32_t low_of(std::int64_t element) const;
  std::uint32_t width_of(std::int64_t element) const;
  const arith::Format& format_of(std::int64_t element) const;
  bool is_late() const;
};

using GivenCounts = std::map<std::string, std::int64_t>;  // the values of the ports at run time
using Coordinates = std::vector<std::int64_t>;            // as in `of`

// The coordinates of element `element` of word `word`; empty for padding.
std::optional<Coordinates> coordinates(const Beat& beat, std::int64_t word, std::int64_t element,
                                       const GivenCounts& given = {});

struct Spot {
  std::int64_t word = 0, element = 0;
};
// The place of this element; the first place if there are several.
Spot find(const Beat& beat, const Coordinates& at, const GivenCounts& given = {});

// Every port that a beat mentions.
template <class Rename>
void rename_ports(Beat& beat, const Rename& rename) {
  rename(beat.port);
  for (auto& port : beat.when) rename(port);
  for (auto* loops : {&beat.elements, &beat.words})
    for (Index& i : *loops) rename(i.given.port);
  for (Coordinate& c : beat.of) rename(c.given.port);
}

// The shortest list that gives this one when it is repeated.
std::vector<arith::Format> period(std::vector<arith::Format> formats);

// For stimuli and for the header's list of numbers: runs of one format. Consecutive single bits are
// one number.
std::vector<Numbers> numbers_of(const std::vector<Beat>& beats);

std::string to_text(const std::vector<Beat>& beats);

void write(config::Writer& w, const Beat& beat);

// C functions: which word of a set an element is in, how to put it there and get it, and by how
// many clocks it is delayed. `name` is the prefix of their names, `header` that of the header they
// are in.
std::string c_functions(const Beat& beat, const std::string& name, const std::string& header);

// Every word as a row of its elements, the first words of a set below it.
std::string beats_svg(const std::vector<Beat>& beats);

}  // namespace kumiki::gen
