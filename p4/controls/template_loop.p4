// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Keeps template packets looping through the port that they came in by, whether one departs or not (norma
// section 3.2; the accelerator of hypertester section 5.1). Counts rounds: evidence that a port is never idle.
#ifndef TEMPLATE_LOOP_P4
#define TEMPLATE_LOOP_P4

// What a packet's turn in the loop comes to.
struct turn_t {
    bit<1> rated;              // a stream's: departs at its rate
    bool polls;                // departs if its queue has something to answer
    bool asks;                 // no template: has something to answer
    bit<1> departs;            // as a packet of its stream: a copy leaves the loop
    bit<1> answers;            // as an answer: a copy leaves the loop
    bit<1> writes;             // no template: needs a second pass
    state_t next_state;        // that it writes
    bit<9> write_port;         // where it is
}

control TemplateLoop(in template_t template, in bit<9> ingress_port, inout turn_t turn, inout queue_t queue,
                     inout ingress_intrinsic_metadata_for_tm_t tm,
                     inout ingress_intrinsic_metadata_for_deparser_t deparser) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS) rounds;

    action stream() {
        rounds.count();
        tm.ucast_egress_port = ingress_port;
        turn.rated = 1;
    }
    action reply(queue_t own) {
        rounds.count();
        tm.ucast_egress_port = ingress_port;
        turn.polls = true;
        queue = own;
    }
    // So a job ends: its templates fall out of the loop.
    action drop() {
        deparser.drop_ctl = 1;
    }

    table templates {
        key = { template: exact @name("template"); }
        actions = { stream; reply; @defaultonly drop; }
        const default_action = drop;
        counters = rounds;
        size = TEMPLATES;
    }

    apply {
        templates.apply();
    }
}

#endif
