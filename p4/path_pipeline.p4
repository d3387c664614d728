// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The pipelines of a path: a frame leaves by the other port as it came, unless an event selects it.
#ifndef PATH_PIPELINE_P4
#define PATH_PIPELINE_P4

struct path_ingress_t {
    ends_t ends;
    begins_t begins;
    copied_t copied;
    bool marked;               // the checksum of IPv4 follows
}

parser PathIngressParser(packet_in packet, out path_headers_t hdr, out path_ingress_t meta,
                         out ingress_intrinsic_metadata_t ig) {
    state start {
        packet.extract(ig);
        packet.advance(PORT_METADATA_SIZE);
        meta.ends = {0, 0, 0, 0, 0, 0};
        meta.begins = {0, 0, 0, 0};
        meta.copied = {kind_t.FORWARDED, 0, 0, 0, 0, 0, 0};
        meta.marked = false;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            TYPE_VLAN: vlan;
            default: accept;
        }
    }

    state vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.ether_type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.frag, hdr.ipv4.proto) {
            (4, 5, 0, PROTOCOL_TCP): tcp;
            (4, 5, 0, PROTOCOL_UDP): udp;
            default: accept;
        }
    }

    // 20 bytes of IPv4, 8 of UDP, and the 4 of a payload that are reached.
    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.ipv4.len) {
            0 .. 31: accept;
            default: payload;
        }
    }

    // A payload is reached behind TCP without options, and with those of a timestamp.
    state tcp {
        packet.extract(hdr.tcp);
        transition select(hdr.ipv4.len, hdr.tcp.dataofs) {
            (0 .. 43, 5): accept;
            (_, 5): payload;
            (0 .. 55, 8): accept;
            (_, 8): tcp_options;
            default: accept;
        }
    }

    state tcp_options {
        packet.extract(hdr.tcp_options);
        transition payload;
    }

    state payload {
        packet.extract(hdr.payload);
        transition accept;
    }
}

control PathIngress(inout path_headers_t hdr, inout path_ingress_t meta, in ingress_intrinsic_metadata_t ig,
                    in ingress_intrinsic_metadata_from_parser_t ig_parser,
                    inout ingress_intrinsic_metadata_for_deparser_t ig_deparser,
                    inout ingress_intrinsic_metadata_for_tm_t tm) {
    PathEnds() ends;
    PathWatches() watches;
    PathFlows() flows;
    PathLength() length;
    PathProgress() progress;
    PathNumbered() numbered;
    PathTransmission() first;
    PathTransmission() second;
    PathTransmission() third;
    PathTransmission() fourth;
    PathRepeated() repeated;
    Copying() copying;
    Counter<bit<64>, bit<9>>(PATH_PORTS, CounterType_t.PACKETS) due;        // copies of traced paths
    Counter<bit<64>, bit<9>>(PATH_PORTS, CounterType_t.PACKETS_AND_BYTES) ignored;  // at ports of no path
    bit<1> passes = 0;
    bit<1> seen = 0;
    flow_number_t flow = 0;
    bit<16> octets = 0;
    bit<1> data = 0;
    bit<1> opens = 0;
    bit<32> takes = 0;
    bit<1> followed = 0;
    bit<1> sequenced = 0;
    bit<1> repeats = 0;
    place_t place = 0;
    place_t tally = 0;
    bit<32> number = 0;
    bit<32> times_0 = 0;
    bit<32> times_1 = 0;
    bit<32> times_2 = 0;
    bit<32> times_3 = 0;

    apply {
        // None of these waits for another one.
        ends.apply(hdr, ig.ingress_port, passes, meta.ends, meta.copied, tm, ig_deparser);
        watches.apply(hdr, ig.ingress_port, seen);
        length.apply(hdr, octets, data, opens, takes);
        hdr.bridged.setValid();
        hdr.bridged.kind = kind_t.FORWARDED;
        hdr.bridged.arrived_high = ig.ingress_mac_tstamp[47:32];
        hdr.bridged.arrived_low = ig.ingress_mac_tstamp[31:0];
        if (passes == 1) {
            if (meta.copied.series != 0) {
                due.count(ig.ingress_port);
                copying.apply(ig.ingress_mac_tstamp, meta.copied, ig_deparser.mirror_type);
            }
            flows.apply(hdr, ig.ingress_port, seen, opens, meta.ends, flow);
            progress.apply(hdr, flow, meta.ends.heading, data, takes, followed, sequenced, place,
                           tally, number);
            if (followed == 1 && number == 0) {
                repeats = 1;
            }
            numbered.apply(hdr, tally, number, meta.ends.heading, meta.begins, meta.copied.event, meta.marked,
                           ig_deparser);
            first.apply(hdr.tcp.seq, place, sequenced, meta.begins.first, repeats, times_0);
            second.apply(hdr.tcp.seq, place, sequenced, meta.begins.second, repeats, times_1);
            third.apply(hdr.tcp.seq, place, sequenced, meta.begins.third, repeats, times_2);
            fourth.apply(hdr.tcp.seq, place, sequenced, meta.begins.fourth, repeats, times_3);
            if (repeats == 1) {
                repeated.apply(hdr, place, times_0, times_1, times_2, times_3, meta.copied.event, meta.marked,
                               ig_deparser);
            }
        } else {
            ignored.count(ig.ingress_port);
        }
    }
}

control PathIngressDeparser(packet_out packet, inout path_headers_t hdr, in path_ingress_t meta,
                            in ingress_intrinsic_metadata_for_deparser_t ig_deparser) {
    Checksum() ipv4;
    Mirror() copies;

    apply {
        if (ig_deparser.mirror_type == MIRRORED) {
            copies.emit<copy_h>(meta.copied.session, {
                meta.copied.kind, meta.copied.series, meta.copied.heading, meta.copied.event, meta.copied.number,
                meta.copied.at});
        }
        if (meta.marked) {
            hdr.ipv4.checksum = ipv4.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.len, hdr.ipv4.tester_version, hdr.ipv4.id,
                hdr.ipv4.flags, hdr.ipv4.frag, hdr.ipv4.ttl, hdr.ipv4.proto, hdr.ipv4.src, hdr.ipv4.dst});
        }
        packet.emit(hdr);
    }
}

parser PathEgressParser(packet_in packet, out path_egress_headers_t hdr, out path_egress_t meta,
                        out egress_intrinsic_metadata_t eg) {
    Checksum() l4_checksum;

    state start {
        packet.extract(eg);
        meta = {0, 0, 0, false, false};
        transition select((kind_t) packet.lookahead<bit<8>>()) {
            kind_t.FORWARDED: forwarded;
            kind_t.COPY: copy;
            default: accept;
        }
    }

    state forwarded {
        packet.extract(hdr.bridged);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            TYPE_VLAN: vlan;
            default: accept;
        }
    }

    state vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.ether_type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    // A first fragment has headers that are like others, and no room for a stamp.
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.flags, hdr.ipv4.frag, hdr.ipv4.proto) {
            (4, 5, 0 &&& 1, 0, PROTOCOL_TCP): tcp;
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP): udp;
            default: accept;
        }
    }

    // A stamp is the first option of TCP, and 16 bytes long. Whatever a parser extracts after a sum is deposited is
    // taken off it, so that is the last thing it does.
    state tcp {
        packet.extract(hdr.tcp);
        l4_checksum.subtract({hdr.tcp.checksum});
        transition select(hdr.tcp.offset, packet.lookahead<bit<16>>()) {
            (0x00 &&& 0xc0, _): unstamped;
            (0x40 &&& 0xe0, _): unstamped;
            (0x90 &&& 0xf0, STAMP_OF_TCP): stamped;
            (0xa0 &&& 0xe0, STAMP_OF_TCP): stamped;
            (0xc0 &&& 0xc0, STAMP_OF_TCP): stamped;
            (_, STAMP_OF_TCP &&& 0xff00): occupied;
            default: unstamped;
        }
    }

    // 20 bytes of IPv4, 8 of UDP and 16 of a stamp.
    state udp {
        packet.extract(hdr.udp);
        l4_checksum.subtract({hdr.udp.checksum});
        transition select(hdr.ipv4.len, packet.lookahead<bit<16>>()) {
            (0 .. 43, _): unstamped;
            (_, STAMP_OF_UDP): stamped;
            default: unstamped;
        }
    }

    state unstamped {
        l4_checksum.subtract_all_and_deposit(meta.l4_rest);
        transition accept;
    }

    state occupied {
        meta.occupied = 1;
        l4_checksum.subtract_all_and_deposit(meta.l4_rest);
        transition accept;
    }

    state stamped {
        meta.occupied = 1;
        packet.extract(hdr.stamp);
        l4_checksum.subtract({hdr.stamp.kind, hdr.stamp.first_high, hdr.stamp.first_low, hdr.stamp.flow,
                              hdr.stamp.second_high, hdr.stamp.second_low});
        l4_checksum.subtract_all_and_deposit(meta.l4_rest);
        transition accept;
    }

    state copy {
        packet.extract(hdr.copy);
        transition accept;
    }
}

control PathEgress(inout path_egress_headers_t hdr, inout path_egress_t meta, in egress_intrinsic_metadata_t eg,
                   in egress_intrinsic_metadata_from_parser_t eg_parser,
                   inout egress_intrinsic_metadata_for_deparser_t eg_deparser,
                   inout egress_intrinsic_metadata_for_output_port_t eg_port) {
    Carrier() carrier;
    PathStamps() stamps;
    // With the bytes of `bridged`, and of stamps that are taken out, but not of those that are put in.
    Counter<bit<64>, bit<9>>(PATH_PORTS, CounterType_t.PACKETS_AND_BYTES) forwarded;

    apply {
        forwarded.count(eg.egress_port);
        if (hdr.copy.isValid()) {
            carrier.apply(hdr.copy, eg, hdr.carrier_ethernet, hdr.carrier_ipv4, hdr.carrier_udp, eg_deparser);
        } else {
            stamps.apply(hdr, eg.egress_port, eg_parser.global_tstamp, meta);
        }
        hdr.bridged.setInvalid();
    }
}

control PathEgressDeparser(packet_out packet, inout path_egress_headers_t hdr, in path_egress_t meta,
                           in egress_intrinsic_metadata_for_deparser_t eg_deparser) {
    Checksum() carrier;
    Checksum() tcp;
    Checksum() udp;

    apply {
        if (meta.tcp_changed) {
            hdr.tcp.checksum = tcp.update({
                hdr.stamp.kind, hdr.stamp.first_high, hdr.stamp.first_low, hdr.stamp.flow, hdr.stamp.second_high,
                hdr.stamp.second_low, meta.l4_rest, meta.l4_change});
        }
        if (meta.udp_changed) {
            hdr.udp.checksum = udp.update({
                hdr.stamp.kind, hdr.stamp.first_high, hdr.stamp.first_low, hdr.stamp.flow, hdr.stamp.second_high,
                hdr.stamp.second_low, meta.l4_rest, meta.l4_change}, true);
        }
        hdr.carrier_ipv4.checksum = carrier.update({
            hdr.carrier_ipv4.version, hdr.carrier_ipv4.ihl, hdr.carrier_ipv4.tos, hdr.carrier_ipv4.len,
            hdr.carrier_ipv4.tester_version, hdr.carrier_ipv4.id, hdr.carrier_ipv4.flags, hdr.carrier_ipv4.frag,
            hdr.carrier_ipv4.ttl, hdr.carrier_ipv4.proto, hdr.carrier_ipv4.src, hdr.carrier_ipv4.dst});
        packet.emit(hdr);
    }
}

#endif
