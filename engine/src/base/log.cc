// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/log.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/text.h"

namespace tester {
namespace {

std::atomic<LogFormat> log_format{LogFormat::kText};
std::atomic<LogLevel> log_level{LogLevel::kInfo};

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};

std::string_view NameOf(LogLevel level) { return kLevelNames[static_cast<size_t>(level)]; }

// RFC 3339, in UTC, with milliseconds.
std::string Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  const size_t length = std::strftime(text.data(), text.size(), "%FT%T", &utc);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ", static_cast<int>(ms % 1000));
  return text.data();
}

std::string ValueText(const LogField& field, bool quoted) {
  if (const auto* number = std::get_if<int64_t>(&field.value)) return std::to_string(*number);
  const auto& text = std::get<std::string>(field.value);
  return quoted ? JsonString(text) : text;
}

std::string JsonLine(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  std::string line = Cat("{\"time\":\"", Now(), "\",\"level\":", JsonString(NameOf(level)),
                         ",\"event\":", JsonString(event));
  for (const auto& field : fields) {
    line += Cat(",", JsonString(field.key), ":", ValueText(field, true));
  }
  return line += "}\n";
}

std::string TextLine(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  std::string line = Cat(Now(), " ", NameOf(level), " event=", event);
  for (const auto& field : fields) {
    const bool quoted = ValueText(field, false).find_first_of(" \"\n=") != std::string::npos;
    line += Cat(" ", field.key, "=", ValueText(field, quoted));
  }
  return line += "\n";
}

}  // namespace

void SetLogFormat(LogFormat format) { log_format = format; }
void SetLogLevel(LogLevel level) { log_level = level; }

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      out += escape.data();
    } else {
      out += c;
    }
  }
  return out += '"';
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < log_level.load()) return;
  const std::string line = log_format.load() == LogFormat::kJson ? JsonLine(level, event, fields)
                                                                 : TextLine(level, event, fields);
  // One write a line, so that lines of several threads do not mix.
  const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  static_cast<void>(written);  // nowhere to report it
}

}  // namespace tester
