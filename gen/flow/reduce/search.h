// SPDX-License-Identifier: Apache-2.0
// Delta debugging: of many edits that each make a document smaller, as many as leave it
// interesting. The order is fixed, so the same question gives the same answer.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

namespace kumiki::reduction {

// Does this candidate still fail in the way that is looked for?
using Interesting = std::function<bool(const std::string& candidate)>;

struct Budget {
  std::size_t tries = 10'000;            // candidates that are asked about
  std::function<bool()> is_enough = {};  // asked before each: time is up, somebody wants an end
};

class Search {
 public:
  Search(Interesting interesting, Budget budget)
      : interesting_(std::move(interesting)), budget_(std::move(budget)) {}

  // False without asking when the text was refused before, or the budget is spent.
  bool keeps(const std::string& candidate);
  bool spent() const { return spent_; }
  std::size_t tries() const { return tries_; }

 private:
  Interesting interesting_;
  Budget budget_;
  std::size_t tries_ = 0;
  bool spent_ = false;
  std::unordered_set<std::string> refused_;  // digests would save memory, texts cannot collide
};

// Chooses from `count` edits: all of them, then what is left by halves, quarters, ... and one by
// one, until a whole round of single ones brings nothing. `holds` says whether these edits together
// are interesting. True when any was chosen.
bool choose(std::size_t count, const Search& search,
            const std::function<bool(const std::vector<std::size_t>&)>& holds);

template <class Document>
using Edit = std::function<void(Document&)>;

// Makes as many edits as hold, in the order given; they must not disturb each other. A Document is
// copied and printed by to_text(). True when it changed.
template <class Document>
bool make_most(Document& best, const std::vector<Edit<Document>>& edits, Search& search) {
  Document kept = best;
  const bool any = choose(edits.size(), search, [&](const std::vector<std::size_t>& chosen) {
    Document candidate = best;
    for (const std::size_t i : chosen) edits[i](candidate);
    if (!search.keeps(to_text(candidate))) return false;
    kept = std::move(candidate);
    return true;
  });
  if (any) best = std::move(kept);
  return any;
}

}  // namespace kumiki::reduction
