// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sends a copy of a template packet to the front-panel ports of its stream, or to the port of the flow that it
// answers, while the packet itself loops on (norma section 3.2, multicast controller).
#ifndef REPLICATOR_P4
#define REPLICATOR_P4

const bit<16> PRUNES_NOTHING = 0xffff; // the id of a replica that no port is left out of

control Replicator(in template_t template, in link_t link, inout ingress_intrinsic_metadata_for_tm_t tm) {
    action copy(MulticastGroupId_t group) {
        tm.mcast_grp_a = group;
        tm.rid = PRUNES_NOTHING;
    }

    table groups {
        key = {
            template: exact @name("template");
            link: ternary @name("link");
        }
        actions = { copy; @defaultonly NoAction; }
        const default_action = NoAction;
        size = TEMPLATES + LINKS;
    }

    apply {
        groups.apply();
    }
}

#endif
