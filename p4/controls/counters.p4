// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets and bytes of each stream, and of each port, in pairs: one for each version (norma section 6.1). Frames of
// a stream are counted by how they arrive. A packet within the switch has the size that it has on the wire, so bytes
// need no correction.
#ifndef COUNTERS_P4
#define COUNTERS_P4

// Where times of a frame's pair of stream and version are summed up. An identity hash, because an index is one field.
control Slot(in template_t stream, in version_t version, out slot_t slot) {
    Hash<slot_t>(HashAlgorithm_t.IDENTITY) slots;

    apply {
        slot = slots.get({stream, version});
    }
}

control PortCounters(in bit<9> port, in version_t version) {
    Hash<bit<10>>(HashAlgorithm_t.IDENTITY) slots;
    Counter<bit<64>, bit<10>>(PORT_VERSIONS, CounterType_t.PACKETS_AND_BYTES) totals;

    apply {
        totals.count(slots.get({port, version}));
    }
}

control StreamCounters(in template_t stream, in version_t version, in arrival_t arrival) {
    Hash<bit<12>>(HashAlgorithm_t.IDENTITY) slots;
    Counter<bit<64>, bit<12>>(STREAM_ARRIVALS, CounterType_t.PACKETS_AND_BYTES) totals;

    apply {
        totals.count(slots.get({arrival, stream, version}));
    }
}

#endif
