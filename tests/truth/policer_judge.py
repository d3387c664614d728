# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The loss of a policer whose bucket overflows while the tester pauses, and is empty after the burst."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.snapshot import OrderCounters, StreamCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Ratio
from tests.unit.methodology.simulated import SimulatedMeasurer

from .case import Case, judge

_FRAMES, _SIZE = 2000, 64
_PAUSE_NS, _FOLLOWING = 100_000, 10  # counters.proto: rx_lost_crowded
_ERROR = 2  # frames: a pause shifts the tokens of the frames behind it by less


def _dropped(times_ns: Sequence[int], frame_ns: Fraction, depth: int) -> list[bool]:
    """Frames that a bucket of `depth` frames, filled with one in each `frame_ns`, drops."""
    tokens, seen_ns, dropped = Fraction(depth), 0, []
    for at_ns in times_ns:
        tokens, seen_ns = min(Fraction(depth), tokens + (at_ns - seen_ns) / frame_ns), at_ns
        dropped.append(tokens < 1)
        tokens -= 0 if dropped[-1] else 1
    return dropped


def _left(due_ns: Sequence[int], pauses: Sequence[tuple[int, int]]) -> list[int]:
    """When frames leave that pauses, from one time to another, hold up."""
    return [max([at_ns, *(end for begin, end in pauses if begin <= at_ns < end)]) for at_ns in due_ns]


def _crowded(due_ns: Sequence[int], left_ns: Sequence[int]) -> list[bool]:
    """Whether frames left after a pause, or soon after such frames."""
    end_ns, crowded = 0, []
    for due, left in zip(due_ns, left_ns, strict=True):
        if left - due > _PAUSE_NS:
            end_ns = max(end_ns, left + _FOLLOWING * (left - due))
        crowded.append(left < end_ns)
    return crowded


def _trial(lost: int, crowded: int | None, worst_ns: int) -> Trial:
    made = SimulatedMeasurer().measure(Fraction(1, 2), Duration(10**9))
    counters = StreamCounters(
        1,
        _FRAMES,
        _FRAMES,
        rx_packets=_FRAMES - lost,
        tx_bytes=_FRAMES * _SIZE,
        rx_bytes=(_FRAMES - lost) * _SIZE,
        worst_lateness_ns=worst_ns,
        order=OrderCounters(next_sequence=_FRAMES, duplicated=0, behind=0, late=0),
        rx_lost_crowded=crowded,
    )
    (stream,) = made.streams
    evidence = replace(made.evidence, lost_packets=lost, lost_crowded=crowded, worst_lateness_ns=worst_ns)
    objections = tuple(evidence.objections(EvidenceLimits()))
    streams = (replace(stream, counters=counters),)
    return replace(made, streams=streams, evidence=evidence, objections=objections)


@judge
def policed(draw: random.Random) -> Case:
    """The truth is what it drops of frames that leave when they are due."""
    gap_ns = draw.randint(10, 150) * 1000
    frame_ns, depth = gap_ns * Fraction(draw.randint(700, 1400), 1000), draw.randint(1, 60)
    due_ns = [number * gap_ns for number in range(_FRAMES)]
    pauses = []
    for _ in range(draw.choice([0, 1, 1, 3, 8])):
        begin_ns = draw.randint(0, 9 * due_ns[-1] // 10)
        pauses.append((begin_ns, begin_ns + gap_ns + draw.randint(_PAUSE_NS, 20 * _PAUSE_NS)))
    left_ns = _left(due_ns, pauses)
    lost, due_lost = _dropped(left_ns, frame_ns, depth), sum(_dropped(due_ns, frame_ns, depth))
    crowded = sum(a and b for a, b in zip(lost, _crowded(due_ns, left_ns), strict=True))
    worst_ns = max(left - due for due, left in zip(due_ns, left_ns, strict=True))
    # Above its rate it drops frames once the bucket is empty, which a pause brings about sooner.
    error = _ERROR + (depth if frame_ns > gap_ns else 0)
    off = draw.choice([error, -error, 2 * error, -2 * error, draw.randint(error, 400)])
    bound = due_lost + (off if due_lost + off >= 0 else error)
    verdict = loss_below([_trial(sum(lost), crowded, worst_ns)], Ratio(Fraction(bound, _FRAMES)))
    about = f"bound {bound}; {due_lost} due, {sum(lost)} lost, {crowded} of them crowded; {pauses=}"
    excuse = "pauses of the tester" if crowded else ""
    return Case("policed", due_lost <= bound, verdict, excuse, about)
