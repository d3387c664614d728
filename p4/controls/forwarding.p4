// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Where frames go that belong to no test: management, and what neighbours say to each other.
#ifndef FORWARDING_P4
#define FORWARDING_P4

control Forwarding(inout headers_t hdr, in bit<9> ingress_port, inout ingress_intrinsic_metadata_for_tm_t tm,
                   inout ingress_intrinsic_metadata_for_deparser_t deparser) {
    action drop() {
        deparser.drop_ctl = 1;
    }
    action send(bit<9> port) {
        tm.ucast_egress_port = port;
        hdr.kind.setValid();
        hdr.kind.kind = kind_t.FORWARDED;
    }
    action send_to_driver(bit<9> port) {
        tm.ucast_egress_port = port;
        hdr.kind.setValid();
        hdr.kind.kind = kind_t.TO_DRIVER;
        hdr.cpu.setValid();
        hdr.cpu.kind = kind_t.FORWARDED;
        hdr.cpu.link = 0;
        hdr.cpu.template = 0;
        hdr.cpu.reserved = 0;
        hdr.cpu.port = ingress_port;
    }

    table stations {
        key = {
            ingress_port: ternary @name("ingress_port");
            hdr.ethernet.dst: ternary @name("dst");
            hdr.ethernet.ether_type: ternary @name("ether_type");
        }
        actions = { send; send_to_driver; drop; }
        const default_action = drop;
        size = FORWARDING;
    }

    apply {
        stations.apply();
    }
}

#endif
