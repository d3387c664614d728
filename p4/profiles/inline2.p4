// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The same for a Tofino 2.
#include <core.p4>
#include <t2na.p4>

#include "path.p4"
