// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// States that three parsers have in common: what follows an Ethernet header, or the loop header in its place. They
// are included in the bodies of the parsers, not a parser of their own, which could not deposit a checksum in its
// caller's metadata. The state `network` is where they begin; its caller sets `ether_type`.
//
// l4_rest is what the checksum of UDP or TCP was without the fields that a pipeline may change, so that a deparser
// can put the new ones in (RFC 1624); signature_rest the sum of a signature. Whatever a parser extracts after a sum is
// deposited is taken off it, so that is the last thing it does. The state signed_udp, of UDP with 16 bytes to look at,
// is beside this file: in signed.p4, or in answered.p4.

state vlan {
    packet.extract(hdr.vlan);
    transition select(hdr.vlan.ether_type) {
        TYPE_IPV4: ipv4;
        TYPE_ARP: arp;
        TYPE_IPV6: ipv6;
        TYPE_MPLS: mpls;
        OWN_ETHERNET_TYPES
        default: accept;
    }
}

OWN_STATES

state arp {
    packet.extract(hdr.arp);
    transition accept;
}

state ipv4 {
    packet.extract(hdr.ipv4);
    l4_checksum.subtract({hdr.ipv4.src, hdr.ipv4.dst});
    transition select(hdr.ipv4.ihl, hdr.ipv4.frag, hdr.ipv4.proto) {
        (5, 0, PROTOCOL_TCP): tcp;
        (5, 0, PROTOCOL_UDP): udp;
        (5, 0, PROTOCOL_ICMP): icmp;
        default: accept;
    }
}

state ipv6 {
    packet.extract(hdr.ipv6);
    l4_checksum.subtract({CHANGING_IPV6});
    transition select(hdr.ipv6.nh) {
        PROTOCOL_TCP: ipv6_tcp;
        PROTOCOL_UDP: udp;
        default: accept;
    }
}

// Its checksum has no addresses in it. They are in l4_rest all the same, so whoever changes one has to change the
// other by as much, as a reply does that swaps them.
state icmp {
    packet.extract(hdr.icmp);
    l4_checksum.subtract({hdr.icmp.type, hdr.icmp.code, hdr.icmp.checksum});
    l4_checksum.subtract_all_and_deposit(meta.l4_rest);
    transition accept;
}

state udp {
    transition select(packet.lookahead<bit<48>>()[15:0]) {
        0 .. 23: plain_udp;    // 8 bytes of UDP, 16 of a signature
        default: signed_udp;
    }
}

state plain_udp {
    packet.extract(hdr.udp);
    l4_checksum.subtract({hdr.udp.sport, hdr.udp.dport, hdr.udp.checksum});
    l4_checksum.subtract_all_and_deposit(meta.l4_rest);
    transition accept;
}

// 20 bytes of IPv4, 20 of TCP and the 16 that are looked at: less is neither a signature nor a request.
state tcp {
    transition select(hdr.ipv4.len, packet.lookahead<bit<100>>()[3:0]) {
        (0 .. 55, 5): plain_tcp;
        (_, 5): signed_tcp;
        default: plain_tcp;
    }
}

state ipv6_tcp {
    transition select(hdr.ipv6.plen, packet.lookahead<bit<100>>()[3:0]) {
        (0 .. 35, 5): plain_tcp;
        (_, 5): signed_tcp;
        default: plain_tcp;
    }
}

state signed_tcp {
    packet.extract(hdr.tcp);
    l4_checksum.subtract({hdr.tcp.sport, hdr.tcp.dport, hdr.tcp.seq, hdr.tcp.ack, hdr.tcp.checksum});
    packet.extract(hdr.signature);
    signature_checksum.subtract({hdr.signature.id, hdr.signature.sequence_high, hdr.signature.sequence,
                                 hdr.signature.timestamp_ns, hdr.signature.complement});
    signature_checksum.subtract_all_and_deposit(meta.signature_rest);
    l4_checksum.subtract_all_and_deposit(meta.l4_rest);
    transition accept;
}

state plain_tcp {
    packet.extract(hdr.tcp);
    l4_checksum.subtract({hdr.tcp.sport, hdr.tcp.dport, hdr.tcp.seq, hdr.tcp.ack, hdr.tcp.checksum});
    l4_checksum.subtract_all_and_deposit(meta.l4_rest);
    transition accept;
}
