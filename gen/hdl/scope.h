// SPDX-License-Identifier: Apache-2.0
// A Builder owns the design being made; a Scope is one module of it under construction.
//
// Conventions, stated once:
//  - One clock, the port `clk`, rising edge. A module gets the port when something in it needs it.
//    Cells made in a Fast region are on `clk2x`, twice as fast and in phase (crossing.h).
//  - Reset is synchronous, active high, and beats the enable (as FDRE does). It belongs to control:
//    valid bits, counters, state machines. Data registers, shift registers and DSP pipelines are
//    not reset.
//  - Power-up state is INIT, 0 unless said otherwise.
//  - Below a module everything is primitives. An output exists only once it has been produced;
//    feedback goes through Reg or Wire.
#pragma once
#include <any>
#include <initializer_list>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gen/hdl/bit.h"
#include "gen/hdl/word.h"
#include "ir/design.h"

namespace kumiki::gen {

// What `instantiate` remembers about a module that it has elaborated.
struct Elaborated {
  ir::ModuleId module;
  std::any plan, outputs;
  std::vector<std::uint32_t> input_widths;
};

class Builder {
 public:
  explicit Builder(ir::Family family = ir::Family::ultrascale_plus, const ir::Limits& limits = {})
      : design_(family, limits) {}

  ir::Design& design() { return design_; }
  const ir::Design& design() const { return design_; }

  // Space for the nets of a word; lives as long as the Builder.
  Net* allocate(std::uint32_t count) {
    return static_cast<Net*>(arena_.allocate(count * sizeof(Net), alignof(Net)));
  }
  // A name for a new module: `wish`, or `wish_2`, … if it is taken.
  std::string free_module_name(std::string_view wish) const;
  std::unordered_map<std::string, std::vector<Elaborated>>& memo() { return memo_; }

  // LUT sites saved here so far, by choosing the smaller of two counted forms.
  void count_saved(std::int64_t sites) { saved_ += sites; }
  std::int64_t saved() const { return saved_; }

 private:
  std::pmr::monotonic_buffer_resource arena_;
  ir::Design design_;
  std::unordered_map<std::string, std::vector<Elaborated>> memo_;
  std::int64_t saved_ = 0;
};

class Scope {
 public:
  Scope(Builder& builder, ir::Module& module, ir::OriginId origin = {})
      : builder_(builder), module_(module), origin_(origin) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  Builder& builder() { return builder_; }
  ir::Module& module() { return module_; }
  ir::Family family() const { return module_.design().family(); }
  ir::OriginId origin() const { return origin_; }
  PlaceId at(SourceLocation here) const { return ir::place(here, origin_); }
  Net fast_clk();
  Net clk();  // the clock of registers and instances that are made now

  // As long as it lives, `clk` of its module is clk2x: cells and instances made now use that.
  class Fast {
   public:
    explicit Fast(Scope& s) : scope_(s), before_(std::exchange(s.is_fast_, true)) {}
    ~Fast() { scope_.is_fast_ = before_; }
    Fast(const Fast&) = delete;
    Fast& operator=(const Fast&) = delete;

   private:
    Scope& scope_;
    bool before_;
  };
  [[nodiscard]] Fast fast() { return Fast(*this); }
  // Registers on clk2x that know the half of a clock: 1 in its second half, and 1 in its first one.
  // A module makes them once; a copy is one more register, for a part of a large load.
  Net phase();
  Net first_half();
  Net phase_copy() { return half_register(in_second_half, compared_[0]); }

  // Words.
  Word run(Net first, std::uint32_t width, PlaceId at);  // consecutive nets
  Word word(std::span<const Net> nets, PlaceId at);      // any nets, copied
  UInt constant(std::uint64_t value, std::uint32_t width,
                SourceLocation here = SourceLocation::current());
  SInt signed_constant(std::int64_t value, std::uint32_t width,
                       SourceLocation here = SourceLocation::current());

  // Ports.
  template <AnyWord W>
  W input(std::string_view name, std::uint32_t width,
          SourceLocation here = SourceLocation::current()) {
    return W(
        run(module_.add_input(name, width, std::is_same_v<W, SInt>, at(here)), width, at(here)));
  }
  void output(std::string_view name, const UInt& w,
              SourceLocation here = SourceLocation::current());
  void output(std::string_view name, const SInt& w,
              SourceLocation here = SourceLocation::current());

  // Turns logic that was written with operators into LUTs. Bits become a tree of LUT6 that is
  // complete only with the module (`finish`); words become a LUT a bit, or a LUT6_2 for two.
  Net net(const Bit& logic, SourceLocation here = SourceLocation::current());
  UInt word(const Bits& logic, SourceLocation here = SourceLocation::current());

  // A cell of the primitive table; the language's own functions use it.
  Net cell(ir::Kind kind, std::uint32_t width, std::span<const Net> inputs,
           std::span<const std::uint64_t> params, PlaceId at, ir::BlobId contents = {});

  // Wishes for names in the output; they have no other effect.
  template <AnyWord W>
  const W& named(std::string_view name, const W& w) {
    module_.hint(name, w.nets());
    return w;
  }
  Net named(std::string_view name, Net n) {
    module_.hint(name, std::span(&n, 1));
    return n;
  }
  Net named(std::string_view name, const Bit& logic,
            SourceLocation here = SourceLocation::current()) {
    return named(name, net(logic, here));
  }

  // A remark for readers of the output: "term 3 of 7". It becomes a comment before the next cell
  // and has no other effect.
  void remark(std::string_view line) { module_.remark(line); }

  // Nets that are used before they are driven: `what` (such as a Wire) was made here, and `how`
  // (such as drive()) is still missing.
  struct Promise {
    const char *what, *how;
  };
  std::size_t promise(const Word& word, Promise promise);
  void keep(std::size_t promise) { promises_[promise].kept = true; }

  // Notes a LUT of an expression, which may change until the module is complete: the cell that
  // drives `out`, and its level among such LUTs (everything else is 0).
  void keep_written(Net out, unsigned level) { written_[out.index] = level; }
  unsigned written_level(Net n) const {
    const auto at = written_.find(n.index);
    return at == written_.end() ? 0 : at->second;
  }

  // Called once when the module is complete: removes what reaches no output and merges LUTs of
  // expressions. DesignError if a promised net that somebody reads has no driver.
  void finish();

 private:
  struct Promised {
    Word word;
    Promise promise;
    bool kept = false;
  };
  void require_promises() const;

  Builder& builder_;
  ir::Module& module_;
  Net clock_of(std::string_view port, Net& known);
  // Tables that compare a toggling flip-flop with its copy on the fast clock.
  static constexpr std::uint64_t in_second_half = 6, in_first_half = 9;
  Net half_register(std::uint64_t table, Net& compared);

  ir::OriginId origin_;
  Net clock_ = ir::net_open;  // set by the first request
  Net fast_clock_ = ir::net_open, phase_ = ir::net_open, first_half_ = ir::net_open;
  Net toggle_ = ir::net_open, seen_ = ir::net_open;
  Net compared_[2] = {ir::net_open, ir::net_open};
  bool is_fast_ = false;
  std::vector<Promised> promises_;
  std::unordered_map<std::uint32_t, unsigned> written_;
};

// Wires: free, no cell is made.
UInt cat(Scope& s, std::initializer_list<Word> high_to_low,
         SourceLocation here = SourceLocation::current());
UInt cat(Scope& s, std::span<const Word> high_to_low,
         SourceLocation here = SourceLocation::current());
UInt bits(Scope& s, std::span<const Net> low_to_high,
          SourceLocation here = SourceLocation::current());
UInt bits(Scope& s, std::initializer_list<Net> low_to_high,
          SourceLocation here = SourceLocation::current());
UInt zext(Scope& s, const UInt& a, std::uint32_t width,
          SourceLocation here = SourceLocation::current());
SInt sext(Scope& s, const SInt& a, std::uint32_t width,
          SourceLocation here = SourceLocation::current());
UInt repeat(Scope& s, Net n, std::uint32_t width, SourceLocation here = SourceLocation::current());

// A net or word that must be used before it is made, e.g. a ready signal that runs against the
// data.
template <class T>
class Wire;

template <>
class Wire<Net> {
 public:
  explicit Wire(Scope& s, SourceLocation here = SourceLocation::current());
  operator Net() const { return net_; }
  void drive(Net with, SourceLocation here = SourceLocation::current());
  void drive(const Bit& with, SourceLocation here = SourceLocation::current()) {
    drive(scope_.net(with, here), here);
  }

 private:
  Scope& scope_;
  Net net_;
  std::size_t promise_;
};

template <AnyWord W>
class Wire<W> {
 public:
  Wire(Scope& s, std::uint32_t width, SourceLocation here = SourceLocation::current())
      : scope_(s),
        word_(s.run(s.module().fresh_nets(width), width, s.at(here))),
        promise_(s.promise(word_, {"wire", "drive()"})) {}
  operator const W&() const { return word_; }
  const W& get() const { return word_; }
  void drive(const W& with, SourceLocation here = SourceLocation::current()) {
    want_equal_widths("driving a wire", word_, with, here);
    scope_.module().join(word_[0], with.nets(), scope_.at(here));
    scope_.keep(promise_);
  }

 private:
  Scope& scope_;
  W word_;
  std::size_t promise_;
};

}  // namespace kumiki::gen
