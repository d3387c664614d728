# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary.measurement.capture import (
    CaptureCounters,
    CapturedFrame,
    CapturePortCounters,
    StoppedCapture,
)
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.model.capture import Capture, CaptureTrigger, TriggerKind
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.trial_part import TrialPart
from TesterLibrary.running.capture_losses import CaptureLosses


def seen(number: int, *, transmitted: bool) -> CapturedFrame:
    at_ns = 1000 * number + (0 if transmitted else 3500)
    return CapturedFrame(at_ns, "p1" if transmitted else "p2", transmitted, 1, number, 60, bytes(60))


@pytest.mark.parametrize(("triggered_ns", "lost"), [(13_500, {5}), (0, {5, 10, 11, 12})])
def test_frames_on_their_way_when_a_triggered_capture_ended_are_not_lost(
    triggered_ns: int, lost: set[int]
) -> None:
    """The trial has lost as many as are missing: four."""
    frames = [seen(number, transmitted=True) for number in range(13)]
    frames += [seen(number, transmitted=False) for number in range(10) if number != 5]
    capture = Capture("x", trigger=CaptureTrigger(TriggerKind.GAP))
    ports = (CapturePortCounters("p1"), CapturePortCounters("p2"))
    counters = CaptureCounters("x", False, len(frames), ports, triggered_ns)
    part = TrialPart(1, "north", 1, 1, RecordPlace(), 0, 10**6, "p2", 4)
    batches = [CapturedFrames.of(sorted(frames, key=lambda frame: frame.time_ns))]
    losses = CaptureLosses(capture, StoppedCapture(counters, 0, 0, 0), [part], batches)
    assert set(losses.sequences[part]) == lost
