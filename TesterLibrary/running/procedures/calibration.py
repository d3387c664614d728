# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Calibrates the tester of a testbed over a cable, keeps what was found, and corrects delays by it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

from ...errors import TesterLibraryError
from ...files.calibration import store_calibration
from ...measurement.calibration import Calibration
from ...methodology.calibration import CalibrationResult, calibrate
from ...model.stream import Stream
from ...model.units.units import Duration, FrameSize
from ...testbeds.embedded.cable import CABLE
from ..measurer import TrialMeasurer
from ..opening import OpenTestbed, open_tester
from ..tester import Tester

_NAME = "calibration"
_EMBEDDED = "embedded/loopback"


def calibrate_tester(
    bed: OpenTestbed,
    frame_sizes: Sequence[FrameSize],
    duration: Duration,
    *,
    tx: str | None = None,
    rx: str | None = None,
    over: str | None = None,
    path: Path | None = None,
) -> CalibrationResult:
    """Measures without a device; keeps the result for the tester's testbed and applies it from now on.

    Args:
        bed: The one to calibrate; nothing of it is sending.
        frame_sizes: At least one.
        duration: Of each trial.
        tx: The port at one end of the cable; by default the first one.
        rx: The port at its other end; by default the second one.
        over: Another testbed, of the same machine and kinds of ports, that is a cable. By default
            `embedded/loopback` for an embedded device; for a physical one the cable is in its own testbed.
        path: A file, in place of that of the testbed in the user's cache.

    Raises:
        TesterLibraryError: traffic is on the wire, or there are no two ports.
        Inconclusive: frames do not arrive, or the tester fell short in every trial.
    """
    dut = bed.testbed.testbed.dut
    if bed.tester.air.runs:
        raise TesterLibraryError("traffic is on the wire; call Stop Traffic before calibrating")
    if over is None and dut.is_embedded and dut.device != CABLE:
        over = _EMBEDDED
    if over is None:
        result, made = _measured(bed, bed, frame_sizes, duration, tx, rx)
    else:
        tester = bed.tester
        other = open_tester(over, seed=tester.seed, recorder=tester.recorder, progress=tester.progress)
        try:
            with closing(other):
                result, made = _measured(bed, other, frame_sizes, duration, tx, rx)
        finally:
            bed.record()
    store_calibration(made, path)
    bed.tester.calibration = made
    bed.record()
    return result


def _measured(
    bed: OpenTestbed,
    other: OpenTestbed,
    frame_sizes: Sequence[FrameSize],
    duration: Duration,
    tx: str | None,
    rx: str | None,
) -> tuple[CalibrationResult, Calibration]:
    tester, names = other.tester, list(other.tester.ports)
    if len(names) < 2:
        raise TesterLibraryError(f"a cable needs two ports; testbed {other.name!r} has {', '.join(names)}")
    tx, rx = tx or names[0], rx or names[1]
    unknown = [name for name in (tx, rx) if name not in names]
    if unknown:
        raise TesterLibraryError(f"there is no port {unknown[0]!r}; there are {', '.join(names)}")
    was, tester.calibration = tester.calibration, None  # the delay to be found must not be subtracted
    try:
        result = calibrate(
            lambda size: TrialMeasurer(tester, [Stream(_NAME, tx, rx, FrameSize(size))]),
            [size.bytes for size in frame_sizes],
            duration,
        )
    finally:
        tester.calibration = was
    tester.recorder.result(result)  # where its trials are
    made = Calibration(
        testbed=bed.name,
        over=f"{other.name}, {tx} to {rx}",
        made_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        tester=f"{tester.capabilities.target} {tester.capabilities.version}",
        drivers=_drivers(tester, tx, rx),
        sizes=result.sizes,
    )
    return result, made


def _drivers(tester: Tester, tx: str, rx: str) -> tuple[str, ...]:
    return tuple(sorted(tester.capabilities.port(name).driver for name in (tx, rx)))
