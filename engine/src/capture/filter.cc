// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/filter.h"

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr int kMostFrameBytes = 262'144;
constexpr int kOptimize = 1;

}  // namespace

Filter::Filter(const std::string& expression, std::string_view where) {
  const std::unique_ptr<pcap_t, decltype(&::pcap_close)> ethernet(
      ::pcap_open_dead(DLT_EN10MB, kMostFrameBytes), &::pcap_close);
  if (!ethernet) throw std::bad_alloc();
  if (::pcap_compile(ethernet.get(), &program_, expression.c_str(), kOptimize,
                     PCAP_NETMASK_UNKNOWN) != 0) {
    throw Error(Code::kInvalidArgument, Cat(where, ": filter ", Quote(expression), ": ",
                                            ::pcap_geterr(ethernet.get()), "; see pcap-filter(7)"));
  }
}

Filter::~Filter() { ::pcap_freecode(&program_); }

}  // namespace tester
