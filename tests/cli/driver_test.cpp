// SPDX-License-Identifier: Apache-2.0
// The C driver that `gen --driver` writes, compiled as C99: on a model of the DMA's registers with
// the netlist of a pipeline between its streams, and with everything that can be done wrong.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backends/support/process.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/project.h"
#include "gen/graph/interpret.h"
#include "gen/layers/common/graph_file.h"
#include "templates/driver/kumiki_dma.h.in"
#include "tests/support/board.h"
#include "tests/support/program.h"
#include "tests/support/small_network.h"

namespace kumiki::test {
namespace driver_test {

namespace fs = std::filesystem;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr std::uint64_t base = Board::base;
constexpr unsigned length_bits = Board::length_bits;

// What the written files define.
class Library {
 public:
  explicit Library(const fs::path& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error(dlerror());
  }
  Library(const Library&) = delete;
  ~Library() { dlclose(handle_); }
  template <class T>
  T* find(const char* name) const {
    void* at = dlsym(handle_, name);
    if (!at) throw std::runtime_error(name);
    return reinterpret_cast<T*>(at);
  }

 private:
  void* handle_;
};

// The functions of the driver.
struct Calls {
  explicit Calls(const Library& l)
      : open(l.find<decltype(kumiki_dma_open)>("kumiki_dma_open")),
        reset(l.find<decltype(kumiki_dma_reset)>("kumiki_dma_reset")),
        send(l.find<decltype(kumiki_dma_send)>("kumiki_dma_send")),
        receive(l.find<decltype(kumiki_dma_receive)>("kumiki_dma_receive")),
        wait_sent(l.find<decltype(kumiki_dma_wait_sent)>("kumiki_dma_wait_sent")),
        wait_received(l.find<decltype(kumiki_dma_wait_received)>("kumiki_dma_wait_received")),
        frames(l.find<decltype(kumiki_dma_frames)>("kumiki_dma_frames")),
        text(l.find<decltype(kumiki_dma_text)>("kumiki_dma_text")),
        mapped_read(l.find<decltype(kumiki_dma_mapped_read)>("kumiki_dma_mapped_read")),
        mapped_write(l.find<decltype(kumiki_dma_mapped_write)>("kumiki_dma_mapped_write")) {}
  decltype(&kumiki_dma_open) open;
  decltype(&kumiki_dma_reset) reset;
  decltype(&kumiki_dma_send) send;
  decltype(&kumiki_dma_receive) receive;
  decltype(&kumiki_dma_wait_sent) wait_sent;
  decltype(&kumiki_dma_wait_received) wait_received;
  decltype(&kumiki_dma_frames) frames;
  decltype(&kumiki_dma_text) text;
  decltype(&kumiki_dma_mapped_read) mapped_read;
  decltype(&kumiki_dma_mapped_write) mapped_write;
};

class Driver : public InFolder {
 protected:
  // Writes the files for a configuration and compiles them with these lines of C behind.
  void make(const std::string& configuration, const std::string& more) {
    const auto called = kumiki("gen " + configuration + " --axi-stream --driver -o " + path("out"));
    ASSERT_EQ(called.status, 0) << called.err;
    write("out/more.c", more);
    const auto compiled = backends::run_process(
        {"gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared",
         "-fPIC", "-o", "../driver.so", "more.c", "n_host.c", "kumiki_dma.c", "kumiki_map.c"},
        folder_ / "out");
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    const auto as_cpp = backends::run_process({"g++", "-std=c++11", "-pedantic", "-Wall", "-Wextra",
                                               "-Werror", "-fsyntax-only", "-xc++", "more.c"},
                                              folder_ / "out");
    ASSERT_EQ(as_cpp.status, 0) << as_cpp.output;
    library_.emplace(folder_ / "driver.so");
    calls_.emplace(*library_);
  }
  std::string network(const std::string& keys, const std::string& graph = small_network()) {
    write("net.graph", graph);
    return config(R"({"kumiki": 1, "name": "n", "layers": [{"type": "dataflow", "name": "s",
        "graph": "net.graph", )" +
                  keys + "}]}");
  }
  const Library& library() const { return *library_; }
  const Calls& dma() const { return *calls_; }

 private:
  std::optional<Library> library_;
  std::optional<Calls> calls_;
};

const std::string runs = R"(#include "n_frames.h"
kumiki_dma_status run(kumiki_dma *dma, const kumiki_dma_buffer *in, const kumiki_dma_buffer *out,
                      const int32_t *numbers, int32_t *results, size_t frames);
kumiki_dma_status run(kumiki_dma *dma, const kumiki_dma_buffer *in, const kumiki_dma_buffer *out,
                      const int32_t *numbers, int32_t *results, size_t frames) {
  return n_s_run(dma, in, out, numbers, results, frames);
}
extern const uint32_t sizes[6];
const uint32_t sizes[6] = {N_S_S_AXIS_IN_FRAME_BYTES, N_S_M_AXIS_OUT_FRAME_BYTES,
                           N_S_S_AXIS_IN_BEAT_BYTES, N_S_M_AXIS_OUT_BEAT_BYTES,
                           N_S_S_AXIS_IN_FRAME_BEATS, N_S_M_AXIS_OUT_FRAME_BEATS};
)";
using RunFrames = kumiki_dma_status(kumiki_dma*, const kumiki_dma_buffer*, const kumiki_dma_buffer*,
                                    const std::int32_t*, std::int32_t*, std::size_t);

class DriverOnAPipeline : public Driver {
 protected:
  void set_up(const std::string& keys, const std::string& graph = small_network()) {
    const auto cfg = network(keys, graph);
    make(cfg, runs);
    flow::Plans plans((folder_ / "cfg.json").string());
    layer_ = plans.layers[0].layer;
    ASSERT_TRUE(gen::axi_stream::wrap(layer_, ir::Family::ultrascale_plus));
    const auto* all = library().find<const std::uint32_t>("sizes");
    std::copy_n(all, sizes.size(), sizes.begin());
    graph_ = gen::read_graph(folder_ / "net.graph");
    board_.emplace(sizes[2], &*layer_);
    ASSERT_EQ(dma().open(&dma_, &(config_ = board_->config())), KUMIKI_DMA_OK);
  }
  void expect_results(std::size_t frames) {
    const std::size_t size = gen::graph::numbers_of_image(graph_),
                      made = gen::graph::count(graph_.tensors[graph_.outputs[0]].shape);
    std::vector<std::int32_t> images(frames * size), results(frames * made, -1000);
    for (std::size_t i = 0; i < images.size(); ++i)
      images[i] = static_cast<std::int32_t>((i * i * 7 + i / size * 31) % 256);
    const auto in = board_->buffer(0x100, 0x2000), out = board_->buffer(0x8000, 0x1000);
    ASSERT_EQ(
        library().find<RunFrames>("run")(&dma_, &in, &out, images.data(), results.data(), frames),
        KUMIKI_DMA_OK);
    const auto wanted = gen::graph::Interpreter(graph_).run_all(images, graph_.outputs[0], 1);
    EXPECT_THAT(results, ElementsAreArray(wanted));
  }
  Board& board() { return *board_; }
  kumiki_dma dma_{};
  kumiki_dma_config config_{};
  std::array<std::uint32_t, 6> sizes{};

 private:
  std::shared_ptr<const gen::Layer> layer_;
  gen::graph::Graph graph_;
  std::optional<Board> board_;
};

TEST_F(DriverOnAPipeline, LogitsAreThoseOfTheDefinition) {
  set_up(R"("clocks": 324, "input_last": true, "counters": "edges")");
  // Ports as the top has them.
  EXPECT_THAT(text("out/n_frames.h"), HasSubstr("/* s_s_axis_in_tdata: 36 numbers"));
  expect_results(7);
  // TLAST with the last beat of each frame and with no other.
  EXPECT_THAT(board().frame_ends, ::testing::Each(sizes[5]));
  EXPECT_EQ(board().frame_ends.size(), 7U);
  EXPECT_EQ(board().output("in_error"), 0U);
  EXPECT_GE(board().written_back, 7 * sizes[0]);
  EXPECT_GE(board().forgotten, 7 * sizes[1]);
  // What the registers of the header say: frames in and out, no wrong end.
  const auto header = text("out/n.h");
  EXPECT_THAT(header, HasSubstr("#define N_S_REGISTER_FRAMES_IN 4\n"));
  EXPECT_THAT(header, HasSubstr("#define N_S_REGISTER_IN_ERRORS 20\n"));
  EXPECT_EQ(board().counted(4), 7U);
  EXPECT_EQ(board().counted(8), 7U);
  EXPECT_EQ(board().counted(20), 0U);
  EXPECT_GT(board().counted(0), 7 * 324U);
  // A block design finds the port of the counters.
  const auto netlist = text("out/n.v");
  EXPECT_THAT(netlist, HasSubstr("xilinx.com:interface:aximm:1.0 s_s_axi ARADDR"));
  EXPECT_THAT(netlist, HasSubstr("PROTOCOL AXI4LITE, READ_WRITE_MODE READ_ONLY"));
  EXPECT_THAT(netlist, HasSubstr("xilinx.com:interface:axis:1.0 s_s_axis_in TLAST"));
}

// The driver sends the maps of both inputs as one frame.
TEST_F(DriverOnAPipeline, SeveralInputsAreOneFrame) {
  set_up(
      R"("clocks": 72, "input_last": true)",
      "graph pair\ntensor a u8 1x6x6 scale 0x1p+0 zero 0\ntensor b u8 1x6x6 scale 0x1p+0 zero 0\n"
      "tensor y u8 1x6x6 scale 0x1p+1 zero 0\ninput a\ninput b\noutput y\n"
      "add sum a b -> y\n");
  EXPECT_EQ(sizes[0], 72U);
  EXPECT_EQ(sizes[1], 36U);
  expect_results(5);
  EXPECT_EQ(board().output("in_error"), 0U);
}

TEST_F(DriverOnAPipeline, AFrameThatIsCutIsSeenAndForgottenWithAReset) {
  set_up(R"("clocks": 324, "input_last": true, "counters": "edges")");
  ASSERT_EQ(dma().send(&dma_, base, sizes[0] - 2 * sizes[2]), KUMIKI_DMA_OK);
  ASSERT_EQ(dma().wait_sent(&dma_), KUMIKI_DMA_OK);
  EXPECT_EQ(board().counted(20), 1U);
  EXPECT_EQ(board().output("in_error"), 1U);
  // The next frame has its end too early by the two beats as well.
  ASSERT_EQ(dma().send(&dma_, base, sizes[0]), KUMIKI_DMA_OK);
  ASSERT_EQ(dma().wait_sent(&dma_), KUMIKI_DMA_OK);
  EXPECT_EQ(board().counted(20), 3U);
  EXPECT_EQ(board().counted(4), 1U);
  board().reset_netlist();
  ASSERT_EQ(dma().reset(&dma_), KUMIKI_DMA_OK);
  expect_results(3);
  EXPECT_EQ(board().output("in_error"), 0U);
  EXPECT_EQ(board().counted(20), 0U);
}

TEST_F(DriverOnAPipeline, WithoutMarksAndWithAResultThatNobodyFetches) {
  set_up(R"("clocks": 324)");
  EXPECT_THAT(text("out/n.h"), ::testing::Not(HasSubstr("REGISTER")));
  expect_results(2);
  // The channel for results was not started: the input waits in the end.
  kumiki_dma_status status = KUMIKI_DMA_OK;
  for (int frame = 0; frame < 200 && status == KUMIKI_DMA_OK; ++frame) {
    ASSERT_EQ(dma().send(&dma_, base, sizes[0]), KUMIKI_DMA_OK);
    status = dma().wait_sent(&dma_);
  }
  EXPECT_EQ(status, KUMIKI_DMA_TIME_OUT);
  EXPECT_EQ(dma().send(&dma_, base, sizes[0]), KUMIKI_DMA_BUSY);
}

// --- everything that can be done wrong, with a wire between the streams

class DriverOnAWire : public Driver {
 protected:
  void SetUp() override {
    make(network(R"("clocks": 324)"), runs);
    config_ = board_.config();
    ASSERT_EQ(open(), KUMIKI_DMA_OK);
  }
  kumiki_dma_status open() { return dma().open(&dma_, &config_); }
  kumiki_dma_status reset() { return dma().reset(&dma_); }
  kumiki_dma_status send(std::uint64_t address, std::size_t bytes) {
    return dma().send(&dma_, address, bytes);
  }
  kumiki_dma_status receive(std::uint64_t address, std::size_t bytes) {
    return dma().receive(&dma_, address, bytes);
  }
  kumiki_dma_status wait_sent() { return dma().wait_sent(&dma_); }
  kumiki_dma_status wait_received() { return dma().wait_received(&dma_); }
  kumiki_dma_status frames(const kumiki_dma_buffer& in, std::size_t bytes_in,
                           const kumiki_dma_buffer& out, std::size_t bytes_out, std::size_t count,
                           std::size_t* done = nullptr) {
    return dma().frames(&dma_, &in, bytes_in, &out, bytes_out, count, done);
  }
  Board board_{4, nullptr};
  kumiki_dma dma_{};
  kumiki_dma_config config_{};
};

TEST_F(DriverOnAWire, BytesArriveFrameByFrame) {
  auto memory = board_.dma.memory();
  for (std::size_t i = 0; i < 100; ++i) memory[i] = static_cast<std::uint8_t>(i + 1);
  std::size_t done = 0;
  EXPECT_EQ(frames(board_.buffer(0, 48), 12, board_.buffer(0x1000, 48), 12, 4, &done),
            KUMIKI_DMA_OK);
  EXPECT_EQ(done, 4U);
  EXPECT_TRUE(std::equal(&memory[0], &memory[48], &memory[0x1000]));
  EXPECT_EQ(memory[0x1000 + 48], 0);
  EXPECT_EQ(frames(board_.buffer(0, 48), 12, board_.buffer(0x1000, 48), 12, 0, &done),
            KUMIKI_DMA_OK);
  EXPECT_EQ(done, 0U);
}

TEST_F(DriverOnAWire, ConfigurationsThatNoDmaHas) {
  const kumiki_dma_config good = config_;
  EXPECT_EQ(dma().open(nullptr, &good), KUMIKI_DMA_BAD_ARGUMENT);
  EXPECT_EQ(dma().open(&dma_, nullptr), KUMIKI_DMA_BAD_ARGUMENT);
  const auto refused = [&](auto change) {
    config_ = good;
    change(config_);
    return open() == KUMIKI_DMA_BAD_ARGUMENT;
  };
  EXPECT_TRUE(refused([](auto& c) { c.read = nullptr; }));
  EXPECT_TRUE(refused([](auto& c) { c.write = nullptr; }));
  EXPECT_TRUE(refused([](auto& c) { c.alignment = 0; }));
  EXPECT_TRUE(refused([](auto& c) { c.alignment = 12; }));
  EXPECT_TRUE(refused([](auto& c) { c.length_bits = 7; }));
  EXPECT_TRUE(refused([](auto& c) { c.length_bits = 27; }));
  EXPECT_TRUE(refused([](auto& c) { c.address_bits = 31; }));
  EXPECT_TRUE(refused([](auto& c) { c.address_bits = 65; }));
  EXPECT_TRUE(refused([](auto& c) { c.looks = 0; }));
  // The hooks are not needed.
  config_ = good;
  config_.between = nullptr;
  config_.to_device = nullptr;
  config_.from_device = nullptr;
  EXPECT_EQ(open(), KUMIKI_DMA_OK);
  EXPECT_EQ(frames(board_.buffer(0, 16), 16, board_.buffer(64, 16), 16, 1), KUMIKI_DMA_OK);
}

TEST_F(DriverOnAWire, TransfersThatCannotBe) {
  EXPECT_EQ(send(base, 0), KUMIKI_DMA_ZERO_LENGTH);
  EXPECT_EQ(receive(base, 0), KUMIKI_DMA_ZERO_LENGTH);
  EXPECT_EQ(send(base, 1 << length_bits), KUMIKI_DMA_TOO_LONG);
  EXPECT_EQ(send(base + 2, 16), KUMIKI_DMA_UNALIGNED);
  EXPECT_EQ(receive(base + 1, 16), KUMIKI_DMA_UNALIGNED);
  EXPECT_EQ(send(0xfffffff8, 16), KUMIKI_DMA_OUT_OF_REACH);
  EXPECT_EQ(send(std::uint64_t{1} << 40, 16), KUMIKI_DMA_OUT_OF_REACH);
  EXPECT_EQ(wait_sent(), KUMIKI_DMA_NOT_STARTED);
  EXPECT_EQ(wait_received(), KUMIKI_DMA_NOT_STARTED);
  // Nothing has moved, and the longest is possible.
  EXPECT_EQ(receive(base + 0x8000, (1 << length_bits) - 4), KUMIKI_DMA_OK);
  EXPECT_EQ(receive(base, 16), KUMIKI_DMA_BUSY);
  EXPECT_EQ(send(base, (1 << length_bits) - 4), KUMIKI_DMA_OK);
  EXPECT_EQ(frames(board_.buffer(0, 16), 16, board_.buffer(64, 16), 16, 1), KUMIKI_DMA_BUSY);
  dma_.config.looks = 10;  // fewer than it takes
  EXPECT_EQ(wait_sent(), KUMIKI_DMA_TIME_OUT);
  while (wait_sent() == KUMIKI_DMA_TIME_OUT) {
  }
  EXPECT_EQ(wait_received(), KUMIKI_DMA_OK);
}

TEST_F(DriverOnAWire, FramesThatTheirBuffersCannotHold) {
  const auto in = board_.buffer(0, 64), out = board_.buffer(0x1000, 64);
  EXPECT_EQ(frames(in, 16, out, 16, 5), KUMIKI_DMA_BUFFER_SMALL);
  EXPECT_EQ(frames(in, 13, out, 16, 5), KUMIKI_DMA_BUFFER_SMALL) << "16 bytes from frame to frame";
  EXPECT_EQ(frames(in, 12, out, 20, 5), KUMIKI_DMA_BUFFER_SMALL);
  EXPECT_EQ(frames(in, 0, out, 16, 1), KUMIKI_DMA_ZERO_LENGTH);
  EXPECT_EQ(frames(board_.buffer(2, 64), 16, out, 16, 1), KUMIKI_DMA_UNALIGNED);
  kumiki_dma_buffer nowhere = in;
  nowhere.data = nullptr;
  EXPECT_EQ(frames(nowhere, 16, out, 16, 1), KUMIKI_DMA_BAD_ARGUMENT);
  EXPECT_EQ(frames(in, 16, out, 16, 4), KUMIKI_DMA_OK) << "the others moved nothing";
}

TEST_F(DriverOnAWire, ErrorsOfTheDmaUntilAReset) {
  struct Case {
    const char* what;
    std::uint64_t address;
    std::optional<std::uint64_t> bad_from;
    kumiki_dma_status status;
  };
  for (const Case& c : {Case{"no memory", base + (1 << 20), {}, KUMIKI_DMA_DECODE_ERROR},
                        Case{"bad memory", base + 64, base + 68, KUMIKI_DMA_SLAVE_ERROR}}) {
    SCOPED_TRACE(c.what);
    board_.dma.bad_from = c.bad_from;
    ASSERT_EQ(receive(base + 32, 16), KUMIKI_DMA_OK);
    ASSERT_EQ(send(c.address, 16), KUMIKI_DMA_OK);
    EXPECT_EQ(wait_sent(), c.status);
    EXPECT_EQ(wait_sent(), c.status) << "it stays";
    EXPECT_EQ(send(base, 16), KUMIKI_DMA_BUSY);
    ASSERT_EQ(reset(), KUMIKI_DMA_OK);
    board_.dma.bad_from = {};
    EXPECT_EQ(frames(board_.buffer(0, 16), 16, board_.buffer(64, 16), 16, 1), KUMIKI_DMA_OK);
  }
  // More bytes than the buffer for results has.
  ASSERT_EQ(receive(base + 64, 8), KUMIKI_DMA_OK);
  ASSERT_EQ(send(base, 16), KUMIKI_DMA_OK);
  EXPECT_EQ(wait_received(), KUMIKI_DMA_INTERNAL_ERROR);
  ASSERT_EQ(reset(), KUMIKI_DMA_OK);
  // TLAST before the end.
  ASSERT_EQ(receive(base + 64, 16), KUMIKI_DMA_OK);
  ASSERT_EQ(send(base, 8), KUMIKI_DMA_OK);
  EXPECT_EQ(wait_received(), KUMIKI_DMA_SHORT);
  EXPECT_EQ(wait_sent(), KUMIKI_DMA_OK);
}

TEST_F(DriverOnAWire, ChannelsThatStandStill) {
  // Somebody has stopped it.
  board_.dma.write(0x00, 0);
  EXPECT_EQ(send(base, 16), KUMIKI_DMA_HALTED);
  EXPECT_EQ(receive(base, 16), KUMIKI_DMA_OK);
  board_.dma.write(0x30, 0);
  EXPECT_EQ(wait_received(), KUMIKI_DMA_HALTED);
  ASSERT_EQ(reset(), KUMIKI_DMA_OK);
  // Nobody takes what is sent.
  board_.wire_takes = false;
  std::size_t done = 9;
  EXPECT_EQ(frames(board_.buffer(0, 16), 16, board_.buffer(64, 16), 16, 1, &done),
            KUMIKI_DMA_TIME_OUT);
  EXPECT_EQ(done, 0U);
  board_.wire_takes = true;
  ASSERT_EQ(reset(), KUMIKI_DMA_OK);
  // It never leaves its reset; it was built with scatter gather.
  board_.dma.stays_in_reset = true;
  EXPECT_EQ(reset(), KUMIKI_DMA_TIME_OUT);
  board_.dma.stays_in_reset = false;
  board_.dma.has_scatter_gather = true;
  EXPECT_EQ(reset(), KUMIKI_DMA_SCATTER_GATHER);
}

TEST_F(DriverOnAWire, EveryStatusHasItsWords) {
  const auto text = dma().text;
  std::set<std::string> all;
  for (int s = KUMIKI_DMA_OK; s <= KUMIKI_DMA_TIME_OUT; ++s)
    all.insert(text(static_cast<kumiki_dma_status>(s)));
  EXPECT_EQ(all.size(), KUMIKI_DMA_TIME_OUT + 1U);
  EXPECT_FALSE(all.contains(text(static_cast<kumiki_dma_status>(KUMIKI_DMA_TIME_OUT + 1))));
}

// Registers in memory that the program maps, here a file's, not at a page.
TEST_F(DriverOnAWire, MappedRegisters) {
  write("registers", std::string(3 * 4096, '\0'));
  struct Mapping {
    void *data, *pages;
    std::size_t bytes;
  } mapping{};
  auto* map = library().find<int(Mapping*, const char*, std::uint64_t, std::size_t)>("kumiki_map");
  auto* unmap = library().find<int(Mapping*)>("kumiki_unmap");
  const std::string file = (folder_ / "registers").string();
  ASSERT_EQ(map(&mapping, file.c_str(), 4096 + 64, 0x60), 0);
  const auto put = dma().mapped_write;
  const auto get = dma().mapped_read;
  put(mapping.data, 0x58, 0x12345678);
  EXPECT_EQ(get(mapping.data, 0x58), 0x12345678U);
  EXPECT_EQ(unmap(&mapping), 0);
  EXPECT_EQ(unmap(&mapping), EINVAL);
  EXPECT_EQ(text("registers").substr(4096 + 64 + 0x58, 4), "\x78\x56\x34\x12");
  EXPECT_EQ(map(&mapping, "/nowhere/at/all", 0, 16), ENOENT);
  EXPECT_EQ(map(&mapping, file.c_str(), 0, 0), EINVAL);
}

TEST_F(Driver, NeedsAStreamWithFrames) {
  for (const char* axi : {"", "--axi-stream"}) {
    const auto none =
        kumiki(std::string("gen quickstart.json --driver ") + axi + " -o " + path("out"));
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("--driver: no AXI4-Stream of the netlist carries frames"));
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
}

}  // namespace driver_test
}  // namespace kumiki::test
