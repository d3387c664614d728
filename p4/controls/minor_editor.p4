// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Makes the copies of a template packet differ from port to port (norma section 5.1).
#ifndef MINOR_EDITOR_P4
#define MINOR_EDITOR_P4

control MinorEditor(inout headers_t hdr, in template_t template, in bit<9> egress_port) {
    action vlan(bit<12> own) {
        hdr.vlan.vlan = own;
    }
    action ipv4_addresses(bit<32> add_to_src, bit<32> add_to_dst) {
        hdr.ipv4.src = hdr.ipv4.src + add_to_src;
        hdr.ipv4.dst = hdr.ipv4.dst + add_to_dst;
    }

    table ports {
        key = {
            template: exact @name("template");
            egress_port: exact @name("egress_port");
        }
        actions = { vlan; ipv4_addresses; @defaultonly NoAction; }
        const default_action = NoAction;
        size = PORT_EDITS;
    }

    apply {
        ports.apply();
    }
}

#endif
