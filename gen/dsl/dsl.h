// SPDX-License-Identifier: Apache-2.0
// The whole elaboration language.
#pragma once
#include "gen/dsl/arithmetic.h"
#include "gen/dsl/cells.h"
#include "gen/dsl/hierarchy.h"
#include "gen/dsl/lut.h"
#include "gen/dsl/model.h"
#include "gen/dsl/mux.h"
#include "gen/dsl/ports.h"
#include "gen/dsl/scope.h"
#include "gen/dsl/state.h"
#include "gen/dsl/word.h"
