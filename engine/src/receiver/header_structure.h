// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The bits of a frame that say where its headers are: frames that are equal in these have the same
// headers in the same places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/header_walk.h"

namespace tester {

// Bits of a frame, from its first one on, most significant first.
struct BitRange {
  size_t begin;
  size_t end;
};

BitRange BitsOf(const wire::Bytes& bytes);

// Sets bits to `to`, as far as the mask has them.
void SetBits(std::vector<uint8_t>& mask, const BitRange& bits, bool to);

// The bits of a header that say where the next one, and the end of the packet, is.
std::vector<BitRange> Structure(const wire::Header& header, bool carries_more);

// The structure of all headers of a frame.
std::vector<BitRange> Structure(const wire::HeaderWalk& walk);

}  // namespace tester
