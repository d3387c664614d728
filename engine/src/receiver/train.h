// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Consecutive frames of one stream that were stamped together and have arrived together, as bursts
// do. After the first one each frame changes only counts, and these are updated once for all.
#pragma once

#include <cstdint>
#include <cstring>

#include "receiver/classifier.h"
#include "wire/bytes.h"
#include "wire/ethernet.h"
#include "wire/signature.h"

namespace tester {

class Train {
 public:
  // Counts frames that are taken from a port at this instant.
  explicit Train(uint64_t now_ns) : now_ns_(now_ns) {}
  ~Train() { End(); }
  Train(const Train&) = delete;
  Train& operator=(const Train&) = delete;

  // Begins behind a frame that CountSigned has just counted. Its buffer stays until End.
  void Begin(const Expected& stream, const uint8_t* signature, const Arrival& arrival);

  // Counts a frame if it continues the train: the next one of the stream, of the same version.
  // Otherwise returns false, and CountSigned counts it, after End.
  bool Join(const uint8_t* signature, const Arrival& arrival) {
    if (wire::Load64(signature) != next_ || wire::Load64(signature + 8) != next_low_ ||
        next_ >= end_ || version_.Of(arrival.frame) != version_of_all_) {
      return false;
    }
    if (!IsIntact(signature, arrival)) return false;
    if (flows_ != nullptr) {
      flows_->Add(next_ & wire::kMask48, arrival.bytes + wire::kFcsBytes, latency_ns_);
    }
    ++next_;
    next_low_ = LowAfter(next_low_);
    ++frames_;
    bytes_ += arrival.bytes;
    return true;
  }

  // Counts the changes of all frames of the train together.
  void End() {
    if (frames_ != 0) Count();
    next_ = kNothing;
  }

 private:
  static constexpr uint64_t kNothing = 0;  // the id of no stream

  // The last eight bytes of the signature that follows one with `low`: the same timestamp, and in
  // the last two bytes the compensation of the sum for a sequence number that grows by one. 0 and
  // 0xffff are the same there; CountSigned handles a frame with the other value.
  static uint64_t LowAfter(uint64_t low) { return (low & 0xffff) == 0 ? low + 0xfffe : low - 1; }

  // How it finds out whether a frame is intact.
  enum class Looks : uint8_t {
    kAtTheFirst,    // all are equal
    kAtThePattern,  // all have one template
    kCloser,
  };

  static Looks LooksAt(const Expected& stream, const Arrival& arrival);

  bool IsIntact(const uint8_t* signature, const Arrival& arrival) {
    if (looks_ == Looks::kAtThePattern) return HasThePattern(arrival);
    return looks_ == Looks::kAtTheFirst ? IsLikeTheFirst(signature, arrival)
                                        : LookCloser(signature, arrival);
  }

  bool HasThePattern(const Arrival& arrival) const {
    return arrival.bytes == bytes_of_each_ && arrival.frame.size() == arrival.bytes &&
           stream_->integrity->FollowsTheTemplate(arrival.frame.data());
  }

  // For a stream with equal frames: whether this one is as intact as the first.
  bool IsLikeTheFirst(const uint8_t* signature, const Arrival& arrival) const {
    if (arrival.bytes != bytes_of_each_) return false;
    return first_.empty() || (arrival.frame.size() == arrival.bytes &&
                              signature == arrival.frame.data() + first_.size() &&
                              std::memcmp(first_.data(), arrival.frame.data(), first_.size()) == 0);
  }

  // Whether a frame is intact, where no simpler check decides.
  bool LookCloser(const uint8_t* signature, const Arrival& arrival) const;
  void Count();

  const uint64_t now_ns_;
  // The first eight bytes of the next signature, and of the first one with another version or
  // beyond the reach of counting.
  uint64_t next_ = kNothing;
  uint64_t end_ = 0;
  uint64_t next_low_ = 0;  // its other eight bytes
  uint64_t frames_ = 0;
  uint64_t bytes_ = 0;  // without FCS
  const Expected* stream_ = nullptr;
  PortCounters* port_ = nullptr;
  Flows* flows_ = nullptr;  // null: flows are not counted separately
  uint64_t latency_ns_ = 0;
  VersionBit version_;
  uint32_t version_of_all_ = 0;
  bool rewritten_ = false;
  Looks looks_ = Looks::kCloser;
  // Unless it looks closer:
  uint32_t bytes_of_each_ = 0;
  Frame first_;  // up to its signature, in the buffer that it has arrived in; empty: not compared
};

}  // namespace tester
