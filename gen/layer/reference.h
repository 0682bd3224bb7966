// SPDX-License-Identifier: Apache-2.0
// Helps to write the definition of a layer as plain Verilog, for proofs. It takes from the plan
// only what the ports promise: widths, latency, which operand comes when.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kumiki::gen::proof {

struct Reference {
  std::string verilog;  // a module `gold`
  unsigned depth = 0;   // clocks from the first operand to the result; 0: combinational
  bool flushes = true;  // after `depth` enabled clocks nothing older matters
  // Outputs that are valid only while another one is 1.
  std::vector<std::pair<std::string, std::string>> while_one = {};
  // A template of the program with modules that `gold` uses; empty: none.
  std::string parts = {};
  // Outputs, or parts of outputs ("y[15:8]"), that are sums, and words of `gold` that are sums
  // which an output compares. Proofs of them need not try cases.
  std::vector<std::string> sum_ports = {}, sum_words = {};
};

struct Word {
  std::string name;
  std::uint64_t bits;
};

// The module for a function of `in`: combinational with latency 0, or else a pipeline with rst, en,
// in_valid and out_valid. `body` makes its declarations and assigns `out`. It reads operand x as
// `x_due`, whose result is due now, or an earlier x by the text that `aged` returns.
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

// The word x of `width` bits that went in `age` enabled clocks ago (at least 1); `low` and `bits`
// select a part of it.
std::string aged(const Word& word, unsigned age, std::uint64_t low, std::uint64_t bits);

// Verilog's form of bits as a signed number, with a 0 in front if the bits are unsigned.
std::string number(const std::string& bits, bool is_signed);
std::string constant(std::int64_t value);  // signed, 64 bits

}  // namespace kumiki::gen::proof
