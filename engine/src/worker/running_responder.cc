// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/running_responder.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/burst.h"
#include "wire/ethernet.h"
#include "worker/buffers.h"
#include "worker/transmit.h"

namespace tester {
namespace {

constexpr size_t kMacBytes = 12;  // of both addresses

// Removes the tag of `vlan`: the frame begins later. Returns the tag's VLAN, priority and drop
// eligibility; nothing for a frame with another tag or without one.
std::optional<uint16_t> Untag(MutableFrame& frame, uint16_t vlan) {
  constexpr uint16_t kVlanId = 0x0fff;
  if (frame.size() < wire::kMacHeaderBytes + wire::kVlanTagBytes) return std::nullopt;
  const uint8_t* tag = frame.data() + kMacBytes;
  if (wire::Load16(tag) != wire::kEtherTypeVlan) return std::nullopt;
  const uint16_t control = wire::Load16(tag + 2);
  if ((control & kVlanId) != vlan) return std::nullopt;
  std::memmove(frame.data() + wire::kVlanTagBytes, frame.data(), kMacBytes);
  frame = frame.subspan(wire::kVlanTagBytes);
  return control;
}

void TagAgain(MutableFrame frame, uint16_t control) {
  uint8_t* begin = frame.data() - wire::kVlanTagBytes;
  std::memmove(begin, frame.data(), kMacBytes);
  wire::Store16(begin + kMacBytes, wire::kEtherTypeVlan);
  wire::Store16(begin + kMacBytes + 2, control);
}

// One of a burst; `arrived` is filled where it is the responder's.
machine::Taken Take(machine::Responder& responder, MutableFrame frame, machine::Arrived& arrived) {
  const uint16_t vlan = responder.plan().vlan;
  if (vlan == 0) return responder.Take(frame, arrived);
  const std::optional<uint16_t> control = Untag(frame, vlan);
  if (!control) return machine::Taken::kNot;
  const machine::Taken taken = responder.Take(frame, arrived);
  // The next one gets it as it came.
  if (taken == machine::Taken::kNot) TagAgain(frame, *control);
  return taken;
}

void Answer(RunningResponder& running, std::span<const MutableFrame> frames, uint64_t now_us,
            bool* taken) {
  machine::Responder& responder = running.responder;
  std::array<machine::Arrived, kBurst> arrived;
  size_t count = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (taken[i]) continue;
    const machine::Taken result = Take(responder, frames[i], arrived[count]);
    taken[i] = result != machine::Taken::kNot && !responder.plan().is_shared;
    if (result == machine::Taken::kYes) ++count;
  }
  for (size_t i = 0; i < count; ++i) responder.PrefetchSlot(arrived[i]);
  for (size_t i = 0; i < count; ++i) responder.PrefetchFlow(arrived[i]);
  for (size_t i = 0; i < count; ++i) responder.Receive(arrived[i], now_us, running.output);
  running.output.Flush();
}

}  // namespace

SendQueue::SendQueue(PortQueue& port_queue, uint16_t vlan, ResponderCounters& counters)
    : port_queue_(port_queue),
      counters_(counters),
      vlan_(vlan),
      tag_(vlan != 0 ? wire::kVlanTagBytes : 0) {}

SendQueue::~SendQueue() {
  rte_pktmbuf_free_bulk(queue_.data(), count_);
  PutBack(port_queue_.tx_pool(), empty_.data(), buffers_);
}

bool SendQueue::Refill() {
  // When the driver still holds them all, one may have come back since.
  for (const uint32_t count : {kBuffers, 1U}) {
    if (!Allocate(port_queue_.tx_pool(), empty_.data(), count)) continue;
    buffers_ = count;
    std::for_each_n(empty_.begin(), count, rte_pktmbuf_reset);
    return true;
  }
  return false;
}

uint8_t* SendQueue::Begin() {
  if (count_ == kQueued && !Flush()) return nullptr;
  if (buffers_ == 0 && !Refill()) return nullptr;
  return rte_pktmbuf_mtod_offset(empty_[buffers_ - 1], uint8_t*, tag_);
}

void SendQueue::End(size_t bytes) {
  rte_mbuf* mbuf = empty_[--buffers_];
  auto* frame = rte_pktmbuf_mtod(mbuf, uint8_t*);
  if (vlan_ != 0) {
    TagAgain({frame + tag_, bytes}, vlan_);
    bytes += tag_;
  }
  const AddressRules* const allowed = port_queue_.port().allowed.get();
  if (allowed != nullptr && !allowed->Allows({frame, bytes})) [[unlikely]] {
    Forbid({frame, bytes});
    ++buffers_;
    return;
  }
  for (; bytes < wire::kMinFrameBytes; ++bytes) frame[bytes] = 0;
  mbuf->data_len = static_cast<uint16_t>(bytes);
  mbuf->pkt_len = static_cast<uint32_t>(bytes);
  TemplateKey(mbuf) = 0;
  queue_[count_++] = mbuf;
}

void SendQueue::Forbid(Frame frame) {
  if (forbidden.load(std::memory_order_relaxed)) return;
  forbidden_frame.assign(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(
                                                            std::min(frame.size(), kRemembered)));
  forbidden.store(true, std::memory_order_release);
}

bool SendQueue::Flush() {
  uint32_t sent = 0;
  uint64_t bytes = 0;
  for (bool all = true; all && sent < count_;) {
    const auto burst = static_cast<uint16_t>(std::min<uint32_t>(count_ - sent, kBurst));
    const SentFrames frames = SendBurst(port_queue_, queue_.data() + sent, burst);
    sent += frames.count;
    bytes += frames.bytes;
    all = frames.count == burst;
  }
  if (sent == 0) return false;
  count_ -= sent;
  std::copy_n(queue_.begin() + sent, count_, queue_.begin());
  counters_.tx_packets.Add(sent);
  counters_.tx_bytes.Add(bytes);
  return true;
}

void AnswerBurst(const Responders& responders, std::span<const MutableFrame> frames,
                 uint64_t now_ns, bool* taken) {
  for (const auto& running : responders) {
    Answer(*running, frames, Microseconds(now_ns), taken);
  }
}

bool ServeResponders(const Responders& responders, const Clock& clock) {
  bool worked = false;
  for (const auto& running : responders) {
    machine::Responder& responder = running->responder;
    SendQueue& output = running->output;
    worked |= output.Flush();
    if (running->asked_to_stop.load(std::memory_order_relaxed) && !responder.stopping()) {
      responder.Stop(Microseconds(clock.Now()));
    }
    if (!output.full()) worked |= responder.Advance(Microseconds(clock.Now()), output);
    worked |= output.Flush();
    if (responder.stopped() && output.empty()) {
      running->stopped.store(true, std::memory_order_relaxed);
    }
  }
  return worked;
}

}  // namespace tester
