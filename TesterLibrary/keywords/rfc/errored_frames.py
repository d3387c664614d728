# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for frames that a device must not forward (RFC 2889 §5.9)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.errored_frames import (
    ErroredResult,
    ErroredTest,
    FrameError,
    measure_errored_frames,
    oversize_of,
)
from ...model.stream import Stream
from ...model.units.units import Duration, FrameSize, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies


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

        | ``kinds`` | ``oversize``, which is the default; the tester cannot send other kinds, see below |
        | ``tx`` | the port of the testbed that the frames leave |
        | ``rx`` | the port on which they would arrive |
        | ``longest`` | bytes of the longest frame that the device has to forward, FCS included |
        | ``oversize`` | bytes of the frames that are too long; by default one more than ``longest`` |
        | ``load`` | the load of the port, in ``%`` of line rate |
        | ``duration`` | how long each trial sends; the profile decides by default, as for frame loss |

        No port of the tester sends frames that are ``undersize``, have a bad FCS (``crc``) or end within a
        byte (``dribble``, ``alignment``). These kinds are refused, because the filtering is not measured.
        Frames of the longest legal size are sent before and after the errored ones. So a device that is dead,
        or that oversize frames bring down, does not pass as one that filters. The streams are called
        ``legal`` and ``oversize`` and exist until the test ends.

        Returns a result: ``forwarded`` (frames) and ``trials``.

        | ${result} = | `Measure Errored Frames` | oversize | longest=1518 |
        | `Verify Errored Frames Filtered` | ${result} |
        """
        suite = self._suite
        test = ErroredTest.of(kinds or (FrameError.OVERSIZE,), load, duration or suite.profile.frame_loss)
        sizes = {"legal": longest, "oversize": oversize_of(longest, oversize)}
        suite.put(*(Stream(name, tx=tx, rx=rx, frame_size=size) for name, size in sizes.items()))
        legal, errored = (suite.measurer("errored frames", [name], by_signature=True) for name in sizes)
        return suite.found(measure_errored_frames(legal, errored, test))

    @keyword(tags=["rfc2889", "verify"])
    @verifies(ErroredResult, source="Measure Errored Frames")
    def verify_errored_frames_filtered(self, result: ErroredResult) -> Verdict:
        """Passes if the device forwarded no frame that was too long.

        | `Verify Errored Frames Filtered` |
        """
        return result.verdict_filtered()
