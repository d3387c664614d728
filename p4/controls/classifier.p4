// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whose a frame is that arrives: of a measured stream, of a stateful job, or of no test at all (norma section
// 3.2). A flow of a job is found by arithmetic on the addresses that the job chose: how far the address and the
// port are from the first ones.
#ifndef CLASSIFIER_P4
#define CLASSIFIER_P4

// How many ports of each host are flows of their own: bits of the port in a flow's number.
enum bit<8> ports_t {
    ONE = 0,
    UP_TO_16 = 4,
    UP_TO_256 = 8,
    UP_TO_4096 = 12,
    ALL = 16
}

struct class_t {
    template_t stream;
    bool measured;             // belongs to a stream
    bool stateful;             // belongs to a job with a protocol
    bool signed;               // by a signature of a loaded stream
    bit<9> astray;             // how its port differs from the expected one; 0: it does not
    version_t version;
    link_t link;               // back to the peer
    bit<9> loopback;           // where its first pass is
    bit<32> host;              // from the first address of the job's
    bit<16> port;              // from the first port
    ports_t ports;
    flow_t flow;
}

control Classifier(in headers_t hdr, in bit<16> signature_rest, in bit<9> ingress_port, inout class_t class) {
    action signed(template_t stream, bit<9> port) {
        class.stream = stream;
        class.measured = true;
        class.signed = true;
        class.astray = ingress_port ^ port;
    }

    // Bytes that do not add up to the stream's own sum are not a signature of ours.
    table signatures {
        key = {
            hdr.signature.isValid(): exact @name("valid");
            hdr.signature.id: exact @name("id");
            signature_rest: exact @name("rest");
        }
        actions = { signed; @defaultonly NoAction; }
        const default_action = NoAction;
        size = SIGNATURES;
    }

    action unsigned(template_t stream) {
        class.stream = stream;
        class.measured = true;
    }

    // Of servers that anybody may ask: one entry for each end of an address, so that flows stay in their own range
    // of numbers whoever comes. What is added is the first port, negated: data of an entry can be added, not
    // subtracted.
    action flow_of_port(link_t link, bit<9> loopback, bit<32> host, bit<16> add_to_port, ports_t ports) {
        class.stateful = true;
        class.link = link;
        class.loopback = loopback;
        class.host = host;
        class.port = hdr.tcp.sport + add_to_port;
        class.ports = ports;
    }

    // Of clients: their own address and port are where a packet goes, and one entry is enough for all of them.
    // Starts of flows come here, too, by a port that recirculates.
    action flow_of_destination(link_t link, bit<9> loopback, bit<32> add_to_host, bit<16> add_to_port,
                               ports_t ports) {
        class.stateful = true;
        class.link = link;
        class.loopback = loopback;
        class.host = hdr.ipv4.dst + add_to_host;
        class.port = hdr.tcp.dport + add_to_port;
        class.ports = ports;
    }

    table classes {
        key = {
            ingress_port: ternary @name("ingress_port");
            hdr.vlan.isValid(): ternary @name("vlan_valid");
            hdr.vlan.vlan: ternary @name("vlan");
            hdr.ipv4.isValid(): ternary @name("ipv4_valid");
            hdr.ipv4.src: ternary @name("ipv4_src");
            hdr.ipv4.dst: ternary @name("ipv4_dst");
            hdr.ipv4.proto: ternary @name("ipv4_proto");
            IPV6_CLASS_KEYS
            hdr.tcp.isValid(): ternary @name("tcp_valid");
            hdr.udp.isValid(): ternary @name("udp_valid");
            hdr.tcp.sport: ternary @name("tcp_sport");
            hdr.tcp.dport: ternary @name("tcp_dport");
            hdr.udp.dport: ternary @name("udp_dport");
            hdr.arp.isValid(): ternary @name("arp_valid");
            hdr.arp.operation: ternary @name("arp_op");
            hdr.arp.sender: ternary @name("arp_psrc");
            hdr.arp.target: ternary @name("arp_pdst");
        }
        actions = { unsigned; flow_of_port; flow_of_destination; @defaultonly NoAction; }
        const default_action = NoAction;
        size = CLASSES;
    }

    Hash<flow_t>(HashAlgorithm_t.IDENTITY) flow_1;
    Hash<flow_t>(HashAlgorithm_t.IDENTITY) flow_16;
    Hash<flow_t>(HashAlgorithm_t.IDENTITY) flow_256;
    Hash<flow_t>(HashAlgorithm_t.IDENTITY) flow_4096;
    Hash<flow_t>(HashAlgorithm_t.IDENTITY) flow_65536;

    apply {
        if (hdr.ipv4.isValid()) {
            class.version = hdr.ipv4.tester_version;
        } else if (hdr.ipv6.isValid()) {
            class.version = hdr.ipv6.tester_version;
        } else if (hdr.labelled_ipv4.isValid()) {
            class.version = hdr.labelled_ipv4.tester_version;
        } else if (hdr.labelled_ipv6.isValid()) {
            class.version = hdr.labelled_ipv6.tester_version;
        }
        if (!signatures.apply().hit) {
            classes.apply();
            if (class.ports == ports_t.ONE) {
                class.flow = flow_1.get({class.host[23:0]});
            } else if (class.ports == ports_t.UP_TO_16) {
                class.flow = flow_16.get({class.host[19:0], class.port[3:0]});
            } else if (class.ports == ports_t.UP_TO_256) {
                class.flow = flow_256.get({class.host[15:0], class.port[7:0]});
            } else if (class.ports == ports_t.UP_TO_4096) {
                class.flow = flow_4096.get({class.host[11:0], class.port[11:0]});
            } else {
                class.flow = flow_65536.get({class.host[7:0], class.port});
            }
        }
    }
}

#endif
