// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One or two labels of MPLS before IP. Of more only the first one is found. The state `labelled`, of what is behind them,
// is beside this file: in leaving_labels.p4, or in arriving_labels.p4.

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
