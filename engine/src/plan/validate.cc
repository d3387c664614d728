// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "plan/check_policy.h"
#include "plan/check_queues.h"
#include "plan/paths/validate_path.h"
#include "plan/paths/validate_stamps.h"
#include "plan/refuse.h"
#include "plan/streams/validate_departures.h"
#include "plan/streams/validate_frames.h"
#include "plan/streams/validate_replay.h"
#include "plan/validate_measurement.h"
#include "plan/validate_responder.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

void CheckJobName(const std::string& name) {
  if (name.empty() || name.size() > kMaxJobNameBytes || !IsPrintable(name)) {
    throw Error(Code::kInvalidArgument,
                Cat("job name ", Quote(name), " has ", name.size(), " bytes; allowed are 1 to ",
                    kMaxJobNameBytes, " printable ASCII characters"));
  }
}

uint16_t PortOrElsewhere(const std::string& name, std::span<const PortLimits> ports,
                         std::string_view where) {
  return name.empty() ? kElsewhere : FindPort(name, ports, where);
}

// The limits of the port that sends a stream, or else of one that may receive it.
const PortLimits& LimitsOf(uint16_t tx_port, uint16_t rx_port, std::span<const PortLimits> ports) {
  if (tx_port != kElsewhere) return ports[tx_port];
  if (rx_port != kElsewhere) return ports[rx_port];
  return *std::ranges::max_element(ports, {}, &PortLimits::max_frame_bytes);
}

SenderClock ValidateSenderClock(const v1::Stream& stream, std::string_view where) {
  if (!stream.tx_port().empty()) {
    if (stream.has_sender_clock()) Refuse(where, "sender_clock of a stream that is sent here");
    return {};
  }
  if (stream.departures().has_replay()) {
    Refuse(where, "a stream without tx_port that replays a file; only its sender reads the file");
  }
  if (stream.signature() && !stream.has_sender_clock()) {
    Refuse(where, "no tx_port and no sender_clock; give the clock that stamps its signatures");
  }
  const auto& clock = stream.sender_clock();
  if (clock.within_ns() > kMostSenderClockErrorNs) {
    Refuse(where, "sender_clock.within_ns ", clock.within_ns(), "; at most ",
           kMostSenderClockErrorNs);
  }
  return {.ahead_ns = clock.ahead_ns(), .within_ns = clock.within_ns()};
}

// The bytes of all fields but name and departures.
std::string ContentsKeyOf(v1::Stream stream) {
  if (stream.departures().has_script() || stream.departures().has_replay()) return {};
  stream.clear_name();
  stream.clear_departures();
  stream.clear_sender_clock();
  stream.DiscardUnknownFields();
  return stream.SerializeAsString();
}

Mac ValidateMac(const std::string& bytes, std::string_view where) {
  const Frame mac = BytesOf(bytes);
  if (mac.size() != Mac{}.size() || wire::IsGroup(wire::LoadMac(mac.data()))) {
    Refuse(where, "MAC address ", MacText(mac), " has ", mac.size(),
           " bytes; needed are 6 bytes of a unicast address");
  }
  return wire::LoadMac(mac.data());
}

Address ValidateAddress(const std::string& bytes, std::string_view where) {
  if (bytes.size() != 4 && bytes.size() != 16) {
    Refuse(where, "an address of ", bytes.size(), " bytes; allowed are 4 (IPv4) and 16 (IPv6)");
  }
  return MakeAddress(BytesOf(bytes));
}

void AppendNeighbours(const v1::NeighbourResponder& responder, std::string_view job,
                      std::span<const PortLimits> ports, std::vector<NeighbourPlan>& out) {
  const std::string where =
      Cat("job ", Quote(job), ", neighbour responder on ", Quote(responder.port()));
  const uint16_t port = FindPort(responder.port(), ports, where);
  for (const auto& neighbour : responder.neighbours()) {
    const Address address = ValidateAddress(neighbour.address(), where);
    const Mac mac =
        ValidateMac(neighbour.mac(), Cat(where, ", ", AddressText(AddressBytes(address))));
    CheckNeighbourAllowed(AddressBytes(address), mac, ports[port], where);
    out.push_back({.port = port, .neighbour = {.address = address, .mac = mac}});
  }
}

using NeighbourKey = std::pair<uint16_t, Address>;

// The ids and addresses in use, and the job that uses each.
class Taken {
 public:
  explicit Taken(std::span<const PortLimits> ports) : ports_(ports) {}

  // The job to check is added last; the others have no clashes.
  void Add(const Job& job) {
    for (const auto& stream : job.streams) {
      const auto [at, is_new] = ids_.emplace(stream.id, &job);
      if (!is_new) RefuseClash(job, Cat("stream id ", stream.id), *at->second);
    }
    for (const auto& plan : job.neighbours) {
      const Mac& mac = plan.neighbour.mac;
      const auto [at, is_new] =
          neighbours_.emplace(NeighbourKey{plan.port, plan.neighbour.address}, Owner{&job, mac});
      if (is_new) continue;
      // Jobs on the same port share its addresses; they must answer with the same MAC address.
      if (at->second.job == &job || at->second.mac != mac) {
        RefuseClash(job,
                    Cat("address ", AddressText(AddressBytes(plan.neighbour.address)), " on port ",
                        Quote(ports_[plan.port].name)),
                    *at->second.job);
      }
      at->second.job = &job;
    }
  }

 private:
  struct Owner {
    const Job* job;
    Mac mac;
  };

  [[noreturn]] static void RefuseClash(const Job& job, std::string_view what, const Job& owner) {
    if (&owner == &job) {
      Refuse(Cat("job ", Quote(job.name)), what, " is given twice; it must be unique");
    }
    throw Error(Code::kAlreadyExists, Cat("job ", Quote(job.name), ": ", what,
                                          " is taken by the loaded job ", Quote(owner.name)));
  }

  std::span<const PortLimits> ports_;
  std::map<uint16_t, const Job*> ids_;
  std::map<NeighbourKey, Owner> neighbours_;
};

void CheckUnique(const Job& job, const Inventory& inventory) {
  Taken taken(inventory.ports);
  size_t streams = job.streams.size();
  for (const Job* other : inventory.loaded) {
    if (other->name == job.name) {
      throw Error(Code::kAlreadyExists, Cat("job ", Quote(job.name), " is already loaded"));
    }
    taken.Add(*other);
    streams += other->streams.size();
  }
  taken.Add(job);
  if (streams > kMaxStreams) {
    throw Error(Code::kResourceExhausted,
                Cat("job ", Quote(job.name), ": ", job.streams.size(), " streams would make ",
                    streams, " loaded streams; max_streams is ", kMaxStreams));
  }
}

}  // namespace

StreamPlan ValidateStream(const v1::Stream& stream, std::string_view job,
                          std::span<const PortLimits> ports) {
  const std::string where =
      Cat("job ", Quote(job), ", stream ", stream.id(), " ", Quote(stream.name()));
  if (stream.id() < 1 || stream.id() > UINT16_MAX) {
    Refuse(where, "id ", stream.id(), " is not 1 to 65535");
  }
  const uint16_t tx_port = PortOrElsewhere(stream.tx_port(), ports, Cat(where, ", tx_port"));
  const uint16_t rx_port = PortOrElsewhere(stream.rx_port(), ports, Cat(where, ", rx_port"));
  const PortLimits& port = LimitsOf(tx_port, rx_port, ports);
  StreamPlan plan{.id = static_cast<uint16_t>(stream.id()),
                  .name = stream.name(),
                  .tx_port = tx_port,
                  .rx_port = rx_port,
                  .sender_clock = ValidateSenderClock(stream, where),
                  .contents = {},
                  .measurement = {},
                  .departures = nullptr,
                  .replay = {},
                  .offered = {},
                  .contents_key = ContentsKeyOf(stream)};
  if (stream.departures().has_replay()) {
    plan.replay = ValidateReplay(stream, port, where);
  } else {
    plan.departures =
        std::make_shared<const Departures>(ValidateDepartures(stream.departures(), where));
    plan.contents = ValidateFrames(stream, port, where);
  }
  if (plan.sent_here()) {
    CheckStreamAllowed(stream, plan, port, where);
    plan.offered = OfferedBy(plan, port);
  }
  plan.measurement = ValidateMeasurement(stream, plan.contents, where);
  const PortLimits& receiver = LimitsOf(rx_port, tx_port, ports);
  if (plan.measurement.flows != 0) CheckOneQueue(receiver, "flow counters", where);
  if (plan.measurement.fields) CheckOneQueue(receiver, "expected fields", where);
  return plan;
}

Job ValidateJob(const v1::Job& job, std::span<const PortLimits> ports) {
  CheckJobName(job.name());
  Job valid{.name = job.name(),
            .streams = {},
            .neighbours = {},
            .responders = {},
            .paths = {},
            .stamps = {}};
  for (const auto& stream : job.streams()) {
    valid.streams.push_back(ValidateStream(stream, job.name(), ports));
  }
  for (const auto& responder : job.neighbour_responders()) {
    AppendNeighbours(responder, job.name(), ports, valid.neighbours);
  }
  for (const auto& responder : job.responders()) {
    valid.responders.push_back(ValidateResponder(responder, job.name(), ports));
  }
  for (const auto& path : job.paths()) {
    valid.paths.push_back(ValidatePath(path, job.name(), ports));
  }
  for (const auto& stamps : job.stamps()) {
    CheckOneQueue(ports.front(), "stamps",
                  Cat("job ", Quote(job.name()), ", stamps ", Quote(stamps.name())));
    valid.stamps.push_back(ValidateStamps(stamps, job.name()));
  }
  return valid;
}

void CheckBeside(const Job& job, const Inventory& inventory) {
  CheckUnique(job, inventory);
  CheckResponders(job, inventory.loaded);
  CheckMeasurements(job, inventory.loaded);
  CheckPaths(job, inventory);
  RateSums rates(inventory.ports);
  for (const Job* other : inventory.loaded) rates.Add(other->streams);
  rates.Add(job.streams);
  rates.Check(Cat("job ", Quote(job.name)));
  CheckStamps(job, inventory);
}

uint16_t FindPort(const std::string& name, std::span<const PortLimits> ports,
                  std::string_view where) {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == name) return static_cast<uint16_t>(i);
  }
  std::vector<std::string> known;
  for (const auto& port : ports) known.push_back(Quote(port.name));
  throw Error(Code::kNotFound,
              Cat(where, ": no port ", Quote(name), "; this tester has ", Join(known)));
}

void ValidateInject(const v1::InjectRequest& request, const PortLimits& port) {
  if (request.frames_size() > static_cast<int>(kMaxInjectFrames)) {
    throw Error(Code::kResourceExhausted,
                Cat("inject on ", Quote(port.name), ": ", request.frames_size(),
                    " frames; max_inject_frames is ", kMaxInjectFrames));
  }
  int index = 0;
  for (const auto& frame : request.frames()) {
    const std::string where = Cat("inject on ", Quote(port.name), ", frame ", index++);
    CheckFrameLength(frame.size(), wire::kMacHeaderBytes, port, where);
    CheckFrameAllowed(BytesOf(frame), port, where);
  }
}

Question ValidateResolve(const v1::ResolveRequest& request) {
  const std::string where = Cat("resolve on ", Quote(request.port()));
  if (request.address().size() != request.source_address().size()) {
    Refuse(where, "address has ", request.address().size(), " bytes, source_address ",
           request.source_address().size(), "; both must be 4 or both 16");
  }
  if (request.vlan() > kMaxVlan) {
    Refuse(where, "vlan ", request.vlan(), " is not 0 (none) to ", kMaxVlan);
  }
  return {.address = ValidateAddress(request.address(), Cat(where, ", address")),
          .source_address = ValidateAddress(request.source_address(), where),
          .source_mac = ValidateMac(request.source_mac(), Cat(where, ", source_mac")),
          .vlan = static_cast<uint16_t>(request.vlan())};
}

}  // namespace tester
