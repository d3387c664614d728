// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Fields that a query compares, the same where packets arrive and where they leave. Included in the keys of tables,
// whose input is 66 bytes: where frames leave, there is no room for the Ethernet source.
            hdr.ethernet.dst: ternary @name("ether_dst");
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
