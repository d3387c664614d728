// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How a frame arrives, by its sequence number: above all before it, overtaken (RFC 4737 section 3), or again. A stream
// has a cell for each of the lowest 8 bits of a number, with the highest number that has come there, and 1. Numbers count
// modulo 2^32: of two, the one less than 2^31 ahead is the higher one.
#ifndef ORDER_P4
#define ORDER_P4

control Order(in template_t stream, in bit<32> sequence, out bit<32> skipped, inout arrival_t arrival) {
    bit<32> expected = 0;
    bit<2> came = 0;           // 2: again; 3: a higher one has come to its cell

    Register<bit<32>, template_t>(TEMPLATES, 0) next;
    Register<bit<32>, bit<16>>(ARRIVALS, 0) cells;
    Hash<bit<16>>(HashAlgorithm_t.IDENTITY) indices;
    bit<32> number = sequence + 1;

    RegisterAction<bit<32>, template_t, bit<32>>(next) follows = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
            if ((int<32>) (sequence - value) >= 0) {
                value = sequence + 1;
            }
        }
    };

    RegisterAction<bit<32>, bit<16>, bit<2>>(cells) comes = {
        void apply(inout bit<32> value, out bit<2> result) {
            result = 0;
            if (value == number) {
                result = 2;
            } else if ((int<32>) (value - number) > 0) {
                result = 3;
            } else {
                value = number;
            }
        }
    };

    action subtract() {
        skipped = sequence - expected;
    }

    apply {
        expected = follows.execute(stream);
        came = comes.execute(indices.get({stream, sequence[7:0]}));
        subtract();
        if (skipped[31:31] == 1) {
            arrival = came ++ 1w1;
        }
    }
}

#endif
