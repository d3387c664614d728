// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/openmetrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace tester {
namespace {

using testing::HasSubstr;

v1::Snapshot Example() {
  v1::Snapshot snapshot;
  for (const char* name : {"p1", "p2"}) {
    auto& port = *snapshot.add_ports();
    port.set_name(name);
    port.set_rx_missed(3);
    port.set_link_up(true);
    port.set_obeys_pause(true);
    if (port.name() == "p1") port.set_rx_pause(0);
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
  auto& job = *snapshot.add_jobs();
  job.set_name("web");
  job.set_asked_duration_ns(8);
  job.set_started_by("me");
  job.add_polls()->set_port("p1");
  auto& responder = *snapshot.add_responders();
  responder.set_job("web");
  responder.set_name("server");
  responder.set_flows(4);
  responder.set_flows_begun(9);
  auto& path = *snapshot.add_paths();
  path.set_job("path wan");
  path.set_name("wan");
  path.add_directions()->set_port("p1");
  path.mutable_directions(0)->set_forwarded(6);
  path.add_events()->set_name("drop");
  path.mutable_events(0)->set_fired(1);
  auto& capture = *snapshot.add_captures();
  capture.set_name("the \"first\"\nof C:\\");
  capture.set_running(true);
  auto& at = *capture.add_ports();
  at.set_port("p1");
  at.set_dropped(2);
  return snapshot;
}

TEST(OpenMetrics, HasEveryNumberByItsName) {
  const std::string text = OpenMetrics(Example());
  for (const char* line :
       {"# TYPE tester_port_rx_missed counter\n# HELP tester_port_rx_missed Frames that reached",
        "\ntester_port_rx_missed_total{port=\"p1\"} 3\n"
        "tester_port_rx_missed_total{port=\"p2\"} 3\n",
        "# TYPE tester_port_link_up gauge\n# HELP tester_port_link_up Whether the link is up.\n"
        "tester_port_link_up{port=\"p1\"} 1\n",
        "# TYPE tester_port_rx_pause counter\n",
        "\ntester_port_rx_pause_total{port=\"p1\"} 0\n#",
        "# TYPE tester_port_obeys_pause gauge\n",
        "# TYPE tester_stream_sending gauge\n",
        "\ntester_stream_sending{stream=\"7\"} 1\n",
        "# HELP tester_stream_latency_sum_ns Latency of every frame of rx_packets. The sum",
        "\ntester_stream_last_rx_ns{stream=\"7\"} 18446744073709551615\n",
        "\ntester_stream_latency_sum_ns_total{stream=\"7\"} 12\n",
        "\ntester_stream_variation_ipdv_min_ns{stream=\"7\"} -5\n",
        "\ntester_stream_version_tx_packets_total{stream=\"7\",version=\"1\"} 20\n",
        "# TYPE tester_responder_flows gauge\n# HELP tester_responder_flows Flows now.\n"
        "tester_responder_flows{job=\"web\",responder=\"server\"} 4\n",
        "\ntester_responder_flows_begun_total{job=\"web\",responder=\"server\"} 9\n",
        "\ntester_path_direction_forwarded_total{job=\"path wan\",path=\"wan\",port=\"p1\"} 6\n",
        "\ntester_path_event_fired_total{job=\"path wan\",path=\"wan\",event=\"drop\"} 1\n",
        "\ntester_capture_running{capture=\"the \\\"first\\\"\\nof C:\\\\\"} 1\n",
        "\ntester_capture_port_dropped_total{capture=\"the \\\"first\\\"\\nof "
        "C:\\\\\",port=\"p1\"} "
        "2\n",
        "# TYPE tester_job_asked_duration_ns gauge\n",
        "\ntester_job_asked_duration_ns{job=\"web\"} 8\n",
        "\ntester_job_polls_late_total{job=\"web\",port=\"p1\"} 0\n",
        "\ntester_worker_waited_ns_total{cpu=\"1\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

// The rules of the format that can be broken here: one TYPE and one HELP for each metric, before
// its samples, and EOF at the end.
TEST(OpenMetrics, KeepsToTheForm) {
  std::istringstream lines(OpenMetrics(Example()));
  std::set<std::string> metrics;
  std::string sample;  // prefix of the metric's samples
  std::string line;
  while (std::getline(lines, line) && line != "# EOF") {
    if (line.starts_with("# HELP ")) {
      const std::string name =
          sample.substr(0, sample.rfind(sample.ends_with("_total{") ? '_' : '{'));
      EXPECT_TRUE(line.starts_with("# HELP " + name + " ")) << line;
      EXPECT_GT(line.size(), name.size() + 8) << line << " says nothing";
      continue;
    }
    if (!line.starts_with("# TYPE ")) {
      ASSERT_FALSE(sample.empty());
      EXPECT_TRUE(line.starts_with(sample)) << line;
      EXPECT_NE(line.find("} "), std::string::npos) << line;
      continue;
    }
    std::istringstream words(line.substr(7));
    std::string type;
    words >> sample >> type;
    EXPECT_TRUE(metrics.insert(sample).second) << line;
    EXPECT_TRUE(type == "counter" || type == "gauge") << line;
    sample += type == "counter" ? "_total{" : "{";
  }
  EXPECT_EQ(line, "# EOF");
  EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
}  // namespace tester
