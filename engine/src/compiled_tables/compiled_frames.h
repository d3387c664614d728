// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of templates, as code (compiled_rows.h): where each thing is that changes is known.
#pragma once

#include <cstdint>
#include <utility>

#include "compiled_tables/compiled_values.h"
#include "responder/summed_writer.h"

namespace tester::machine {

template <const Shape& kShape>
class CompiledFrames {
 public:
  template <size_t table, uint16_t index>
  static void Send(EventContext& event_context, const Piece& piece) {
    static constexpr Shape::Template kTemplate = kShape.templates[index];
    const FrameTemplate& frame = event_context.machine.templates[index];
    if constexpr (kTemplate.summed) {
      const LaidTemplate& laid = frame.laid[OptionsOf<index>(event_context)];
      event_context.SendWritten([&](uint8_t* to) -> size_t {
        if (laid.octets.size() + piece.bytes > event_context.most_bytes) return 0;
        return WriteSummed(laid, kTemplate.ip, kTemplate.tcp, event_context.context, piece, to,
                           [&](Sums& sums) {
                             SetWords<table, index>(event_context, to, sums);
                             SetOptions<table, index>(event_context, laid, to, sums);
                           });
      });
    } else {
      event_context.Send(frame, table, piece);
    }
  }

 private:
  using Values = CompiledValues<kShape>;

  // A bit for each option that is there.
  template <uint16_t index>
  static size_t OptionsOf(const EventContext& event_context) {
    static constexpr Shape::Template kTemplate = kShape.templates[index];
    return [&event_context]<size_t... i>(std::index_sequence<i...>) {
      return (size_t{0} | ... |
              (size_t{IsThere<kTemplate.options[i].only_if>(event_context)} << i));
    }
    (std::make_index_sequence<kTemplate.options.size()>{});
  }

  template <uint16_t only_if>
  static bool IsThere(const EventContext& event_context) {
    if constexpr (only_if == kNone) {
      return true;
    } else {
      static constexpr Register kRegister = kShape.registers[only_if];
      return kRegister.GetWide(event_context.context.state) != 0;
    }
  }

  template <size_t table, uint16_t index>
  static void SetWords(const EventContext& event_context, uint8_t* to, Sums& sums) {
    static constexpr Shape::Template kTemplate = kShape.templates[index];
    const uint8_t* const key = event_context.context.identity->key.data();
    for (const Shape::Template::KeyWord& word : kTemplate.flow) {
      (word.address ? sums.addresses : sums.tcp) +=
          SetKeyWord(to + word.at, word.bits, key + word.key_offset);
    }
    [&event_context, to, &sums ]<size_t... i>(std::index_sequence<i...>) {
      ((sums.tcp += SetWord(
            to + kTemplate.tcp + kTemplate.edits[i].place.first(), kTemplate.edits[i].place.bits,
            static_cast<uint64_t>(
                Values::template ValueOf<table, kTemplate.edits[i].expression>(event_context)))),
       ...);
    }
    (std::make_index_sequence<kTemplate.edits.size()>{});
  }

  template <size_t table, uint16_t index>
  static void SetOptions(const EventContext& event_context, const LaidTemplate& laid, uint8_t* to,
                         Sums& sums) {
    [&]<size_t... i>(std::index_sequence<i...>) {
      (SetOne<table, index, i>(event_context, laid, to, sums), ...);
    }
    (std::make_index_sequence<kShape.templates[index].options.size()>{});
  }

  template <size_t table, uint16_t index, size_t option>
  static void SetOne(const EventContext& event_context, const LaidTemplate& laid, uint8_t* to,
                     Sums& sums) {
    static constexpr Option kOption = kShape.templates[index].options[option];
    if (laid.options[option] == kNone) return;
    uint64_t first = 0;
    uint64_t second = 0;
    if constexpr (kOption.kind != OptionKind::kSackPermitted) {
      first =
          static_cast<uint64_t>(Values::template ValueOf<table, kOption.values[0]>(event_context));
    }
    if constexpr (kOption.kind == OptionKind::kTimestamp || kOption.kind == OptionKind::kSack) {
      second =
          static_cast<uint64_t>(Values::template ValueOf<table, kOption.values[1]>(event_context));
    }
    sums.tcp += SetOption(kOption.kind, first, second, to + laid.options[option]);
  }
};

}  // namespace tester::machine
