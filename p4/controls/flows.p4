// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream by their flow: frame k is of flow k modulo the number of flows. The number of a frame's flow is
// given where its fields are edited, so both stay together whatever is dropped behind; it travels in the signature.
#ifndef FLOWS_P4
#define FLOWS_P4

control FlowNumbers(inout headers_t hdr, in template_t template, in bool departs) {
    bit<16> last = 0;
    bit<1> counted = 0;

    Register<bit<16>, template_t>(TEMPLATES, 0) next;

    RegisterAction<bit<16>, template_t, bit<16>>(next) step = {
        void apply(inout bit<16> value, out bit<16> result) {
            result = value;
            if (value >= last) {
                value = 0;
            } else {
                value = value + 1;
            }
        }
    };

    action flows(bit<16> own_last) {
        last = own_last;
        counted = 1;
    }

    // Without an entry a signature keeps what its template has there, and so does other payload.
    table streams {
        key = { template: exact @name("template"); }
        actions = { flows; @defaultonly NoAction; }
        const default_action = NoAction;
        size = TEMPLATES;
    }

    apply {
        streams.apply();
        if (departs && counted == 1) {
            hdr.signature.sequence_high = step.execute(template);
        }
    }
}

// Packets and bytes of each flow where they arrive. All streams share the cells; each has a row of them.
control FlowCells(in template_t stream, in bit<16> flow) {
    bit<16> cell = 0;

    Counter<bit<64>, bit<16>>(FLOW_CELLS, CounterType_t.PACKETS_AND_BYTES) cells;

    action from(bit<16> first) {
        cell = first + flow;
    }

    table streams {
        key = { stream: exact @name("stream"); }
        actions = { from; @defaultonly NoAction; }
        const default_action = NoAction;
        size = TEMPLATES;
    }

    apply {
        if (streams.apply().hit) {
            cells.count(cell);
        }
    }
}

#endif
