# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest

from TesterLibrary.measurement.delays.correction import Correction, DelayKind, frame_time_ns

GIGABIT = 10**9


@pytest.mark.parametrize(
    ("kind", "uncalibrated", "calibrated"),
    [
        (DelayKind.AS_SEEN, 0, 5000),
        (DelayKind.CUT_THROUGH, 512, 5000),
        (DelayKind.STORE_AND_FORWARD, 1024, 5512),
    ],
)
def test_what_is_taken_off_64_bytes_at_a_gigabit(kind: DelayKind, uncalibrated: int, calibrated: int) -> None:
    """A frame is on the line for 512 ns, on both links; over the calibration's cable it was there once."""
    time = frame_time_ns(64, GIGABIT)
    assert time == 512
    assert Correction(frame_time_ns=time).total_ns(kind) == uncalibrated
    assert Correction(5000, 100, True, time).total_ns(kind) == calibrated


def test_a_virtual_port_has_no_frame_time() -> None:
    assert frame_time_ns(1518, 0) == 0
    assert Correction(frame_time_ns=Fraction(0)).total_ns(DelayKind.STORE_AND_FORWARD) == 0
