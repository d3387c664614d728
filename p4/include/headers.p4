// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Headers on the wire, and those that packets wear within the switch.
#ifndef HEADERS_P4
#define HEADERS_P4

#include "types.p4"

header kind_h {
    kind_t kind;
}

// Takes the place of the Ethernet header, with as many bytes, from the classifier to the port a frame leaves
// by: both addresses shrink to one byte, the link (norma appendix B). So frames of 64 bytes loop at line rate. What is
// left has the flow's number and who asked, or the last 32 bits of addresses of a stream that changes them.
header loop_h {
    kind_t kind;
    link_t link;
    template_t template;       // of kind_t.WRITE: the state that the second pass writes
    bit<8> flow_high;
    bit<32> shared;            // flow_low ++ peer_high; of a stream the last 32 bits of the source
    bit<32> peer_low;          // of who asked, and so gets the answer; of a stream: of the destination
    bit<16> ether_type;
}

// Before the Ethernet header of a frame that goes back as it came, but for a few fields.
header reply_h {
    kind_t kind;
    bit<8> number;             // of the reply
}

header cpu_h {
    kind_t kind;
    link_t link;
    template_t template;
    bit<7> reserved;
    bit<9> port;               // to the driver: where from; from the driver: where to
}

header ethernet_h {
    mac_addr_t dst;
    mac_addr_t src;
    bit<16> ether_type;
}

header vlan_h {
    bit<3> priority;
    bit<1> dei;
    bit<12> vlan;
    bit<16> ether_type;
}

// Label, 20 bits; traffic class, 3; bottom of the stack, 1; time to live, 8 (RFC 3032): one number, so that another can
// be added to any of them.
header mpls_h {
    bit<32> entry;
}

header arp_h {
    bit<16> hardware;
    bit<16> protocol;
    bit<8> hardware_length;
    bit<8> protocol_length;
    bit<16> operation;
    mac_addr_t sender_mac;
    ipv4_addr_t sender;
    mac_addr_t target_mac;
    ipv4_addr_t target;
}

header ipv4_h {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> len;
    version_t tester_version;  // the top bit of the identification (RFC 6864 section 4.1)
    bit<15> id;
    bit<3> flags;
    bit<13> frag;
    bit<8> ttl;
    bit<8> proto;
    bit<16> checksum;
    ipv4_addr_t src;
    ipv4_addr_t dst;
}

header ipv6_h {
    bit<4> version;
    bit<8> tc;
    version_t tester_version;  // the top bit of the flow label (RFC 6437 section 3)
    bit<19> fl;
    bit<16> plen;
    bit<8> nh;
    bit<8> hlim;
    bit<96> src_high;
    bit<32> src_low;           // what an editor reaches of it
    bit<96> dst_high;
    bit<32> dst_low;
}

// What of ICMP (RFC 792) any message has.
header icmp_h {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
}

header udp_h {
    l4_port_t sport;
    l4_port_t dport;
    bit<16> len;
    bit<16> checksum;
}

header tcp_h {
    l4_port_t sport;
    l4_port_t dport;
    bit<32> seq;
    bit<32> ack;
    bit<4> dataofs;
    bit<4> reserved;
    bit<8> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgptr;
}

// As proto/tester/v1/plan.proto has it, but directly behind UDP or TCP (ADR 7: a switch does not see the end of a
// frame). The 16-bit one's-complement sum of its words is the stream's own. In packets of TCP that are not ours it
// is the begin of the payload, by which requests are told apart (norma section 4.3, "Modifying payload").
header signature_h {
    bit<16> id;
    bit<16> sequence_high;     // of its flow: a switch counts modulo 2^32
    bit<32> sequence;
    timestamp_t timestamp_ns;
    bit<16> complement;
}

// Before the copy of a packet, and the begin of the datagram that carries it.
header copy_h {
    kind_t kind;               // kind_t.COPY
    series_t series;
    bit<8> heading;            // of a path, 0: from its first port to its second one; of a port: RECEIVED, TRANSMITTED
    event_t event;
    bit<32> number;            // in the series
    timestamp_t at;            // when it arrived, or left
}

// What of a packet its copy has, beside its bytes.
struct copied_t {
    kind_t kind;
    series_t series;
    bit<8> heading;
    event_t event;
    bit<32> number;
    timestamp_t at;
    MirrorId_t session;
}

// All that may follow the Ethernet header, the same in every parser. The copy of a packet is bytes behind its carrier.
struct headers_t {
    ethernet_h carrier_ethernet;
    ipv4_h carrier_ipv4;
    udp_h carrier_udp;
    copy_h copy;
    kind_h kind;
    loop_h loop;
    reply_h reply;
    cpu_h cpu;
    ethernet_h ethernet;
    vlan_h vlan;
    mpls_h mpls;
    mpls_h second_mpls;
    ipv4_h labelled_ipv4;      // where a frame arrives; behind a label that no table but that of signatures looks at
    ipv6_h labelled_ipv6;
    udp_h labelled_udp;
    OWN_MEMBERS
    arp_h arp;
    ipv4_h ipv4;
    ipv6_h ipv6;
    icmp_h icmp;
    udp_h udp;
    tcp_h tcp;
    signature_h signature;
}

#endif
