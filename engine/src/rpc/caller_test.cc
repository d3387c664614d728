// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/caller.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(CallerText, SaysWhatIsKnown) {
  EXPECT_EQ(CallerText("Library (me@host, process 7) grpc-python/1.51 (linux)", "", "unix:"),
            "Library (me@host, process 7)");
  EXPECT_EQ(CallerText("grpc-c++/1.51 (linux)", "alice", "ipv4:192.0.2.1:99"),
            "grpc-c++/1.51 (linux), certificate alice, at ipv4:192.0.2.1:99");
  EXPECT_EQ(CallerText("", "", ""), "somebody");
}

TEST(CallerText, BelievesNothing) {
  EXPECT_EQ(CallerText("a\nb\xff", "", ""), "a?b?");
  EXPECT_EQ(CallerText(std::string(1000, 'x'), "", "").size(), 128U);
}

}  // namespace
}  // namespace tester
