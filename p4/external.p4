// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The pipelines of the front-panel ports (norma section 3.2). Ingress: whose is a frame, measured; then to a
// loopback port, to the driver, or on. Egress: addresses restored, version, last edits, signature, measured.
#ifndef EXTERNAL_P4
#define EXTERNAL_P4

struct external_ingress_t {
    role_t role;
    bit<16> l4_rest;
    bit<16> signature_rest;
    class_t class;
    reply_row_t row;
    misrouted_t misrouted;
    copied_t copied;
}

struct external_egress_t {
    bit<16> l4_rest;
    bit<16> signature_rest;
    template_t stream;
    version_t version;
    bit<2> worn;               // bytes before the Ethernet header
    bool measured;
    bool signed;
    bool changed;              // fields are, so checksums too
    bool udp_summed;           // UDP has a checksum
    bool icmp_changed;
    copied_t copied;
}

struct port_metadata_t {
    role_t role;
}

parser ExternalIngressParser(packet_in packet, out headers_t hdr, out external_ingress_t meta,
                             out ingress_intrinsic_metadata_t ig) {
    Checksum() l4_checksum;
    Checksum() signature_checksum;

    state start {
        packet.extract(ig);
        port_metadata_t port = port_metadata_unpack<port_metadata_t>(packet);
        meta.role = port.role;
        meta.l4_rest = 0;
        meta.signature_rest = 0;
        meta.class = {0, false, false, false, 0, 0, 0, 0, 0, 0, ports_t.ONE, 0};
        meta.row = {false, false, 0, false, 0, false, 0, 0, 0};
        meta.misrouted = {0, 0};
        meta.copied = {kind_t.FORWARDED, 0, 0, 0, 0, 0, 0};
        transition select(port.role) {
            role_t.CPU: cpu;
            default: ethernet;
        }
    }

    state cpu {
        packet.extract(hdr.cpu);
        transition ethernet;
    }

    state ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            TYPE_ARP: arp;
            TYPE_VLAN: vlan;
            TYPE_IPV6: ipv6;
            TYPE_MPLS: mpls;
            OWN_ETHERNET_TYPES
            default: accept;
        }
    }

#include "parsers/network.p4"
#include "parsers/signed.p4"
#include "parsers/arriving_labels.p4"
}

control ExternalIngress(inout headers_t hdr, inout external_ingress_t meta, in ingress_intrinsic_metadata_t ig,
                        in ingress_intrinsic_metadata_from_parser_t ig_parser,
                        inout ingress_intrinsic_metadata_for_deparser_t ig_deparser,
                        inout ingress_intrinsic_metadata_for_tm_t tm) {
    Classifier() classifier;
    Queries() queries;
    ReplyRows() reply_rows;
    Slot() slot;
    PortCounters() port_counters;
    StreamCounters() stream_counters;
    BlindDelay() blind_delay;
    LatencyOf() latency_of;
    Latency() latency;
    FlowCells() flow_cells;
    Order() order;
    Outages() outages;
    Misrouted() misrouted;
    Compression() compression;
    Forwarding() forwarding;
    PortCopies() copies;
    slot_t own = 0;            // of the stream and the version
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) times;
    bit<32> time = 0;          // for outages
    bit<32> took = 0;          // a frame with a signature
    bit<32> skipped = 0;
    arrival_t arrival = 0;

    apply {
        if (hdr.cpu.isValid()) {
            tm.ucast_egress_port = hdr.cpu.port;
            if (hdr.cpu.kind == kind_t.TEMPLATE) {
                compression.apply(hdr, kind_t.TEMPLATE, hdr.cpu.link, hdr.cpu.template, 0);
            } else {
                hdr.kind.setValid();
                hdr.kind.kind = kind_t.FORWARDED;
            }
            hdr.cpu.setInvalid();
        } else {
            time = times.get({ig.ingress_mac_tstamp[40:9]}); // here it delays nothing
            latency_of.apply(hdr.signature.timestamp_ns, ig.ingress_mac_tstamp, time, took);
            time = time | 1;
            copies.apply(ig.ingress_port, RECEIVED, ig.ingress_mac_tstamp, meta.copied, ig_deparser.mirror_type);
            classifier.apply(hdr, meta.signature_rest, ig.ingress_port, meta.class);
            queries.apply(hdr, ig.ingress_port, meta.class.measured, meta.class.stream);
            reply_rows.apply(hdr, ig.ingress_port, meta.class.measured, meta.row);
            slot.apply(meta.class.stream, meta.class.version, own);
            port_counters.apply(ig.ingress_port, meta.class.version);
            if (meta.class.astray != 0) {
                misrouted.apply(meta.class.stream, meta.class.version, ig.ingress_port, meta.misrouted,
                                ig_deparser);
                ig_deparser.drop_ctl = 1;
            } else if (meta.class.measured) {
                if (meta.class.signed) {
                    latency.apply(meta.class.stream, took);
                    flow_cells.apply(meta.class.stream, hdr.signature.sequence_high);
                    order.apply(meta.class.stream, hdr.signature.sequence, skipped, arrival);
                }
                outages.apply(meta.class.stream, hdr.signature.sequence, skipped, time);
                blind_delay.apply(own, ig.ingress_mac_tstamp);
                stream_counters.apply(meta.class.stream, meta.class.version, arrival);
                ig_deparser.drop_ctl = 1;
            } else if (meta.class.stateful) {
                tm.ucast_egress_port = meta.class.loopback;
                compression.apply(hdr, kind_t.READ, meta.class.link, 0, meta.class.flow);
            } else if (meta.row.asks && meta.row.fires == 1) {
                tm.ucast_egress_port = meta.row.port;
                compression.apply(hdr, kind_t.READ, meta.row.link, 0, 0);
            } else if (meta.row.replies || meta.row.fires == 1) {
                hdr.reply.setValid();
                hdr.reply.kind = kind_t.REPLY;
                hdr.reply.number = meta.row.number;
                tm.ucast_egress_port = meta.row.port;
            } else if (meta.row.ours) {
                ig_deparser.drop_ctl = 1;
            } else {
                forwarding.apply(hdr, ig.ingress_port, tm, ig_deparser);
            }
        }
    }
}

control ExternalIngressDeparser(packet_out packet, inout headers_t hdr, in external_ingress_t meta,
                                in ingress_intrinsic_metadata_for_deparser_t ig_deparser) {
    Digest<misrouted_t>() misrouted;
    Mirror() copies;

    apply {
        if (ig_deparser.mirror_type == MIRRORED) {
            copies.emit<copy_h>(meta.copied.session, {
                meta.copied.kind, meta.copied.series, meta.copied.heading, meta.copied.event, meta.copied.number,
                meta.copied.at});
        }
        if (ig_deparser.digest_type == MISROUTED) {
            misrouted.pack(meta.misrouted);
        }
        packet.emit(hdr);
    }
}

parser ExternalEgressParser(packet_in packet, out headers_t hdr, out external_egress_t meta,
                            out egress_intrinsic_metadata_t eg) {
    Checksum() l4_checksum;
    Checksum() signature_checksum;

    state start {
        packet.extract(eg);
        meta = {0, 0, 0, 0, 0, false, false, false, false, false, {kind_t.FORWARDED, 0, 0, 0, 0, 0, 0}};
        transition select((kind_t) packet.lookahead<bit<8>>()) {
            kind_t.FORWARDED: forwarded;
            kind_t.REPLY: reply;
            kind_t.COPY: copy;
            kind_t.TO_DRIVER: to_driver;
            default: loop;
        }
    }

    state forwarded {
        packet.extract(hdr.kind);
        meta.worn = 1;
        transition ethernet;
    }

    state to_driver {
        packet.extract(hdr.kind);
        transition accept;
    }

    state reply {
        packet.extract(hdr.reply);
        meta.worn = 2;
        meta.changed = true;
        transition ethernet;
    }

    state ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            TYPE_ARP: arp;
            TYPE_VLAN: vlan;
            TYPE_IPV6: ipv6;
            OWN_ETHERNET_TYPES
            default: accept;
        }
    }

    state copy {
        packet.extract(hdr.copy);
        transition accept;
    }

    state loop {
        packet.extract(hdr.loop);
        meta.changed = true;
        transition select(hdr.loop.ether_type) {
            TYPE_IPV4: ipv4;
            TYPE_ARP: arp;
            TYPE_VLAN: vlan;
            TYPE_IPV6: ipv6;
            TYPE_MPLS: mpls;
            OWN_ETHERNET_TYPES
            default: accept;
        }
    }

#include "parsers/network.p4"
#include "parsers/signed.p4"
#include "parsers/leaving_labels.p4"
}

control ExternalEgress(inout headers_t hdr, inout external_egress_t meta, in egress_intrinsic_metadata_t eg,
                       in egress_intrinsic_metadata_from_parser_t eg_parser,
                       inout egress_intrinsic_metadata_for_deparser_t eg_deparser,
                       inout egress_intrinsic_metadata_for_output_port_t eg_port) {
    Version() version;
    Slot() slot;
    Signature() signature;
    PortCounters() port_counters;
    StreamCounters() stream_counters;
    BlindDelay() blind_delay;
    Restoration() restoration;
    Replies() replies;
    PortCopies() copies;
    Carrier() carrier;
    TransmittedQueries() queries;
    slot_t own = 0;            // of the stream and the version

    apply {
        if (hdr.copy.isValid()) {
            carrier.apply(hdr.copy, eg, hdr.carrier_ethernet, hdr.carrier_ipv4, hdr.carrier_udp, eg_deparser);
        } else {
            copies.apply(eg.egress_port, TRANSMITTED, eg_parser.global_tstamp, meta.copied, eg_deparser.mirror_type);
        }
        if (hdr.loop.isValid()) {
            meta.stream = hdr.loop.template;
            meta.copied.event = OF_TEMPLATE ++ hdr.loop.template;
            version.apply(hdr, meta.stream, meta.measured, meta.version);
            slot.apply(meta.stream, meta.version, own);
            signature.apply(hdr, meta.stream, eg_parser.global_tstamp, meta.signature_rest, meta.signed);
            if (meta.measured) {
                blind_delay.apply(own, eg_parser.global_tstamp);
                stream_counters.apply(meta.stream, meta.version, 0);
            }
            restoration.apply(hdr, eg.egress_port);
        } else if (hdr.reply.isValid()) {
            replies.apply(hdr, meta.l4_rest, meta.icmp_changed);
            hdr.reply.setInvalid();
        }
        if (hdr.udp.isValid() && hdr.udp.checksum != 0) {
            meta.udp_summed = true;
        }
        if (!hdr.copy.isValid()) {
            queries.apply(hdr, eg.egress_port, meta.measured, meta.stream, meta.worn);
        }
        port_counters.apply(eg.egress_port, meta.version);
        hdr.kind.setInvalid();
    }
}

control ExternalEgressDeparser(packet_out packet, inout headers_t hdr, in external_egress_t meta,
                               in egress_intrinsic_metadata_for_deparser_t eg_deparser) {
    Checksums() checksums;
    UdpChecksum() udp_checksum;
    Checksum() icmp_checksum;
    Checksum() complement;
    Checksum() carrier;
    Mirror() copies;

    apply {
        if (eg_deparser.mirror_type == MIRRORED) {
            copies.emit<copy_h>(meta.copied.session, {
                meta.copied.kind, meta.copied.series, meta.copied.heading, meta.copied.event, meta.copied.number,
                meta.copied.at});
        }
        hdr.carrier_ipv4.checksum = carrier.update({
            hdr.carrier_ipv4.version, hdr.carrier_ipv4.ihl, hdr.carrier_ipv4.tos, hdr.carrier_ipv4.len,
            hdr.carrier_ipv4.tester_version, hdr.carrier_ipv4.id, hdr.carrier_ipv4.flags, hdr.carrier_ipv4.frag,
            hdr.carrier_ipv4.ttl, hdr.carrier_ipv4.proto, hdr.carrier_ipv4.src, hdr.carrier_ipv4.dst});
        if (meta.changed) {
            checksums.apply(hdr, meta.l4_rest);
            udp_checksum.apply(hdr, meta.l4_rest, meta.udp_summed);
        }
        if (meta.icmp_changed) {
            hdr.icmp.checksum = icmp_checksum.update({
                hdr.ipv4.src, hdr.ipv4.dst, hdr.icmp.type, hdr.icmp.code, meta.l4_rest});
        }
        if (meta.signed) {
            hdr.signature.complement = complement.update({
                hdr.signature.id, hdr.signature.sequence_high, hdr.signature.sequence, hdr.signature.timestamp_ns,
                meta.signature_rest});
        }
        packet.emit(hdr);
    }
}

#endif
