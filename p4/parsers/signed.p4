// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// UDP where a signature is read or written: its words have one sum, so the checksum of UDP does not change with them.

state signed_udp {
    packet.extract(hdr.udp);
    l4_checksum.subtract({hdr.udp.sport, hdr.udp.dport, hdr.udp.checksum});
    packet.extract(hdr.signature);
    signature_checksum.subtract({hdr.signature.id, hdr.signature.sequence_high, hdr.signature.sequence,
                                 hdr.signature.timestamp_ns, hdr.signature.complement});
    signature_checksum.subtract_all_and_deposit(meta.signature_rest);
    l4_checksum.subtract_all_and_deposit(meta.l4_rest);
    transition accept;
}
