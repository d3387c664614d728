// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/spec.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr size_t kMaxNameBytes = 32;
constexpr size_t kMaxInterfaceBytes = 15;  // IFNAMSIZ - 1
constexpr size_t kMaxTagBytes = 32;
constexpr size_t kMaxVdevBytes = 512;
constexpr uint64_t kMaxDelayNs = 1'000'000'000;

struct Prefix {
  std::string_view text;
  PortKind kind;
};

constexpr std::array<Prefix, 7> kPrefixes = {{{"iface:", PortKind::kInterface},
                                              {"af_xdp:", PortKind::kAfXdp},
                                              {"af_packet:", PortKind::kAfPacket},
                                              {"pci:", PortKind::kPci},
                                              {"vdev:", PortKind::kVdev},
                                              {"loop:", PortKind::kLoop},
                                              {"delay:", PortKind::kDelay}}};

[[noreturn]] void Refuse(std::string_view text, std::string_view why) {
  throw Error(Code::kInvalidArgument,
              Cat("port ", Quote(text), ": ", why, "; allowed is ", kPortSpecHelp));
}

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool IsName(std::string_view text, size_t most) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [](char c) {
    return IsAlphanumeric(c) || c == '_' || c == '-' || c == '.';
  });
}

// Names that the kernel accepts (dev_valid_name), except those with a comma, which would end the
// argument of a DPDK vdev string.
bool IsInterface(std::string_view text) {
  return !text.empty() && text.size() <= kMaxInterfaceBytes && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return c > 0x20 && c < 0x7f && c != '/' && c != ':' && c != ',' && c != '=';
         });
}

// 0000:03:00.0
bool IsPciAddress(std::string_view text) {
  constexpr std::string_view kShape = "xxxx:xx:xx.x";
  if (text.size() != kShape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool fits = kShape[i] == 'x' ? std::isxdigit(static_cast<unsigned char>(text[i])) != 0
                                       : text[i] == kShape[i];
    if (!fits) return false;
  }
  return true;
}

bool IsVdev(std::string_view text) {
  return text.size() <= kMaxVdevBytes && IsName(text.substr(0, text.find(',')), kMaxVdevBytes) &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool IsArgument(PortKind kind, std::string_view text) {
  switch (kind) {
    case PortKind::kPci:
      return IsPciAddress(text);
    case PortKind::kVdev:
      return IsVdev(text);
    case PortKind::kLoop:
    case PortKind::kDelay:
      return IsName(text, kMaxTagBytes);
    default:
      return IsInterface(text);
  }
}

std::optional<uint64_t> ParseDelay(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && value <= kMaxDelayNs ? std::optional(value) : std::nullopt;
}

// "5000" or "0-5000".
DelayRange ParseDelayRange(std::string_view text, std::string_view all) {
  const size_t dash = text.find('-');
  const auto least = ParseDelay(text.substr(0, dash));
  const auto most = dash == std::string_view::npos ? least : ParseDelay(text.substr(dash + 1));
  if (!least || !most || *least > *most) {
    Refuse(all, Cat("the delay ", Quote(text),
                    " is not a number of ns, or two with the lesser first, up to ", kMaxDelayNs));
  }
  return {.least_ns = *least, .most_ns = *most};
}

}  // namespace

PortSpec ParsePortSpec(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) Refuse(text, "there is no '='");
  const std::string_view name = text.substr(0, equals);
  const std::string_view spec = text.substr(equals + 1);
  if (!IsName(name, kMaxNameBytes)) Refuse(text, Cat("the name ", Quote(name), " is not allowed"));
  for (const auto& prefix : kPrefixes) {
    if (!spec.starts_with(prefix.text)) continue;
    std::string_view argument = spec.substr(prefix.text.size());
    DelayRange delay{};
    if (prefix.kind == PortKind::kDelay) {
      const size_t comma = std::min(argument.find(','), argument.size());
      delay = ParseDelayRange(argument.substr(std::min(comma + 1, argument.size())), text);
      argument = argument.substr(0, comma);
    }
    if (!IsArgument(prefix.kind, argument)) {
      Refuse(text, Cat(Quote(argument), " cannot follow ", Quote(prefix.text)));
    }
    return {.name = std::string(name),
            .kind = prefix.kind,
            .argument = std::string(argument),
            .delay = delay};
  }
  Refuse(text, Cat("the spec ", Quote(spec), " is unknown"));
}

bool IsLoop(PortKind kind) { return kind == PortKind::kLoop || kind == PortKind::kDelay; }

bool UsesKernelInterface(PortKind kind) {
  return kind == PortKind::kInterface || kind == PortKind::kAfXdp || kind == PortKind::kAfPacket;
}

}  // namespace tester
