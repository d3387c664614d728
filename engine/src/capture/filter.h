// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A filter of captured frames, in the language of pcap-filter(7).
#pragma once

#include <pcap/pcap.h>

#include <memory>
#include <string>
#include <string_view>

#include "wire/bytes.h"

namespace tester {

class Filter {
 public:
  // `where` starts messages. INVALID_ARGUMENT with libpcap's message about the expression.
  Filter(const std::string& expression, std::string_view where);
  ~Filter();
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  bool Matches(Frame frame) const {
    const auto bytes = static_cast<unsigned>(frame.size());
    return ::bpf_filter(program_.bf_insns, frame.data(), bytes, bytes) != 0;
  }

 private:
  bpf_program program_{};
};

}  // namespace tester
