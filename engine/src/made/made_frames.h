// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of templates, as code (made_rows.h): where each thing is that changes is known.
#pragma once

#include <cstdint>
#include <utility>

#include "made/made_values.h"
#include "responder/summed_writer.h"

namespace tester::machine {

template <const Shape& kShape>
class MadeFrames {
 public:
  template <size_t table, uint16_t index>
  static void Send(Turn& turn, const Piece& piece) {
    static constexpr Shape::Template kOwn = kShape.templates[index];
    const FrameTemplate& frame = turn.machine.templates[index];
    if constexpr (kOwn.summed) {
      const LaidTemplate& laid = frame.laid[OptionsOf<index>(turn)];
      turn.SendWritten([&](uint8_t* to) -> size_t {
        if (laid.octets.size() + piece.bytes > turn.most_bytes) return 0;
        return WriteSummed(laid, kOwn.ip, kOwn.tcp, turn.context, piece, to, [&](Sums& sums) {
          SetWords<table, index>(turn, to, sums);
          SetOptions<table, index>(turn, laid, to, sums);
        });
      });
    } else {
      turn.Send(frame, table, piece);
    }
  }

 private:
  using Values = MadeValues<kShape>;

  // A bit for each option that is there.
  template <uint16_t index>
  static size_t OptionsOf(const Turn& turn) {
    static constexpr Shape::Template kOwn = kShape.templates[index];
    return [&turn]<size_t... i>(std::index_sequence<i...>) {
      return (size_t{0} | ... | (size_t{IsThere<kOwn.options[i].only_if>(turn)} << i));
    }
    (std::make_index_sequence<kOwn.options.size()>{});
  }

  template <uint16_t only_if>
  static bool IsThere(const Turn& turn) {
    if constexpr (only_if == kNone) {
      return true;
    } else {
      static constexpr Register kOwn = kShape.registers[only_if];
      return kOwn.GetWide(turn.context.state) != 0;
    }
  }

  template <size_t table, uint16_t index>
  static void SetWords(const Turn& turn, uint8_t* to, Sums& sums) {
    static constexpr Shape::Template kOwn = kShape.templates[index];
    const uint8_t* const key = turn.context.identity->key.data();
    for (const Shape::Template::KeyWord& word : kOwn.flow) {
      (word.address ? sums.addresses : sums.tcp) +=
          SetKeyWord(to + word.at, word.bits, key + word.key_offset);
    }
    [&turn, to, &sums ]<size_t... i>(std::index_sequence<i...>) {
      ((sums.tcp += SetWord(to + kOwn.tcp + kOwn.edits[i].place.first(), kOwn.edits[i].place.bits,
                            static_cast<uint64_t>(
                                Values::template ValueOf<table, kOwn.edits[i].expression>(turn)))),
       ...);
    }
    (std::make_index_sequence<kOwn.edits.size()>{});
  }

  template <size_t table, uint16_t index>
  static void SetOptions(const Turn& turn, const LaidTemplate& laid, uint8_t* to, Sums& sums) {
    [&]<size_t... i>(std::index_sequence<i...>) {
      (SetOne<table, index, i>(turn, laid, to, sums), ...);
    }
    (std::make_index_sequence<kShape.templates[index].options.size()>{});
  }

  template <size_t table, uint16_t index, size_t option>
  static void SetOne(const Turn& turn, const LaidTemplate& laid, uint8_t* to, Sums& sums) {
    static constexpr Option kOwn = kShape.templates[index].options[option];
    if (laid.options[option] == kNone) return;
    uint64_t first = 0;
    uint64_t second = 0;
    if constexpr (kOwn.kind != OptionKind::kSackPermitted) {
      first = static_cast<uint64_t>(Values::template ValueOf<table, kOwn.values[0]>(turn));
    }
    if constexpr (kOwn.kind == OptionKind::kTimestamp || kOwn.kind == OptionKind::kSack) {
      second = static_cast<uint64_t>(Values::template ValueOf<table, kOwn.values[1]>(turn));
    }
    sums.tcp += SetOption(kOwn.kind, first, second, to + laid.options[option]);
  }
};

}  // namespace tester::machine
