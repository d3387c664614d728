// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Copies of packets for whoever looks at them: the chip mirrors a packet, and the egress puts the copy into a
// datagram, in which it gets to any host (Lumina, section 3.4). Copies of a series are numbered before any of them can
// be lost, so a lost copy leaves a hole.
#ifndef COPIES_P4
#define COPIES_P4

const bit<32> SERIES = 256;            // series_t counts them
const bit<32> COPIED_PORTS = 512;      // 9 bits of device port

// Numbers a copy, and asks for it.
control Copying(in timestamp_t at, inout copied_t copied, inout MirrorType_t mirror_type) {
    Register<bit<32>, series_t>(SERIES, 0) numbers;

    RegisterAction<bit<32>, series_t, bit<32>>(numbers) count = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
            value = value + 1;
        }
    };

    apply {
        copied.number = count.execute(copied.series);
        copied.kind = kind_t.COPY;
        copied.at = at;
        mirror_type = MIRRORED;
    }
}

// The ports whose packets are copied: where they arrive in an ingress, where they leave in an egress.
control PortCopies(in bit<9> port, in bit<8> heading, in timestamp_t at, inout copied_t copied,
                   inout MirrorType_t mirror_type) {
    Copying() copying;

    action copy(series_t series, MirrorId_t session) {
        copied.series = series;
        copied.heading = heading;
        copied.session = session;
    }

    table ports {
        key = { port: exact @name("port"); }
        actions = { copy; @defaultonly NoAction; }
        const default_action = NoAction;
        size = COPIED_PORTS;
    }

    apply {
        if (ports.apply().hit) {
            copying.apply(at, copied, mirror_type);
        }
    }
}

// Puts a copy into a datagram.
control Carrier(in copy_h copy, in egress_intrinsic_metadata_t eg, inout ethernet_h ethernet, inout ipv4_h ipv4,
                inout udp_h udp, inout egress_intrinsic_metadata_for_deparser_t deparser) {
    action carry(mac_addr_t dst_mac, mac_addr_t src_mac, ipv4_addr_t dst, ipv4_addr_t src, l4_port_t dport) {
        ethernet.setValid();
        ethernet.dst = dst_mac;
        ethernet.src = src_mac;
        ethernet.ether_type = TYPE_IPV4;
        ipv4.setValid();
        ipv4.version = 4;
        ipv4.ihl = 5;
        ipv4.tos = 0;
        ipv4.len = eg.pkt_length + CARRIER_IPV4_LENGTH;
        ipv4.tester_version = 0;
        ipv4.id = 0;
        ipv4.flags = 2;
        ipv4.frag = 0;
        ipv4.ttl = 64;
        ipv4.proto = PROTOCOL_UDP;
        ipv4.src = src;
        ipv4.dst = dst;
        udp.setValid();
        udp.sport = copy.number[15:0];  // spreads copies over the queues of a NIC
        udp.dport = dport;
        udp.len = eg.pkt_length + CARRIER_UDP_LENGTH;
        udp.checksum = 0;
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
