// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Puts the loop header in the place of the Ethernet header, and back (norma appendix B). Addresses are fixed for
// a link and the port a frame leaves by, but answers go to whoever asked.
#ifndef COMPRESSION_P4
#define COMPRESSION_P4

control Compression(inout headers_t hdr, in kind_t kind, in link_t link, in template_t template, in flow_t flow) {
    apply {
        hdr.loop.setValid();
        hdr.loop.kind = kind;
        hdr.loop.link = link;
        hdr.loop.template = template;
        hdr.loop.flow_high = flow[23:16];
        hdr.loop.shared = flow[15:0] ++ hdr.ethernet.src[47:32];
        hdr.loop.peer_low = hdr.ethernet.src[31:0];
        hdr.loop.ether_type = hdr.ethernet.ether_type;
        hdr.ethernet.setInvalid();
    }
}

control Restoration(inout headers_t hdr, in bit<9> egress_port) {
    action addresses(mac_addr_t dst, mac_addr_t src) {
        hdr.ethernet.dst = dst;
        hdr.ethernet.src = src;
    }
    // An answer goes to whoever asked, and a stream to addresses that change from frame to frame.
    action to_peer(mac_addr_t src) {
        hdr.ethernet.dst = hdr.loop.shared[15:0] ++ hdr.loop.peer_low;
        hdr.ethernet.src = src;
    }
    // A stream whose own address changes from frame to frame.
    action own_source(mac_addr_t dst, bit<16> src_high) {
        hdr.ethernet.dst = dst;
        hdr.ethernet.src = src_high ++ hdr.loop.shared;
    }
    // A stream of which both change.
    action own_addresses(bit<16> dst_high, bit<16> src_high) {
        hdr.ethernet.dst = dst_high ++ hdr.loop.peer_low;
        hdr.ethernet.src = src_high ++ hdr.loop.shared;
    }

    table links {
        key = {
            hdr.loop.link: exact @name("link");
            egress_port: exact @name("egress_port");
        }
        actions = { addresses; to_peer; own_source; own_addresses; @defaultonly NoAction; }
        const default_action = NoAction;
        size = LINK_PORTS;
    }

    apply {
        hdr.ethernet.setValid();
        hdr.ethernet.ether_type = hdr.loop.ether_type;
        links.apply();
        hdr.loop.setInvalid();
    }
}

#endif
