// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Round-trip time of every frame with a signature: extremes, sum and histogram of each stream. A bucket is
// a prefix of the time, so a log-linear scale is an entry a bucket; the driver fills in the scale. A latency that 32 bits
// do not hold is the greatest that they do: the driver reports none then.
#ifndef LATENCY_P4
#define LATENCY_P4

struct extremes_t {
    bit<32> least;
    bit<32> greatest;
}

// The latency of a frame by its time of departure, where it has one. Its age in units of 2^9 ns, modulo 2^41, says whether
// the difference of the low halves of both times is all of it. It waits for nothing, so nobody waits for it.
control LatencyOf(in timestamp_t sent, in timestamp_t now, in bit<32> arrived, out bit<32> latency) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) departures;
    bit<32> departed = 0;
    bit<32> age = 0;

    action subtract() {
        latency = now[31:0] - sent[31:0];
    }
    // An action of its own: a table has room for one hash of 32 bits.
    action hash_departure() {
        departed = departures.get({sent[40:9]});
    }
    action subtract_units() {
        age = arrived - departed;
    }

    apply {
        hash_departure();
        subtract();
        subtract_units();
        if (age[31:23] != 0) {
            latency = LATENCY_UNKNOWN;
        }
    }
}

control Latency(in template_t stream, in bit<32> latency) {
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
        widen.execute(stream);
        sum.apply((slot_t) stream, latency);
        buckets.apply();
        histogram.count(cells.get({stream, bucket}));
    }
}

#endif
