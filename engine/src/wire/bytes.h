// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Big-endian loads and stores, and the types of bytes on the wire.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace tester {

using Frame = std::span<const uint8_t>;
using MutableFrame = std::span<uint8_t>;
using Mac = std::array<uint8_t, 6>;

// The bytes of a string of a message.
inline Frame BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

namespace wire {

template <typename Integer>
constexpr Integer SwapToBigEndian(Integer value) {
  if constexpr (std::endian::native == std::endian::big || sizeof(Integer) == 1) {
    return value;
  } else if constexpr (sizeof(Integer) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(Integer) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

template <typename Integer>
inline Integer Load(const uint8_t* from) {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return SwapToBigEndian(value);
}

template <typename Integer>
inline void Store(uint8_t* to, Integer value) {
  value = SwapToBigEndian(value);
  std::memcpy(to, &value, sizeof value);
}

inline uint16_t Load16(const uint8_t* from) { return Load<uint16_t>(from); }
inline uint64_t Load64(const uint8_t* from) { return Load<uint64_t>(from); }
inline void Store16(uint8_t* to, uint16_t value) { Store(to, value); }
inline void Store64(uint8_t* to, uint64_t value) { Store(to, value); }

inline void StoreLittle32(uint8_t* to, uint32_t value) { Store(to, __builtin_bswap32(value)); }

inline Mac LoadMac(const uint8_t* from) {
  Mac mac;
  std::memcpy(mac.data(), from, mac.size());
  return mac;
}

inline void StoreMac(uint8_t* to, const Mac& mac) { std::memcpy(to, mac.data(), mac.size()); }

}  // namespace wire
}  // namespace tester
