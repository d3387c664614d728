// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What is behind labels of MPLS in a frame that arrives: as far as its signature and its version need.
// IP and UDP have headers of their own here, so that nobody answers a frame with a label as if it had none.

#include "labels.p4"

state labelled {
    transition select(packet.lookahead<bit<4>>()) {
        4: labelled_ipv4;
        6: labelled_ipv6;
        default: accept;
    }
}

state labelled_ipv4 {
    packet.extract(hdr.labelled_ipv4);
    transition select(hdr.labelled_ipv4.ihl, hdr.labelled_ipv4.frag, hdr.labelled_ipv4.proto) {
        (5, 0, PROTOCOL_UDP): labelled_udp;
        default: accept;
    }
}

state labelled_ipv6 {
    packet.extract(hdr.labelled_ipv6);
    transition select(hdr.labelled_ipv6.nh) {
        PROTOCOL_UDP: labelled_udp;
        default: accept;
    }
}

state labelled_udp {
    transition select(packet.lookahead<bit<48>>()[15:0]) {
        0 .. 23: accept;
        default: labelled_signature;
    }
}

state labelled_signature {
    packet.extract(hdr.labelled_udp);
    packet.extract(hdr.signature);
    signature_checksum.subtract({hdr.signature.id, hdr.signature.sequence_high, hdr.signature.sequence,
                                 hdr.signature.timestamp_ns, hdr.signature.complement});
    signature_checksum.subtract_all_and_deposit(meta.signature_rest);
    transition accept;
}
