// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A sum of times of 32 bits each, in 64 bits: a stateful unit adds 32 at a time.
#ifndef TIME_SUM_P4
#define TIME_SUM_P4

struct sum_t {
    bit<32> low;
    bit<32> high;
}

control TimeSum(in slot_t slot, in bit<32> time)(bit<32> size) {
    Register<sum_t, slot_t>(size, {0, 0}) total;
    bit<32> room = 0;

    // The upper half counts how often the lower one wraps: where less than `time` is left below 2^32.
    RegisterAction<sum_t, slot_t, bit<32>>(total) add = {
        void apply(inout sum_t value) {
            if (value.low > room) {
                value.high = value.high + 1;
            }
            value.low = value.low + time;
        }
    };

    action invert() {
        room = ~time;
    }

    apply {
        invert();
        add.execute(slot);
    }
}

#endif
