// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The longest outage of a stream (RFC 6201 section 1.3): between two arrivals of which the second skips sequence
// numbers. Times are in units of 512 ns and odd, so that none is 0, which means that there was no frame yet. The
// difference of two odd numbers is not changed by that. They wrap after 36 minutes.
#ifndef OUTAGES_P4
#define OUTAGES_P4

struct arrivals_t {
    bit<32> first;
    bit<32> last;
}

struct outage_t {
    bit<32> length;
    bit<32> since;
}

struct skip_t {
    bit<32> length;            // of the longest outage, again, so that neither register waits for the other one
    bit<32> frames;
}

control Outages(in template_t stream, in bit<32> sequence, in bit<32> skipped, in bit<32> time) {
    bit<32> last = 0;
    bit<32> length = 0;

    Register<arrivals_t, template_t>(TEMPLATES, {0, 0}) arrivals;
    Register<outage_t, template_t>(TEMPLATES, {0, 0}) longest;
    Register<skip_t, template_t>(TEMPLATES, {0, 0}) most;
    Register<bit<32>, template_t>(TEMPLATES, 0) before;

    RegisterAction<arrivals_t, template_t, bit<32>>(arrivals) arrives = {
        void apply(inout arrivals_t value, out bit<32> result) {
            result = value.last;
            if (value.first == 0) {
                value.first = time;
            }
            value.last = time;
        }
    };

    RegisterAction<outage_t, template_t, bit<32>>(longest) ends = {
        void apply(inout outage_t value) {
            if (length >= value.length) {
                value.length = length;
                value.since = last;
            }
        }
    };

    RegisterAction<skip_t, template_t, bit<32>>(most) skips = {
        void apply(inout skip_t value) {
            if (length >= value.length) {
                value.length = length;
                value.frames = skipped;
            }
        }
    };

    RegisterAction<bit<32>, template_t, bit<32>>(before) precedes = {
        void apply(inout bit<32> value) {
            value = sequence;
        }
    };

    action subtract() {
        length = time - last;
    }

    apply {
        last = arrives.execute(stream);
        subtract();
        if (last != 0 && skipped != 0 && skipped[31:31] == 0) {
            ends.execute(stream);
            skips.execute(stream);
            precedes.execute(stream);
        }
    }
}

#endif
