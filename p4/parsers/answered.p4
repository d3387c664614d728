// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// UDP where answers are made: the first word of the payload may be that of the packet that asks, so the checksum is
// made without it.

state signed_udp {
    packet.extract(hdr.udp);
    l4_checksum.subtract({hdr.udp.sport, hdr.udp.dport, hdr.udp.checksum});
    packet.extract(hdr.signature);
    l4_checksum.subtract({hdr.signature.id});
    signature_checksum.subtract({hdr.signature.id, hdr.signature.sequence_high, hdr.signature.sequence,
                                 hdr.signature.timestamp_ns, hdr.signature.complement});
    signature_checksum.subtract_all_and_deposit(meta.signature_rest);
    l4_checksum.subtract_all_and_deposit(meta.l4_rest);
    transition accept;
}
