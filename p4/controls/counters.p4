// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets and bytes of each stream, and of each port, in pairs: one for each version (norma section 6.1). Frames of
// a stream that were overtaken are counted by themselves. A packet within the switch has the size that it has on the
// wire, so bytes need no correction.
#ifndef COUNTERS_P4
#define COUNTERS_P4

// Where times of a frame's pair of stream and version are summed up. An identity hash, because an index is one field.
control Slot(in template_t stream, in version_t version, out slot_t slot) {
    Hash<slot_t>(HashAlgorithm_t.IDENTITY) slots;

    apply {
        slot = slots.get({stream, version});
    }
}

control Counters(in bool measured, in bit<1> overtaken, in template_t stream, in version_t version,
                 in bit<9> port) {
    Hash<bit<10>>(HashAlgorithm_t.IDENTITY) stream_slots;
    Hash<bit<10>>(HashAlgorithm_t.IDENTITY) port_slots;
    Counter<bit<64>, bit<10>>(STREAM_ORDERS, CounterType_t.PACKETS_AND_BYTES) streams;
    Counter<bit<64>, bit<10>>(PORT_VERSIONS, CounterType_t.PACKETS_AND_BYTES) ports;

    apply {
        ports.count(port_slots.get({port, version}));
        if (measured) {
            streams.count(stream_slots.get({overtaken, stream, version}));
        }
    }
}

#endif
