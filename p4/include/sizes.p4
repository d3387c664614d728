// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How many of each there are, and what of the chip sets the number. A stage of a Tofino has 80 blocks of SRAM
// of 1024 x 128 bits, 24 blocks of TCAM of 512 x 44 bits and 4 stateful units.
#ifndef SIZES_P4
#define SIZES_P4

const bit<32> TEMPLATES = 256;         // template_t counts them; a stream has the number of its template
const bit<32> STREAM_VERSIONS = 512;   // sums of a stream come in pairs, one for each version
const bit<32> STREAM_ARRIVALS = 4096;  // pairs of counters, one for each arrival_t
const bit<32> ARRIVALS = 65536;        // numbers that came last, 256 of each stream: 16 blocks of SRAM
const bit<32> PORT_VERSIONS = 1024;    // 9 bits of device port, and the version
const bit<32> LINKS = 256;             // link_t counts them
const bit<32> LINK_PORTS = 1024;       // pairs of a link and a port it leaves by

const bit<32> CLASSES = 512;           // one block of TCAM deep
const bit<32> QUERY_ROWS = 512;        // of one query: one block of TCAM deep
const bit<32> SIGNATURES = 512;        // exact: a stream id and its sum
const bit<32> REPLY_ROWS = 1024;       // entries of protocols that keep no state
const bit<32> TRIGGERS = 256;          // trigger_t counts them
const bit<32> REPLIES = 256;           // numbers of replies, each with its own addresses
const bit<32> FORWARDING = 1024;       // addresses of stations that are not under test

const bit<32> LIST_VALUES = 4096;      // of all indirect editors
const bit<32> QUANTILES = 512;         // of all distributions: one block of TCAM deep
const bit<32> GAPS = 16384;            // quantiles of all laws of gaps, 1024 of each

const bit<32> BUCKETS = 512;           // of the histogram, as prefixes in one block of TCAM
const bit<32> FLOW_CELLS = 32768;      // of all streams whose flows are counted: 32 blocks of SRAM
const bit<32> HISTOGRAM = 65536;       // 256 streams of 256 buckets: 32 blocks of SRAM

const bit<32> FLOWS = 262144;          // states of 8 bits: 16 blocks of SRAM
const bit<32> ROWS = 2048;             // entries of protocols: keys are six blocks of TCAM wide, so all 24 blocks
const bit<32> EXPECTING_FLOWS = 65536; // numbers of 32 bits: 16 blocks of SRAM, twice
const bit<32> EXPECTING_ENDS = 512;    // two entries of each: one block of TCAM deep
const bit<32> QUEUES = 16;             // norma section 4.3
const bit<32> QUEUE_ARRAY = 256;       // 16 queues of 16 elements

#endif
