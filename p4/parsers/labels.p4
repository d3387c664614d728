// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One or two labels of MPLS before IP, in a frame of the tester's own that leaves. Of more only the first one is found.

state mpls {
    transition select(packet.lookahead<bit<24>>()[0:0]) {
        1: last_label;
        default: first_label;
    }
}

state last_label {
    packet.extract(hdr.mpls);
    transition labelled;
}

state first_label {
    packet.extract(hdr.mpls);
    transition select(packet.lookahead<bit<24>>()[0:0]) {
        1: second_label;
        default: accept;
    }
}

state second_label {
    packet.extract(hdr.second_mpls);
    transition labelled;
}

state labelled {
    transition select(packet.lookahead<bit<4>>()) {
        4: ipv4;
        6: ipv6;
        default: accept;
    }
}
