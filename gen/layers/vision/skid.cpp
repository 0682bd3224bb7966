// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/skid.h"

#include "gen/hdl/skid.h"

namespace kumiki::gen::vision {

GroupOut<Hardware> build_skid(Scope& s, const SkidPlan&, const GroupIn<Hardware>& in) {
  s.module().set_about("a register with a second one behind it for what comes while it is full");
  Skid skid(s, in.rst, in.valid, in.ready);
  GroupOut<Hardware> out;
  out.ready = skid.ready();
  out.valid = skid.valid();
  out.eol = skid.pass(in.eol);
  out.eof = skid.pass(in.eof);
  for (const Net t : in.tail) out.tail.push_back(skid.pass(t));
  for (const UInt& w : in.data) out.data.push_back(skid.pass(w));
  for (const UInt& w : in.last_line) out.last_line.push_back(skid.pass(w));
  return out;
}

}  // namespace kumiki::gen::vision
