// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_frames.h"

#include <algorithm>

#include "base/text.h"
#include "plan/refuse.h"
#include "plan/streams/validate_editor.h"
#include "wire/ethernet.h"
#include "wire/signature.h"

namespace tester {
namespace {

std::vector<std::vector<uint8_t>> FramesOf(const v1::Stream& stream, const PortLimits& port,
                                           std::string_view where) {
  if (stream.frames_size() < 1 || stream.frames_size() > kMaxFrames) {
    Refuse(where, stream.frames_size(), " frames; allowed are 1 to ", kMaxFrames);
  }
  std::vector<std::vector<uint8_t>> frames;
  for (const auto& frame : stream.frames()) {
    CheckFrameLength(frame.size(), wire::kMinFrameBytes, port,
                     Cat(where, ", frame ", frames.size()));
    frames.emplace_back(frame.begin(), frame.end());
  }
  return frames;
}

// The sum identifies a stream's signatures, so all frames must have the same.
void CheckSignatures(const std::vector<std::vector<uint8_t>>& frames, std::string_view where) {
  const auto sum = [](const std::vector<uint8_t>& frame) {
    return wire::SignatureSum(frame.data() + frame.size() - wire::kSignatureBytes);
  };
  for (size_t i = 1; i < frames.size(); ++i) {
    if (sum(frames[i]) == sum(frames[0])) continue;
    Refuse(where, "the last ", wire::kSignatureBytes, " bytes of frame ", i, " have the sum ",
           sum(frames[i]), ", those of frame 0 ", sum(frames[0]),
           "; the signatures of a stream must have the same");
  }
}

std::vector<OrderRun> OrderOf(const v1::Stream& stream, std::string_view where) {
  const bool scripted = stream.departures().has_script();
  if (stream.order_size() > 0 && (scripted || stream.departures().has_replay())) {
    Refuse(where, "an order, and departures that name their frames themselves; give one of them");
  }
  if (stream.order_size() > kMaxOrder) {
    Refuse(where, "order has ", stream.order_size(), " entries; allowed are up to ", kMaxOrder);
  }
  std::vector<OrderRun> runs;
  const auto append = [&](uint32_t frame, uint64_t packets, std::string_view what, size_t index) {
    if (frame >= static_cast<uint32_t>(stream.frames_size())) {
      Refuse(where, what, " ", index, " is frame ", frame, "; the stream has frames 0 to ",
             stream.frames_size() - 1);
    }
    if (!runs.empty() && runs.back().frame == frame) {
      runs.back().packets += packets;
    } else {
      runs.push_back({.frame = static_cast<uint16_t>(frame), .packets = packets});
    }
  };
  size_t index = 0;
  for (const uint32_t frame : stream.order()) append(frame, 1, "order", index++);
  for (const auto& message : stream.departures().script().messages()) {
    append(message.frame(), message.packets(), "message", index++);
  }
  return runs;
}

}  // namespace

void CheckFrameLength(size_t bytes, size_t least, const PortLimits& port, std::string_view where) {
  const size_t most = port.max_frame_bytes - wire::kFcsBytes;
  if (bytes < least || bytes > most) {
    Refuse(where, "the frame has ", bytes, " bytes; port ", Quote(port.name), " allows ", least,
           " to ", most, ", without FCS");
  }
}

FramesPlan ValidateFrames(const v1::Stream& stream, const PortLimits& port,
                          std::string_view where) {
  FramesPlan plan{.stream_id = static_cast<uint16_t>(stream.id()),
                  .signature = stream.signature(),
                  .frames = FramesOf(stream, port, where),
                  .order = {},
                  .editors = {},
                  .checksums = {},
                  .version = {}};
  if (plan.signature) CheckSignatures(plan.frames, where);
  plan.order = OrderOf(stream, where);
  ValidateEditors(stream, where, plan);
  return plan;
}

}  // namespace tester
