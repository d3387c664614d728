// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// systemd, where it has started the process (sd_notify(3)).
#pragma once

#include <string_view>

namespace tester {

class ServiceManager {
 public:
  ServiceManager();
  ~ServiceManager();
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  // Such as "READY=1". Nothing happens where there is no service manager.
  void Notify(std::string_view state) const;

 private:
  int socket_ = -1;
};

}  // namespace tester
