// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/openmetrics.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tester/v1/counter_options.pb.h"

namespace tester {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

struct Metric {
  bool gauge = false;
  std::string help;
  std::vector<std::pair<std::string, std::string>> samples;  // labels and value
};

using Metrics = std::map<std::string, Metric>;

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

// A field that is not counted; it is absent, not 0.
bool IsAbsent(const Message& message, const FieldDescriptor& field) {
  return field.has_optional_keyword() && !message.GetReflection()->HasField(message, &field);
}

// The numbers of a message and of those in it, which `group` is said of. `skipped` are labels
// already.
void Collect(const Message& message, const std::string& prefix, const std::string& labels,
             const std::vector<std::string_view>& skipped, Metrics& metrics,
             const std::string& group = {}) {
  const auto& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    if (field.is_repeated() || IsAbsent(message, field) ||
        std::find(skipped.begin(), skipped.end(), field.name()) != skipped.end()) {
      continue;
    }
    const std::string name = prefix + field.name();
    const v1::CounterOptions& counter = field.options().GetExtension(v1::counter);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Collect(message.GetReflection()->GetMessage(message, &field), name + "_", labels, {}, metrics,
              counter.help() + " ");
    } else if (std::string value = ValueOf(message, field); !value.empty()) {
      Metric& metric = metrics[name];
      metric.gauge = counter.gauge();
      metric.help = group + counter.help();
      metric.samples.emplace_back(labels, std::move(value));
    }
  }
}

std::string Label(std::string_view name, const auto& value) {
  return Cat(name, "=\"", value, "\"");
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

// A label with a name that a client has chosen.
std::string Label(std::string_view name, const std::string& value) {
  return Cat(name, "=\"", Escaped(value), "\"");
}

std::string Write(const Metrics& metrics) {
  std::string text;
  for (const auto& [name, metric] : metrics) {
    text += Cat("# TYPE ", name, metric.gauge ? " gauge\n" : " counter\n");
    text += Cat("# HELP ", name, " ", Escaped(metric.help), "\n");
    for (const auto& [labels, value] : metric.samples) {
      text += Cat(name, metric.gauge ? "{" : "_total{", labels, "} ", value, "\n");
    }
  }
  return text + "# EOF\n";
}

void CollectPorts(const v1::Snapshot& snapshot, Metrics& metrics) {
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
}

void CollectStreams(const v1::Snapshot& snapshot, Metrics& metrics) {
  for (const auto& stream : snapshot.streams()) {
    const std::string label = Label("stream", stream.id());
    Collect(stream, "tester_stream_", label, {"id"}, metrics);
    for (int i = 0; i < stream.versions_size(); ++i) {
      Collect(stream.versions(i), "tester_stream_version_", label + "," + Label("version", i), {},
              metrics);
    }
    for (const auto& field : stream.fields()) {
      Collect(field, "tester_stream_field_", label + "," + Label("field", field.name()), {"name"},
              metrics);
    }
  }
}

void CollectJobs(const v1::Snapshot& snapshot, Metrics& metrics) {
  for (const auto& job : snapshot.jobs()) {
    const std::string label = Label("job", job.name());
    Collect(job, "tester_job_", label, {"name"}, metrics);
    for (const auto& polls : job.polls()) {
      Collect(polls, "tester_job_polls_", label + "," + Label("port", polls.port()), {"port"},
              metrics);
    }
  }
}

void CollectResponders(const v1::Snapshot& snapshot, Metrics& metrics) {
  for (const auto& responder : snapshot.responders()) {
    const std::string labels =
        Label("job", responder.job()) + "," + Label("responder", responder.name());
    Collect(responder, "tester_responder_", labels, {"job", "name"}, metrics);
  }
}

void CollectPaths(const v1::Snapshot& snapshot, Metrics& metrics) {
  for (const auto& path : snapshot.paths()) {
    const std::string labels = Label("job", path.job()) + "," + Label("path", path.name());
    Collect(path, "tester_path_", labels, {"job", "name"}, metrics);
    for (const auto& direction : path.directions()) {
      Collect(direction, "tester_path_direction_", labels + "," + Label("port", direction.port()),
              {"port"}, metrics);
    }
    for (const auto& event : path.events()) {
      Collect(event, "tester_path_event_", labels + "," + Label("event", event.name()), {"name"},
              metrics);
    }
  }
}

void CollectCaptures(const v1::Snapshot& snapshot, Metrics& metrics) {
  for (const auto& capture : snapshot.captures()) {
    const std::string label = Label("capture", capture.name());
    Collect(capture, "tester_capture_", label, {"name"}, metrics);
    for (const auto& port : capture.ports()) {
      Collect(port, "tester_capture_port_", label + "," + Label("port", port.port()), {"port"},
              metrics);
    }
  }
}

}  // namespace

std::string OpenMetrics(const v1::Snapshot& snapshot) {
  Metrics metrics;
  CollectPorts(snapshot, metrics);
  CollectStreams(snapshot, metrics);
  CollectJobs(snapshot, metrics);
  for (const auto& worker : snapshot.workers()) {
    Collect(worker, "tester_worker_", Label("cpu", worker.cpu()), {"cpu", "lcore"}, metrics);
  }
  CollectResponders(snapshot, metrics);
  CollectPaths(snapshot, metrics);
  CollectCaptures(snapshot, metrics);
  for (const auto& query : snapshot.queries()) {
    Collect(query, "tester_query_", Label("query", query.name()), {"name"}, metrics);
  }
  Collect(snapshot.clock(), "tester_clock_", "", {}, metrics);
  return Write(metrics);
}

}  // namespace tester
