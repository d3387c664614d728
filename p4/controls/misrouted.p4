// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream that arrive at another port than expected. Counters say how many, of each stream and at each
// port; a digest says whose arrived where. The chip sends no digest again that is on its way to the driver, and
// has room for few, so nothing is counted by them.
#ifndef MISROUTED_P4
#define MISROUTED_P4

const bit<3> MISROUTED = 1;    // kind of digest

struct misrouted_t {
    template_t stream;
    bit<9> port;
}

control Misrouted(in template_t stream, in version_t version, in bit<9> ingress_port, inout misrouted_t told,
                  inout ingress_intrinsic_metadata_for_deparser_t deparser) {
    Hash<bit<10>>(HashAlgorithm_t.IDENTITY) port_slots;
    Counter<bit<64>, template_t>(TEMPLATES, CounterType_t.PACKETS) streams;
    Counter<bit<64>, bit<10>>(PORT_VERSIONS, CounterType_t.PACKETS_AND_BYTES) ports;

    apply {
        streams.count(stream);
        ports.count(port_slots.get({ingress_port, version}));
        told.stream = stream;
        told.port = ingress_port;
        deparser.digest_type = MISROUTED;
    }
}

#endif
