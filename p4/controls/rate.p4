// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Which rounds of a template depart: those that a meter calls green and cascaded units pass (norma section 5.2). A
// unit passes so many packets, then skips so many, for ever. One corrects the meter's rate, two make a pattern.
#ifndef RATE_P4
#define RATE_P4

control PassSkip(in template_t template, in bool comes, inout bit<1> departs) {
    ticks_t passes;
    ticks_t last;              // of the period

    Register<ticks_t, template_t>(TEMPLATES, 0) ticks;

    RegisterAction<ticks_t, template_t, bit<1>>(ticks) tick = {
        void apply(inout ticks_t tick, out bit<1> result) {
            result = 0;
            if (tick < passes) {
                result = 1;
            }
            if (tick >= last) {
                tick = 0;
            } else {
                tick = tick + 1;
            }
        }
    };

    action stage(ticks_t stage_passes, ticks_t stage_last) {
        passes = stage_passes;
        last = stage_last;
    }

    // Without an entry a unit passes all: a period of one packet.
    table stages {
        key = { template: exact @name("template"); }
        actions = { stage; }
        const default_action = stage(1, 0);
        size = TEMPLATES;
    }

    apply {
        stages.apply();
        if (comes) {
            departs = tick.execute(template);
        } else {
            departs = 0;
        }
    }
}

control Rate(in template_t template, in bit<32> now, in bit<1> rated, inout bit<1> departs) {
    Meter<template_t>(TEMPLATES, MeterType_t.PACKETS) meter;
    Gaps() gaps;
    PassSkip() correction;
    PassSkip() pattern;
    PassSkip() outer_pattern;

    bit<8> color = 0;

    action ask_meter() {
        color = meter.execute(template);
    }

    // Nothing may push it back: units and queues wait for it.
    @stage(0)
    table metering {
        actions = { ask_meter; }
        const default_action = ask_meter();
    }

    apply {
        metering.apply();
        correction.apply(template, color == GREEN && rated == 1, departs);
        bit<1> due;
        gaps.apply(template, now, due);
        pattern.apply(template, departs == 1, departs);
        outer_pattern.apply(template, departs == 1 && due == 1, departs);
    }
}

#endif
