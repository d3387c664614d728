// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Carries what a packet asks for to the template that answers it (norma section 4.3). One array serves all queues:
// the low bits of a pointer are the queue's number. A packet goes through every stage in the order of arrival, so
// length, pointers and elements stay in step; a packet that finds its queue full is counted, not lost silently.
#ifndef QUEUES_P4
#define QUEUES_P4

#include "../include/headers.p4"

// What a packet asks for. The rest of an element is in its headers.
struct reply_t {
    queue_t queue;             // whose template answers
    bit<32> ports;             // of the answer: source, destination
    bit<32> seq;
    bit<32> ack;
    bit<16> word;              // of UDP: the first one of the payload
}

control Queues(inout headers_t hdr, in reply_t reply, in bool asks, in bool polls, inout bit<1> answered) {
    bit<8> pointer = 0;        // of an element within its queue
    bit<8> element = 0;        // in the arrays
    bit<32> ports_of_answer = 0;

    Register<bit<8>, queue_t>(QUEUES, 0) lengths;
    Register<bit<8>, queue_t>(QUEUES, 0) tails;
    Register<bit<8>, queue_t>(QUEUES, 0) heads;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) sources;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) destinations;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) ports;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) seqs;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) acks; // of UDP: words
    Register<bit<8>, bit<8>>(QUEUE_ARRAY) links;
    Register<bit<16>, bit<8>>(QUEUE_ARRAY) peers_high;
    Register<bit<32>, bit<8>>(QUEUE_ARRAY) peers_low;
    Hash<bit<8>>(HashAlgorithm_t.IDENTITY) elements;
    Counter<bit<32>, queue_t>(QUEUES, CounterType_t.PACKETS) full;
    QUEUED_IPV6() ipv6_addresses;

    RegisterAction<bit<8>, queue_t, bit<1>>(lengths) lengthen = {
        void apply(inout bit<8> length, out bit<1> result) {
            result = 0;
            if (length < QUEUE_LENGTH) {
                length = length + 1;
                result = 1;
            }
        }
    };
    RegisterAction<bit<8>, queue_t, bit<1>>(lengths) shorten = {
        void apply(inout bit<8> length, out bit<1> result) {
            result = 0;
            if (length > 0) {
                length = length - 1;
                result = 1;
            }
        }
    };
    RegisterAction<bit<8>, queue_t, bit<8>>(tails) push = {
        void apply(inout bit<8> end, out bit<8> result) {
            result = end;
            end = end + 1;
        }
    };
    RegisterAction<bit<8>, queue_t, bit<8>>(heads) pop = {
        void apply(inout bit<8> begin, out bit<8> result) {
            result = begin;
            begin = begin + 1;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources) put_source = {
        void apply(inout bit<32> value) { value = hdr.ipv4.src; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(sources) get_source = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(destinations) put_destination = {
        void apply(inout bit<32> value) { value = hdr.ipv4.dst; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(destinations) get_destination = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(ports) put_ports = {
        void apply(inout bit<32> value) { value = reply.ports; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(ports) get_ports = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(seqs) put_seq = {
        void apply(inout bit<32> value) { value = reply.seq; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(seqs) get_seq = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(acks) put_ack = {
        void apply(inout bit<32> value) { value = reply.ack; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(acks) get_ack = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<8>, bit<8>, bit<8>>(links) put_link = {
        void apply(inout bit<8> value) { value = hdr.loop.link; }
    };
    RegisterAction<bit<8>, bit<8>, bit<8>>(links) get_link = {
        void apply(inout bit<8> value, out bit<8> result) { result = value; }
    };

    RegisterAction<bit<16>, bit<8>, bit<16>>(peers_high) put_peer_high = {
        void apply(inout bit<16> value) { value = hdr.loop.shared[15:0]; }
    };
    RegisterAction<bit<16>, bit<8>, bit<16>>(peers_high) get_peer_high = {
        void apply(inout bit<16> value, out bit<16> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(peers_low) put_peer_low = {
        void apply(inout bit<32> value) { value = hdr.loop.peer_low; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(peers_low) get_peer_low = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(acks) put_word = {
        void apply(inout bit<32> value) { value = (bit<32>)reply.word; }
    };
    RegisterAction<bit<32>, bit<8>, bit<16>>(acks) get_word = {
        void apply(inout bit<32> value, out bit<16> result) { result = value[15:0]; }
    };

    apply {
        bit<1> granted = 0;
        if (asks) {
            granted = lengthen.execute(reply.queue);
        } else if (polls) {
            granted = shorten.execute(reply.queue);
        }
        if (asks) {
            if (granted == 1) {
                pointer = push.execute(reply.queue);
            } else {
                full.count(reply.queue);
            }
        } else if (granted == 1) {
            pointer = pop.execute(reply.queue);
        }
        element = elements.get({(place_in_queue_t) pointer, reply.queue});
        // Four arrays fill a stage; the first four do not wait for the number of the element.
        if (granted == 1) {
            if (hdr.ipv6.isValid()) {
                ipv6_addresses.apply(hdr, asks, element);
            }
            if (asks) {
                put_source.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                put_destination.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                put_ports.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                put_seq.execute(element);
                if (hdr.udp.isValid()) {
                    put_word.execute(element);
                } else {
                    put_ack.execute(element);
                }
                put_link.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                put_peer_high.execute(element);
                put_peer_low.execute(element);
            } else {
                if (GETS_IPV4) {
                    hdr.ipv4.dst = get_source.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                    hdr.ipv4.src = get_destination.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                }
                ports_of_answer = get_ports.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                hdr.tcp.seq = get_seq.execute(element);
                hdr.loop.link = get_link.execute(elements.get({(place_in_queue_t) pointer, reply.queue}));
                hdr.loop.shared[15:0] = get_peer_high.execute(element);
                hdr.loop.peer_low = get_peer_low.execute(element);
                // A queue's templates are all of UDP or all of TCP, as the packets that ask for them.
                if (hdr.udp.isValid()) {
                    hdr.udp.sport = ports_of_answer[31:16];
                    hdr.udp.dport = ports_of_answer[15:0];
                    hdr.signature.id = get_word.execute(element);
                } else {
                    hdr.tcp.sport = ports_of_answer[31:16];
                    hdr.tcp.dport = ports_of_answer[15:0];
                    hdr.tcp.ack = get_ack.execute(element);
                }
                answered = 1;
            }
        }
    }
}

#endif
