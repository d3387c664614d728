// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The standard normal distribution.
#pragma once

namespace tester {

// Its distribution function.
double NormalProbability(double x);

// Its inverse, for 0 < p < 1 (Wichura's algorithm AS 241, PPND16): to about 16 digits.
double NormalQuantile(double p);

}  // namespace tester
