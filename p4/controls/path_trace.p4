// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The trace of a path: a copy of each packet as it arrived, with what happened to it (Lumina, section 3.4). The
// ingress numbers packets before any of them can be lost, so a lost copy leaves a hole in the trace.
#ifndef PATH_TRACE_P4
#define PATH_TRACE_P4

// Numbers the packets of a traced path, both directions together, and asks for the copy.
control PathTraced(in bit<9> ingress_port, in timestamp_t arrived, inout traced_t traced,
                   inout ingress_intrinsic_metadata_for_deparser_t deparser) {
    Register<bit<32>, trace_t>(TRACES, 0) numbers;
    Counter<bit<64>, bit<9>>(PATH_PORTS, CounterType_t.PACKETS) due;

    RegisterAction<bit<32>, trace_t, bit<32>>(numbers) count = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
            value = value + 1;
        }
    };

    apply {
        if (traced.trace != 0) {
            traced.number = count.execute(traced.trace);
            traced.kind = PATH_TRACED;
            traced.arrived = arrived;
            due.count(ingress_port);
            deparser.mirror_type = MIRROR_TRACE;
        }
    }
}

// Puts a copy into a datagram, in which it gets to any host.
control PathCarrier(inout path_egress_headers_t hdr, in egress_intrinsic_metadata_t eg,
                    inout egress_intrinsic_metadata_for_deparser_t deparser) {
    action carry(mac_addr_t dst_mac, mac_addr_t src_mac, ipv4_addr_t dst, ipv4_addr_t src, l4_port_t dport) {
        hdr.carrier_ethernet.setValid();
        hdr.carrier_ethernet.dst = dst_mac;
        hdr.carrier_ethernet.src = src_mac;
        hdr.carrier_ethernet.ether_type = TYPE_IPV4;
        hdr.carrier_ipv4.setValid();
        hdr.carrier_ipv4.version = 4;
        hdr.carrier_ipv4.ihl = 5;
        hdr.carrier_ipv4.tos = 0;
        hdr.carrier_ipv4.len = eg.pkt_length + CARRIER_IPV4_LENGTH;
        hdr.carrier_ipv4.tester_version = 0;
        hdr.carrier_ipv4.id = 0;
        hdr.carrier_ipv4.flags = 2;
        hdr.carrier_ipv4.frag = 0;
        hdr.carrier_ipv4.ttl = 64;
        hdr.carrier_ipv4.proto = PROTOCOL_UDP;
        hdr.carrier_ipv4.src = src;
        hdr.carrier_ipv4.dst = dst;
        hdr.carrier_udp.setValid();
        hdr.carrier_udp.sport = hdr.trace.number[15:0];  // spreads copies over the queues of a NIC
        hdr.carrier_udp.dport = dport;
        hdr.carrier_udp.len = eg.pkt_length + CARRIER_UDP_LENGTH;
        hdr.carrier_udp.checksum = 0;
    }
    action drop() {
        deparser.drop_ctl = 1;
    }

    table carriers {
        key = { eg.egress_port: exact @name("egress_port"); }
        actions = { carry; @defaultonly drop; }
        const default_action = drop;
        size = 1;
    }

    apply {
        carriers.apply();
    }
}

#endif
