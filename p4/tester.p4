// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A network tester in a switch: docs/tofino.md. The profile that includes this names the chip.
#include "include/sizes.p4"
#include "include/types.p4"
#include "own_headers.p4" // generated from header files: templates/own_headers.p4.j2
#include "include/headers.p4"
#include "ipv6_answers.p4" // generated from protocols: templates/ipv6_answers.p4.j2

#include "controls/classifier.p4"
#include "controls/counters.p4"
#include "controls/time_sum.p4"
#include "controls/blind_delay.p4"
#include "controls/latency.p4"
#include "controls/flows.p4"
#include "controls/order.p4"
#include "controls/outages.p4"
#include "controls/misrouted.p4"
#include "controls/queries.p4"
#include "controls/compression.p4"
#include "controls/forwarding.p4"
#include "controls/checksums.p4"
#include "controls/copies.p4"
#include "controls/version.p4"
#include "controls/signature.p4"
#include "replies.p4" // generated from protocols: templates/replies.p4.j2
#include "external.p4"

#include "controls/template_loop.p4"
#include "controls/gaps.p4"
#include "controls/rate.p4"
#include "controls/editor.p4"
#include "controls/queued_ipv6.p4"
#include "controls/queues.p4"
#include "controls/expected.p4"
#include "controls/begun.p4"
#include "efsm.p4" // generated from the protocol: templates/efsm.p4.j2
#include "controls/responder.p4"
#include "controls/replicator.p4"
#include "internal.p4"

Pipeline(ExternalIngressParser(), ExternalIngress(), ExternalIngressDeparser(), ExternalEgressParser(),
         ExternalEgress(), ExternalEgressDeparser()) external;
Pipeline(InternalIngressParser(), InternalIngress(), InternalIngressDeparser(), InternalEgressParser(),
         InternalEgress(), InternalEgressDeparser()) internal;

Switch(external, internal) main;
