// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_replay.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "plan/check_policy.h"
#include "plan/refuse.h"
#include "plan/streams/validate_departures.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr double kLongestRunNs = 0x1p60;

// Frames of a file are sent unchanged: they have no room for a signature, and their headers differ.
void CheckAlone(const v1::Stream& stream, std::string_view where) {
  const auto refuse_if = [&](bool given, std::string_view what) {
    if (given) Refuse(where, what, " can not be given to the frames of a capture file");
  };
  refuse_if(stream.frames_size() > 0, "frames");
  refuse_if(stream.signature(), "a signature");
  refuse_if(stream.order_size() > 0, "an order");
  refuse_if(stream.editors_size() > 0, "editors");
  refuse_if(stream.checksums_size() > 0, "checksums");
  refuse_if(stream.has_version(), "a version");
}

template <size_t kBytes>
std::array<uint8_t, kBytes> AddressOf(const std::string& bytes) {
  std::array<uint8_t, kBytes> address;
  std::copy_n(bytes.begin(), kBytes, address.begin());
  return address;
}

template <size_t kBytes>
bool Add(const v1::Rewrite& rewrite,
         std::map<std::array<uint8_t, kBytes>, std::array<uint8_t, kBytes>>& rules) {
  return rules
      .emplace(AddressOf<kBytes>(rewrite.address()), AddressOf<kBytes>(rewrite.replacement()))
      .second;
}

Rewrites RewritesOf(const v1::Replay& replay, const std::string& where) {
  if (replay.rewrites_size() > kMaxRewrites) {
    Refuse(where, replay.rewrites_size(), " rewrites; allowed are up to ", kMaxRewrites);
  }
  Rewrites valid;
  int index = 0;
  for (const auto& rewrite : replay.rewrites()) {
    const std::string which = Cat(where, ", rewrite ", index++);
    const size_t from = rewrite.address().size();
    const size_t to = rewrite.replacement().size();
    const bool every = from == 0 && to == Mac{}.size();
    if (!every && (from != to || (to != 4 && to != Mac{}.size() && to != 16))) {
      Refuse(
          which, "an address of ", from, " bytes and a replacement of ", to,
          "; both must have 6 (MAC), 4 (IPv4) or 16 (IPv6); or only a replacement of 6 be given");
    }
    bool is_new = true;
    if (every) {
      is_new = !valid.every_destination.has_value();
      valid.every_destination = AddressOf<6>(rewrite.replacement());
    } else if (to == 4) {
      is_new = Add(rewrite, valid.ipv4);
    } else if (to == 16) {
      is_new = Add(rewrite, valid.ipv6);
    } else {
      is_new = Add(rewrite, valid.macs);
    }
    if (!is_new) Refuse(which, "its address is given twice");
  }
  return valid;
}

}  // namespace

ReplayPlan ValidateReplay(const v1::Stream& stream, const PortLimits& port,
                          std::string_view stream_where) {
  CheckAlone(stream, stream_where);
  const v1::Replay& replay = stream.departures().replay();
  const std::string where = Cat(stream_where, ", departures, replay");
  ReplayPlan plan{.path = replay.path(),
                  .offset_ns = stream.departures().offset_ns(),
                  .longest_frame = port.max_frame_bytes - wire::kFcsBytes,
                  .summary = {},
                  .rate = {},
                  .scale = replay.scale(),
                  .repetitions = replay.repetitions(),
                  .rewrites = RewritesOf(replay, where),
                  .allowed = nullptr};
  if (replay.has_rate()) {
    plan.rate = ValidateRate(replay.rate(), Cat(where, ", rate"));
  } else if (!(plan.scale > 0 && std::isfinite(plan.scale))) {
    Refuse(where, "times the gaps of the file by ", plan.scale, "; scale must be above 0");
  }
  FrameObjection objection;
  if (const AddressRules* allowed = LimitedAddresses(port)) {
    plan.allowed = {port.policy, allowed};
    objection = [&plan, allowed](MutableFrame frame) {
      plan.rewrites.Apply(frame);
      return allowed->Objection(frame);
    };
  }
  plan.summary = Survey(plan.path, plan.longest_frame, where, objection);
  if (plan.rate) return plan;
  if (plan.scale * static_cast<double>(plan.summary.duration_ns) > kLongestRunNs) {
    Refuse(where, "the file's ", plan.summary.duration_ns, " ns times ", plan.scale,
           " are too long; at most 2^60 ns");
  }
  if (plan.repetitions != 1 && plan.RunNs() == 0) {
    Refuse(where,
           "the file's frames take no time, so nothing is known of the gap between runs; give ",
           "a rate or 1 repetition");
  }
  return plan;
}

}  // namespace tester
