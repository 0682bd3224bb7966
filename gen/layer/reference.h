// SPDX-License-Identifier: Apache-2.0
// Helps to write what a layer has to do as plain Verilog, from the definition: for proofs. From the
// plan it takes only what the ports promise: widths, latency, which operand comes when.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kumiki::gen::proof {

struct Reference {
  std::string verilog;  // a module `gold`
  unsigned depth = 0;   // clocks from the first operand to the result; 0: combinational
  bool flushes = true;  // after `depth` enabled clocks nothing older counts
  // Outputs that count only while another one is 1.
  std::vector<std::pair<std::string, std::string>> while_one = {};
  // A template of the program with modules that `gold` uses; empty: none.
  std::string parts = {};
  // Outputs that are sums, or parts of outputs that are ("y[15:8]"), and words of `gold` that are
  // sums which an output compares: proofs of them need not try cases.
  std::vector<std::string> sum_ports = {}, sum_words = {};
};

struct Word {
  std::string name;
  std::uint64_t bits;
};

// The module for a function of `in`: combinational with latency 0, or else a pipeline with rst, en,
// in_valid and out_valid. `body` declares what it wants and assigns `out`; it reads operand x as
// `x_due`, the one whose result is due, or `x_past[n]`-like slices by `aged`.
struct Function {
  std::vector<Word> in;
  Word out;
  unsigned latency = 0;
  std::string body;
  std::vector<std::string> sum_ports = {}, sum_words = {};
};
Reference reference(const Function& function);

// x_past: the words that went in during the last `ages` enabled clocks, the youngest lowest.
std::string history(const Word& word, unsigned ages);
// valid: in_valid the same way, cleared by rst; out_valid is the oldest.
std::string valid_bits(unsigned latency);

// The word x of `width` bits that went in `age` enabled clocks ago, 1 at least, `low` and `bits`
// choose from it.
std::string aged(const Word& word, unsigned age, std::uint64_t low, std::uint64_t bits);

// Verilog's reading of bits as a number: signed in any case, with a 0 in front when it is not.
std::string number(const std::string& bits, bool is_signed);
std::string constant(std::int64_t value);  // signed, 64 bits

}  // namespace kumiki::gen::proof
