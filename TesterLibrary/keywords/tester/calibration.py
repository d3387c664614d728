# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword that calibrates the tester."""

from __future__ import annotations

from pathlib import Path

from robot.api.deco import keyword

from ...methodology.calibration import CalibrationResult
from ...model.units.units import Duration, FrameSize
from ...running.procedures.calibration import calibrate_tester
from ...running.suite import Suite
from .._component import component

_SIZES = (FrameSize(64), FrameSize(512), FrameSize(1518))


@component
class Calibrating:
    """The tester's own part of each delay."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["tester"])
    def calibrate_tester(
        self,
        *frame_sizes: FrameSize,
        duration: Duration | None = None,
        tx: str | None = None,
        rx: str | None = None,
        over: str | None = None,
        file: Path | None = None,
    ) -> CalibrationResult:
        """Measures the delay and the highest rate of the tester itself, over a cable in place of the device.

        | =Argument= | =Meaning= |
        | ``frame_sizes`` | sizes in bytes, FCS included; 64, 512 and 1518 by default |
        | ``duration`` | how long each trial sends; the profile decides by default |
        | ``tx`` | the port at one end of the cable; the first port by default |
        | ``rx`` | the port at its other end; the second port by default |
        | ``over`` | a testbed of the same machine that is a cable |
        | ``file`` | the path of the calibration file; in the user's cache by default |

        For an embedded device the cable is ``embedded/loopback``. For a physical device, connect two ports of
        the open tester by a cable and give them, or give a testbed with the same kind of ports.

        From then on the median delay of a frame size is subtracted from every delay that ports of the same
        drivers measure; between two sizes it is interpolated. Its spread is in the evidence. The calibration
        is kept for the testbed in the user's cache, and used whenever the testbed is opened. When it is older
        than ``calibration_age`` of ``resources/criteria/evidence.yaml``, verdicts on delays are INCONCLUSIVE.

        Returns a result; ``${result.sizes}`` have ``frame_size``, ``offset_ns``, ``spread_ns`` and
        ``highest_pps``: the highest rate at which the tester sent every frame in time and lost none.

        | `Calibrate Tester` | 64 | 1518 |
        """
        suite = self._suite
        suite.progress.begin("calibration")
        result = calibrate_tester(
            suite.open_testbed,
            frame_sizes or _SIZES,
            duration or suite.profile.trial,
            tx=tx,
            rx=rx,
            over=over,
            path=file,
        )
        suite.progress.end(str(result))
        suite.remember(result)
        return result
