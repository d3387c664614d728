// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Which way a frame goes, and which two ends it is between: the same for both directions of a flow.
#ifndef PATH_ENDS_P4
#define PATH_ENDS_P4

struct ends_t {
    bit<1> heading;            // 0: from the path's first port to its second one
    ipv4_addr_t near;          // the end at the first port
    ipv4_addr_t far;
    l4_port_t near_port;
    l4_port_t far_port;
    bit<8> proto;
}

control PathEnds(in path_headers_t hdr, in bit<9> ingress_port, out bit<1> passes, inout ends_t ends,
                 inout copied_t copied,
                 inout ingress_intrinsic_metadata_for_tm_t tm,
                 inout ingress_intrinsic_metadata_for_deparser_t deparser) {
    Counter<bit<64>, bit<9>>(PATH_PORTS, CounterType_t.PACKETS_AND_BYTES) received;

    action pass(bit<1> heading, bit<9> port, series_t series, MirrorId_t session) {
        received.count(ingress_port);
        passes = 1;
        tm.ucast_egress_port = port;
        ends.heading = heading;
        copied.series = series;
        copied.session = session;
        copied.heading = (bit<8>) heading;
    }
    action forward(bit<9> port, series_t series, MirrorId_t session) {
        pass(0, port, series, session);
    }
    action backward(bit<9> port, series_t series, MirrorId_t session) {
        pass(1, port, series, session);
    }
    action from_near(l4_port_t source, l4_port_t destination) {
        ends.near = hdr.ipv4.src;
        ends.far = hdr.ipv4.dst;
        ends.near_port = source;
        ends.far_port = destination;
        ends.proto = hdr.ipv4.proto;
    }
    action from_far(l4_port_t source, l4_port_t destination) {
        ends.near = hdr.ipv4.dst;
        ends.far = hdr.ipv4.src;
        ends.near_port = destination;
        ends.far_port = source;
        ends.proto = hdr.ipv4.proto;
    }
    action forward_tcp(bit<9> port, series_t series, MirrorId_t session) {
        forward(port, series, session);
        from_near(hdr.tcp.sport, hdr.tcp.dport);
    }
    action forward_udp(bit<9> port, series_t series, MirrorId_t session) {
        forward(port, series, session);
        from_near(hdr.udp.sport, hdr.udp.dport);
    }
    action backward_tcp(bit<9> port, series_t series, MirrorId_t session) {
        backward(port, series, session);
        from_far(hdr.tcp.sport, hdr.tcp.dport);
    }
    action backward_udp(bit<9> port, series_t series, MirrorId_t session) {
        backward(port, series, session);
        from_far(hdr.udp.sport, hdr.udp.dport);
    }
    action drop() {
        passes = 0;
        deparser.drop_ctl = 1;
    }

    // All in one table, because flows wait for their ends.
    table ports {
        key = {
            ingress_port: exact @name("ingress_port");
            hdr.tcp.isValid(): exact @name("tcp_valid");
            hdr.udp.isValid(): exact @name("udp_valid");
        }
        actions = {
            forward; forward_tcp; forward_udp; backward; backward_tcp; backward_udp; @defaultonly drop;
        }
        const default_action = drop;
        size = PATH_PORTS;
    }

    apply {
        ports.apply();
    }
}

#endif
