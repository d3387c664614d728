// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tester {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(PortSpec, KnowsEveryKind) {
  const auto kind = [](std::string_view text) { return ParsePortSpec(text).kind; };
  EXPECT_EQ(kind("p1=iface:veth0"), PortKind::kInterface);
  EXPECT_EQ(kind("p1=af_xdp:veth0"), PortKind::kAfXdp);
  EXPECT_EQ(kind("p1=af_packet:veth0"), PortKind::kAfPacket);
  EXPECT_EQ(kind("p1=pci:0000:03:00.0"), PortKind::kPci);
  EXPECT_EQ(kind("p1=vdev:net_null0,size=64"), PortKind::kVdev);
  EXPECT_EQ(kind("p1=loop:x"), PortKind::kLoop);
  EXPECT_EQ(kind("p1=delay:x,5"), PortKind::kDelay);
}

TEST(PortSpec, KnowsHowLongADelayIs) {
  const PortSpec fixed = ParsePortSpec("a=delay:x,1000");
  EXPECT_EQ(fixed.argument, "x");
  EXPECT_EQ(fixed.delay.least_ns, 1000U);
  EXPECT_EQ(fixed.delay.most_ns, 1000U);
  const PortSpec random = ParsePortSpec("a=delay:x,0-5000000");
  EXPECT_EQ(random.delay.least_ns, 0U);
  EXPECT_EQ(random.delay.most_ns, 5'000'000U);
}

TEST(PortSpec, KeepsNameAndArgument) {
  const PortSpec spec = ParsePortSpec("a-b.c_1=vdev:net_pcap0,rx_pcap=/tmp/a=b.pcap");
  EXPECT_EQ(spec.name, "a-b.c_1");
  EXPECT_EQ(spec.argument, "net_pcap0,rx_pcap=/tmp/a=b.pcap");
}

TEST(PortSpec, RefusesWithWhatWasGivenAndWhatIsAllowed) {
  for (const std::string_view text : {"",
                                      "p1",
                                      "=loop:x",
                                      "p1=",
                                      "p1=loop:",
                                      "p1=wire:x",
                                      "p 1=loop:x",
                                      "p1=iface:",
                                      "p1=iface:sixteen-letters-x",
                                      "p1=iface:a/b",
                                      "p1=iface:a,b",
                                      "p1=iface:..",
                                      "p1=pci:03:00.0",
                                      "p1=pci:0000:03:00:0",
                                      "p1=vdev:",
                                      "p1=vdev:,a=b",
                                      "p1=vdev:net null0",
                                      "p1=delay:x",
                                      "p1=delay:,1",
                                      "p1=delay:x,",
                                      "p1=delay:x,1us",
                                      "p1=delay:x,2-1",
                                      "p1=delay:x,1-",
                                      "p1=delay:x,1000000001"}) {
    try {
      ParsePortSpec(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(std::string(text)), HasSubstr("iface:IFACE")));
    }
  }
}

}  // namespace
}  // namespace tester
