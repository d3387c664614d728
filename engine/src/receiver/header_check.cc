// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/header_check.h"

#include <algorithm>
#include <utility>

#include "wire/ethernet.h"
#include "wire/signature.h"
#include "wire/udp.h"

namespace tester {
namespace {

using wire::BitOf;
using wire::Bytes;
using wire::CoveredSum;
using wire::Header;
using wire::HeaderFault;
using wire::HeaderFaults;
using wire::HeaderKind;
using wire::HeaderWalk;

constexpr size_t kUdpChecksumOffset = 6;
// More bytes of a payload are compared faster by themselves.
constexpr size_t kMostPayload = 48;
constexpr HeaderFaults kChecksums =
    BitOf(HeaderFault::kIpv4Checksum) | BitOf(HeaderFault::kUdpChecksum) |
    BitOf(HeaderFault::kTcpChecksum) | BitOf(HeaderFault::kIcmpChecksum);

bool Overlap(const BitRange& one, const BitRange& other) {
  return one.begin < other.end && other.begin < one.end;
}

bool Covers(const CoveredSum& sum, const BitRange& bits) {
  return std::any_of(sum.covered.begin(), sum.covered.end(),
                     [&](const Bytes& bytes) { return Overlap(bits, BitsOf(bytes)); });
}

size_t HopCount(const Header& header) {
  if (header.kind == HeaderKind::kIpv4) return header.at.begin + 8;
  return header.kind == HeaderKind::kIpv6 ? header.at.begin + 7 : 0;
}

// Whether a checksum stays right with a change: the sender updates it, or the changed bytes and an
// updated checksum among them add up to the same sum.
bool StaysRight(const CoveredSum& sum, const HeaderChange& change, const HeaderWalk& sent,
                const HeaderRules& rules) {
  if (!change.updates_checksums) return false;
  const auto& updated = rules.updated_checksums;
  return std::any_of(sent.sums().begin(), sent.sums().end(), [&](const CoveredSum& other) {
    const Bytes field{.begin = other.offset, .size = 2};
    return std::find(updated.begin(), updated.end(), other.offset) != updated.end() &&
           Covers(other, change.bits) && Covers(sum, BitsOf(field));
  });
}

// Faults that the device did not cause: faults of the sent frame, and checksums that the sender
// does not update when fields change.
HeaderFaults Excused(const HeaderWalk& sent, const HeaderRules& rules) {
  HeaderFaults excused = sent.faults() | sent.WrongSums();
  const auto changes = [&](const auto& predicate) {
    return std::any_of(rules.changes.begin(), rules.changes.end(), predicate);
  };
  for (const CoveredSum& sum : sent.sums()) {
    if (changes([&](const HeaderChange& change) {
          return Covers(sum, change.bits) && !StaysRight(sum, change, sent, rules);
        })) {
      excused |= BitOf(sum.fault);
    }
  }
  for (size_t i = 0; i < sent.headers().size(); ++i) {
    const Header& header = sent.headers()[i];
    for (const BitRange& fixed : Structure(header, i + 1 < sent.headers().size())) {
      // From here on the structure of the frame is unknown.
      if (changes([&](const HeaderChange& change) { return Overlap(change.bits, fixed); })) {
        return wire::kAllFaults;
      }
    }
    const Bytes hops{.begin = HopCount(header), .size = 1};
    if (hops.begin != 0 &&
        changes([&](const HeaderChange& change) { return Overlap(change.bits, BitsOf(hops)); })) {
      excused |= BitOf(HeaderFault::kTtl);
    }
  }
  return excused;
}

}  // namespace

HeaderCheck::HeaderCheck(Frame sent, const HeaderRules& rules, size_t compared_from) {
  const size_t signature = sent.size() - wire::kSignatureBytes;
  const HeaderWalk walk(sent, sent.size());
  const size_t bytes = std::min(signature, std::max(walk.end_of_headers(), rules.kept.size()));
  sent_.assign(sent.begin(), sent.begin() + static_cast<ptrdiff_t>(bytes));
  excused_ = Excused(walk, rules);
  sent_tag_bytes_ = walk.tags() * wire::kVlanTagBytes;
  kept_ = rules.kept;
  kept_.resize(std::min(kept_.size(), bytes));
  for (const HeaderChange& change : rules.changes) SetBits(kept_, change.bits, false);
  for (size_t at = 0; at < kept_.size(); ++at) parts_.push_back(walk.PartAt(at));
  std::vector<uint8_t> mask = MaskOf(walk);
  const std::vector<uint8_t> headers = mask;
  compares_payload_ =
      compared_from != 0 && signature <= std::max(bytes, compared_from) + kMostPayload;
  if (compares_payload_) {
    mask.resize(std::max(bytes, signature));
    SetBits(mask, {.begin = compared_from * 8, .end = signature * 8}, true);
  }
  pattern_ = FramePattern(sent, std::move(mask));
  if (excused_ == wire::kAllFaults) return;
  AddHopCounts(walk, headers);
  AddSums(walk, compared_from == 0 ? sent.size() : compared_from, sent);
  const Header& last = walk.headers().back();
  if (last.kind == HeaderKind::kUdp &&
      last.at.begin + wire::Load16(&sent[last.at.begin + 4]) == sent.size() &&
      wire::Load16(&sent[last.at.begin + kUdpChecksumOffset]) != 0) {
    udp_bytes_ = sent.size() - last.at.begin;
  }
}

// The bits that must arrive as sent: kept fields, and the fields that hold lengths and checksums.
std::vector<uint8_t> HeaderCheck::MaskOf(const HeaderWalk& walk) const {
  std::vector<uint8_t> mask = kept_;
  mask.resize(sent_.size());
  if (excused_ == wire::kAllFaults) return mask;
  for (const BitRange& bits : Structure(walk)) SetBits(mask, bits, true);
  for (const CoveredSum& sum : walk.sums()) {
    if (IsLeftOut(sum)) SetBits(mask, BitsOf({.begin = sum.offset, .size = 2}), true);
  }
  return mask;
}

bool HeaderCheck::IsLeftOut(const CoveredSum& sum) const {
  return sum.may_be_left_out && wire::Load16(sent_.data() + sum.offset) == 0;
}

void HeaderCheck::AddHopCounts(const HeaderWalk& walk, const std::vector<uint8_t>& mask) {
  if ((excused_ & BitOf(HeaderFault::kTtl)) != 0) return;
  for (const Header& header : walk.headers()) {
    const size_t offset = HopCount(header);
    if (offset != 0 && offset < mask.size() && mask[offset] != 0xff) {
      pattern_.AddNotZero({.begin = offset, .size = 1});
    }
  }
}

void HeaderCheck::AddSums(const HeaderWalk& walk, size_t compared_from, Frame sent) {
  for (const CoveredSum& sum : walk.sums()) {
    if ((excused_ & BitOf(sum.fault)) != 0 || IsLeftOut(sum)) continue;
    std::vector<Bytes> covered;
    for (const Bytes& bytes : sum.covered) {
      const size_t end = std::min(bytes.end(), std::max(bytes.begin, compared_from));
      if (end > bytes.begin) covered.push_back({.begin = bytes.begin, .size = end - bytes.begin});
    }
    const bool may_change = pattern_.AddSum(sent, covered);
    if (may_change && sum.may_be_left_out) {
      pattern_.AddNotZero({.begin = sum.offset, .size = 2});
    }
  }
}

HeaderFaults HeaderCheck::Faults(Frame frame, size_t end) const {
  const HeaderWalk walk(frame, end);
  HeaderFaults found = walk.faults() | walk.WrongSums();
  if (LeavesOutTheChecksum(frame, end, walk)) found |= BitOf(HeaderFault::kUdpChecksum);
  return (found & ~excused_) | Differences(frame, walk);
}

// A device may add a tunnel with a UDP header without checksum.
bool HeaderCheck::LeavesOutTheChecksum(Frame frame, size_t end, const HeaderWalk& walk) const {
  if (udp_bytes_ == 0 || end < udp_bytes_) return false;
  const size_t begin = end - udp_bytes_;
  return std::any_of(walk.headers().begin(), walk.headers().end(), [&](const Header& header) {
    return header.kind == HeaderKind::kUdp && header.at.begin == begin &&
           wire::Load16(frame.data() + begin + kUdpChecksumOffset) == 0;
  });
}

HeaderFaults HeaderCheck::Differences(Frame frame, const HeaderWalk& walk) const {
  const size_t tag_bytes = walk.tags() * wire::kVlanTagBytes;
  const bool as_many = tag_bytes == sent_tag_bytes_;
  HeaderFaults found = wire::kNoFaults;
  for (size_t at = 0; at < kept_.size(); ++at) {
    // A device may add or remove tags; the bytes behind them stay.
    if (!as_many && at >= wire::kMacsBytes && at < wire::kMacsBytes + sent_tag_bytes_) continue;
    const size_t there = at < wire::kMacsBytes ? at : at + tag_bytes - sent_tag_bytes_;
    if (there >= frame.size()) return found | BitOf(HeaderFault::kOtherHeader);
    if (((frame[there] ^ sent_[at]) & kept_[at]) != 0) found |= BitOf(parts_[at]);
  }
  // A checksum that follows another field is no fault of its own.
  return (found & ~kChecksums) != wire::kNoFaults ? found & ~kChecksums : found;
}

}  // namespace tester
