// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets counted by what is in them, where they arrive and where they leave (HyperTester section 5.2). Keys are known
// before, so a query has an entry for each key, whose counter is the row: nothing is hashed, and nothing collides. A query
// has a table of its own, because a packet hits one entry of a table, and may pass the filters of several queries.
#ifndef QUERIES_P4
#define QUERIES_P4

control Query(in headers_t hdr, in bit<9> ingress_port, in bool measured, in template_t stream) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) rows_matched;

    action count() {
        rows_matched.count();
    }

    table rows {
        key = {
            ingress_port: ternary @name("ingress_port");
            measured: ternary @name("measured");
            stream: ternary @name("stream");
            hdr.ethernet.src: ternary @name("ether_src");
#include "controls/query_keys.p4"
        }
        actions = { count; @defaultonly NoAction; }
        const default_action = NoAction;
        counters = rows_matched;
        size = QUERY_ROWS;
    }

    apply {
        rows.apply();
    }
}

control Queries(in headers_t hdr, in bit<9> ingress_port, in bool measured, in template_t stream) {
    Query() query_0;
    Query() query_1;
    Query() query_2;
    Query() query_3;

    apply {
        query_0.apply(hdr, ingress_port, measured, stream);
        query_1.apply(hdr, ingress_port, measured, stream);
        query_2.apply(hdr, ingress_port, measured, stream);
        query_3.apply(hdr, ingress_port, measured, stream);
    }
}

// Where a frame leaves, behind the last change of a field. The counter has the bytes of its header within the switch,
// too: `worn` says how many. A measured frame is of a stream, which is its template. What is behind labels of MPLS is
// parsed, but no field of a query.
control TransmittedQuery(in headers_t hdr, in bit<9> egress_port, in bool measured, in template_t stream,
                         in bit<2> worn) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) rows_matched;

    action count() {
        rows_matched.count();
    }

    table rows {
        key = {
            egress_port: ternary @name("egress_port");
            measured: ternary @name("measured");
            stream: ternary @name("stream");
            worn: ternary @name("worn");
            hdr.mpls.isValid(): ternary @name("mpls_valid");
#include "controls/query_keys.p4"
        }
        actions = { count; @defaultonly NoAction; }
        const default_action = NoAction;
        counters = rows_matched;
        size = QUERY_ROWS;
    }

    apply {
        rows.apply();
    }
}

control TransmittedQueries(in headers_t hdr, in bit<9> egress_port, in bool measured, in template_t stream,
                           in bit<2> worn) {
    TransmittedQuery() query_0;
    TransmittedQuery() query_1;
    TransmittedQuery() query_2;
    TransmittedQuery() query_3;

    apply {
        query_0.apply(hdr, egress_port, measured, stream, worn);
        query_1.apply(hdr, egress_port, measured, stream, worn);
        query_2.apply(hdr, egress_port, measured, stream, worn);
        query_3.apply(hdr, egress_port, measured, stream, worn);
    }
}

#endif
