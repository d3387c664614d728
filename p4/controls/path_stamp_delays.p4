// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The times of stamped packets that come back: how long each was away, extremes, sum and histogram of each direction,
// and whether they come in the order in which they left.
#ifndef PATH_STAMP_DELAYS_P4
#define PATH_STAMP_DELAYS_P4

struct delays_t {
    bit<32> least;
    bit<32> greatest;
}

// The age of a stamp. Both times have 48 bits, and arithmetic has 32. What is older than a minute, or comes from the
// future, is no stamp of ours.
control PathStampAge(in path_egress_headers_t hdr, in bit<16> owner, in bit<32> timeout, out bit<32> delay,
                     out resize_t resize, out fate_t fate) {
    bit<16> high = 0;          // of the age, a carry too much
    bit<32> carry = 0;         // not 0: one less
    bit<32> beyond = 0;        // the timeout
    bit<16> other = 0;         // not 0: it was stamped in another direction, and has turned round

    action subtract() {
        delay = hdr.bridged.arrived_low - hdr.stamp.first_low;
        carry = hdr.stamp.first_low |-| hdr.bridged.arrived_low;
        high = hdr.bridged.arrived_high - hdr.stamp.first_high;
        other = hdr.stamp.second_high ^ owner;
    }
    action compare() {
        beyond = delay |-| timeout;
    }
    action come_back(fate_t in_time) {
        resize = STAMP_SHRINKS;
        fate = in_time;
    }
    action unknown() {
        resize = STAMP_KEEPS;
        fate = STAMP_UNSTAMPED;
    }

    table ages {
        key = {
            hdr.stamp.isValid(): exact @name("stamp_valid");
            other: ternary @name("other");
            high: ternary @name("high");
            carry: ternary @name("carry");
            beyond: ternary @name("beyond");
        }
        actions = { come_back; unknown; }
        const default_action = unknown();
        const entries = {
            (true, 0, 0, 0, 0): come_back(STAMP_RECEIVED);
            (true, 0, 0, 0, _): come_back(STAMP_LATE);
            (true, _, 0, 0, _): come_back(STAMP_NONE);
            (true, _, 0, _, _): unknown();
            (true, 0, 1, 0, _): come_back(STAMP_LATE);
            (true, 0, 1, _, 0): come_back(STAMP_RECEIVED);
            (true, 0, 0x0000 &&& 0xfff0, _, _): come_back(STAMP_LATE);
            (true, _, 0x0000 &&& 0xfff0, _, _): come_back(STAMP_NONE);
        }
        size = 16;
    }

    apply {
        subtract();
        compare();
        ages.apply();
    }
}

// The span of 2^32 ns in which the latest packet left, by the upper half of its time, which wraps after 78 hours.
struct span_t {
    bit<16> latest;
    bit<16> begun;
}

// The latest packet within that span.
struct newest_t {
    bit<32> low;
    bit<32> high;
}

// Whether a packet left after all others that have come back: then it has not come back before, either.
control PathStampOrder(in stamped_t direction, in bit<16> high, in bit<32> low, out bit<1> follows) {
    bit<1> later = 0;

    Register<span_t, stamped_t>(STAMPED, {0, 0}) spans;
    Register<newest_t, stamped_t>(STAMPED, {0, 0}) newest;

    RegisterAction<span_t, stamped_t, bit<1>>(spans) reach = {
        void apply(inout span_t value, out bit<1> result) {
            result = 0;
            if (value.begun == 0 || (int<16>) (high - value.latest) > 0) {
                value.latest = high;
                result = 1;
            }
            value.begun = 1;
        }
    };
    RegisterAction<newest_t, stamped_t, bit<1>>(newest) begin = {
        void apply(inout newest_t value) {
            value.low = low;
            value.high = (bit<32>) high;
        }
    };
    RegisterAction<newest_t, stamped_t, bit<1>>(newest) follow = {
        void apply(inout newest_t value, out bit<1> result) {
            result = 0;
            if (value.high == (bit<32>) high && low > value.low) {
                value.low = low;
                result = 1;
            }
        }
    };

    apply {
        later = reach.execute(direction);
        if (later == 1) {
            begin.execute(direction);
            follows = 1;
        } else {
            follows = follow.execute(direction);
        }
    }
}

// A bucket is a prefix of the time, as in latency.p4; the driver fills in the scale.
control PathStampDelay(in stamped_t direction, in bit<32> delay) {
    bit<8> bucket = 0;

    Register<delays_t, stamped_t>(STAMPED, {0xffffffff, 0}) extremes;
    TimeSum(STAMPED) sum;
    Hash<bit<13>>(HashAlgorithm_t.IDENTITY) cells;
    Counter<bit<64>, bit<13>>(STAMP_HISTOGRAM, CounterType_t.PACKETS) histogram;

    RegisterAction<delays_t, stamped_t, bit<32>>(extremes) widen = {
        void apply(inout delays_t value) {
            if (delay < value.least) {
                value.least = delay;
            }
            if (delay > value.greatest) {
                value.greatest = delay;
            }
        }
    };

    action in_bucket(bit<8> number) {
        bucket = number;
    }

    table buckets {
        key = { delay: ternary @name("delay"); }
        actions = { in_bucket; }
        const default_action = in_bucket(0xff);
        size = STAMP_BUCKETS;
    }

    apply {
        widen.execute(direction);
        sum.apply((slot_t) direction, delay);
        buckets.apply();
        histogram.count(cells.get({direction, bucket}));
    }
}

#endif
