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

struct path_headers_t {
    ethernet_h ethernet;
    vlan_h vlan;
    ipv4_h ipv4;
    udp_h udp;
    tcp_h tcp;
    tcp_options_h tcp_options;
    payload_word_h payload;
}

typedef bit<16> flow_number_t; // in the order of appearance, from 1
typedef bit<16> flow_slot_t;   // a hash of a flow's ends
typedef bit<10> place_t;       // of what is kept of a direction of a flow that events are about

#endif
