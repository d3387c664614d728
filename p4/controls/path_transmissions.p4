// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How often a numbered segment of a flow was sent, known again by its first sequence number. A direction of a flow
// has four of these, so up to four of its packets are followed beyond their first transmission. They are counted up to
// the last one that an event can mean.
#ifndef PATH_TRANSMISSIONS_P4
#define PATH_TRANSMISSIONS_P4

struct transmission_t {
    bit<32> sequence;
    bit<32> times;
}

control PathTransmission(in bit<32> sequence, in place_t place, in bit<1> sequenced, in bit<1> begins,
                         in bit<1> repeats, out bit<32> times) {
    Register<transmission_t, place_t>(FOLLOWED, {0, 0}) transmissions;

    RegisterAction<transmission_t, place_t, bit<32>>(transmissions) begin = {
        void apply(inout transmission_t value) {
            value.sequence = sequence;
            value.times = 1;
        }
    };
    RegisterAction<transmission_t, place_t, bit<32>>(transmissions) again = {
        void apply(inout transmission_t value, out bit<32> result) {
            result = 0;
            if (value.sequence == sequence && value.times != TRANSMISSIONS) {
                value.times = value.times + 1;
                result = value.times;
            }
        }
    };

    apply {
        times = 0;
        if (begins == 1 && sequenced == 1) {  // others are not sent again
            begin.execute(place);
        } else if (repeats == 1) {
            times = again.execute(place);
        }
    }
}

#endif
