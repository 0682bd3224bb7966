// SPDX-License-Identifier: Apache-2.0
#include "gen/config/writer.h"
#include "gen/layer/beats/beats.h"

namespace kumiki::gen {
namespace {

void write_given(config::Writer& w, const Given& given) {
  if (given.port.empty()) return;
  w.object("given", [&] {
    w.member("port", given.port);
    w.member("per", given.per);
  });
}

}  // namespace

void write(config::Writer& w, const Index& i) {
  w.member("name", i.name);
  w.member("count", i.count);
  write_given(w, i.given);
}

void write(config::Writer& w, const Step& s) {
  w.member("index", s.index);
  w.member("step", s.size);
}

void write(config::Writer& w, const Coordinate& c) {
  w.member("name", c.name);
  w.member("count", c.count);
  w.member("steps", c.steps);
  write_given(w, c.given);
}

void write(config::Writer& w, const Beat& b) {
  w.member("port", b.port);
  if (!b.part.empty()) w.member("part", b.part);
  w.member("low", b.low);
  w.member("bits", b.bits());
  w.objects("formats", b.formats, [&](const arith::Format& f) {
    w.member("bits", f.bits);
    w.member("signed", f.is_signed);
  });
  w.member("elements", b.elements);
  w.member("words", b.words);
  w.member("what", b.what);
  w.member("of", b.of);
  w.member("when", b.when);
  w.member("runs_on", b.runs_on);
  if (b.is_late()) w.member("late", b.late);
  if (!b.padding.empty()) w.member("padding", b.padding);
  if (!b.note.empty()) w.member("note", b.note);
}

}  // namespace kumiki::gen
