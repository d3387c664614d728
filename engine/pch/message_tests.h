// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0
// Precompiled for tests with messages.
#include "messages.h"
#include "tests.h"
