// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that were overtaken: that arrived after one with a higher sequence number (RFC 4737 section 3).
#ifndef ORDER_P4
#define ORDER_P4

control Order(in template_t stream, in slot_t slot, in bit<32> sequence) {
    bit<1> late = 0;

    Register<bit<32>, template_t>(TEMPLATES, 0) next;
    Counter<bit<64>, slot_t>(STREAM_VERSIONS, CounterType_t.PACKETS) overtaken;

    RegisterAction<bit<32>, template_t, bit<1>>(next) follows = {
        void apply(inout bit<32> value, out bit<1> result) {
            result = 0;
            if (sequence >= value) {
                value = sequence + 1;
            } else {
                result = 1;
            }
        }
    };

    apply {
        late = follows.execute(stream);
        if (late == 1) {
            overtaken.count(slot);
        }
    }
}

#endif
