// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/plans.h"

#include "gen/flow/files/beats.h"

namespace kumiki::flow {

void write_plans(gen::config::Writer& w, const Plans& plans, bool with_alternatives) {
  w.object([&] {
    w.member("name", plans.document.name);
    w.member("family", ir::family_name(plans.document.target.family));
    w.objects("layers", plans.layers, [&](const gen::NamedLayer& l) {
      w.member("name", l.name);
      w.member("type", l.type);
      write_plan(w, *l.layer);
      if (with_alternatives) l.layer->write_alternatives(w);
    });
  });
}

}  // namespace kumiki::flow
