// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/openmetrics.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "text.h"

namespace tester {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Metrics by name, each with its samples: labels and value.
using Samples = std::vector<std::pair<std::string, std::string>>;
using Metrics = std::map<std::string, Samples>;

// What does not only rise while a stream runs.
bool IsGauge(std::string_view name) {
  constexpr std::array<std::string_view, 13> kWords = {
      "first_", "last_", "worst_", "longest_", "_min",   "_max",  "jitter",
      "open_",  "next_", "_now",   "_at_",     "start_", "asked_"};
  constexpr std::array<std::string_view, 7> kEnds = {
      "_sending", "_running", "_answering", "_opening", "_flows", "_link_up", "_obeys_pause"};
  return std::ranges::any_of(kWords, [&](auto word) { return name.find(word) != name.npos; }) ||
         std::ranges::any_of(kEnds, [&](auto end) { return name.ends_with(end); });
}

std::string ValueOf(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT64:
      return Cat(reflection.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return Cat(reflection.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return Cat(reflection.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "1" : "0";
    default:
      return {};
  }
}

// A number that is not counted, which is not 0.
bool IsAbsent(const Message& message, const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE && field.has_presence() &&
         !message.GetReflection()->HasField(message, &field);
}

// The numbers of a message and of those in it. `skipped` are labels already.
void Collect(const Message& message, const std::string& prefix, const std::string& labels,
             const std::vector<std::string_view>& skipped, Metrics& metrics) {
  const auto& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    if (field.is_repeated() || IsAbsent(message, field) ||
        std::find(skipped.begin(), skipped.end(), field.name()) != skipped.end()) {
      continue;
    }
    const std::string name = prefix + field.name();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Collect(message.GetReflection()->GetMessage(message, &field), name + "_", labels, {},
              metrics);
    } else if (std::string value = ValueOf(message, field); !value.empty()) {
      metrics[name].emplace_back(labels, std::move(value));
    }
  }
}

std::string Label(std::string_view name, const auto& value) {
  return Cat(name, "=\"", value, "\"");
}

// The same of a name that a client has chosen.
std::string Label(std::string_view name, const std::string& value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return Cat(name, "=\"", escaped, "\"");
}

std::string Write(const Metrics& metrics) {
  std::string text;
  for (const auto& [name, samples] : metrics) {
    const bool gauge = IsGauge(name);
    text += Cat("# TYPE ", name, gauge ? " gauge\n" : " counter\n");
    for (const auto& [labels, value] : samples) {
      text += Cat(name, gauge ? "{" : "_total{", labels, "} ", value, "\n");
    }
  }
  return text + "# EOF\n";
}

}  // namespace

std::string OpenMetrics(const v1::Snapshot& snapshot) {
  Metrics metrics;
  for (const auto& port : snapshot.ports()) {
    const std::string label = Label("port", port.name());
    Collect(port, "tester_port_", label, {"name"}, metrics);
    for (int i = 0; i < port.versions_size(); ++i) {
      Collect(port.versions(i), "tester_port_version_", label + "," + Label("version", i), {},
              metrics);
    }
    for (const auto& error : port.rx_icmp_errors()) {
      const std::string labels = Cat(label, ",", Label("ip_version", error.ip_version()), ",",
                                     Label("type", error.type()), ",", Label("code", error.code()));
      Collect(error, "tester_port_rx_icmp_errors_", labels, {"ip_version", "type", "code"},
              metrics);
    }
  }
  for (const auto& stream : snapshot.streams()) {
    const std::string label = Label("stream", stream.id());
    Collect(stream, "tester_stream_", label, {"id"}, metrics);
    for (int i = 0; i < stream.versions_size(); ++i) {
      Collect(stream.versions(i), "tester_stream_version_", label + "," + Label("version", i), {},
              metrics);
    }
  }
  for (const auto& job : snapshot.jobs()) {
    const std::string label = Label("job", job.name());
    Collect(job, "tester_job_", label, {"name"}, metrics);
    for (const auto& polls : job.polls()) {
      Collect(polls, "tester_job_polls_", label + "," + Label("port", polls.port()), {"port"},
              metrics);
    }
  }
  for (const auto& worker : snapshot.workers()) {
    Collect(worker, "tester_worker_", Label("cpu", worker.cpu()), {"cpu", "lcore"}, metrics);
  }
  for (const auto& responder : snapshot.responders()) {
    const std::string labels =
        Label("job", responder.job()) + "," + Label("responder", responder.name());
    Collect(responder, "tester_responder_", labels, {"job", "name"}, metrics);
  }
  for (const auto& capture : snapshot.captures()) {
    const std::string label = Label("capture", capture.name());
    Collect(capture, "tester_capture_", label, {"name"}, metrics);
    for (const auto& port : capture.ports()) {
      Collect(port, "tester_capture_port_", label + "," + Label("port", port.port()), {"port"},
              metrics);
    }
  }
  Collect(snapshot.clock(), "tester_clock_", "", {}, metrics);
  return Write(metrics);
}

}  // namespace tester
