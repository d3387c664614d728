// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets and bytes of each stream, and of each port, in pairs: one for each version (norma section 6.1). A
// packet within the switch has the size that it has on the wire, so bytes need no correction.
#ifndef COUNTERS_P4
#define COUNTERS_P4

// Where a frame's pair of stream and version is counted. An identity hash, because an index is one field.
control Slot(in template_t stream, in version_t version, out slot_t slot) {
    Hash<slot_t>(HashAlgorithm_t.IDENTITY) slots;

    apply {
        slot = slots.get({stream, version});
    }
}

control Counters(in slot_t slot, in bool measured, in bit<9> port, in version_t version) {
    Hash<bit<10>>(HashAlgorithm_t.IDENTITY) port_slots;
    Counter<bit<64>, slot_t>(STREAM_VERSIONS, CounterType_t.PACKETS_AND_BYTES) streams;
    Counter<bit<64>, bit<10>>(PORT_VERSIONS, CounterType_t.PACKETS_AND_BYTES) ports;

    apply {
        ports.count(port_slots.get({port, version}));
        if (measured) {
            streams.count(slot);
        }
    }
}

#endif
