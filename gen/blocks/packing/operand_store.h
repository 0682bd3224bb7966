// SPDX-License-Identifier: Apache-2.0
// The operand store of a plan (store.h) as hardware, for every engine whose weights rest in the
// slices. The engine makes its Dsp48e2 as it likes and has the stored side wired:
//
//   const StoreLoader load = store_loader(s, plan, {.rst, .en, .offered, .swap});
//   const StoreEnables enables = store_enables(s, plan, load.control(en));   // once for all chains
//   StoredColumn store(s, plan, enables);                                    // one a chain
//   for (int i = 0; i < n; ++i) {
//     Dsp48e2 slice = …;
//     store.wire(slice, i, words);                                           // words: what arrives
//     store.placed(i, slice.add_to(s));
//   }
//
// All controls have the timing of the chain's first slice; the store delays them for every slice. A
// swap in the cycle in which an operand set is at the first slice's ports serves this set and all
// after it.
#pragma once
#include <span>
#include <vector>

#include "gen/blocks/packing/store.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::packing {

// The controls of a chain's store. They may be 1 while `en` is 0.
struct StoreControl {
  Net en = ir::net_one;
  Net shift = ir::net_zero;  // words are there: the chain shifts, or the next entry is written
  Net start = ir::net_zero;  // this shift is the first of its load
  Net swap = ir::net_zero;   // what was loaded is multiplied from now on
};

// Enables of every slice, of both registers of its store, and which entry is multiplied.
struct StoreEnables {
  StoreControl control;
  std::vector<Net> ce1, ce2;
  std::vector<Net> select;  // TwoEntries: INMODE[0] or [4]
};
StoreEnables store_enables(Scope& s, const StorePlan& plan, const StoreControl& control);

// The stored side of the slices of one chain.
class StoredColumn {
 public:
  StoredColumn(Scope& s, const StorePlan& plan, const StoreEnables& enables);
  // `words`: one for every column of the chain, at the cycle of `shift` (TwoEntries: one bus).
  void wire(Dsp48e2& slice, int index, std::span<const SInt> words);
  void placed(int index, const Dsp48e2::Out& out);

 private:
  SInt fed(int index, std::span<const SInt> words) const;
  void choose_entry(Dsp48e2& slice, Net select) const;

  Scope& s_;
  const StorePlan& plan_;
  const StoreEnables& enables_;
  Word below_;  // BCOUT or ACOUT of the slice placed last, where the chain goes on
};

// Takes loads from a stream, one after the other. A load waits until it cannot disturb the last
// one.
struct StoreOffer {
  Net rst = ir::net_zero;  // drops a load, complete or not; the weights in use stay
  Net en = ir::net_one;
  Net offered = ir::net_zero;  // words are there
  Net swap = ir::net_zero;     // taken when a load is complete, ignored otherwise
};
struct StoreLoader {
  Net ready;  // offered words are taken
  Net full;   // a load is complete: a swap is taken
  Net shift, start, swap;
  StoreControl control(Net en) const { return {en, shift, start, swap}; }
};
StoreLoader store_loader(Scope& s, const StorePlan& plan, const StoreOffer& offer);

}  // namespace kumiki::gen::packing
