# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversations on a path whose packets are written down one by one: go-back-N, notifications, recovery.

An end does what its protocol asks for, or one wrong thing that is planted.
"""

from __future__ import annotations

import random
from fractions import Fraction

from TesterLibrary.measurement.traces.congestion_notifications import Scope, congestion_notifications
from TesterLibrary.measurement.traces.go_back_n import go_back_n
from TesterLibrary.measurement.traces.retransmissions import retransmissions
from TesterLibrary.measurement.traces.trace import Change
from TesterLibrary.methodology.verdicts.congestion_notifications import notified_of_congestion
from TesterLibrary.methodology.verdicts.go_back_n import goes_back_n
from TesterLibrary.methodology.verdicts.retransmissions import recovery_below
from TesterLibrary.model.units.units import Duration
from tests.unit.measurement import roce_traces
from tests.unit.measurement.traces import test_retransmissions

from .case import Case, judge, near

_PSNS = 1 << 24
_TIMEOUT_US = 70_000
_GAP_US = 10  # between two packets of a wire
_MS = 10**6


@judge
def went_back(draw: random.Random) -> Case:
    """A sender and a receiver of RoCEv2 through losses."""
    start, total = draw.randrange(_PSNS), draw.randint(6, 20)
    losses = [draw.random() < 0.15 for _ in range(total)]
    fault = draw.choice(["", "", "selective repeat", "another packet asked for", "false acknowledgement"])
    wire, expected, sent, acknowledged = roce_traces.Wire(), 0, 0, 0
    asked = planted = False

    def psn(number: int) -> int:
        return (start + number) % _PSNS

    while acknowledged < total:
        if sent == total:
            wire.waits(_TIMEOUT_US)
            sent = acknowledged
        lost = bool(losses and losses.pop(0))
        wire.data(psn(sent), lost=lost)
        number, sent = sent, sent + 1
        if lost:
            if fault == "false acknowledgement" and not planted and number == expected:
                planted = True
                wire.ack(psn(number))
            continue
        if number < expected:
            wire.ack(psn(expected - 1))
            acknowledged, sent = expected, max(sent, expected)
        elif number == expected:
            expected, asked = expected + 1, False
            if expected % 3 == 0 or expected == total:
                wire.ack(psn(expected - 1))
                acknowledged = expected
        elif not asked:
            asked = True
            wrong = fault == "another packet asked for" and not planted
            planted = planted or wrong
            wire.nak(psn(expected + 1 if wrong else expected))
            acknowledged = sent = expected
            if fault == "selective repeat" and not planted and number > expected + 1:
                planted = True
                wire.data(psn(expected))
                expected, sent, asked = expected + 1, number + 1, False
                wire.data(psn(sent))
                break
        if planted and fault == "false acknowledgement":
            break
    found = go_back_n(wire.trace())
    verdict = goes_back_n(found)
    excuse = "" if found.lost else "nothing was lost"
    about = f"{fault=} {planted=}, PSNs from {start}, {len(wire.packets)} packets"
    return Case("go_back_n", not planted if found.lost else None, verdict, excuse, about)


@judge
def notified(draw: random.Random) -> Case:
    """A receiver of RoCEv2 that tells its sender of marks, once in an interval."""
    interval_us, within_us = draw.choice([50, 100, 400]), 30
    fault = draw.choice(["", "", "silent", "unasked", "too often"])
    wire, last_us, marks, planted = roce_traces.Wire(), -(10**9), 0, False
    for psn in range(draw.randint(5, 30)):
        wire.waits(draw.choice([0, 0, 0, interval_us // 2, interval_us, 2 * interval_us]))
        if draw.random() < 0.6:
            wire.data(psn)
            continue
        wire.data(psn, change=Change.MARKED)
        marks += 1
        next_us = wire.now_ns // 1000 + _GAP_US
        if next_us - last_us < interval_us:
            if fault == "too often" and not planted:
                wire.cnp()
                planted, last_us = True, next_us
            continue
        if fault == "silent" and not planted:
            planted = True
            wire.waits(2 * within_us + interval_us)
            break
        wire.cnp()
        last_us = next_us
    if fault == "unasked" and not marks:
        planted = True
        wire.waits(10).cnp()
    found = congestion_notifications(wire.trace())
    verdict = notified_of_congestion(
        found, Scope.QUEUE_PAIR, Duration(interval_us * 1000), Duration(within_us * 1000), Duration(0)
    )
    tells = bool(found.marked) or planted
    about = f"{fault=} {planted=}, interval {interval_us} us, {marks} marks, {len(wire.packets)} packets"
    excuse = "" if tells else "nothing was marked"
    return Case("congestion_notifications", not planted if tells else None, verdict, excuse, about)


@judge
def recovered(draw: random.Random) -> Case:
    """Segments of TCP that a path drops, each sent again some time later."""
    wire, now_ms, longest_ms, drops = test_retransmissions.Wire(), 0, 0, 0
    for index in range(draw.randint(2, 20)):
        now_ms += draw.randint(1, 40)
        drop = draw.random() < 0.3
        wire.data(index, now_ms, drop=drop)
        first_ms = now_ms
        for _ in range(draw.randint(0, 1) if drop else 0):
            now_ms += draw.randint(1, 400)
            wire.data(index, now_ms, drop=True)
        if drop:
            now_ms += draw.randint(1, 400)
            wire.data(index, now_ms)
            drops, longest_ms = drops + 1, max(longest_ms, now_ms - first_ms)
        wire.ack(index + 1, now_ms + 1)
        now_ms += 1
    bound = near(draw, Fraction(longest_ms * _MS), Fraction(_MS))
    verdict = recovery_below(retransmissions(wire.trace), Duration(int(bound)))
    within = longest_ms * _MS <= int(bound) if drops else None
    about = f"{drops} drops, the longest missing for {longest_ms} ms, bound {int(bound)} ns"
    return Case("recovery", within, verdict, "" if drops else "nothing was lost", about)
