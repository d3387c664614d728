// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Streams without signature, known by bytes of their frames: Stream.matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "receiver/classifier.h"
#include "wire/bytes.h"

namespace tester {

// A byte of a frame is this under a mask, which is not 0.
struct ByteMatch {
  uint32_t offset;
  uint8_t mask;
  uint8_t value;

  bool operator==(const ByteMatch&) const = default;
};

// The most bytes that a stream matches.
inline constexpr size_t kMostMatchBytes = 128;

// Conditions on the bytes of a frame, by ascending offset.
using Matches = std::vector<ByteMatch>;

// Whether no frame can match both: they differ in a common bit.
bool Exclude(const Matches& one, const Matches& other);

// The streams that arrive on one port. Streams that match the same bits, as the streams of a job
// do, share one look-up. Immutable once in use.
class Matcher {
 public:
  // At least one match. It must exclude the matches of every stream added before.
  void Add(const Matches& matches, const Expected& expected);

  bool empty() const { return groups_.empty(); }

  // The stream whose matches all hold, or nullptr.
  const Expected* Find(Frame frame) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };

  // Streams that match the same bits.
  struct Group {
    Matches bits;  // values are of no meaning
    std::unordered_map<std::string, Expected, Hash, std::equal_to<>> streams;  // by values
  };

  std::vector<Group> groups_;
};

}  // namespace tester
