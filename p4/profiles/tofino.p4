// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A switch with a Tofino whose pipelines 0 and 2 have the front-panel ports, 1 and 3 the loopback ports (norma
// section 3.1). Pipelines take the two programs in turn.
#include <core.p4>
#include <tna.p4>

#define THIRD_EDITOR NoThirdEditor
#include "tester.p4"
