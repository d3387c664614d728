// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Finds what a packet of a protocol asks for (norma section 4). First pass: read the flow's state and find the row.
// Second pass, if the row changes the state: write it, because a register can be accessed once in a pass. The
// row's actions are generated: Efsm. Clients have a timer, too: packets that look at each flow in turn. A flow that is
// found as a look has left it, a whole turn before, is due.
#ifndef RESPONDER_P4
#define RESPONDER_P4

control Responder(inout headers_t hdr, in state_t note, inout reply_t reply, inout turn_t turn) {
    Efsm() efsm;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) swapped;
    l4_port_t source;
    l4_port_t destination;
    state_t state = 0;

    Register<state_t, bit<18>>(FLOWS, 0) states;

    // The note of a look is left in one access, so it never takes back a state that was written meanwhile.
    RegisterAction<state_t, bit<18>, state_t>(states) read = {
        void apply(inout state_t value, out state_t result) {
            result = value;
            value = value | note;
        }
    };
    RegisterAction<state_t, bit<18>, state_t>(states) write = {
        void apply(inout state_t value) {
            value = hdr.loop.template;
        }
    };

    action read_state() {
        state = read.execute(hdr.loop.flow_high[1:0] ++ hdr.loop.shared[31:16]);
    }

    // A register cannot be split, so it comes first, where all of the memory of a stage is free.
    @stage(0)
    table first_pass {
        actions = { read_state; }
        const default_action = read_state();
    }

    action swap_ports() {
        reply.ports = swapped.get({destination, source});
    }

    // Between what Efsm copies and what the queues hash: a stage has room for some hashes only.
    @stage(3)
    table swap {
        actions = { swap_ports; }
        const default_action = swap_ports();
    }

    apply {
        if (hdr.loop.kind == kind_t.READ) {
            if (hdr.udp.isValid()) {
                source = hdr.udp.sport;
                destination = hdr.udp.dport;
            } else {
                source = hdr.tcp.sport;
                destination = hdr.tcp.dport;
            }
            swap.apply();
            first_pass.apply();
            efsm.apply(hdr, state, reply, turn);
        } else {
            write.execute(hdr.loop.flow_high[1:0] ++ hdr.loop.shared[31:16]);
        }
    }
}

#endif
