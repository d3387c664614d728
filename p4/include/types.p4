// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What the headers and controls of both pipelines count in.
#ifndef TYPES_P4
#define TYPES_P4

typedef bit<48> mac_addr_t;
typedef bit<32> ipv4_addr_t;
typedef bit<16> l4_port_t;
typedef bit<48> timestamp_t;   // nanoseconds, modulo 2^48

typedef bit<8> template_t;     // a kind of template packet: a stream's, or one that replies
typedef bit<8> link_t;         // which Ethernet addresses a frame gets at the port it leaves by
typedef bit<8> trigger_t;      // what sends frames because a packet has arrived
typedef bit<24> flow_t;        // index of what is kept of a flow (norma section 4.2)
typedef bit<8> state_t;        // of a flow, in the low bits
const state_t LOOKED_AT = 0x80; // the other one: a look of a timer has passed since the state was written
const bit<12> VLAN_OF_LOOKS = 0xfff; // which no frame has (IEEE 802.1Q)
typedef bit<4> queue_t;        // of templates that reply, the low bits of a pointer (norma section 4.3)
typedef bit<4> place_in_queue_t; // of an element: QUEUE_LENGTH is a power of two
const bit<8> QUEUE_LENGTH = 16;
typedef bit<1> version_t;      // which of two sets of counters a frame belongs in (norma section 6.1)
typedef bit<3> arrival_t;      // 0: above all before it, 1: overtaken, 5: again, 7: too late to tell these two apart
typedef bit<9> slot_t;         // of a stream and a version, in counters and sums
typedef bit<8> series_t;       // copies that are numbered together; 0: none
typedef bit<16> event_t;       // of a path, by the number that the driver gave it; of a port: OF_TEMPLATE; 0: none
typedef bit<32> ticks_t;       // packets of a pass/skip unit's period

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_ARP = 0x0806;
const bit<16> TYPE_VLAN = 0x8100;
const bit<16> TYPE_IPV6 = 0x86dd;
const bit<16> TYPE_MPLS = 0x8847;
const bit<8> PROTOCOL_ICMP = 1;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const MirrorType_t MIRRORED = 1;
const bit<16> CARRIER_IPV4_LENGTH = 24;  // 20 of IPv4 and 8 of UDP, less the FCS, which the length of a packet has
const bit<16> CARRIER_UDP_LENGTH = 4;
const bit<8> RECEIVED = 0;     // headings of copies of a port
const bit<8> TRANSMITTED = 1;
const bit<8> OF_TEMPLATE = 1;  // in the event of such a copy, before the number of its template
const bit<8> GREEN = 0;        // what a meter says of packets within its rate
const bit<32> LATENCY_UNKNOWN = 0xffffffff;

// What a packet inside the switch is. Its first byte.
enum bit<8> kind_t {
    FORWARDED = 0,             // an Ethernet frame follows: not of a test
    TEMPLATE = 1,              // loops; a copy of it departs at its rate, or as an answer
    READ = 2,                  // of a flow: its first pass, which reads registers and finds the row
    WRITE = 3,                 // its second pass, which writes the state
    REPLY = 4,                 // an Ethernet frame follows: goes back where it came from, its fields changed
    COPY = 5,                  // of a packet, which follows as it arrived or left
    TO_DRIVER = 6              // the header of the CPU port follows, and an Ethernet frame
}

// What is behind a port; port metadata, which the driver fills.
enum bit<8> role_t {
    FRONT = 0,                 // front panel
    CPU = 1                    // the switch's own: packets to and from the driver
}

#endif
