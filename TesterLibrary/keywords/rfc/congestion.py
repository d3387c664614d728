# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for congestion control (RFC 2889 §5.5)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.congestion import CongestionResult, CongestionTest, measure_congestion
from ...model.congestion import CongestedPorts
from ...model.units.names import Names
from ...model.units.units import Duration, FrameSize, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

_BOTH_SENDERS = Names(("p1", "p2"))


@component
class Congestion:
    """Whether a congested port harms frames to another one."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2889", "measure"])
    def measure_congestion(
        self,
        senders: Names = _BOTH_SENDERS,
        uncongested: str = "p3",
        congested: str = "p4",
        frame_size: FrameSize = FrameSize(64),
        load: Ratio = Ratio.parse("100 %"),
        duration: Duration | None = None,
    ) -> CongestionResult:
        """Overloads one port, and counts the frames that are lost on the way to another one (RFC 2889 §5.5).

        | ``senders`` | the two ports that send: a list, or names with a comma between, such as ``p1,p2`` |
        | ``uncongested`` | the port that receives every second frame of the first sender, and no others |
        | ``congested`` | the port that receives all other frames: 150 % of line rate at a ``load`` of 100 % |
        | ``frame_size`` | bytes, FCS included |
        | ``load`` | the load of each sender, in ``%`` of line rate |
        | ``duration`` | how long each of the two trials sends; the profile decides by default |

        In the first trial the first sender sends alone. Its streams are called ``uncongested`` and
        ``half congested``, the stream of the second sender ``congested``. They exist until the test ends.

        Returns a result: ``head_of_line_blocking`` (True if frames to the uncongested port were lost, None if
        this is not known), ``uncongested_lost`` and ``congested_lost`` (frames), ``back_pressure`` (False if
        frames to the congested port were lost, else None: the tester does not see whether the device holds
        its ports back) and ``trials``.

        | ${result} = | `Measure Congestion` | uncongested=p3 | congested=p4 | frame_size=512 |
        | `Verify No Head Of Line Blocking` | ${result} |
        """
        ports = CongestedPorts.of(senders, uncongested, congested)
        test = CongestionTest.of(ports, load, duration or self._suite.profile.frame_loss)
        self._suite.put(*ports.streams(frame_size, load))
        alone, together = (
            self._suite.measurer("congestion", names, by_signature=True)
            for names in (ports.of_first_sender, ports.names)
        )
        return self._suite.found(measure_congestion(alone, together, test))

    @keyword(tags=["rfc2889", "verify"])
    @verifies(CongestionResult, source="Measure Congestion")
    def verify_no_head_of_line_blocking(self, result: CongestionResult) -> Verdict:
        """Passes if the congested port cost no frame to the uncongested one.

        INCONCLUSIVE if the port was not congested, and if the device lost such frames without congestion.

        | `Verify No Head Of Line Blocking` |
        """
        return result.verdict_no_blocking()
