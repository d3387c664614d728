// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/openmetrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace tester {
namespace {

using testing::HasSubstr;

v1::Snapshot Example() {
  v1::Snapshot snapshot;
  for (const char* name : {"p1", "p2"}) {
    auto& port = *snapshot.add_ports();
    port.set_name(name);
    port.set_rx_missed(3);
  }
  auto& stream = *snapshot.add_streams();
  stream.set_id(7);
  stream.set_sending(true);
  stream.set_last_rx_ns(UINT64_MAX);
  stream.mutable_latency()->set_sum_ns(12);
  stream.mutable_latency()->add_buckets()->set_count(1);
  stream.mutable_variation()->set_ipdv_min_ns(-5);
  for (const uint64_t packets : {10U, 20U}) stream.add_versions()->set_tx_packets(packets);
  snapshot.add_workers()->set_cpu(1);
  return snapshot;
}

TEST(OpenMetrics, HasEveryNumberByItsName) {
  const std::string text = OpenMetrics(Example());
  for (const char* line :
       {"# TYPE tester_port_rx_missed counter\ntester_port_rx_missed_total{port=\"p1\"} 3\n"
        "tester_port_rx_missed_total{port=\"p2\"} 3\n",
        "# TYPE tester_stream_sending gauge\ntester_stream_sending{stream=\"7\"} 1\n",
        "\ntester_stream_last_rx_ns{stream=\"7\"} 18446744073709551615\n",
        "\ntester_stream_latency_sum_ns_total{stream=\"7\"} 12\n",
        "\ntester_stream_variation_ipdv_min_ns{stream=\"7\"} -5\n",
        "\ntester_stream_version_tx_packets_total{stream=\"7\",version=\"1\"} 20\n",
        "\ntester_worker_waited_ns_total{cpu=\"1\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

// Of the form's rules those that one can break here: one TYPE a metric, before its samples, and
// EOF.
TEST(OpenMetrics, KeepsToTheForm) {
  const std::regex type("# TYPE ([a-z0-9_]+) (counter|gauge)");
  const std::regex sample(
      "([a-z0-9_]+)\\{([a-z]+=\"[A-Za-z0-9_.-]+\"(,[a-z]+=\"[0-9]+\")?)?\\} -?[0-9]+");
  std::istringstream lines(OpenMetrics(Example()));
  std::set<std::string> types;
  std::string metric;
  std::string line;
  while (std::getline(lines, line) && line != "# EOF") {
    std::smatch found;
    if (std::regex_match(line, found, type)) {
      metric = found.str(2) == "counter" ? found.str(1) + "_total" : found.str(1);
      EXPECT_TRUE(types.insert(found.str(1)).second) << line;
    } else {
      ASSERT_TRUE(std::regex_match(line, found, sample)) << line;
      EXPECT_EQ(found.str(1), metric);
    }
  }
  EXPECT_EQ(line, "# EOF");
  EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
}  // namespace tester
