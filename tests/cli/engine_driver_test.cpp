// SPDX-License-Identifier: Apache-2.0
// The C driver of an engine, compiled as C99, on the netlist: its loads and stores are transactions
// of AXI4-Lite. It runs networks whatever the memory does, and ends with the reason when it cannot.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <random>

#include "backends/support/process.h"
#include "backends/support/tool.h"
#include "gen/graph/text.h"
#include "gen/layers/engine/ports/file.h"
#include "gen/layers/engine/ports/image.h"
#include "templates/templates.h"
#include "tests/support/engine_board.h"
#include "tests/support/engine_networks.h"
#include "tests/support/long_form.h"
#include "tests/support/program.h"
#include "tests/support/seed.h"

namespace kumiki::test::engine_driver_test {

namespace engine = gen::engine;
using ::testing::HasSubstr;

constexpr engine::EngineShape shape{.rows = 8, .columns = 4, .places = 1024, .weight_words = 32};
engine::PortsPlan plan() { return {.engine = {engine::plan_core(shape, false)}}; }

#if defined(__SANITIZE_ADDRESS__)
constexpr const char* sanitize = "-fsanitize=address,undefined";
#else
constexpr const char* sanitize = "-fsanitize=undefined";
#endif

// The driver as a user compiles it.
class Driver {
 public:
  explicit Driver(const std::filesystem::path& folder) {
    for (const std::string file : {"kumiki_engine.h", "kumiki_engine.c"})
      std::ofstream(folder / file)
          << backends::fill(templates::text("driver/" + file + ".in"), {{"GENERATOR", "a test"}});
    const auto compiled =
        backends::run_process({"gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion",
                               "-Werror", sanitize, "-fno-sanitize-recover=all", "-g", "-O1",
                               "-shared", "-fPIC", "-o", "driver.so", "kumiki_engine.c"},
                              folder);
    if (compiled.status != 0) throw std::runtime_error(compiled.output);
    const auto as_cpp =
        backends::run_process({"g++", "-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror",
                               "-fsyntax-only", "-xc++", "kumiki_engine.h"},
                              folder);
    if (as_cpp.status != 0) throw std::runtime_error(as_cpp.output);
    handle_ = dlopen((folder / "driver.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw std::runtime_error(dlerror());
  }
  Driver(const Driver&) = delete;
  ~Driver() { dlclose(handle_); }

#define CALL(name) decltype(&kumiki_##name) name = find<decltype(&kumiki_##name)>("kumiki_" #name)
  template <class T>
  T find(const char* name) const {
    void* at = dlsym(handle_, name);
    if (!at) throw std::runtime_error(name);
    return reinterpret_cast<T>(at);
  }
  struct Calls;

 private:
  void* handle_ = nullptr;
};

struct Driver::Calls {
  const Driver& of;
  template <class T>
  T find(const char* name) const {
    return of.find<T>(name);
  }
  CALL(program_open);
  CALL(program_code_bytes);
  CALL(program_data_bytes);
  CALL(program_input);
  CALL(program_output);
  CALL(program_step);
  CALL(tensor_numbers);
  CALL(engine_open);
  CALL(engine_reset);
  CALL(network_open);
  CALL(network_put);
  CALL(network_get);
  CALL(engine_start);
  CALL(engine_look);
  CALL(engine_wait);
  CALL(engine_run);
  CALL(engine_count);
  CALL(engine_text);
  CALL(engine_mapped_read);
  CALL(engine_mapped_write);
};

std::vector<std::uint8_t> bytes_of(std::span<const std::int32_t> numbers) {
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t n : numbers) bytes.push_back(static_cast<std::uint8_t>(n));
  return bytes;
}

// A network with its program, and what is to come of the images of a run.
struct Case {
  std::string file;
  std::vector<std::vector<std::uint8_t>> inputs, wanted;  // of all images, one behind the other

  Case(const engine::PortsPlan& plan, const EngineNetwork& n)
      : file(program_file(plan, memory_image(plan, n.program))) {
    const gen::graph::Graph& g = *n.program->whole;
    const auto ids = gen::graph::all_inputs(g);
    inputs.resize(ids.size());
    std::span<const std::int32_t> images = n.image;
    while (!images.empty())
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::size_t size = gen::graph::count(g.tensors[ids[i]].shape);
        const auto bytes = bytes_of(images.first(size));
        inputs[i].insert(inputs[i].end(), bytes.begin(), bytes.end());
        images = images.subspan(size);
      }
    wanted.resize(g.outputs.size());
    std::size_t number = 0;
    for (const auto& output : n.wanted()) {
      const auto bytes = bytes_of(output);
      auto& all = wanted[number++ % wanted.size()];
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
  }
};

class EngineDriver : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    driver_.emplace(folder_);
    calls_ = std::make_unique<Driver::Calls>(Driver::Calls{*driver_});
  }
  const Driver::Calls& c() const { return *calls_; }

  // A program on the engine, in buffers of its own.
  struct Loaded {
    std::string file;
    kumiki_program program{};
    kumiki_network network{};
  };
  std::unique_ptr<Loaded> load(EngineBoard& board, const kumiki_engine& e,
                               const std::string& file) {
    auto one = std::make_unique<Loaded>(Loaded{.file = file});
    EXPECT_EQ(c().program_open(&one->program, one->file.data(), one->file.size()),
              KUMIKI_ENGINE_OK);
    const auto code = board.buffer(c().program_code_bytes(&one->program), false),
               data = board.buffer(c().program_data_bytes(&one->program), true);
    EXPECT_EQ(c().network_open(&one->network, &e, &one->program, &code, &data), KUMIKI_ENGINE_OK);
    return one;
  }
  kumiki_engine_status run(kumiki_engine& e, const Loaded& l, const Case& k,
                           std::vector<std::vector<std::uint8_t>>& results) {
    std::vector<const void*> in;
    std::vector<void*> out;
    results.clear();
    for (const auto& i : k.inputs) in.push_back(i.data());
    for (const auto& w : k.wanted) results.emplace_back(w.size(), std::uint8_t{0xee});
    for (auto& r : results) out.push_back(r.data());
    return c().engine_run(&e, &l.network, in.data(), out.data());
  }
  void expect_right(kumiki_engine& e, const Loaded& l, const Case& k) {
    std::vector<std::vector<std::uint8_t>> results;
    EXPECT_EQ(run(e, l, k, results), KUMIKI_ENGINE_OK);
    EXPECT_EQ(results, k.wanted);
  }

 private:
  std::optional<Driver> driver_;
  std::unique_ptr<Driver::Calls> calls_;
};

EngineNetwork next(EngineNetworks& networks) { return networks.next().value(); }

TEST_F(EngineDriver, NetworksTakeTurnsOnOneEngine) {
  EngineBoard board(plan());
  auto config = board.config();
  kumiki_engine e{};
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  EXPECT_EQ(e.rows, 8u);
  EXPECT_EQ(e.columns, 4u);
  EngineNetworks networks(plan().engine, rotating_seed());
  std::vector<Case> cases;
  std::vector<std::unique_ptr<Loaded>> loaded;
  for (int i = 0; i < (long_form() ? 20 : 3); ++i) {
    cases.emplace_back(plan(), next(networks));
    loaded.push_back(load(board, e, cases.back().file));
  }
  // Again and again, from memories of every kind: nothing of the run before is left.
  const std::array<EngineBoard::Options, 3> memories{
      EngineBoard::Options{}, {.latency = 3, .more = 90, .pauses = 3}, {.words = 2, .clocks = 7}};
  for (const auto& memory : memories) {
    board.take_memory(memory);
    for (std::size_t i = 0; i < cases.size(); ++i) expect_right(e, *loaded[i], cases[i]);
  }
  EXPECT_EQ(board.errors, 0u) << "some processors do not survive an error of a register";
  EXPECT_TRUE(board.canaries_live());
  EXPECT_GT(board.written_back, 0u);
  EXPECT_GT(board.forgotten, 0u);
  kumiki_engine_counts counts{};
  ASSERT_EQ(c().engine_count(&e, &counts), KUMIKI_ENGINE_OK);
  EXPECT_GT(counts.clocks, counts.words_read);
  EXPECT_GT(counts.words_read, 0u);
  EXPECT_GT(counts.words_written, 0u);
}

TEST_F(EngineDriver, WaitsForTheInterruptAndOutlivesALostOne) {
  EngineBoard board(plan());
  auto config = board.config();
  config.has_interrupt = 1;
  kumiki_engine e{};
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  EngineNetworks networks(plan().engine, rotating_seed() + 7);
  const Case k(plan(), next(networks));
  const auto l = load(board, e, k.file);
  expect_right(e, *l, k);
  EXPECT_EQ(board.interrupts, 1u);
  EXPECT_FALSE(board.interrupt()) << "it was answered";
  board.hears = false;
  expect_right(e, *l, k);
  EXPECT_EQ(board.interrupts, 1u);
  EXPECT_EQ(board.errors, 0u);
}

TEST_F(EngineDriver, SaysWhatStoppedItAndGoesOn) {
  EngineBoard board(plan());
  auto config = board.config();
  config.patience = 12;
  kumiki_engine e{};
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  EngineNetworks networks(plan().engine, rotating_seed() + 3);
  const Case k(plan(), next(networks));
  const auto l = load(board, e, k.file);
  std::vector<std::vector<std::uint8_t>> results;
  const auto expect_then_right = [&](const EngineBoard::Options& options,
                                     kumiki_engine_status status) {
    board.take_memory(options);
    EXPECT_EQ(run(e, *l, k, results), status) << c().engine_text(status);
    board.take_memory({});
    expect_right(e, *l, k);
  };
  expect_then_right({.wrong_reads = 1}, KUMIKI_ENGINE_READ_ERROR);
  expect_then_right({.wrong_writes = 1}, KUMIKI_ENGINE_WRITE_ERROR);
  expect_then_right({.latency = 30000}, KUMIKI_ENGINE_STALLED);
  // Somebody writes over the program: the list of moves, and the words of a store.
  auto* const code = static_cast<std::uint8_t*>(l->network.code.data);
  const auto with_byte = [&](std::size_t at, std::uint8_t byte, kumiki_engine_status status) {
    const std::uint8_t before = code[at];
    code[at] = byte;
    EXPECT_EQ(run(e, *l, k, results), status) << c().engine_text(status);
    code[at] = before;
    expect_right(e, *l, k);
  };
  with_byte(0, 0, KUMIKI_ENGINE_BAD_MOVE);
  with_byte(11, 0x0f, KUMIKI_ENGINE_BAD_RANGE);
  EXPECT_EQ(board.errors, 0u);
  EXPECT_TRUE(board.canaries_live());
}

TEST_F(EngineDriver, EndsInBoundedTime) {
  EngineBoard board(plan());
  auto config = board.config(3);
  kumiki_engine e{};
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  const std::uint64_t seed = rotating_seed();
  const Case k(plan(), engine_network(convolution_of({96, 2, 3}, {}, 1, seed), shape, seed));
  const auto l = load(board, e, k.file);
  ASSERT_GE(l->program.program_words, 2300u);  // more than any wait below
  std::vector<std::vector<std::uint8_t>> results;
  // Too few looks: it is ended, and bursts under way come to their end.
  board.take_memory({.words = 1, .clocks = 400});
  EXPECT_EQ(run(e, *l, k, results), KUMIKI_ENGINE_LOST) << "the reset waits for the memory";
  board.take_memory({});
  board.reset_pin();
  e.config.looks = 3;
  EXPECT_EQ(c().engine_reset(&e), KUMIKI_ENGINE_OK);
  e.config.looks = 4000;
  expect_right(e, *l, k);
  // Few clocks between two looks: the reset comes through before it gives up.
  kumiki_engine_counts before{}, after{};
  ASSERT_EQ(c().engine_count(&e, &before), KUMIKI_ENGINE_OK);
  board.take_memory({.words = 1, .clocks = 2});
  board.pause = 5;
  e.config.looks = 300;  // more than the words of a full queue take
  EXPECT_EQ(run(e, *l, k, results), KUMIKI_ENGINE_TIME_OUT);
  ASSERT_EQ(c().engine_count(&e, &after), KUMIKI_ENGINE_OK);
  std::printf("ended after %u clocks\n", after.clocks - before.clocks);
  board.take_memory({});
  board.pause = 500;
  e.config.looks = 4000;
  expect_right(e, *l, k);
  // Registers that say for ever that it runs, that it has failed, nothing, or all ones.
  for (const std::uint32_t word : {1u, 4u, 0u, 0xffffffffu}) {
    ASSERT_EQ(c().engine_start(&e, &l->network), KUMIKI_ENGINE_OK);
    board.halted = word;
    const std::size_t before = board.looks;
    EXPECT_EQ(c().engine_wait(&e), word == 0 ? KUMIKI_ENGINE_HALTED : KUMIKI_ENGINE_LOST) << word;
    EXPECT_LE(board.looks - before, 2u * e.config.looks);
    EXPECT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_NO_ENGINE);
    board.halted.reset();
    board.reset_pin();
    e.config.looks = 4000;
    ASSERT_EQ(c().engine_open(&e, &(config = board.config())), KUMIKI_ENGINE_OK);
    expect_right(e, *l, k);
  }
  // Another program has left it running: opening it ends that.
  ASSERT_EQ(c().engine_start(&e, &l->network), KUMIKI_ENGINE_OK);
  kumiki_engine other{};
  EXPECT_EQ(c().engine_open(&other, &config), KUMIKI_ENGINE_OK);
  EXPECT_EQ(c().engine_look(&e), KUMIKI_ENGINE_HALTED);
  expect_right(other, *l, k);
}

TEST_F(EngineDriver, RefusesWhatCannotBe) {
  EngineBoard board(plan());
  auto config = board.config();
  kumiki_engine e{};
  EXPECT_EQ(c().engine_open(nullptr, &config), KUMIKI_ENGINE_BAD_ARGUMENT);
  EXPECT_EQ(c().engine_open(&e, nullptr), KUMIKI_ENGINE_BAD_ARGUMENT);
  for (const int wrong : {0, 1, 2, 3}) {
    auto bad = config;
    if (wrong == 0) bad.read = nullptr;
    if (wrong == 1) bad.write = nullptr;
    if (wrong == 2) bad.looks = 0;
    if (wrong == 3) bad.patience = 32;
    EXPECT_EQ(c().engine_open(&e, &bad), KUMIKI_ENGINE_BAD_ARGUMENT);
  }
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  EngineNetworks networks(plan().engine, rotating_seed() + 9);
  const Case k(plan(), next(networks));
  const auto l = load(board, e, k.file);
  const auto* p = &l->program;
  kumiki_network n{};
  const auto code = l->network.code, data = l->network.data;
  const auto with = [&](auto change) {
    auto b = code, d = data;
    change(b, d);
    return c().network_open(&n, &e, p, &b, &d);
  };
  using Buffer = kumiki_engine_buffer;
  EXPECT_EQ(with([](Buffer& b, Buffer&) { b.data = nullptr; }), KUMIKI_ENGINE_BAD_ARGUMENT);
  EXPECT_EQ(with([](Buffer& b, Buffer&) { --b.bytes; }), KUMIKI_ENGINE_BUFFER_SMALL);
  EXPECT_EQ(with([](Buffer&, Buffer& d) { --d.bytes; }), KUMIKI_ENGINE_BUFFER_SMALL);
  EXPECT_EQ(with([](Buffer&, Buffer& d) { d.address += 64; }), KUMIKI_ENGINE_UNALIGNED);
  EXPECT_EQ(with([](Buffer& b, Buffer&) { b.address = 0x100'0000'0000; }),
            KUMIKI_ENGINE_OUT_OF_REACH);
  // The end of a buffer past 40 bits, though its beginning is not.
  EXPECT_EQ(with([](Buffer&, Buffer& d) { d.address = 0xff'ffff'f000; }),
            c().program_data_bytes(p) > 4096 ? KUMIKI_ENGINE_OUT_OF_REACH : KUMIKI_ENGINE_OK);
  {
    kumiki_engine elsewhere = e;
    ++elsewhere.build;
    EXPECT_EQ(c().network_open(&n, &elsewhere, p, &code, &data), KUMIKI_ENGINE_OTHER_BUILD);
  }
  EXPECT_EQ(c().engine_look(&e), KUMIKI_ENGINE_NOT_STARTED);
  EXPECT_EQ(c().network_put(&l->network, &e, p->inputs, k.inputs[0].data()),
            KUMIKI_ENGINE_BAD_ARGUMENT);
  std::vector<std::uint8_t> out(k.wanted[0].size());
  EXPECT_EQ(c().network_get(&l->network, &e, p->outputs, out.data()), KUMIKI_ENGINE_BAD_ARGUMENT);
  kumiki_tensor t{};
  kumiki_step step{};
  EXPECT_EQ(c().program_input(p, p->inputs, &t), KUMIKI_ENGINE_BAD_ARGUMENT);
  EXPECT_EQ(c().program_output(p, p->outputs, &t), KUMIKI_ENGINE_BAD_ARGUMENT);
  EXPECT_EQ(c().program_step(p, p->steps, &step), KUMIKI_ENGINE_BAD_ARGUMENT);
  // While it runs nothing may touch it, and no register is written.
  ASSERT_EQ(c().network_put(&l->network, &e, 0, k.inputs[0].data()), KUMIKI_ENGINE_OK);
  ASSERT_EQ(c().engine_start(&e, &l->network), KUMIKI_ENGINE_OK);
  EXPECT_EQ(c().engine_start(&e, &l->network), KUMIKI_ENGINE_BUSY);
  EXPECT_EQ(c().network_put(&l->network, &e, 0, k.inputs[0].data()), KUMIKI_ENGINE_BUSY);
  EXPECT_EQ(c().network_get(&l->network, &e, 0, out.data()), KUMIKI_ENGINE_BUSY);
  EXPECT_EQ(c().engine_wait(&e), KUMIKI_ENGINE_OK);
  EXPECT_EQ(board.errors, 0u);
  for (int s = 0; s <= KUMIKI_ENGINE_LOST; ++s)
    EXPECT_STRNE(c().engine_text(static_cast<kumiki_engine_status>(s)), "an unknown status") << s;
}

// Names, formats, scales, and what is done to a real number before.
TEST_F(EngineDriver, KnowsWhatNumbersMean) {
  const auto graph = gen::graph::parse_graph(
      "n.graph", R"(graph n
tensor first u4 3x5x6 scale 0x1p-3 zero 3
tensor second s8 3x5x6 scale 0x1.8p-3 zero -7
tensor sum s8 3x5x6 scale 0x1p-2 zero 5
tensor wide u8 9x5x6 scale 0x1p-2 zero 200
input first
input second
output sum
output wide
prepare minus 0x1p-1 0x1p-2 0x1p-3
prepare over 0x1.8p+1
add both first second -> sum
conv c first -> wide kernel 3x3 before 1x1 after 1x1
  scales 0x1p-4
  bias 1 2 3 4 5 6 7 8 9
)" + [] {
        std::string weights;
        for (int i = 0; i < 9; ++i) {
          weights += "  weights";
          for (int j = 0; j < 27; ++j) weights += fmt::format(" {}", (i * 7 + j * 5) % 15 - 7);
          weights += "\n";
        }
        return weights;
      }());
  const Case k(plan(), engine_network(graph, shape, rotating_seed()));
  EngineBoard board(plan());
  auto config = board.config();
  kumiki_engine e{};
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  const auto l = load(board, e, k.file);
  ASSERT_EQ(l->program.inputs, 2u);
  ASSERT_EQ(l->program.outputs, 2u);
  kumiki_tensor t{};
  ASSERT_EQ(c().program_input(&l->program, 0, &t), KUMIKI_ENGINE_OK);
  EXPECT_EQ(std::string(t.name, t.name_bytes), "first");
  EXPECT_EQ(t.bits, 4u);
  EXPECT_EQ(t.is_signed, 0);
  ASSERT_EQ(c().program_input(&l->program, 1, &t), KUMIKI_ENGINE_OK);
  EXPECT_EQ(t.zero_point, -7);
  EXPECT_EQ(t.scale, 0x1.8p-3F);
  EXPECT_EQ(c().tensor_numbers(&t), 90u);
  ASSERT_EQ(c().program_output(&l->program, 1, &t), KUMIKI_ENGINE_OK);
  EXPECT_EQ(std::vector<std::uint32_t>(t.shape, t.shape + 3),
            (std::vector<std::uint32_t>{9, 5, 6}));
  EXPECT_EQ(t.zero_point, 200);
  ASSERT_EQ(l->program.steps, 2u);
  kumiki_step step{};
  ASSERT_EQ(c().program_step(&l->program, 0, &step), KUMIKI_ENGINE_OK);
  EXPECT_EQ(step.kind, 1u);
  ASSERT_EQ(step.count, 3u);
  float value = 0;
  std::memcpy(&value, step.values + 4, 4);
  EXPECT_EQ(value, 0.25F);
  ASSERT_EQ(c().program_step(&l->program, 1, &step), KUMIKI_ENGINE_OK);
  EXPECT_EQ(step.kind, 4u);
  expect_right(e, *l, k);
  // A number of five bits for one of four; the buffer stays as it is.
  auto wrong = k.inputs[0];
  wrong[17] = 16;
  EXPECT_EQ(c().network_put(&l->network, &e, 0, wrong.data()), KUMIKI_ENGINE_BAD_NUMBER);
  expect_right(e, *l, k);
}

// Tokens come and leave as rows of channels; the engine has them as maps of one row.
TEST_F(EngineDriver, NumbersInTheOrderOfTheHost) {
  std::string weights;
  for (int o = 0; o < 6; ++o) {
    weights += "  weights";
    for (int i = 0; i < 11; ++i) weights += fmt::format(" {}", (o * 11 + i * 5) % 23 - 11);
    weights += "\n";
  }
  const auto graph = gen::graph::parse_graph("n.graph", R"(graph n
tensor x u8 9x11 scale 0x1p-3 zero 100
tensor map u8 11x1x9 scale 0x1p-3 zero 100
tensor made s8 6x1x9 scale 0x1p-2 zero -3
tensor y s8 9x6 scale 0x1p-2 zero -3
input x
output y
transpose in x -> map order 1x0 view 9x11
conv dense map -> made
  scales 0x1p-5
  bias 1 -200 3 400 5 -600
)" + weights + "transpose out made -> y order 1x0 view 6x9\n");
  const Case k(plan(), engine_network(graph, shape, rotating_seed()));
  EngineBoard board(plan());
  auto config = board.config();
  kumiki_engine e{};
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  const auto l = load(board, e, k.file);
  kumiki_tensor t{};
  ASSERT_EQ(c().program_input(&l->program, 0, &t), KUMIKI_ENGINE_OK);
  EXPECT_EQ(std::vector<std::uint32_t>(t.shape, t.shape + 3),
            (std::vector<std::uint32_t>{9, 1, 11}));
  ASSERT_EQ(c().program_output(&l->program, 0, &t), KUMIKI_ENGINE_OK);
  EXPECT_EQ(std::vector<std::uint32_t>(t.shape, t.shape + 3),
            (std::vector<std::uint32_t>{9, 1, 6}));
  EXPECT_EQ(std::string(t.name, t.name_bytes), "y");
  expect_right(e, *l, k);
}

// Whatever bytes a file has, the driver says so or stays within its buffers.
TEST_F(EngineDriver, FilesThatAreDamaged) {
  EngineBoard board(plan());
  auto config = board.config();
  kumiki_engine e{};
  ASSERT_EQ(c().engine_open(&e, &config), KUMIKI_ENGINE_OK);
  EngineNetworks networks(plan().engine, rotating_seed() + 11);
  const std::string file = Case(plan(), next(networks)).file;
  kumiki_program p{};
  for (std::size_t bytes = 0; bytes < file.size(); bytes += bytes < 200 ? 1 : 997)
    EXPECT_NE(c().program_open(&p, file.substr(0, bytes).data(), bytes), KUMIKI_ENGINE_OK) << bytes;
  std::mt19937_64 random(rotating_seed());
  for (int i = 0; i < 200; ++i) {
    std::string one = file;
    one[random() % one.size()] ^= static_cast<char>(1u << random() % 8);
    EXPECT_NE(c().program_open(&p, one.data(), one.size()), KUMIKI_ENGINE_OK);
  }
  // With a sum that is right.
  const std::size_t head = 4 * 20 + 4 * (10 * 2 + 17 * 3);  // header and the first records
  std::size_t opened = 0, refused = 0;
  for (int i = 0; i < (long_form() ? 200'000 : 10'000); ++i) {
    std::string one = file;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t word = random() % (head / 4) * 4;
      const std::uint32_t values[] = {0u,
                                      1u,
                                      0xffffffffu,
                                      0x7fffffffu,
                                      0x80000000u,
                                      0xffffu,
                                      static_cast<std::uint32_t>(random()),
                                      static_cast<std::uint32_t>(random() % 64)};
      const std::uint32_t value = values[random() % std::size(values)];
      if (random() % 2 == 0)
        one[word + random() % 4] ^= static_cast<char>(1u << random() % 8);
      else
        for (int b = 0; b < 4; ++b)
          one[word + static_cast<std::size_t>(b)] = static_cast<char>(value >> 8 * b);
    }
    std::uint32_t sum = 2166136261u;
    for (const char byte : one.substr(16))
      sum = (sum ^ static_cast<unsigned char>(byte)) * 16777619u;
    for (int b = 0; b < 4; ++b)
      one[12 + static_cast<std::size_t>(b)] = static_cast<char>(sum >> 8 * b);
    const auto status = c().program_open(&p, one.data(), one.size());
    if (status != KUMIKI_ENGINE_OK) {
      EXPECT_TRUE(status == KUMIKI_ENGINE_DAMAGED || status == KUMIKI_ENGINE_NO_PROGRAM);
      ++refused;
      continue;
    }
    ++opened;
    constexpr std::size_t most = 1 << 20;
    if (c().program_code_bytes(&p) > most || c().program_data_bytes(&p) > most) continue;
    // Buffers with nothing behind them; sanitizers watch their ends, and so do we.
    const auto with_end = [](std::size_t bytes) {
      return std::vector<std::uint8_t>(bytes + 64, 0xa5);
    };
    auto code = with_end(c().program_code_bytes(&p)), data = with_end(c().program_data_bytes(&p));
    const kumiki_engine_buffer code_at{code.data(), 0x1000, code.size() - 64},
        data_at{data.data(), 0x2000'0000, data.size() - 64};
    kumiki_network n{};
    kumiki_engine build = e;
    build.build = p.build;
    const auto is_open = c().network_open(&n, &build, &p, &code_at, &data_at);
    if (is_open != KUMIKI_ENGINE_OK) continue;
    for (std::uint32_t t = 0; t < p.inputs + p.outputs; ++t) {
      kumiki_tensor tensor{};
      if (t < p.inputs)
        ASSERT_EQ(c().program_input(&p, t, &tensor), KUMIKI_ENGINE_OK);
      else
        ASSERT_EQ(c().program_output(&p, t - p.inputs, &tensor), KUMIKI_ENGINE_OK);
      if (c().tensor_numbers(&tensor) > most / p.images) continue;
      std::vector<std::uint8_t> numbers(c().tensor_numbers(&tensor) * p.images);
      if (t < p.inputs)
        (void)c().network_put(&n, &build, t, numbers.data());
      else
        (void)c().network_get(&n, &build, t - p.inputs, numbers.data());
    }
    for (const auto* b : {&code, &data})
      EXPECT_TRUE(std::all_of(b->end() - 64, b->end(), [](std::uint8_t x) { return x == 0xa5; }));
  }
  EXPECT_GT(opened, 100u);
  EXPECT_GT(refused, 100u);
}

TEST_F(EngineDriver, MappedRegisters) {
  std::vector<std::uint32_t> registers(1024);
  c().engine_mapped_write(registers.data(), 20, 7);
  EXPECT_EQ(registers[5], 7u);
  EXPECT_EQ(c().engine_mapped_read(registers.data(), 20), 7u);
}

}  // namespace kumiki::test::engine_driver_test
