# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames as a tester gives them back: signed, sent at an even rate, received after a latency that varies."""

from __future__ import annotations

import random
from collections.abc import Iterator

from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.trial_part import TrialPart

STREAM = 7
PLACE = RecordPlace("benchmark", "Benchmark", "Frames")
_BEGIN_NS, _GAP_NS = 10**12, 700
_LATENCY_NS, _JITTER_NS = 12_000, 800
_LOST_EVERY = 1000
_AT_ONCE = 1 << 14


def batches(frames: int) -> Iterator[CapturedFrames]:
    """So many frames of 64 bytes, about half of them sent and half received, some thousand at once."""
    chance = random.Random(1)
    batch: list[CapturedFrame] = []
    for number in range((frames + 1) // 2):
        left_ns = _BEGIN_NS + _GAP_NS * number + chance.randrange(20)
        took_ns = round(_LATENCY_NS + abs(chance.gauss(0, _JITTER_NS)))
        signature = (STREAM << 112 | number << 64 | left_ns << 16).to_bytes(16, "big")
        octets = bytes(44) + signature
        batch.append(CapturedFrame(left_ns, "p1", True, STREAM, number, 60, octets))
        if number % _LOST_EVERY:
            batch.append(CapturedFrame(left_ns + took_ns, "p2", False, STREAM, number, 60, octets))
        if len(batch) >= _AT_ONCE:
            yield CapturedFrames.of(batch)
            batch = []
    yield CapturedFrames.of(batch)


def trial(frames: int) -> dict[TrialPart, range]:
    """The trial that they belong to, with those that are lost."""
    end_ns = _BEGIN_NS + _GAP_NS * frames
    part = TrialPart(STREAM, "north", 1, 1, PLACE, _BEGIN_NS, end_ns, "p2", frames // 2 // _LOST_EVERY)
    return {part: range(0, frames // 2, _LOST_EVERY)}
