// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Headers of frames that pass, as far as they are looked into.
#ifndef PATH_HEADERS_P4
#define PATH_HEADERS_P4

#include "headers.p4"

// Options of TCP: as many as a timestamp takes (RFC 7323 appendix A).
header tcp_options_h {
    bit<96> options;
}

// The first bytes of a payload.
header payload_word_h {
    bit<32> word;
}

// Between the ingress and the egress. Its first byte says which of the two it is. Of a time each half has a container.
header path_bridged_h {
    kind_t kind;               // kind_t.FORWARDED
    bit<16> arrived_high;
    bit<32> arrived_low;
}

// A header of TCP whose length is changed by the egress, with the bits behind it: a byte is added to as a whole.
header path_tcp_h {
    l4_port_t sport;
    l4_port_t dport;
    bit<32> seq;
    bit<32> ack;
    bit<8> offset;             // words of four bytes, in the upper half
    bit<8> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgptr;
}

// In front of all other options of TCP, or at the begin of a payload of UDP (P4STA section III-B, docs/stamps.md).
header stamp_h {
    bit<16> kind;              // STAMP_OF_TCP, STAMP_OF_UDP
    bit<16> first_high;        // when it left to the device
    bit<32> first_low;
    bit<16> flow;              // STAMP_NO_FLOW
    bit<16> second_high;       // of a stamp that stays in
    bit<32> second_low;
}

struct path_headers_t {
    path_bridged_h bridged;
    ethernet_h ethernet;
    vlan_h vlan;
    ipv4_h ipv4;
    udp_h udp;
    tcp_h tcp;
    tcp_options_h tcp_options;
    payload_word_h payload;
}

// The egress looks for a stamp, or for room for one. The copy of a packet is bytes behind its carrier.
struct path_egress_headers_t {
    path_bridged_h bridged;
    ethernet_h carrier_ethernet;
    ipv4_h carrier_ipv4;
    udp_h carrier_udp;
    copy_h copy;
    ethernet_h ethernet;
    vlan_h vlan;
    ipv4_h ipv4;
    udp_h udp;
    path_tcp_h tcp;
    stamp_h stamp;
}

typedef bit<16> flow_number_t; // in the order of appearance, from 1
typedef bit<16> flow_slot_t;   // a hash of a flow's ends
typedef bit<10> place_t;       // of what is kept of a direction of a flow that events are about
typedef bit<5> stamped_t;      // a direction whose packets are stamped: two of each group of stamps
typedef bit<4> fate_t;         // of a packet, as far as stamps are concerned
typedef bit<2> resize_t;       // how a packet changes, for the headers around its stamp

const bit<16> STAMP_OF_TCP = 0x0f10;     // kind and length of an option
const bit<16> STAMP_OF_UDP = 0x0f11;
const bit<16> STAMP_NO_FLOW = 0xffff;
const bit<16> STAMP_LENGTH = 16;
const bit<16> STAMP_LESS = 0xfff0;       // 16 less

// The fates of a packet, one each. The driver reads their counters.
const fate_t STAMP_NONE = 0;             // of no stamps, or with headers that they do not look at
const fate_t STAMP_SENT = 1;
const fate_t STAMP_RECEIVED = 2;
const fate_t STAMP_BEHIND = 3;           // received after one that was sent later, or once more
const fate_t STAMP_LATE = 4;
const fate_t STAMP_UNSTAMPED = 5;        // came back without a stamp
const fate_t STAMP_UNFIT = 6;            // sent without one, as the next ones
const fate_t STAMP_OCCUPIED = 7;
const fate_t STAMP_NO_ROOM = 8;
const fate_t STAMP_TOO_LONG = 9;

const resize_t STAMP_KEEPS = 0;
const resize_t STAMP_GROWS = 1;
const resize_t STAMP_SHRINKS = 2;

#endif
