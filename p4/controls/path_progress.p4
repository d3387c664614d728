// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The number of a packet within a direction of a flow. A segment of TCP that brings no new sequence number is a
// retransmission and has none; packets that take no sequence numbers have one each.
#ifndef PATH_PROGRESS_P4
#define PATH_PROGRESS_P4

struct progress_t {
    bit<32> end;               // of all sequence numbers that have passed
    bit<32> begun;
}

// Bytes behind TCP and UDP, and the sequence numbers that a segment takes.
control PathLength(in path_headers_t hdr, out bit<16> length, out bit<1> data, out bit<1> opens,
                   out bit<32> takes) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) widened;
    bit<32> octets = 0;
    bit<32> flags = 0;

    action behind(bit<16> added) {
        length = hdr.ipv4.len + added;
    }
    action no_header() {
        length = 0;
    }

    table headers {
        key = {
            hdr.tcp.isValid(): exact @name("tcp_valid");
            hdr.tcp.dataofs: ternary @name("dataofs");
            hdr.udp.isValid(): exact @name("udp_valid");
        }
        actions = { behind; no_header; }
        const default_action = no_header;
        const entries = {
            (true, 5, false): behind(65496);
            (true, 6, false): behind(65492);
            (true, 7, false): behind(65488);
            (true, 8, false): behind(65484);
            (true, 9, false): behind(65480);
            (true, 10, false): behind(65476);
            (true, 11, false): behind(65472);
            (true, 12, false): behind(65468);
            (true, 13, false): behind(65464);
            (true, 14, false): behind(65460);
            (true, 15, false): behind(65456);
            (false, _, true): behind(65508);
        }
        size = 16;
    }

    action take(bit<32> number, bit<1> syn) {
        flags = number;
        opens = syn;
    }

    // SYN and FIN take one sequence number each; a SYN without ACK opens a connection.
    table flag_numbers {
        key = {
            hdr.tcp.isValid(): exact @name("tcp_valid");
            hdr.tcp.flags: ternary @name("flags");
        }
        actions = { take; }
        const default_action = take(0, 0);
        const entries = {
            (true, 0x03 &&& 0x13): take(2, 1);
            (true, 0x02 &&& 0x13): take(1, 1);
            (true, 0x03 &&& 0x03): take(2, 0);
            (true, 0x02 &&& 0x03): take(1, 0);
            (true, 0x01 &&& 0x03): take(1, 0);
        }
        size = 8;
    }

    action add() {
        takes = octets + flags;
    }

    apply {
        headers.apply();
        flag_numbers.apply();
        octets = widened.get({length});
        add();
        data = 0;
        if (length != 0) {
            data = 1;
        }
    }
}

control PathProgress(in path_headers_t hdr, in flow_number_t flow, in bit<1> heading, in bit<1> data,
                     in bit<32> takes, out bit<1> followed, out bit<1> sequenced, out place_t place, out place_t tally,
                     out bit<32> number) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS) matched;
    bit<32> end = 0;
    bit<1> brings = 0;

    Register<progress_t, place_t>(FOLLOWED, {0, 0}) progress;
    Register<bit<32>, place_t>(FOLLOWED, 0) numbers;

    RegisterAction<progress_t, place_t, bit<1>>(progress) advance = {
        void apply(inout progress_t value, out bit<1> result) {
            result = 0;
            if (value.begun == 0 || (int<32>) (end - value.end) > 0) {
                result = 1;
                value.end = end;
            }
            value.begun = 1;
        }
    };
    RegisterAction<bit<32>, place_t, bit<32>>(numbers) count = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = value + 1;
            result = value;
        }
    };

    action follow(place_t own, place_t counted) {
        matched.count();
        followed = 1;
        place = own;
        tally = counted;
    }
    action leave() {
        followed = 0;
        place = 0;
        tally = 0;
    }

    table followed_flows {
        key = {
            flow: exact @name("flow");
            heading: exact @name("heading");
            data: exact @name("data");
        }
        actions = { follow; @defaultonly leave; }
        const default_action = leave;
        counters = matched;
        size = FOLLOWED_FLOWS;
    }

    action sum() {
        end = hdr.tcp.seq + takes;
    }

    apply {
        number = 0;
        sequenced = 0;
        followed_flows.apply();
        sum();
        if (followed == 1) {
            if (hdr.tcp.isValid() && takes != 0) {
                sequenced = 1;
                brings = advance.execute(place);
            } else {
                brings = 1;
            }
            if (brings == 1) {
                number = count.execute(tally);
            }
        }
    }
}

#endif
