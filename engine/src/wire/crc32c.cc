// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace tester::wire {
namespace {

using Table = std::array<uint32_t, 256>;

constexpr Table MakeTable() {
  constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed
  Table table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

uint32_t UpdateByTable(uint32_t crc, std::span<const uint8_t> bytes) {
  static constexpr Table kTable = MakeTable();
  for (const uint8_t byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ byte) & 0xff];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t UpdateByInstruction(uint32_t crc,
                                                               std::span<const uint8_t> bytes) {
  uint64_t wide = crc;
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = _mm_crc32_u64(wide, word);
    bytes = bytes.subspan(sizeof word);
  }
  crc = static_cast<uint32_t>(wide);
  for (const uint8_t byte : bytes) crc = _mm_crc32_u8(crc, byte);
  return crc;
}

const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
#endif

}  // namespace

uint32_t Crc32c(std::span<const uint8_t> bytes) {
  constexpr uint32_t kAllOnes = 0xffffffff;
#if defined(__x86_64__)
  if (kHasInstruction) return ~UpdateByInstruction(kAllOnes, bytes);
#endif
  return ~UpdateByTable(kAllOnes, bytes);
}

}  // namespace tester::wire
