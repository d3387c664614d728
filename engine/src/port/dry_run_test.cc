// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/dry_run.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <sys/socket.h>
#include <sys/wait.h>
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

TEST(DryRun, SaysWhyItDoesNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  EXPECT_EQ(DryRun().fault(), "");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_other = ::setuid(65534) == 0;
    const DryRun run;
    const bool said = run.fault() == "no network namespace for rehearsals: Operation not permitted";
    ::_exit(is_other && said && !run.Go() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tester
