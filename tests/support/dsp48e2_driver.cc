// SPDX-License-Identifier: Apache-2.0
// Runs stimulus through a verilated top that holds many DSP48E2 (see verilated_dsp48e2.h).
// Files are 64-bit words: runs of {instance, cycles, cycles x inputs}, answered by cycles x
// {outputs before the edge, outputs after it}. Every run starts from power-up.
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "Vbench.h"

namespace {

using Words = std::vector<std::uint64_t>;

Words read(const char* path) {
  Words words;
  if (auto* file = std::fopen(path, "rb")) {
    std::uint64_t buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 8, 4096, file)) > 0;)
      words.insert(words.end(), buffer, buffer + n);
    std::fclose(file);
  }
  return words;
}

void apply(Vbench& top, const std::uint64_t*& in) {
  top.A = *in++;
  top.ACIN = *in++;
  top.ALUMODE = *in++;
  top.B = *in++;
  top.BCIN = *in++;
  top.C = *in++;
  top.CARRYCASCIN = *in++;
  top.CARRYIN = *in++;
  top.CARRYINSEL = *in++;
  top.CEA1 = *in++;
  top.CEA2 = *in++;
  top.CEAD = *in++;
  top.CEALUMODE = *in++;
  top.CEB1 = *in++;
  top.CEB2 = *in++;
  top.CEC = *in++;
  top.CECARRYIN = *in++;
  top.CECTRL = *in++;
  top.CED = *in++;
  top.CEINMODE = *in++;
  top.CEM = *in++;
  top.CEP = *in++;
  top.D = *in++;
  top.INMODE = *in++;
  top.MULTSIGNIN = *in++;
  top.OPMODE = *in++;
  top.PCIN = *in++;
  top.RSTA = *in++;
  top.RSTALLCARRYIN = *in++;
  top.RSTALUMODE = *in++;
  top.RSTB = *in++;
  top.RSTC = *in++;
  top.RSTCTRL = *in++;
  top.RSTD = *in++;
  top.RSTINMODE = *in++;
  top.RSTM = *in++;
  top.RSTP = *in++;
}

void sample(const Vbench& top, Words& out) {
  for (std::uint64_t word :
       {std::uint64_t{top.ACOUT}, std::uint64_t{top.BCOUT}, std::uint64_t{top.CARRYCASCOUT},
        std::uint64_t{top.CARRYOUT}, std::uint64_t{top.MULTSIGNOUT}, std::uint64_t{top.OVERFLOW},
        std::uint64_t{top.P}, std::uint64_t{top.PATTERNBDETECT}, std::uint64_t{top.PATTERNDETECT},
        std::uint64_t{top.PCOUT}, std::uint64_t{top.UNDERFLOW}, std::uint64_t{top.XOROUT}})
    out.push_back(word);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Words stimulus = read(argv[1]), answers;
  const std::uint64_t* in = stimulus.data();
  const std::uint64_t* end = in + stimulus.size();
  while (in != end) {
    auto context = std::make_unique<VerilatedContext>();
    auto top = std::make_unique<Vbench>(context.get());
    top->INSTANCE = *in++;
    top->CLK = 0;
    for (std::uint64_t cycles = *in++; cycles != 0; --cycles) {
      apply(*top, in);
      top->eval();
      sample(*top, answers);
      top->CLK = 1;
      top->eval();
      sample(*top, answers);
      top->CLK = 0;
      top->eval();
    }
    top->final();
  }
  auto* file = std::fopen(argv[2], "wb");
  if (file == nullptr) return 4;
  bool written = std::fwrite(answers.data(), 8, answers.size(), file) == answers.size();
  return std::fclose(file) == 0 && written ? 0 : 4;
}
