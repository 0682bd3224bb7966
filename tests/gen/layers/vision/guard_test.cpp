// SPDX-License-Identifier: Apache-2.0
// What a pipeline does with broken frames, on its model (the netlist runs in lockstep with it): the
// status port says what was wrong, the frame is completed, the next one is whole.
#include <gtest/gtest.h>

#include "gen/layers/vision/model.h"
#include "gen/layers/vision/reference.h"
#include "gen/layers/vision/stages.h"

namespace kumiki::gen::vision {
namespace vision_guard_test {

struct Sent {
  std::uint64_t pixel = 0, width = 4, height = 3;
  bool user = false, last = false;
};

// A whole frame, to be damaged.
std::vector<Sent> frame(std::uint64_t first, std::uint64_t width = 4, std::uint64_t height = 3) {
  std::vector<Sent> all;
  for (std::uint64_t i = 0; i < width * height; ++i)
    all.push_back({first + i, width, height, i == 0, i % width == width - 1});
  return all;
}

struct Received {
  std::vector<std::vector<std::vector<std::uint64_t>>> frames;  // [frame][line][pixel]
  std::uint64_t status = 0;
};

class Guard : public testing::Test {
 protected:
  Guard() {
    Request r;
    r.width = r.height = 8;
    StageRequest same;  // what comes in goes out: the guard alone is looked at
    same.kernel = StageKind::channels;
    r.stages = {same};
    pipeline_ = make_pipeline(r, {});
  }

  // Everything is sent as fast as it is taken; then some clocks of nothing.
  Received send(const std::vector<std::vector<Sent>>& frames) {
    PipelineModel model(pipeline_);
    Received got;
    VideoIn<Values> in{};
    in.m_tready = true;
    const auto clock = [&](const Sent* s) {
      in.s_tvalid = s != nullptr;
      in.s_tdata = {s ? s->pixel : 0};
      in.width = s ? s->width : 0;
      in.height = s ? s->height : 0;
      in.s_tuser = s && s->user;
      in.s_tlast = s && s->last;
      const auto out = model.step(in);
      got.status = out.status;
      if (out.m_tvalid) {
        if (out.m_tuser) got.frames.push_back({{}});
        got.frames.back().back().push_back(out.m_tdata[0]);
        if (out.m_tlast) got.frames.back().emplace_back();
      }
      return out.s_tready;
    };
    for (const auto& f : frames)
      for (const Sent& s : f)
        for (int patience = 0; !clock(&s); ++patience) EXPECT_LT(patience, 200);
    for (int i = 0; i < 200; ++i) clock(nullptr);
    for (auto& f : got.frames) f.pop_back();  // behind the last tlast
    return got;
  }

  static std::vector<std::vector<std::uint64_t>> lines(std::uint64_t first, std::uint64_t width,
                                                       std::uint64_t height) {
    std::vector<std::vector<std::uint64_t>> all(height);
    for (std::uint64_t i = 0; i < width * height; ++i) all[i / width].push_back(first + i);
    return all;
  }

  Pipeline pipeline_;
};

TEST_F(Guard, LetsWholeFramesThrough) {
  const auto got = send({frame(1), frame(50, 8, 8), frame(120, 1, 1)});
  EXPECT_EQ(got.status, 0u);
  ASSERT_EQ(got.frames.size(), 3u);
  EXPECT_EQ(got.frames[0], lines(1, 4, 3));
  EXPECT_EQ(got.frames[1], lines(50, 8, 8));
  EXPECT_EQ(got.frames[2], lines(120, 1, 1));
}

// The frame ends in zeros after the beat with the mistake.
std::vector<std::vector<std::uint64_t>> zeros_after(std::vector<std::vector<std::uint64_t>> lines,
                                                    std::size_t pixels) {
  std::size_t at = 0;
  for (auto& line : lines)
    for (auto& pixel : line)
      if (at++ >= pixels) pixel = 0;
  return lines;
}

TEST_F(Guard, ShortLine) {
  auto broken = frame(1);
  broken[6].last = true;  // the second line after three pixels
  broken.erase(broken.begin() + 7);
  const auto got = send({broken, frame(50)});
  EXPECT_EQ(got.status, (1u << short_line) | (1u << discarded));
  ASSERT_EQ(got.frames.size(), 2u);
  EXPECT_EQ(got.frames[0], zeros_after(lines(1, 4, 3), 7));
  EXPECT_EQ(got.frames[1], lines(50, 4, 3));
}

TEST_F(Guard, LongLine) {
  auto broken = frame(1);
  broken[3].last = false;
  broken.insert(broken.begin() + 4, Sent{99, 4, 3, false, true});
  const auto got = send({broken, frame(50)});
  EXPECT_EQ(got.status, (1u << long_line) | (1u << discarded));
  ASSERT_EQ(got.frames.size(), 2u);
  EXPECT_EQ(got.frames[0], zeros_after(lines(1, 4, 3), 4));
  EXPECT_EQ(got.frames[1], lines(50, 4, 3));
}

TEST_F(Guard, MissingEndOfTheLastLine) {
  auto broken = frame(1);
  broken.back().last = false;
  const auto got = send({broken, frame(50)});
  EXPECT_EQ(got.status, 1u << long_line);  // nothing is lost: all pixels were there
  ASSERT_EQ(got.frames.size(), 2u);
  EXPECT_EQ(got.frames[0], lines(1, 4, 3));
  EXPECT_EQ(got.frames[1], lines(50, 4, 3));
}

TEST_F(Guard, ShortFrame) {
  auto broken = frame(1);
  broken.resize(5);
  const auto got = send({broken, frame(50)});
  EXPECT_EQ(got.status, 1u << short_frame);
  ASSERT_EQ(got.frames.size(), 2u);
  EXPECT_EQ(got.frames[0], zeros_after(lines(1, 4, 3), 5));
  EXPECT_EQ(got.frames[1], lines(50, 4, 3));
}

TEST_F(Guard, LongFrameAndBeatsBeforeAnyFrame) {
  auto broken = frame(1);
  for (int i = 0; i < 4; ++i) broken.push_back({77, 4, 3, false, i == 3});
  const std::vector<Sent> stray{{5, 4, 3, false, false}, {6, 4, 3, false, true}};
  const auto got = send({stray, broken, frame(50)});
  EXPECT_EQ(got.status, 1u << discarded);
  ASSERT_EQ(got.frames.size(), 2u);
  EXPECT_EQ(got.frames[0], lines(1, 4, 3));
  EXPECT_EQ(got.frames[1], lines(50, 4, 3));
}

TEST_F(Guard, SizesThatAreNone) {
  for (const auto& [width, height] : {std::pair{0, 3}, {9, 3}, {4, 0}, {4, 9}}) {
    auto broken = frame(1);
    broken[0].width = static_cast<std::uint64_t>(width);
    broken[0].height = static_cast<std::uint64_t>(height);
    const auto got = send({broken, frame(50)});
    EXPECT_EQ(got.status, (1u << bad_size) | (1u << discarded));
    ASSERT_EQ(got.frames.size(), 1u);
    EXPECT_EQ(got.frames[0], lines(50, 4, 3));
  }
}

}  // namespace vision_guard_test
}  // namespace kumiki::gen::vision
