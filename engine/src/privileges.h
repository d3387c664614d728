// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Rights of the process that it needs no more once its ports are open.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tester {

struct User {
  uid_t id;
  gid_t group;
  std::vector<gid_t> groups;
};

// INVALID_ARGUMENT for a user that there is not, for root, and unless the process is root.
User FindUser(const std::string& name);

// Makes all threads of the process those of the user. They keep the capabilities by which
// interfaces are put back and workers take their CPUs: CAP_NET_ADMIN, CAP_BPF, CAP_SYS_NICE. Throws
// Error INTERNAL where any thread does not follow.
void BecomeUser(const User& user);

}  // namespace tester
