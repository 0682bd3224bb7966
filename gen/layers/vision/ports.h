// SPDX-License-Identifier: Apache-2.0
// Streams of pixels. The external streams are AXI4-Stream video. Internally frames are complete and
// well formed, so eol and eof suffice: the beat after them is the first of a line, or of a frame.
#pragma once
#include "gen/hdl/ports.h"

namespace kumiki::gen::vision {

struct Geometry;
struct Pipeline;
struct Group;

// The bits of the status port. They stay until they are cleared.
enum Status : unsigned {
  short_line,   // tlast before the end of a line
  long_line,    // no tlast at the end of a line: the line is longer, or tlast is missing
  short_frame,  // tuser before the end of a frame
  discarded,    // beats between frames that do not begin one
  bad_size,     // a frame whose width or height is 0 or too large; the frame is discarded
  status_bits,
};

template <class R>
struct VideoIn {
  typename R::Bit rst;
  typename R::UInt width, height;  // of the next frame, in pixels
  typename R::Bit clear_status;
  typename R::Bit s_tvalid, s_tuser, s_tlast;  // tuser: start of frame, tlast: end of line
  std::vector<typename R::UInt> s_tdata;       // [pixel][channel]
  typename R::Bit m_tready;
  std::vector<typename R::Bit> coefficient_valid;  // one, or none
  std::vector<typename R::UInt> coefficient_data;
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &VideoIn::rst), port("width", &VideoIn::width),
        port("height", &VideoIn::height), port("clear_status", &VideoIn::clear_status),
        port("s_axis_tvalid", &VideoIn::s_tvalid), port("s_axis_tuser", &VideoIn::s_tuser),
        port("s_axis_tlast", &VideoIn::s_tlast), port("s_axis_tdata", &VideoIn::s_tdata),
        port("m_axis_tready", &VideoIn::m_tready),
        port("coefficient_valid", &VideoIn::coefficient_valid),
        port("coefficient_data", &VideoIn::coefficient_data));
  }
};

template <class R>
struct VideoOut {
  typename R::Bit s_tready;
  typename R::Bit m_tvalid, m_tuser, m_tlast;
  std::vector<typename R::UInt> m_tdata;
  typename R::UInt status;
  static constexpr auto ports() {
    return std::tuple(port("s_axis_tready", &VideoOut::s_tready),
                      port("m_axis_tvalid", &VideoOut::m_tvalid),
                      port("m_axis_tuser", &VideoOut::m_tuser, &VideoOut::m_tvalid),
                      port("m_axis_tlast", &VideoOut::m_tlast, &VideoOut::m_tvalid),
                      port("m_axis_tdata", &VideoOut::m_tdata, &VideoOut::m_tvalid),
                      port("status", &VideoOut::status));
  }
};

template <class R>
struct GroupIn {
  typename R::Bit rst, valid, eol, eof;
  std::vector<typename R::Bit> tail;
  std::vector<typename R::UInt> data;
  std::vector<typename R::UInt> last_line;  // of the frame, if a later part halves
  typename R::Bit ready;                    // of the next part
  std::vector<typename R::Bit> complete;    // the set of coefficients below is complete
  std::vector<typename R::UInt> coefficients;
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &GroupIn::rst), port("valid", &GroupIn::valid), port("eol", &GroupIn::eol),
        port("eof", &GroupIn::eof), port("tail", &GroupIn::tail), port("data", &GroupIn::data),
        port("last_line", &GroupIn::last_line), port("ready_in", &GroupIn::ready),
        port("complete", &GroupIn::complete), port("coefficients", &GroupIn::coefficients));
  }
};

template <class R>
struct GroupOut {
  typename R::Bit ready, valid, eol, eof;
  std::vector<typename R::Bit> tail;
  std::vector<typename R::UInt> data;
  std::vector<typename R::UInt> last_line;
  static constexpr auto ports() {
    return std::tuple(port("ready", &GroupOut::ready), port("valid_out", &GroupOut::valid),
                      port("eol_out", &GroupOut::eol), port("eof_out", &GroupOut::eof),
                      port("tail_out", &GroupOut::tail), port("data_out", &GroupOut::data),
                      port("last_line_out", &GroupOut::last_line));
  }
};

VideoIn<Hardware> input_shape(const Pipeline& pipeline);
VideoOut<Hardware> output_shape(const Pipeline& pipeline);

}  // namespace kumiki::gen::vision
