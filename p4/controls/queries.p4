// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets counted by what is in them, where they arrive (HyperTester section 5.2). Keys are known before, so a query
// has an entry for each key, whose counter is the row: nothing is hashed, and nothing collides. A query has a table of
// its own, because a packet hits one entry of a table, and may pass the filters of several queries.
#ifndef QUERIES_P4
#define QUERIES_P4

control Query(in headers_t hdr, in bit<9> ingress_port, in bool measured, in template_t stream) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) rows_matched;

    action count() {
        rows_matched.count();
    }

    table rows {
        key = {
            ingress_port: ternary @name("ingress_port");
            measured: ternary @name("measured");
            stream: ternary @name("stream");
            hdr.ethernet.dst: ternary @name("ether_dst");
            hdr.ethernet.src: ternary @name("ether_src");
            hdr.ethernet.ether_type: ternary @name("ether_type");
            hdr.vlan.isValid(): ternary @name("vlan_valid");
            hdr.vlan.priority: ternary @name("vlan_prio");
            hdr.vlan.dei: ternary @name("vlan_dei");
            hdr.vlan.vlan: ternary @name("vlan");
            hdr.vlan.ether_type: ternary @name("vlan_type");
            hdr.arp.isValid(): ternary @name("arp_valid");
            hdr.arp.operation: ternary @name("arp_op");
            hdr.arp.sender: ternary @name("arp_psrc");
            hdr.arp.target: ternary @name("arp_pdst");
            hdr.ipv4.isValid(): ternary @name("ipv4_valid");
            hdr.ipv4.ihl: ternary @name("ipv4_ihl");
            hdr.ipv4.tos: ternary @name("ipv4_tos");
            hdr.ipv4.len: ternary @name("ipv4_len");
            hdr.ipv4.flags: ternary @name("ipv4_flags");
            hdr.ipv4.frag: ternary @name("ipv4_frag");
            hdr.ipv4.ttl: ternary @name("ipv4_ttl");
            hdr.ipv4.proto: ternary @name("ipv4_proto");
            hdr.ipv4.src: ternary @name("ipv4_src");
            hdr.ipv4.dst: ternary @name("ipv4_dst");
            hdr.ipv6.isValid(): ternary @name("ipv6_valid");
            hdr.ipv6.tc: ternary @name("ipv6_tc");
            hdr.ipv6.nh: ternary @name("ipv6_nh");
            hdr.ipv6.hlim: ternary @name("ipv6_hlim");
            hdr.icmp.isValid(): ternary @name("icmp_valid");
            hdr.icmp.type: ternary @name("icmp_type");
            hdr.icmp.code: ternary @name("icmp_code");
            hdr.udp.isValid(): ternary @name("udp_valid");
            hdr.udp.sport: ternary @name("udp_sport");
            hdr.udp.dport: ternary @name("udp_dport");
            hdr.tcp.isValid(): ternary @name("tcp_valid");
            hdr.tcp.sport: ternary @name("tcp_sport");
            hdr.tcp.dport: ternary @name("tcp_dport");
            hdr.tcp.reserved: ternary @name("tcp_reserved");
            hdr.tcp.flags: ternary @name("tcp_flags");
        }
        actions = { count; @defaultonly NoAction; }
        const default_action = NoAction;
        counters = rows_matched;
        size = QUERY_ROWS;
    }

    apply {
        rows.apply();
    }
}

control Queries(in headers_t hdr, in bit<9> ingress_port, in bool measured, in template_t stream) {
    Query() query_0;
    Query() query_1;
    Query() query_2;
    Query() query_3;

    apply {
        query_0.apply(hdr, ingress_port, measured, stream);
        query_1.apply(hdr, ingress_port, measured, stream);
        query_2.apply(hdr, ingress_port, measured, stream);
        query_3.apply(hdr, ingress_port, measured, stream);
    }
}

#endif
