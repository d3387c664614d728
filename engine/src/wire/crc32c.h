// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// CRC-32C (Castagnoli), as SCTP (RFC 9260 appendix A), iSCSI and others use it.
#pragma once

#include <cstdint>
#include <span>

namespace tester::wire {

uint32_t Crc32c(std::span<const uint8_t> bytes);

}  // namespace tester::wire
