// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A switch with a Tofino in the way of other people's traffic. All its pipelines run the same program.
#include <core.p4>
#include <tna.p4>

#include "path.p4"
