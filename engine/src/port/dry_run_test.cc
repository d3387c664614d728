// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/dry_run.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace tester {
namespace {

TEST(DryRun, SendsWhereNobodySeesIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes namespaces and sees all frames";
  const int witness = ::socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
  ASSERT_GE(witness, 0);
  const DryRun run;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(run.Go()) << i;
  std::array<uint8_t, 64> frame{};
  ssize_t bytes = 0;
  while ((bytes = ::recv(witness, frame.data(), frame.size(), MSG_DONTWAIT)) > 0) {
    EXPECT_FALSE(frame[12] == 0x88 && frame[13] == 0xb5);
  }
  ::close(witness);
}

}  // namespace
}  // namespace tester
