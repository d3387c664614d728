// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whether a frame was overtaken: arrives after one with a higher sequence number (RFC 4737 section 3).
#ifndef ORDER_P4
#define ORDER_P4

control Order(in template_t stream, in bit<32> sequence, out bit<1> overtaken) {
    Register<bit<32>, template_t>(TEMPLATES, 0) next;

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
        overtaken = follows.execute(stream);
    }
}

#endif
