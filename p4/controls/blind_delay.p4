// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sums of times, from which the mean delay follows without a byte in any frame (norma section 6.2): for each
// stream and version the time of the first packet, and the sum of times since then. Packets are in Counters.
#ifndef BLIND_DELAY_P4
#define BLIND_DELAY_P4

control BlindDelay(in slot_t slot, in timestamp_t now) {
    // Times are odd, so that none is 0, which means that there was no packet yet. The difference of two odd
    // numbers is not changed by that. They wrap after 4.29 s, which an interval has to stay below.
    Register<bit<32>, slot_t>(STREAM_VERSIONS, 0) base;
    TimeSum(STREAM_VERSIONS) sum;
    bit<32> time = now[31:0] | 1;
    bit<32> first = 0;
    bit<32> since = 0;

    RegisterAction<bit<32>, slot_t, bit<32>>(base) first_of = {
        void apply(inout bit<32> value, out bit<32> result) {
            if (value == 0) {
                value = time;
            }
            result = value;
        }
    };

    action subtract() {
        since = time - first;
    }

    apply {
        first = first_of.execute(slot);
        subtract();
        sum.apply(slot, since);
    }
}

#endif
