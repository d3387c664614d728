// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Carries addresses of IPv6 to the template that answers: all of who asks, and the last 32 bits of who is asked, whose
// other bits the template has. In the arrays of Queues are those of IPv4.
#ifndef QUEUED_IPV6_P4
#define QUEUED_IPV6_P4

#include "../include/headers.p4"

// Of a program whose protocols have no templates of IPv6.
control NoQueuedIpv6(inout headers_t hdr, in bool asks, in bit<8> element) {
    apply { }
}

control QueuedIpv6(inout headers_t hdr, in bool asks, in bit<8> element) {
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) sources_0; // from the first bits on
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) sources_1;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) sources_2;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) sources_3;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) destinations;

    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_0) put_source_0 = {
        void apply(inout bit<32> value) { value = hdr.ipv6.src_high[95:64]; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_0) get_source_0 = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_1) put_source_1 = {
        void apply(inout bit<32> value) { value = hdr.ipv6.src_high[63:32]; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_1) get_source_1 = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_2) put_source_2 = {
        void apply(inout bit<32> value) { value = hdr.ipv6.src_high[31:0]; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_2) get_source_2 = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_3) put_source_3 = {
        void apply(inout bit<32> value) { value = hdr.ipv6.src_low; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources_3) get_source_3 = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(destinations) put_destination = {
        void apply(inout bit<32> value) { value = hdr.ipv6.dst_low; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(destinations) get_destination = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };

    apply {
        if (asks) {
            put_source_0.execute(element);
            put_source_1.execute(element);
            put_source_2.execute(element);
            put_source_3.execute(element);
            put_destination.execute(element);
        } else {
            hdr.ipv6.dst_high[95:64] = get_source_0.execute(element);
            hdr.ipv6.dst_high[63:32] = get_source_1.execute(element);
            hdr.ipv6.dst_high[31:0] = get_source_2.execute(element);
            hdr.ipv6.dst_low = get_source_3.execute(element);
            hdr.ipv6.src_low = get_destination.execute(element);
        }
    }
}

#endif
