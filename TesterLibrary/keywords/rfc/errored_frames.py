# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for frames that a device must not forward (RFC 2889 §5.9)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import PlanError
from ...measurement.trial import Trial
from ...methodology.errored_frames import (
    ErroredResult,
    ErroredTest,
    FrameError,
    check_sent,
    measure_errored_frames,
)
from ...methodology.result import Result
from ...model.stream import Stream
from ...model.units.units import Duration, FrameSize, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


@component
class ErroredFrames:
    """Frames that a device must not forward."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2889", "measure"])
    def measure_errored_frames(
        self,
        *kinds: FrameError,
        tx: str = "p1",
        rx: str = "p2",
        longest: FrameSize = FrameSize(1518),
        oversize: FrameSize | None = None,
        load: Ratio = Ratio.parse("10 %"),
        duration: Duration | None = None,
    ) -> ErroredResult:
        """Sends frames that the device must drop, and counts those that it forwards (RFC 2889 §5.9).

        | =Argument= | =Meaning= |
        | ``kinds`` | ``oversize``, which is also meant if none is given; others are refused: see below |
        | ``tx`` | the port of the testbed that the frames leave |
        | ``rx`` | the port on which they would arrive |
        | ``longest`` | bytes of the longest frame that the device has to forward, FCS included |
        | ``oversize`` | bytes of the frames that are too long; one more than ``longest``, if left out |
        | ``load`` | the load of the port, in ``%`` of line rate |
        | ``duration`` | how long each of its trials sends; as the profile says for frame loss, if left out |

        No port of the tester sends frames that are ``undersize``, have a bad FCS (``crc``) or end within a
        byte (``dribble``, ``alignment``): they are refused, for nobody knows whether the device filters them.
        Frames of the longest legal size are sent before and after, so that a device that is dead, or that
        oversize frames bring down, does not seem to filter. The streams are called ``legal`` and ``oversize``
        and exist until the test ends.

        Returns a result: ``forwarded`` (frames) and ``trials``.

        | ${result} = | `Measure Errored Frames` | oversize | longest=1518 |
        | `Verify Errored Frames Filtered` | ${result} |
        """
        suite = self._suite
        check_sent(kinds or (FrameError.OVERSIZE,))
        size = oversize or FrameSize(longest.bytes + 1)
        if size.bytes <= longest.bytes:
            raise PlanError(f"oversize={size} is no longer than the longest legal frame, {longest}")
        test = ErroredTest(load, duration or suite.profile.frame_loss)
        test.validate()
        suite.put(
            Stream("legal", tx=tx, rx=rx, frame_size=longest),
            Stream("oversize", tx=tx, rx=rx, frame_size=size),
        )
        legal = suite.measurer("errored frames", ["legal"], by_signature=True)
        errored = suite.measurer("errored frames", ["oversize"], by_signature=True)
        return suite.found(measure_errored_frames(legal, errored, test))

    @keyword(tags=["rfc2889", "verify"])
    def verify_errored_frames_filtered(self, measured: Trial | Result | None = None) -> Verdict:
        """Passes if the device forwarded no frame that was too long.

        | =Argument= | =Meaning= |
        | ``measured`` | a result of `Measure Errored Frames`; the last one of the test, if it is left out |

        | `Verify Errored Frames Filtered` |
        """
        judged = self._suite.judged_as(
            ErroredResult, measured, about="errored frames", source="Measure Errored Frames"
        )
        return self._suite.conclude(judged.verdict_filtered())
