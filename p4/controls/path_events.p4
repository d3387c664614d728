// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What happens to the packets that events select. An entry is an event in a direction: it counts how often it has
// fired, or, where the packet has no payload that can be reached, how often it could not.
#ifndef PATH_EVENTS_P4
#define PATH_EVENTS_P4

// Which transmissions are followed from a packet on.
struct begins_t {
    bit<1> first;
    bit<1> second;
    bit<1> third;
    bit<1> fourth;
}

// By its number: the first transmission.
control PathNumbered(inout path_headers_t hdr, in place_t tally, in bit<32> number, in bit<1> heading,
                     inout begins_t begins, inout event_t event, inout bool marked,
                     inout ingress_intrinsic_metadata_for_deparser_t deparser) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS) selected;

    action follow(bit<1> first, bit<1> second, bit<1> third, bit<1> fourth) {
        begins.first = first;
        begins.second = second;
        begins.third = third;
        begins.fourth = fourth;
    }
    action pass(bit<1> first, bit<1> second, bit<1> third, bit<1> fourth) {
        selected.count();
        follow(first, second, third, fourth);
    }
    action drop(event_t happens, bit<1> first, bit<1> second, bit<1> third, bit<1> fourth) {
        selected.count();
        event = happens;
        follow(first, second, third, fourth);
        deparser.drop_ctl = 1;
    }
    action mark(event_t happens, bit<1> first, bit<1> second, bit<1> third, bit<1> fourth) {
        selected.count();
        event = happens;
        follow(first, second, third, fourth);
        hdr.ipv4.tos = hdr.ipv4.tos | 3;
        marked = true;
    }
    action corrupt(event_t happens, bit<1> first, bit<1> second, bit<1> third, bit<1> fourth,
                   bit<32> mask) {
        selected.count();
        event = happens;
        follow(first, second, third, fourth);
        hdr.payload.word = hdr.payload.word ^ mask;
    }

    table packets {
        key = {
            tally: exact @name("tally");
            number: exact @name("number");
            heading: exact @name("heading");
            hdr.payload.isValid(): exact @name("payload_valid");
        }
        actions = { pass; drop; mark; corrupt; @defaultonly NoAction; }
        const default_action = NoAction;
        counters = selected;
        size = EVENTS;
    }

    apply {
        packets.apply();
    }
}

// By how often it was sent.
control PathRepeated(inout path_headers_t hdr, in place_t place, in bit<32> first, in bit<32> second,
                     in bit<32> third, in bit<32> fourth, inout event_t event, inout bool marked,
                     inout ingress_intrinsic_metadata_for_deparser_t deparser) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS) selected;

    action pass() {
        selected.count();
    }
    action drop(event_t happens) {
        selected.count();
        event = happens;
        deparser.drop_ctl = 1;
    }
    action mark(event_t happens) {
        selected.count();
        event = happens;
        hdr.ipv4.tos = hdr.ipv4.tos | 3;
        marked = true;
    }
    action corrupt(event_t happens, bit<32> mask) {
        selected.count();
        event = happens;
        hdr.payload.word = hdr.payload.word ^ mask;
    }

    table packets {
        key = {
            place: exact @name("place");
            first[7:0]: exact @name("first");
            second[7:0]: exact @name("second");
            third[7:0]: exact @name("third");
            fourth[7:0]: exact @name("fourth");
            hdr.payload.isValid(): exact @name("payload_valid");
        }
        actions = { pass; drop; mark; corrupt; @defaultonly NoAction; }
        const default_action = NoAction;
        counters = selected;
        size = EVENTS;
    }

    apply {
        packets.apply();
    }
}

#endif
