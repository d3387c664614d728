// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The pipelines of the loopback ports (norma section 3.2). Ingress: templates loop, depart at their rate and are
// edited; packets of protocols are answered. Egress: what goes round once more gets its kind.
#ifndef INTERNAL_P4
#define INTERNAL_P4

struct internal_ingress_t {
    bit<16> l4_rest;
    bit<16> signature_rest;
    bool udp_summed;           // UDP has a checksum
    state_t note;              // that a look at a flow leaves at its state
    turn_t turn;
    reply_t reply;
}

struct internal_egress_t {}

parser InternalIngressParser(packet_in packet, out headers_t hdr, out internal_ingress_t meta,
                             out ingress_intrinsic_metadata_t ig) {
    Checksum() l4_checksum;
    Checksum() signature_checksum;

    state start {
        packet.extract(ig);
        packet.advance(PORT_METADATA_SIZE);
        meta = {0, 0, false, 0, {0, false, false, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
        packet.extract(hdr.loop);
        transition select(hdr.loop.ether_type) {
            TYPE_IPV4: ipv4;
            TYPE_ARP: arp;
            TYPE_VLAN: tagged;
            TYPE_IPV6: ipv6;
            TYPE_MPLS: mpls;
            OWN_ETHERNET_TYPES
            default: accept;
        }
    }

    state tagged {
        transition select(packet.lookahead<bit<16>>()[11:0]) {
            VLAN_OF_LOOKS: look;
            default: vlan;
        }
    }

    state look {
        meta.note = LOOKED_AT;
        transition vlan;
    }

#include "parsers/network.p4"
#include "parsers/answered.p4"
#include "parsers/leaving_labels.p4"
}

control InternalIngress(inout headers_t hdr, inout internal_ingress_t meta, in ingress_intrinsic_metadata_t ig,
                        in ingress_intrinsic_metadata_from_parser_t ig_parser,
                        inout ingress_intrinsic_metadata_for_deparser_t ig_deparser,
                        inout ingress_intrinsic_metadata_for_tm_t tm) {
    TemplateLoop() template_loop;
    Rate() rate;
    Editor() editor;
    THIRD_EDITOR() third_editor; // which the profile names
    FlowNumbers() flow_numbers;
    Responder() responder;
    Queues() queues;
    Replicator() replicator;
    bit<1> second_wraps = 0;   // of the fields that change

    apply {
        if (hdr.loop.kind == kind_t.TEMPLATE) {
            template_loop.apply(hdr.loop.template, ig.ingress_port, meta.turn, meta.reply.queue, tm,
                                ig_deparser);
            rate.apply(hdr.loop.template, ig.ingress_mac_tstamp[31:0], meta.turn.rated, meta.turn.departs);
        } else {
            responder.apply(hdr, meta.note, meta.reply, meta.turn);
        }
        queues.apply(hdr, meta.reply, meta.turn.asks, meta.turn.polls, meta.turn.answers);
        // Last, because nothing waits for it: tables that do not exclude each other come one behind the other.
        editor.apply(hdr, hdr.loop.template, meta.turn.departs == 1, second_wraps);
        third_editor.apply(hdr, hdr.loop.template, meta.turn.departs == 1, second_wraps);
        flow_numbers.apply(hdr, hdr.loop.template, meta.turn.departs == 1);
        if (meta.turn.departs == 1 || meta.turn.answers == 1) {
            replicator.apply(hdr.loop.template, hdr.loop.link, tm);
        }
        if (hdr.udp.isValid() && hdr.udp.checksum != 0) {
            meta.udp_summed = true;
        }
        if (meta.turn.writes == 1) {
            hdr.loop.kind = kind_t.WRITE;
            hdr.loop.template = meta.turn.next_state;
            tm.ucast_egress_port = meta.turn.write_port;
        } else if (hdr.loop.kind != kind_t.TEMPLATE) {
            ig_deparser.drop_ctl = 1;
        }
    }
}

control InternalIngressDeparser(packet_out packet, inout headers_t hdr, in internal_ingress_t meta,
                                in ingress_intrinsic_metadata_for_deparser_t ig_deparser) {
    Checksums() checksums;
    AnsweredUdpChecksum() udp_checksum;

    apply {
        checksums.apply(hdr, meta.l4_rest);
        udp_checksum.apply(hdr, meta.l4_rest, meta.udp_summed);
        packet.emit(hdr);
    }
}

// Nothing is left to do for a packet that goes round: it wears its loop header since the classifier.
parser InternalEgressParser(packet_in packet, out headers_t hdr, out internal_egress_t meta,
                            out egress_intrinsic_metadata_t eg) {
    state start {
        packet.extract(eg);
        transition accept;
    }
}

control InternalEgress(inout headers_t hdr, inout internal_egress_t meta, in egress_intrinsic_metadata_t eg,
                       in egress_intrinsic_metadata_from_parser_t eg_parser,
                       inout egress_intrinsic_metadata_for_deparser_t eg_deparser,
                       inout egress_intrinsic_metadata_for_output_port_t eg_port) {
    apply { }
}

control InternalEgressDeparser(packet_out packet, inout headers_t hdr, in internal_egress_t meta,
                               in egress_intrinsic_metadata_for_deparser_t eg_deparser) {
    apply {
        packet.emit(hdr);
    }
}

#endif
