// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Interfaces for tests in a network namespace of their own.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace tester {

inline void Shell(const std::string& command) {
  ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c)
}

// Calls `body` with only the interfaces "here" and "there", a veth pair that is up. Skips the test
// for users who may not create namespaces.
inline void InNamespace(const std::function<void()>& body) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes network namespaces";
  std::thread([&] {
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    Shell(
        "ip link add here type veth peer name there && ip link set here up && ip link set there "
        "up");
    body();
  }).join();
}

}  // namespace tester
