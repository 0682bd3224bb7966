// SPDX-License-Identifier: Apache-2.0
// The whole elaboration language.
#pragma once
#include "gen/hdl/arithmetic.h"
#include "gen/hdl/bit.h"
#include "gen/hdl/cells.h"
#include "gen/hdl/crossing.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/lut.h"
#include "gen/hdl/model.h"
#include "gen/hdl/mux.h"
#include "gen/hdl/ports.h"
#include "gen/hdl/scope.h"
#include "gen/hdl/state.h"
#include "gen/hdl/word.h"
