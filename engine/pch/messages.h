// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0
// Precompiled for what reads and writes messages.
#include "tester/v1/capture.pb.h"
#include "tester/v1/control.pb.h"
#include "tester/v1/counters.pb.h"
#include "tester/v1/plan.pb.h"
#include "tester/v1/responder.pb.h"
