// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets under way through a device, by a hash of the fields that it keeps. Used by one worker. It
// allocates when it is made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/huge_array.h"

namespace tester {

class UnderWay {
 public:
  static constexpr uint32_t kNoFlow = (1 << 24) - 1;

  // Has room for `packets` packets at once, except for fewer than one in a hundred, whose buckets
  // are full. A packet is given up after the timeout.
  UnderWay(uint32_t packets, uint64_t timeout_ns);

  void Prefetch(uint64_t key) const {
    __builtin_prefetch(&buckets_[Home(key)], 1);
    __builtin_prefetch(&buckets_[Home(key) ^ 1], 1);
  }

  enum class Entered : uint8_t {
    kNew,
    kAgain,  // another packet with this key is under way; they are indistinguishable
    kFull    // there is no room for it
  };
  // A packet that leaves to the device. `flow`: kNoFlow where it has none.
  Entered Enter(uint64_t key, uint32_t flow, uint64_t now_ns);
  // It has not left after all.
  void Withdraw(uint64_t key);

  enum class Back : uint8_t {
    kFound,
    kAmbiguous,   // one of several that cannot be told apart
    kDuplicated,  // all packets with this key are back already
    kLate,        // after the time
    kUnknown
  };
  struct Found {
    Back back;
    uint32_t flow = kNoFlow;
    uint64_t sent_ns = 0;
  };
  // A packet that comes back from the device.
  Found Leave(uint64_t key, uint64_t now_ns);

 private:
  static constexpr uint64_t kMostAlike = (1 << 15) - 1;
  static constexpr uint64_t kTimeMask = (uint64_t{1} << 48) - 1;

  // Sixteen bytes; the place in the table has the other bits of the key.
  struct Entry {
    uint64_t key() const { return first & ((uint64_t{1} << 40) - 1); }  // 0: none
    uint32_t flow() const { return static_cast<uint32_t>(first >> 40); }
    uint64_t sent_ns() const { return second & kTimeMask; }
    uint64_t count() const { return second >> 48 & kMostAlike; }  // packets; 0: all are back
    bool ambiguous() const { return second >> 63 != 0; }

    void Set(uint64_t rest, uint32_t flow) { first = uint64_t{flow} << 40 | rest; }
    void Send(uint64_t now_ns, uint64_t packets, bool alike) {
      second = uint64_t{alike} << 63 | packets << 48 | (now_ns & kTimeMask);
    }
    void SetCount(uint64_t packets) { second = (second & ~(kMostAlike << 48)) | packets << 48; }

    uint64_t first = 0;
    uint64_t second = 0;
  };
  static_assert(sizeof(Entry) == 16);

  struct alignas(64) Bucket {
    std::array<Entry, 4> entries;
  };

  size_t Home(uint64_t key) const { return static_cast<size_t>(key >> 40) & mask_; }
  static uint64_t Rest(uint64_t key) { return (key & ((uint64_t{1} << 40) - 1)) | 1; }
  Entry* FindEntry(uint64_t key);
  // The best entry to overwrite in the key's two buckets: a free one, or one of a packet that is
  // back or given up.
  Entry* FreeEntry(uint64_t key, uint64_t now_ns);
  bool IsOver(const Entry& entry, uint64_t now_ns) const {
    return ((now_ns - entry.sent_ns()) & kTimeMask) > timeout_ns_;
  }

  const uint64_t timeout_ns_;
  size_t mask_;
  HugeArray<Bucket> buckets_;
};

}  // namespace tester
