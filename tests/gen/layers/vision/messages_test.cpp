// SPDX-License-Identifier: Apache-2.0
// What pipelines and pixel operations are refused for, as the program says it.
#include "gen/hdl/messages.h"

#include <fmt/format.h>

#include "gen/hdl/hdl.h"
#include "gen/layers/vision/layer.h"
#include "gen/layers/vision/messages.h"
#include "gen/layers/vision/pixel/make.h"
#include "tests/support/messages.h"

namespace kumiki::gen::vision {
namespace vision_messages_test {

std::function<void()> of(const std::string& stages, const std::string& keys = "") {
  const std::string text = fmt::format(
      R"({{"kumiki": 1, "name": "x", "layers": [{{"type": "vision", "width": 8, "height": 6, {}"stages": [{}]}}]}})",
      keys, stages);
  return [text] {
    static const config::Registry registry{{layer_type()}};
    (void)config::parse_document(text, "cfg.json", registry);
  };
}
std::function<void()> of(const PixelRequest& request) {
  return [request] { make_operation(request, {{.bits = 8, .is_signed = false}}); };
}

void wider_pixel() {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  make_operation(Abs{}, {{.bits = 8}})->build(s, {{s.input<UInt>("x", 9)}}, ir::net_one);
}

TEST(VisionMessages, EachHasACode) {
  const std::string wide = R"("bits": 16, )";
  kumiki::test::expect_messages(
      "messages/vision.txt",
      {{code::no_middle, of(R"({"kernel": "median", "size": 4})")},
       {code::size_not_known, of(R"({"kernel": "sharpen", "size": 5})")},
       {code::no_coefficients, of(R"({"kernel": "convolve"})")},
       {code::one_pass_only, of(R"({"kernel": "laplacian", "passes": "two"})")},
       {code::formats_differ, of(R"({"kernel": "sobel", "keep": true}, {"kernel": "median"})")},
       {code::images_incomplete, of(R"({"kernel": "add"})")},
       {code::no_such_channel, of(R"({"kernel": "channels", "channels": [3]})")},
       {code::exact_with_bits,
        of(R"({"kernel": "add", "constant": 1, "bits": 8, "overflow": "exact"})")},
       {code::threshold_range, of(R"({"kernel": "threshold", "low": 3, "high": 2})")},
       {code::cannot_divide, of(R"({"kernel": "box", "divide": 6, "round": "half-even"})")},
       {code::cannot_divide,
        of(R"({"kernel": "convolve", "coefficients": [[55,55,55,55,55,55,55,55,55]], "divide": 3})",
           wide)},
       {code::image_not_held,
        of(R"({"kernel": "sobel-x", "keep": true}, {"kernel": "accumulate-weighted"})")},
       {code::root_in_luts,
        of(R"({"kernel": "sobel"}, {"kernel": "magnitude", "norm": "l2", "style": "luts"})")},
       {code::root_too_wide,
        of(R"({"kernel": "sobel", "size": 7}, {"kernel": "magnitude", "norm": "l2"})", wide)},
       {code::key_without_use, of(R"({"kernel": "threshold", "value": 4, "low": 5, "high": 9})")},
       {code::key_without_use, of(R"({"kernel": "threshold", "low": 5})")},
       {code::key_without_use, of(R"({"kernel": "threshold", "high": 5})")},
       {code::key_without_use, of(R"({"kernel": "sobel", "signed": true})")},
       {code::key_without_use,
        of(R"({"kernel": "convolve", "coefficients": [[1,0,0,0,1,0,0,0,1]], "coefficient_bits": 4})")},
       {code::key_without_use, of(R"({"kernel": "median", "border_value": 3})")},
       {code::key_without_use, of(R"({"kernel": "median"})", R"("border_value": 3, )")},
       {code::key_without_use, of(R"({"kernel": "half", "by": "nearest", "border": "reflect"})")},
       {code::out_of_range, of(R"({"kernel": "rank", "rank": 9})")},
       {code::out_of_range,
        of(R"({"kernel": "median", "border": "constant", "border_value": 300})")},
       {code::value_does_not_fit,
        of(R"({"kernel": "convolve", "loadable": true, "coefficients": [[1,0,0,0,1,0,0,0,128]]})")},
       {code::wrong_count,
        of(R"({"kernel": "convolve", "coefficients": [[1,0,0,0,1,0,0,0,1]], "size": 5})")},
       {code::product_too_wide, of(Scale{.shift = 30, .offset = 1 << 27})},
       {code::not_of_constant, of(Bitwise{Gate::not_, 3})},
       {code::pixel_differs, wider_pixel}});
}

}  // namespace vision_messages_test
}  // namespace kumiki::gen::vision
