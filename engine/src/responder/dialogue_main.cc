// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A responder that talks on standard input and output, for tests that compare it with the
// interpreter of the library (tests/unit/protocols/engine_machine.py). Its argument is a file with
// a Responder of responder.proto; its table is interpreted with --interpret before that, even if
// there is code of it.
//
//   receive MICROSECONDS FRAME       start MICROSECONDS KEY LINK
//   advance MICROSECONDS             poll MICROSECONDS
//   stop MICROSECONDS                report
//
// A poll handles a part of the timers that are due, as a worker does; the others handle all.
//
// Bytes are hexadecimal. Each line is answered with lines that end with one of a dot.
#include <charconv>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "compiled_tables/compiled_tables.h"
#include "plan/validate.h"
#include "plan/validate_responder.h"
#include "responder/responder.h"

namespace tester::machine {
namespace {

constexpr uint32_t kMaxFrame = 9018;

std::string Hex(Frame bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
  }
  return text;
}

std::vector<uint8_t> Bytes(std::string_view hex) {
  std::vector<uint8_t> bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, bytes[i], 16);
  }
  return bytes;
}

// Prints frames; each in memory of its own, so that writing beyond it is found.
class Printed final : public Output {
 public:
  uint8_t* Begin() override {
    room_ = std::vector<uint8_t>(kMaxFrame);
    return room_.data();
  }
  void End(size_t bytes) override { std::cout << "frame " << Hex({room_.data(), bytes}) << '\n'; }

 private:
  std::vector<uint8_t> room_;
};

class Dialogue {
 public:
  Dialogue(const std::shared_ptr<const ResponderPlan>& plan, const CompiledTable* compiled)
      : compiled_(compiled),
        counters_(std::make_shared<ResponderCounters>(plan->machine.counters.size(),
                                                      plan->machine.histograms.size())),
        responder_(plan, compiled, counters_) {}

  void Answer(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    uint64_t now_us = 0;
    words >> what >> now_us;
    if (what == "receive") {
      std::string frame;
      words >> frame;
      Receive(now_us, Bytes(frame));
    } else if (what == "start") {
      std::string key;
      std::string link;
      words >> key >> link;
      Start(now_us, Bytes(key), Bytes(link));
    } else if (what == "advance") {
      Fire(now_us);
    } else if (what == "poll") {
      responder_.Advance(now_us, output_);
    } else if (what == "stop") {
      Fire(now_us);
      responder_.Stop(now_us);
      responder_.Advance(now_us, output_);
    } else {
      Report();
    }
    std::cout << ".\n" << std::flush;
  }

 private:
  // All timers that are due.
  void Fire(uint64_t now_us) {
    while (responder_.AdvanceTimers(now_us, output_)) {
    }
    responder_.Advance(now_us, output_);
  }

  void Receive(uint64_t now_us, const std::vector<uint8_t>& frame) {
    Fire(now_us);
    Arrived arrived;
    if (responder_.Take(frame, arrived) != Taken::kYes) return;
    responder_.PrefetchSlot(arrived);
    responder_.PrefetchFlow(arrived);
    responder_.Receive(arrived, now_us, output_);
  }

  void Start(uint64_t now_us, const std::vector<uint8_t>& key, const std::vector<uint8_t>& link) {
    Identity identity;
    std::copy(key.begin(), key.end(), identity.key.begin());
    std::copy(link.begin(), link.end(), identity.link.begin());
    Fire(now_us);
    if (!responder_.Start(identity, Responder::kNoNumber, now_us, output_))
      std::cout << "refused\n";
  }

  void Report() {
    const Machine& machine = responder_.plan().machine;
    if (compiled_ != nullptr) std::cout << "code " << compiled_->name << '\n';
    for (size_t i = 0; i < machine.counters.size(); ++i) {
      Print(machine.counters[i], counters_->counters[i].Get());
    }
    Print("malformed", counters_->malformed.Get());
    Print("foreign", counters_->foreign.Get());
    Print("endless", counters_->endless.Get());
    Print("too_long", counters_->too_long.Get());
    Print("full", counters_->full.Get());
    for (size_t i = 0; i < machine.histograms.size(); ++i) {
      const Latency& times = counters_->histograms[i];
      std::cout << "histogram " << machine.histograms[i] << ' ' << times.sum() << '\n';
    }
    responder_.ForEachFlow([&](const Identity& identity, State state) {
      const uint64_t running = kRunning.Get(state);
      Words words{};
      for (size_t i = 0; i < kLineWords + machine.cold_word_count; ++i) words[i] = state[i];
      words[kReservedWord] &= NarrowMask(kRunning.shift);
      std::cout << "flow " << Hex({identity.key.data(), machine.key_bytes}) << ' ';
      std::cout << Hex({reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
      std::cout << ' ' << running << '\n';
    });
  }

  static void Print(std::string_view name, uint64_t count) {
    std::cout << "count " << name << ' ' << count << '\n';
  }

  Printed output_;
  const CompiledTable* compiled_;
  std::shared_ptr<ResponderCounters> counters_;
  Responder responder_;
};

int Talk(const char* path, bool interpret) {
  std::ifstream file(path, std::ios::binary);
  v1::Responder message;
  if (!message.ParseFromIstream(&file)) {
    std::cerr << path << ": no Responder of responder.proto\n";
    return 2;
  }
  const std::vector<PortLimits> ports = {{.name = message.port(), .max_frame_bytes = kMaxFrame}};
  try {
    const auto plan = ValidateResponder(message, "dialogue", ports);
    Dialogue dialogue(plan, interpret ? nullptr : FindCompiledTable(plan->machine));
    for (std::string line; std::getline(std::cin, line);) dialogue.Answer(line);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tester::machine

int main(int argc, char** argv) {
  const bool interpret = argc == 3 && std::string_view(argv[1]) == "--interpret";
  if (argc != 2 && !interpret) {
    std::cerr << "usage: responder_dialogue [--interpret] FILE\n";
    return 2;
  }
  return tester::machine::Talk(argv[argc - 1], interpret);
}
