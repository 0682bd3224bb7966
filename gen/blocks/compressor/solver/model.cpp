// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/model.h"

#include <algorithm>
#include <numeric>

namespace kumiki::gen::compressor {
namespace {

using Terms = std::vector<Mip::Term>;

void append(Terms& to, const Terms& from, double factor) {
  for (auto [v, f] : from) to.emplace_back(v, f * factor);
}

}  // namespace

TreeModel::TreeModel(const TreePlan& wanted, unsigned stage_count, std::vector<std::size_t> list,
                     unsigned cap, Chains with)
    : request(wanted),
      stages(stage_count),
      elements(std::move(list)),
      chains(with),
      joins(with == Chains::any || with == Chains::last) {
  add_variables();
  for (unsigned s = 0; s < stages; ++s) add_stage(s);
  if (cap > 0)
    add_cap(cap);
  else
    add_finish();
}

// Carries may stay open only if exits cost a position and no raw pairs need the same room. Two rows
// can be added with an open carry in one of them.
bool TreeModel::may_stay_open() const { return !request.free_exits && !request.shape.has_pairs(); }

void TreeModel::add_variables() {
  const unsigned w = request.shape.width();
  const double all = request.shape.total();
  auto grid = [&](unsigned rows) { return std::vector(rows, std::vector(w + 1, -1)); };
  k = u = v = q = y = r = grid(stages);
  n = m = grid(stages + 1);
  use_.assign(stages, std::vector(w, std::vector(elements.size(), -1)));
  // Outputs reach at most three columns beyond the highest input.
  unsigned top = 0;
  for (unsigned c = 0; c < w; ++c)
    if (request.shape.bits[c] + request.shape.pairs[c] > 0) top = c;
  for (unsigned s = 0; s < stages; ++s, top += 3) {
    // Atoms may start a column above the highest input, because leaves and open carries may be
    // there.
    for (unsigned c = 0; c < w && c <= top + 3; ++c) {
      if (may_stay_open() && c > 0) y[s][c] = mip.add(0, all, -scale, true);
      if (may_stay_open()) m[s + 1][c] = mip.add(0, all, 0, false);
      if (c > top + may_stay_open()) continue;
      if (c > 0 && joins) k[s][c] = mip.add(0, all, request.free_exits ? 0 : -scale, true);
      u[s][c] = mip.add(0, all, 0, true);
      v[s][c] = mip.add(0, all, 0, true);
    }
    for (unsigned c = 0; c < w && c <= top; ++c) {
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element& e = compressor::elements()[elements[i]];
        if (chains == Chains::last && e.is_atom && s + 1 < stages) continue;
        if (c + e.span() > w || c + e.per_column.inputs.size() - 1 > top) continue;
        use_[s][c][i] = mip.add(0, all, scale * e.area(), true);
        uses.push_back({use_[s][c][i], s, c, elements[i]});
      }
      if (may_stay_open()) r[s][c] = mip.add(0, all, 0, true);
      if (request.shape.pairs[c] > 0) q[s][c] = mip.add(0, all, 0, true);
    }
  }
  for (unsigned s = 0; s < stages; ++s) {
    any.push_back(mip.add(0, 1, 0, true));
    lead.push_back(mip.add(0, all, scale, true));
  }
  for (unsigned s = 1; s <= stages; ++s)
    for (unsigned c = 0; c < w; ++c) n[s][c] = mip.add(0, all, 0, false);
  for (unsigned c = 0; c < w; ++c) {
    const bool carry = request.finish == Finish::carry;
    t.push_back(mip.add(0, chains == Chains::last ? 0 : 1, carry ? 0 : scale, true));
    if (!carry) continue;
    f.push_back(mip.add(0, 3, 0, false));
    d.push_back(mip.add(0, 2, 0, false));
    if (c + 1 == w) positions = mip.add(0, w, scale, true);
  }
}

void TreeModel::add_stage(unsigned s) {
  const unsigned w = request.shape.width();
  std::vector<Terms> out(w), in(w), ends(w), starts(w), open(w), room(w), plain(w), open_room(w),
      wide_room(w), left(w), wide(w);
  for (const Use& x : uses) {
    if (x.stage != s) continue;
    const Element& e = compressor::elements()[x.element];
    auto add = [&](std::vector<Terms>& to, const std::vector<unsigned>& counts) {
      for (std::size_t o = 0; o < counts.size(); ++o)
        if (counts[o] > 0 && x.column + o < w) to[x.column + o].emplace_back(x.variable, counts[o]);
    };
    add(in, e.per_column.inputs);
    add(out, e.per_column.outputs);
    add(room, e.per_column.pairs);
    add(open_room, e.per_column.opens);
    add(wide_room, e.per_column.wides);
    add(left, e.per_column.leaves);
    add(wide, e.per_column.wide_leaves);
    if (!e.is_atom) continue;
    const unsigned begin = x.column + e.first, end = begin + e.width();
    starts[begin].emplace_back(x.variable, 1);
    if (e.takes_carry_in()) open[begin].emplace_back(x.variable, 1);
    if (end < w) {
      ends[end].emplace_back(x.variable, 1);
      if (e.last_di() >= 0) plain[end].emplace_back(x.variable, 1);
      // The atom pays for its exit and is refunded if the carry is passed on.
      if (!request.free_exits) mip.set_cost(x.variable, mip.cost(x.variable) + scale);
    }
  }
  Terms exits;  // sum v <= sum (End - k)
  for (unsigned c = 0; c < w; ++c) {
    Terms carries = ends[c];
    if (int handed = k[s][c]; handed >= 0) {
      carries.emplace_back(handed, -1);
      Terms end{{handed, 1}};
      append(end, ends[c], -1);
      mip.row(end, 'L', 0);
    }
    if (int opened = y[s][c]; opened >= 0) {
      Terms of_these{{opened, 1}}, of_all{{opened, 1}};
      append(of_these, plain[c], -1);
      append(of_all, carries, -1);
      mip.row(of_these, 'L', 0);
      mip.row(of_all, 'L', 0);
      carries.emplace_back(opened, -1);
    }
    // An exit through which a carry enters also has room for a leaf or an open carry.
    if (!wide[c].empty()) {
      Terms taken = wide[c];
      append(taken, wide_room[c], -1);
      if (v[s][c] >= 0) taken.emplace_back(v[s][c], -1);
      mip.row(taken, 'L', 0);
    }
    if (m[s + 1][c] >= 0) {
      Terms there = left[c];
      if (s > 0 && m[s][c] >= 0) there.emplace_back(m[s][c], 1);
      Terms flow{{m[s + 1][c], 1}};
      append(flow, there, -1);
      if (y[s][c] >= 0) flow.emplace_back(y[s][c], -1);
      if (r[s][c] >= 0) {
        flow.emplace_back(r[s][c], 1);
        Terms taken{{r[s][c], 1}}, present{{r[s][c], 1}};
        append(taken, open_room[c], -1);
        append(taken, wide[c], 1);
        if (v[s][c] >= 0) taken.emplace_back(v[s][c], -1);
        append(present, there, -1);
        mip.row(taken, 'L', 0);
        mip.row(present, 'L', 0);
      }
      mip.row(flow, 'E', 0);
    }
    append(exits, carries, -1);
    append(out[c], carries, 1);
    if (int given = u[s][c]; given >= 0) {
      in[c].emplace_back(given, 1);
      Terms start{{given, 1}}, pin{{given, 1}};
      if (k[s][c] >= 0) start.emplace_back(k[s][c], 1);
      append(start, starts[c], -1);
      mip.row(start, 'L', 0);
      append(pin, open[c], -1);
      pin.emplace_back(v[s][c], -1);
      mip.row(pin, 'L', 0);
      mip.row({{v[s][c], 1}, {given, -1}}, 'L', 0);
    }
    if (q[s][c] >= 0) {
      Terms pairs{{q[s][c], 1}};
      append(pairs, room[c], -1);
      mip.row(pairs, 'L', 0);
    }
    // n[s+1] - Out >= 0, n[s+1] - Out + In - q >= n[s].
    Terms next{{n[s + 1][c], 1}};
    append(next, out[c], -1);
    mip.row(next, 'G', 0);
    append(next, in[c], 1);
    if (q[s][c] >= 0) next.emplace_back(q[s][c], -1);
    if (r[s][c] >= 0) next.emplace_back(r[s][c], -1);
    append(next, wide[c], -1);
    double already = 0;
    if (s == 0)
      already = request.shape.bits[c];
    else
      next.emplace_back(n[s][c], -1);
    mip.row(next, 'G', already);
  }
  if (request.free_exits) exits.clear();
  // The first chain of a run has no exit before it, so if any exit is used, one stays unused.
  Terms used{{any[s], -double(request.shape.total())}, {lead[s], -1}};
  for (unsigned c = 0; c < w; ++c)
    if (v[s][c] >= 0) {
      used.emplace_back(v[s][c], 1);
      exits.emplace_back(v[s][c], 1);
    }
  exits.emplace_back(any[s], 1);
  exits.emplace_back(lead[s], -1);
  mip.row(used, 'L', 0);
  mip.row(exits, 'L', 0);
}

void TreeModel::add_cap(unsigned cap) {
  for (unsigned c = 0; c < request.shape.width(); ++c) {
    Terms left{{n[stages][c], 1}}, taken;
    for (unsigned s = 0; s < stages; ++s)
      if (q[s][c] >= 0) left.emplace_back(q[s][c], -1), taken.emplace_back(q[s][c], 1);
    mip.row(left, 'L', double(cap) - request.shape.pairs[c]);
    // Counters have room for more pairs than there are; such counters would not lower the heap.
    // LUTs alone take in all pairs at once, because only those of the first stage have room for
    // many.
    if (!taken.empty()) mip.row(taken, joins ? 'L' : 'E', request.shape.pairs[c]);
    // Open carries cannot be part of the heap that a capped tree leaves.
    if (m[stages][c] >= 0) mip.set_bounds(m[stages][c], 0, 0);
  }
}

void TreeModel::add_finish() {
  const unsigned w = request.shape.width();
  const double more = request.finish == Finish::ternary ? 2 : 1;
  for (unsigned c = 0; c < w; ++c) {
    Terms pairs;
    for (unsigned s = 0; s < stages; ++s)
      if (q[s][c] >= 0) pairs.emplace_back(q[s][c], 1);
    if (request.shape.pairs[c] > 0) mip.row(pairs, 'G', request.shape.pairs[c]);
    // The top column of a comparison is separate: a bit there, or the carry, is the result.
    const bool apart = request.finish == Finish::carry && c + 1 == w;
    Terms rows{{t[c], apart ? -2 : -more - 1}};
    if (c > 0 && !apart) {
      rows.emplace_back(t[c - 1], 1);
      mip.row({{t[c], 1}, {t[c - 1], -1}}, 'G', 0);
    }
    double already = stages == 0 ? request.shape.bits[c] : 0;
    if (stages > 0) rows.emplace_back(n[stages][c], 1);
    if (m[stages][c] >= 0) {
      rows.emplace_back(m[stages][c], 1);
      if (request.finish == Finish::row)
        mip.row({{m[stages][c], 1}, {t[c], -1}}, 'L', 0);
      else
        mip.set_bounds(m[stages][c], 0, 0);
    }
    mip.row(rows, 'L', (apart ? 0 : 1) - already);
  }
  if (positions >= 0) add_comparison();
}

// One bit of the lowest column enters as the carry; single bits below cannot produce a carry.
void TreeModel::add_comparison() {
  Terms nets{{positions, -5}}, doubles{{positions, -2}};
  for (unsigned c = 0; c < request.shape.width(); ++c) {
    Terms in_luts{{f[c], 1}};
    if (c > 0) in_luts.emplace_back(t[c - 1], -1);
    if (stages > 0) in_luts.emplace_back(n[stages][c], -1);
    mip.row(in_luts, 'G', (stages == 0 ? request.shape.bits[c] : 0) - 1.0);
    mip.row({{d[c], 1}, {f[c], -1}}, 'G', -1);
    nets.emplace_back(f[c], 1);
    doubles.emplace_back(d[c], 1);
  }
  mip.row(nets, 'L', 0);
  mip.row(doubles, 'L', 0);
}

}  // namespace kumiki::gen::compressor
