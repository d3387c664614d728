// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What a deparser writes after fields have changed: the checksum of IPv4 anew, those of UDP and TCP from what the
// parser of the same gress left of them (RFC 1624).
#ifndef CHECKSUMS_P4
#define CHECKSUMS_P4

control Checksums(inout headers_t hdr, in bit<16> l4_rest) {
    Checksum() ipv4;
    Checksum() tcp;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = ipv4.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.len, hdr.ipv4.tester_version, hdr.ipv4.id,
                hdr.ipv4.flags, hdr.ipv4.frag, hdr.ipv4.ttl, hdr.ipv4.proto, hdr.ipv4.src, hdr.ipv4.dst});
        }
        if (hdr.tcp.isValid()) {
            hdr.tcp.checksum = tcp.update({
                hdr.ipv4.src, hdr.ipv4.dst, CHANGING_IPV6,
                hdr.tcp.sport, hdr.tcp.dport, hdr.tcp.seq, hdr.tcp.ack, l4_rest});
        }
    }
}

control UdpChecksum(inout headers_t hdr, in bit<16> l4_rest, in bool summed) {
    Checksum() udp;

    apply {
        if (summed) {
            hdr.udp.checksum = udp.update({
                hdr.ipv4.src, hdr.ipv4.dst, CHANGING_IPV6,
                hdr.udp.sport, hdr.udp.dport, l4_rest}, true);
        }
    }
}

// Where answers are made, whose first word of a payload may be that of the packet that asks.
control AnsweredUdpChecksum(inout headers_t hdr, in bit<16> l4_rest, in bool summed) {
    Checksum() udp;

    apply {
        if (summed) {
            hdr.udp.checksum = udp.update({
                hdr.ipv4.src, hdr.ipv4.dst, CHANGING_IPV6,
                hdr.udp.sport, hdr.udp.dport, hdr.signature.id, l4_rest}, true);
        }
    }
}

#endif
