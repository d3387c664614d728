// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_departures.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "base/text.h"
#include "plan/refuse.h"

namespace tester {
namespace {

constexpr int kMostStages = 8;
constexpr uint64_t kMostOfACycle = (uint64_t{1} << 32) - 1;
constexpr int kMostStretches = 65'536;
constexpr int kMostPoints = 65'536;
constexpr int kMostMessages = 1 << 20;
constexpr uint64_t kMostInARun = (uint64_t{1} << 63) - 1;  // frames, nanoseconds
constexpr double kLongestMeanNs = 1e18;
constexpr double kMostTalksPerFrame = 1000;

void CheckNumber(int number, int most, std::string_view where, std::string_view what) {
  if (number < 1 || number > most) {
    Refuse(where, number, " ", what, "; allowed are 1 to ", most);
  }
}

double ValidateMean(double mean_ns, std::string_view where) {
  if (!(mean_ns >= 1 && mean_ns <= kLongestMeanNs)) {
    Refuse(where, "a mean of ", mean_ns, " ns; allowed are 1 to ", kLongestMeanNs);
  }
  return mean_ns;
}

// A sum that a run of messages or stretches may have.
uint64_t Add(uint64_t sum, Uint128 more, std::string_view where, std::string_view what) {
  if (more > kMostInARun - sum) Refuse(where, "the ", what, " of a run sum up to 2^63 or more");
  return sum + static_cast<uint64_t>(more);
}

Steady ValidateSteady(const v1::Steady& steady, std::string_view where) {
  const Rate tick = ValidateRate(steady.tick(), Cat(where, ", tick"));
  if (steady.stages_size() > kMostStages) {
    Refuse(where, steady.stages_size(), " stages; allowed are at most ", kMostStages);
  }
  std::vector<Stage> stages;
  for (const auto& stage : steady.stages()) {
    if (stage.passes() < 1 || Uint128{stage.passes()} + stage.skips() > kMostOfACycle) {
      Refuse(Cat(where, ", stage ", stages.size()), "passes ", stage.passes(), ", skips ",
             stage.skips(), "; passes must be at least 1 and their sum below 2^32");
    }
    stages.push_back({.passes = stage.passes(), .skips = stage.skips()});
  }
  return Steady(tick, std::move(stages));
}

Profile ValidateProfile(const v1::Profile& profile, std::string_view where) {
  CheckNumber(profile.stretches_size(), kMostStretches, where, "stretches");
  std::vector<Stretch> stretches;
  uint64_t duration_ns = 0;
  uint64_t packets = 0;
  for (const auto& stretch : profile.stretches()) {
    if (stretch.duration_ns() < 1 || stretch.packets() > stretch.duration_ns()) {
      Refuse(Cat(where, ", stretch ", stretches.size()), stretch.packets(), " packets in ",
             stretch.duration_ns(), " ns; it must last 1 ns and packets / ns be at most 1");
    }
    duration_ns = Add(duration_ns, stretch.duration_ns(), where, "nanoseconds");
    packets += stretch.packets();  // not more
    stretches.push_back({.duration_ns = stretch.duration_ns(), .packets = stretch.packets()});
  }
  if (packets == 0) Refuse(where, "no stretch has packets; at least one must");
  return Profile(stretches, profile.repeat());
}

Script ValidateScript(const v1::Script& script, std::string_view where) {
  CheckNumber(script.messages_size(), kMostMessages, where, "messages");
  std::vector<Message> messages;
  uint64_t run_ns = 0;
  uint64_t packets = 0;
  for (const auto& message : script.messages()) {
    if (message.packets() < 1) {
      Refuse(Cat(where, ", message ", messages.size()), "no packets; at least 1 is needed");
    }
    packets = Add(packets, message.packets(), where, "packets");
    run_ns = Add(run_ns, message.pause_ns(), where, "nanoseconds");
    run_ns = Add(run_ns, Uint128{message.packets() - 1} * message.gap_ns(), where, "nanoseconds");
    messages.push_back(
        {.pause_ns = message.pause_ns(), .packets = message.packets(), .gap_ns = message.gap_ns()});
  }
  if (run_ns == 0 && script.repeat()) {
    Refuse(where, "it repeats, and a run takes no time; pauses and gaps must sum up to 1 ns");
  }
  return Script(std::move(messages), script.repeat());
}

// Quantiles, each at least as great as the one before.
void CheckRising(const google::protobuf::RepeatedField<double>& values, std::string_view where,
                 std::string_view what) {
  double last = 0;
  for (int i = 0; i < values.size(); ++i) {
    if (!(values[i] >= last && values[i] <= kLongestMeanNs)) {
      Refuse(Cat(where, ", ", what, " ", i), values[i], " after ", last,
             "; they must be finite, at least 0 and never fall");
    }
    last = values[i];
  }
}

Quantiles ValidateQuantiles(const v1::Quantiles& quantiles, uint64_t seed, std::string_view where) {
  const auto& probabilities = quantiles.probabilities();
  const auto& gaps_ns = quantiles.gaps_ns();
  if (probabilities.size() != gaps_ns.size() || gaps_ns.size() < 2 ||
      gaps_ns.size() > kMostPoints) {
    Refuse(where, probabilities.size(), " probabilities and ", gaps_ns.size(),
           " gaps; as many of both are needed, 2 to ", kMostPoints);
  }
  CheckRising(probabilities, where, "probability");
  CheckRising(gaps_ns, where, "gap");
  if (probabilities[0] != 0 || probabilities[probabilities.size() - 1] != 1) {
    Refuse(where, "probabilities from ", probabilities[0], " to ",
           probabilities[probabilities.size() - 1], "; they must begin at 0 and end at 1");
  }
  double mean_ns = 0;
  for (int i = 1; i < gaps_ns.size(); ++i) {
    mean_ns += (probabilities[i] - probabilities[i - 1]) * (gaps_ns[i] + gaps_ns[i - 1]) / 2;
  }
  if (mean_ns < 1) Refuse(where, "a mean gap of ", mean_ns, " ns; it must be at least 1");
  return Quantiles(seed, {probabilities.begin(), probabilities.end()},
                   {gaps_ns.begin(), gaps_ns.end()});
}

OnOff ValidateOnOff(const v1::OnOff& on_off, uint64_t seed, std::string_view where) {
  const Rate rate = ValidateRate(on_off.rate(), Cat(where, ", rate"));
  const double on_ns = ValidateMean(on_off.on_mean_ns(), Cat(where, ", on_mean_ns"));
  const double off_ns = ValidateMean(on_off.off_mean_ns(), Cat(where, ", off_mean_ns"));
  const double gap_ns = static_cast<double>(rate.nanoseconds) / static_cast<double>(rate.packets);
  if (on_ns * kMostTalksPerFrame < gap_ns) {
    Refuse(Cat(where, ", on_mean_ns"), on_ns, " ns with a gap of ", gap_ns,
           " ns; it must be at least a thousandth of the gap");
  }
  return OnOff(seed, rate, on_ns, off_ns);
}

Departures::Law ValidateRandom(const v1::Random& random, const std::string& where) {
  switch (random.distribution_case()) {
    case v1::Random::kExponentialMeanNs:
      return Exponential(random.seed(), ValidateMean(random.exponential_mean_ns(),
                                                     Cat(where, ", exponential_mean_ns")));
    case v1::Random::kQuantiles:
      return ValidateQuantiles(random.quantiles(), random.seed(), Cat(where, ", quantiles"));
    case v1::Random::kOnOff:
      return ValidateOnOff(random.on_off(), random.seed(), Cat(where, ", on_off"));
    case v1::Random::DISTRIBUTION_NOT_SET:
      break;
  }
  Refuse(where, "no distribution; one of exponential_mean_ns, quantiles and on_off is needed");
}

Departures::Law ValidateLaw(const v1::Departures& departures, const std::string& where) {
  switch (departures.law_case()) {
    case v1::Departures::kSteady:
      return ValidateSteady(departures.steady(), Cat(where, ", steady"));
    case v1::Departures::kProfile:
      return ValidateProfile(departures.profile(), Cat(where, ", profile"));
    case v1::Departures::kRandom:
      return ValidateRandom(departures.random(), Cat(where, ", random"));
    case v1::Departures::kScript:
      return ValidateScript(departures.script(), Cat(where, ", script"));
    case v1::Departures::kReplay:
    case v1::Departures::LAW_NOT_SET:
      break;
  }
  Refuse(where, "no law; one of steady, profile, random, script and replay is needed");
}

}  // namespace

Departures ValidateDepartures(const v1::Departures& departures, std::string_view where) {
  return {departures.offset_ns(), ValidateLaw(departures, Cat(where, ", departures"))};
}

Rate ValidateRate(const v1::Rate& rate, std::string_view where) {
  if (rate.packets() < 1 || rate.nanoseconds() < 1 || rate.packets() > rate.nanoseconds()) {
    Refuse(where, "a rate of ", rate.packets(), " packets in ", rate.nanoseconds(),
           " ns; both must be at least 1 and packets / ns at most 1");
  }
  return {.packets = rate.packets(), .nanoseconds = rate.nanoseconds()};
}

}  // namespace tester
