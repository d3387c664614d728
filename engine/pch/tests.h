// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0
// Precompiled for tests of what knows no messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
