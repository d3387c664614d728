// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Random gaps (hypertester section 3.1). The gaps of a template are the quantiles of a law, all equally likely: in each
// round one is drawn, in case it is needed. A register has the time at which the template departs next.
#ifndef GAPS_P4
#define GAPS_P4

control Gaps(in template_t template, in bit<32> now, out bit<1> due) {
    Random<bit<10>>() numbers;
    bit<10> drawn;
    bit<32> gap = 0;

    Register<bit<32>, template_t>(TEMPLATES, 0) times;

    // A late departure is made up: gaps are added to the time that was due, so their mean is exact.
    RegisterAction<bit<32>, template_t, bit<1>>(times) wait = {
        void apply(inout bit<32> time, out bit<1> result) {
            result = 0;
            if ((int<32>) (now - time) >= 0) {
                time = time + gap;
                result = 1;
            }
        }
    };
    // Without a law all rounds are due; nothing is made up of the time until a law is written.
    RegisterAction<bit<32>, template_t, bit<1>>(times) stand = {
        void apply(inout bit<32> time, out bit<1> result) {
            time = now;
            result = 1;
        }
    };

    action draw(bit<32> own) {
        gap = own;
    }

    table quantiles {
        key = {
            template: exact @name("template");
            drawn: exact @name("number");
        }
        actions = { draw; @defaultonly NoAction; }
        const default_action = NoAction;
        size = GAPS;
    }

    apply {
        drawn = numbers.get();
        if (quantiles.apply().hit) {
            due = wait.execute(template);
        } else {
            due = stand.execute(template);
        }
    }
}

#endif
