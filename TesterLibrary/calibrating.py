# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Calibrates the tester of a testbed over a cable, keeps what was found, and corrects delays by it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

from .bench import Bench
from .calibration import store_calibration
from .errors import TesterLibraryError
from .measurement.calibration import Calibration
from .measurer import TrialMeasurer
from .methodology.calibration import CalibrationResult, calibrate
from .model.stream import Stream
from .model.units import Duration, FrameSize
from .opening import OpenTester, open_tester
from .testbeds.embedded.cable import CABLE

_NAME = "calibration"
_EMBEDDED = "embedded/loopback"


def calibrate_tester(
    tester: OpenTester,
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
        tester: The one to calibrate; nothing of it is sending.
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
    dut = tester.testbed.testbed.dut
    if tester.bench.on_air:
        raise TesterLibraryError("traffic is on the wire; call Stop Traffic before calibrating")
    if over is None and dut.is_embedded and dut.device != CABLE:
        over = _EMBEDDED
    if over is None:
        result, made = _measured(tester, tester, frame_sizes, duration, tx, rx)
    else:
        bench = tester.bench
        other = open_tester(over, seed=bench.seed, recorder=bench.recorder, progress=bench.progress)
        try:
            with closing(other):
                result, made = _measured(tester, other, frame_sizes, duration, tx, rx)
        finally:
            tester.record()
    store_calibration(made, path)
    tester.bench.calibration = made
    tester.record()
    return result


def _measured(
    tester: OpenTester,
    other: OpenTester,
    frame_sizes: Sequence[FrameSize],
    duration: Duration,
    tx: str | None,
    rx: str | None,
) -> tuple[CalibrationResult, Calibration]:
    bench, names = other.bench, list(other.bench.ports)
    if len(names) < 2:
        raise TesterLibraryError(f"a cable needs two ports; testbed {other.name!r} has {', '.join(names)}")
    tx, rx = tx or names[0], rx or names[1]
    unknown = [name for name in (tx, rx) if name not in names]
    if unknown:
        raise TesterLibraryError(f"there is no port {unknown[0]!r}; there are {', '.join(names)}")
    was, bench.calibration = bench.calibration, None  # what is to be found is not to be taken off
    try:
        result = calibrate(
            lambda size: TrialMeasurer(bench, [Stream(_NAME, tx, rx, FrameSize(size))]),
            [size.bytes for size in frame_sizes],
            duration,
        )
    finally:
        bench.calibration = was
    bench.recorder.result(result)  # where its trials are
    made = Calibration(
        testbed=tester.name,
        over=f"{other.name}, {tx} to {rx}",
        made_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        tester=f"{bench.capabilities.target} {bench.capabilities.version}",
        drivers=_drivers(bench, tx, rx),
        sizes=result.sizes,
    )
    return result, made


def _drivers(bench: Bench, tx: str, rx: str) -> tuple[str, ...]:
    return tuple(sorted(bench.capabilities.port(name).driver for name in (tx, rx)))
