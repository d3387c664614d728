// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What is behind labels of MPLS in a frame of the tester's own that leaves.

#include "labels.p4"

state labelled {
    transition select(packet.lookahead<bit<4>>()) {
        4: ipv4;
        6: ipv6;
        default: accept;
    }
}
