// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// RoCEv2's invariant CRC: the CRC-32 of Ethernet over all of a packet that no router may change
// (InfiniBand annex A17), behind the payload, the lowest byte first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/bth.h"
#include "wire/bytes.h"

namespace tester::wire {

// The CRC of Ethernet (IEEE 802.3), bit-reversed, as in zlib.
uint32_t Crc32(Frame bytes);

// `packet`: from its IP header to the end of its payload, with lengths that count the CRC.
// `transport`: where its header of UDP begins; BTH is behind it.
uint32_t Icrc(Frame packet, size_t transport);

// `end`: of the packet, which has room for the CRC there.
void SetIcrc(uint8_t* frame, size_t network, size_t transport, size_t end);
bool HasRightIcrc(const uint8_t* frame, size_t network, size_t transport, size_t end);

}  // namespace tester::wire
