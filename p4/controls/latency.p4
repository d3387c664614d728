// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Round-trip time of every frame with a signature: extremes, sum and histogram of each stream. A bucket is
// a prefix of the time, so a log-linear scale is an entry a bucket; the driver fills in the scale.
#ifndef LATENCY_P4
#define LATENCY_P4

struct extremes_t {
    bit<32> least;
    bit<32> greatest;
}

control Latency(in template_t stream, in timestamp_t sent, in timestamp_t now) {
    bit<32> latency = 0;
    bit<8> bucket = 0;

    Register<extremes_t, template_t>(TEMPLATES, {0xffffffff, 0}) extremes;
    TimeSum(TEMPLATES) sum;
    Hash<bit<16>>(HashAlgorithm_t.IDENTITY) cells;
    Counter<bit<64>, bit<16>>(HISTOGRAM, CounterType_t.PACKETS) histogram;

    RegisterAction<extremes_t, template_t, bit<32>>(extremes) widen = {
        void apply(inout extremes_t value) {
            if (latency < value.least) {
                value.least = latency;
            }
            if (latency > value.greatest) {
                value.greatest = latency;
            }
        }
    };

    action subtract() {
        latency = now[31:0] - sent[31:0];
    }
    action in_bucket(bit<8> number) {
        bucket = number;
    }

    table buckets {
        key = { latency: ternary @name("latency"); }
        actions = { in_bucket; }
        const default_action = in_bucket(0xff);
        size = BUCKETS;
    }

    apply {
        subtract();
        widen.execute(stream);
        sum.apply((slot_t) stream, latency);
        buckets.apply();
        histogram.count(cells.get({stream, bucket}));
    }
}

#endif
