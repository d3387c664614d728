// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How many of each there are.
#ifndef PATH_SIZES_P4
#define PATH_SIZES_P4

const bit<32> PATH_PORTS = 512;        // 9 bits of device port
const bit<32> WATCHES = 512;           // one block of TCAM deep
const bit<32> FLOW_SLOTS = 65536;      // a hash of 16 bits
const bit<32> FOLLOWED = 1024;         // directions of flows that events are about
const bit<32> FOLLOWED_FLOWS = 2048;   // directions of flows, with data and without
const bit<32> EVENTS = 4096;           // entries: an event in a direction, with payload and without
const bit<32> TRANSMISSIONS = 255;     // of a packet that is followed: 8 bits
const bit<32> STAMPED = 32;            // directions of 16 groups of stamps: 64 ports
const bit<32> STAMP_WATCHES = 512;     // one block of TCAM deep
const bit<32> STAMP_FATES = 512;       // of 32 directions, 16 each
const bit<32> STAMP_BUCKETS = 512;     // of the histogram, as prefixes in one block of TCAM
const bit<32> STAMP_HISTOGRAM = 8192;  // 32 directions of 256 buckets: 4 blocks of SRAM

#endif
