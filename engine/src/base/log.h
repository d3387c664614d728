// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One line an event: text for a person at a terminal, JSON for a program.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace tester {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : uint8_t { kText, kJson };

struct LogField {
  std::string_view key;
  std::variant<std::string, int64_t> value;
};

void SetLogFormat(LogFormat format);
void SetLogLevel(LogLevel level);

// Log(LogLevel::kInfo, "ready", {{"address", address}});  Goes to stderr. Thread safe.
void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

// A value as JSON writes it; bytes that are not printable ASCII are escaped.
std::string JsonString(std::string_view text);

}  // namespace tester
