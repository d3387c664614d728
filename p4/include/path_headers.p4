// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Headers of frames that pass, as far as they are looked into.
#ifndef PATH_HEADERS_P4
#define PATH_HEADERS_P4

#include "headers.p4"

typedef bit<8> trace_t;        // of a path that is traced; 0: it is not
typedef bit<16> event_t;       // of a path, by the number that the driver gave it; 0: none

// Options of TCP: as many as a timestamp takes (RFC 7323 appendix A).
header tcp_options_h {
    bit<96> options;
}

// The first bytes of a payload.
header payload_word_h {
    bit<32> word;
}

// Between the ingress and the egress. Its first byte says which of the two it is.
header path_bridged_h {
    bit<8> kind;               // PATH_FORWARDED
}

// Before the copy of a packet of a traced path, and the begin of the datagram that carries it.
header path_trace_h {
    bit<8> kind;               // PATH_TRACED
    trace_t trace;
    bit<8> heading;            // 0: from the path's first port to its second one
    event_t event;
    bit<32> number;            // on the path, from 0
    timestamp_t arrived;
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

// Behind the ingress a forwarded packet is bytes, and so is the copy of one.
struct path_egress_headers_t {
    path_bridged_h bridged;
    ethernet_h carrier_ethernet;
    ipv4_h carrier_ipv4;
    udp_h carrier_udp;
    path_trace_h trace;
}

const bit<8> PATH_FORWARDED = 0;
const bit<8> PATH_TRACED = 1;
const MirrorType_t MIRROR_TRACE = 1;
const bit<16> CARRIER_IPV4_LENGTH = 24;  // 20 of IPv4 and 8 of UDP, less the FCS, which the length of a packet has
const bit<16> CARRIER_UDP_LENGTH = 4;

// What of a packet its trace has, beside its bytes.
struct traced_t {
    bit<8> kind;
    trace_t trace;
    bit<8> heading;
    event_t event;
    bit<32> number;
    timestamp_t arrived;
    MirrorId_t session;
}

typedef bit<16> flow_number_t; // in the order of appearance, from 1
typedef bit<16> flow_slot_t;   // a hash of a flow's ends
typedef bit<10> place_t;       // of what is kept of a direction of a flow that events are about

#endif
