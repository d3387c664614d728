// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Changes that an event makes to the bytes of a frame.
#pragma once

#include "inline/path_plan.h"
#include "inline/segment.h"
#include "wire/bytes.h"

namespace tester {

// Sets the ECN field to CE. False without an IP header.
bool MarkCe(MutableFrame frame, const Segment& segment);

// Inverts a bit. False where the packet has none there, or where a repaired checksum would undo it.
bool Corrupt(MutableFrame frame, const Segment& segment, const CorruptPacket& corrupt);

// Sets bits. False where the packet has no such header, where the bits lie outside of it, and where
// a repaired checksum would undo the change.
bool Rewrite(MutableFrame frame, const Segment& segment, const RewritePacket& rewrite);

}  // namespace tester
