# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a host that tell the truth, or lie, beside the trace of what it has sent and received."""

from __future__ import annotations

import random
from collections import Counter as Tally
from dataclasses import replace

from TesterLibrary.measurement.traces.go_back_n import go_back_n
from TesterLibrary.measurement.traces.trace import Change, PathTrace
from TesterLibrary.measurement.traces.traced_count import Traced, count
from TesterLibrary.methodology.verdicts.go_back_n import end_counted_alike
from TesterLibrary.methodology.verdicts.host_counters import counter_is_true
from TesterLibrary.model.heading import Heading
from tests.unit.measurement import roce_traces
from tests.unit.measurement.traces import test_retransmissions

from .case import Case, judge

_FORWARD, _BACKWARD = Heading.FORWARD, Heading.BACKWARD
_UNREADABLE = "the counter cannot be read"


def _roce_traffic(draw: random.Random) -> tuple[PathTrace, Tally[tuple[Traced, Heading]]]:
    """Packets of RoCEv2 in both directions, and what a right counter of each kind says."""
    wire: roce_traces.Wire = roce_traces.Wire()
    truth: Tally[tuple[Traced, Heading]] = Tally()
    for psn in range(draw.randint(1, 12)):
        lost = draw.random() < 0.15
        heading = draw.choice([_FORWARD, _FORWARD, _BACKWARD])
        change = (
            draw.choice([None, None, None, Change.MARKED, Change.DAMAGED]) if heading is _FORWARD else None
        )
        tos = draw.choice([0, 2, 3]) if heading is _FORWARD else 2
        if heading is _FORWARD:
            wire.data(psn, lost=lost, change=change, tos=tos)
        else:
            wire.ack(psn, lost=lost)
        truth[Traced.SENT, heading] += 1
        truth[Traced.SENT_BYTES, heading] += wire.packets[-1].length - 4
        truth[Traced.ROCE_SENT, heading] += 1
        if lost:
            continue
        truth[Traced.RECEIVED, heading] += 1
        truth[Traced.ROCE_RECEIVED, heading] += change is not Change.DAMAGED
        truth[Traced.MARKED, heading] += change is Change.MARKED or tos == 3
    return wire.trace(), truth


def _tcp_traffic(draw: random.Random) -> tuple[PathTrace, Tally[tuple[Traced, Heading]]]:
    """Segments of TCP from a server, each sent until it arrives, and sometimes once more."""
    wire = test_retransmissions.Wire()
    truth: Tally[tuple[Traced, Heading]] = Tally()
    now_ms = 0
    for index in range(draw.randint(1, 8)):
        sent, lost = 0, True
        while lost or draw.random() < 0.05:
            now_ms += draw.randint(1, 300)
            lost = draw.random() < 0.2
            wire.data(index, now_ms, drop=lost)
            sent += 1
            truth[Traced.SENT, _BACKWARD] += 1
            truth[Traced.SENT_BYTES, _BACKWARD] += wire.packets[-1].length - 4
            truth[Traced.RECEIVED, _BACKWARD] += not lost
        truth[Traced.RETRANSMISSIONS, _BACKWARD] += sent - 1
        wire.ack(index + 1, now_ms + 1)
        now_ms += 1
    return wire.trace, truth


def _said(draw: random.Random, truth: int) -> int:
    """The value of a counter that is right, or is not."""
    return max(0, draw.choice([truth, truth, truth, truth + 1, truth - 1, 2 * truth, 0, truth % 16]))


def _with_hole(draw: random.Random, trace: PathTrace) -> tuple[PathTrace, str]:
    """Sometimes a trace that lacks a packet, and why it says nothing."""
    kind = draw.choice(["", "", "", "", "hole", "full", "sampled"]) if len(trace.packets) > 2 else ""
    at = draw.randrange(len(trace.packets))
    fewer = (*trace.packets[:at], *trace.packets[at + 1 :])
    if kind == "hole":
        return replace(trace, packets=fewer), "a packet is not in the trace"
    if kind == "full":
        return replace(trace, packets=fewer, dropped=1), "the trace had no room for a packet"
    if kind == "sampled":
        chosen = tuple(packet for packet in trace.packets if packet.number % 2 == 0)
        return replace(trace, packets=chosen, due=len(chosen), every=2), "only a part was traced"
    return trace, ""


@judge
def host_counter(draw: random.Random) -> Case:
    traffic = draw.choice([_roce_traffic, _tcp_traffic])
    whole, truth = traffic(draw)
    what, heading = draw.choice(sorted(truth, key=str))
    trace, absent = _with_hole(draw, whole)
    right = truth[what, heading]
    said = _said(draw, right)
    value: int | str = said
    if draw.random() < 0.08:
        value, absent = _UNREADABLE, absent or _UNREADABLE
    beside = "other packets may have reached the host" if draw.random() < 0.05 else ""
    verdict = counter_is_true(
        "packets", "server", value, count(trace, what, heading), what=what, path="wan", doubt=beside
    )
    about = f"{what.value} {heading.value}: {value}, truth {right} of {len(whole.packets)} packets"
    return Case("host counter", said == right, verdict, absent or beside, about)


@judge
def roce_counters(draw: random.Random) -> Case:
    """Several counters of an end beside the analysis of one trace, one of them perhaps not counted."""
    trace, truth = _roce_traffic(draw)
    analysis = go_back_n(trace)
    names = {"sent": Traced.ROCE_SENT, "received": Traced.ROCE_RECEIVED, "marked": Traced.MARKED}
    said = {name: _said(draw, truth[what, _FORWARD]) for name, what in names.items()}
    absent = draw.choice(list(names)) if draw.random() < 0.1 else ""
    traced = {name: count(trace, what, _FORWARD).value for name, what in names.items()}
    counted = {name: (None if name == absent else said[name], traced[name]) for name in names}
    verdict = end_counted_alike(analysis, "requester", counted)
    right = all(said[name] == truth[what, _FORWARD] for name, what in names.items())
    about = f"{said=} {dict(truth)}"
    excuse = absent and f"{absent} is not counted"
    return Case("counters of an end", right, verdict, excuse or analysis.doubt, about)
